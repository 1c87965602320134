// Tickets come in, players are matched, and saying something twice does no harm.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Code, connect, detailsOf, fieldOf, fresh, refusal, seconds, ticket, toSeconds } from './support/client.mjs';
import { baseConfig, startServer } from './support/server.mjs';
import { eventually } from './support/wait.mjs';

const matched = (client, ticket_id) =>
  eventually(async () => {
    const { ticket: status } = await client.getTicket({ ticket_id });
    return status.state === 'TICKET_STATE_MATCHED' && status;
  }, `${ticket_id} is matched`);

test('two players are matched', async (t) => {
  const client = connect(t, await startServer(t));
  const [ada, bob] = [fresh('ada'), fresh('bob')];
  const first = await client.enqueue({ ticket: ticket({ player_id: ada, rating: 1500 }) });
  assert.equal(first.existing, false);
  assert.equal(first.state, 'TICKET_STATE_WAITING');
  assert.equal(first.sequence, 1);
  assert.notEqual(first.ticket_id, '');

  const waiting = (await client.getTicket({ ticket_id: first.ticket_id })).ticket;
  assert.equal(waiting.queues[0].queue, 'duel');
  assert.equal(waiting.queues[0].value_points, 1500);
  assert.ok(waiting.queues[0].window_points >= 100);

  const second = await client.enqueue({ ticket: ticket({ player_id: bob, rating: 1560 }) });
  const [one, two] = [await matched(client, first.ticket_id), await matched(client, second.ticket_id)];
  assert.equal(one.match.match_id, two.match.match_id);
  assert.equal(one.match.queue, 'duel');
  const seats = one.match.teams.map((team) => team.seats.map((seat) => seat.player_id));
  assert.deepEqual(seats.map((team) => team.length), [1, 1]);
  assert.deepEqual(seats.flat().sort(), [ada, bob].sort());

  const { score, win_probability, spread_points, longest_wait } = one.match.quality;
  assert.ok(score > 0 && score <= 10_000, `score ${score}`);
  assert.ok(Math.abs(win_probability[0] + win_probability[1] - 1) < 1e-9);
  const favourite = win_probability[seats.findIndex((team) => team[0] === bob)];
  assert.ok(favourite > 0.55 && favourite < 0.62, `60 points more win 58.5 %, not ${favourite}`);
  assert.equal(spread_points, 60);
  assert.ok(toSeconds(longest_wait) >= 0);
});

test('parties stay together and teams are full', async (t) => {
  const client = connect(t, await startServer(t));
  const queues = [{ queue: 'pairs' }];
  const party = [fresh(), fresh()];
  const solo = [fresh(), fresh()];
  const { ticket_id } = await client.enqueue({ ticket: ticket(party, { queues, party_id: 'friends' }) });
  for (const player of solo) await client.enqueue({ ticket: ticket(player, { queues }) });
  const { match } = await matched(client, ticket_id);
  const teams = match.teams.map(({ seats }) => seats.map(({ player_id }) => player_id).sort());
  assert.deepEqual(teams.sort(), [party.sort(), solo.sort()].sort());
});

test('a ticket in several queues leaves all of them when one matches', async (t) => {
  const client = connect(t, await startServer(t));
  const both = await client.enqueue({ ticket: ticket(fresh(), { queues: [{ queue: 'duel' }, { queue: 'duel2' }] }) });
  const partner = await client.enqueue({ ticket: ticket(fresh(), { queues: [{ queue: 'duel2' }] }) });
  await matched(client, both.ticket_id);
  const late = await client.enqueue({ ticket: ticket(fresh()) });
  assert.equal((await matched(client, partner.ticket_id)).match.queue, 'duel2');
  assert.equal((await client.getTicket({ ticket_id: late.ticket_id })).ticket.state, 'TICKET_STATE_WAITING');
});

test('the same ticket again is the same ticket, in whatever state it is', async (t) => {
  const client = connect(t, await startServer(t));
  const request = { ticket: ticket(fresh(), { ticket_id: fresh('t'), timeout: seconds(600) }) };
  await client.enqueue(request);
  const again = await client.enqueue(request);
  assert.deepEqual([again.existing, again.state, again.ticket_id], [true, 'TICKET_STATE_WAITING', request.ticket.ticket_id]);
  assert.equal((await client.getQueueStats({ queue: 'duel' })).stats.waiting_tickets, 1);

  await client.enqueue({ ticket: ticket(fresh()) });
  const { match } = await matched(client, request.ticket.ticket_id);
  const after = await client.enqueue(request);
  assert.deepEqual([after.existing, after.state], [true, 'TICKET_STATE_MATCHED']);
  await client.endMatch({ match_id: match.match_id });
  assert.equal((await client.enqueue(request)).state, 'TICKET_STATE_MATCHED', 'a final ticket is never revived');
});

test('the same id with other content is refused', async (t) => {
  const client = connect(t, await startServer(t));
  const [player, ticket_id] = [fresh(), fresh('t')];
  await client.enqueue({ ticket: ticket(player, { ticket_id }) });
  const error = await refusal(client.enqueue({ ticket: ticket({ player_id: player, rating: 1501 }, { ticket_id }) }));
  assert.equal(error.code, Code.INVALID_ARGUMENT);
  assert.equal(fieldOf(error), 'ticket.ticket_id');
});

test('a player waits on one ticket of a group only', async (t) => {
  const client = connect(t, await startServer(t));
  const player = fresh();
  const { ticket_id } = await client.enqueue({ ticket: ticket(player) });
  for (const more of [{}, { queues: [{ queue: 'duel2' }] }]) {
    const error = await refusal(client.enqueue({ ticket: ticket(player, more) }));
    assert.equal(error.code, Code.ALREADY_EXISTS);
    assert.equal(detailsOf(error).ResourceInfo.resourceName, ticket_id);
  }
  const party = await refusal(client.enqueue({ ticket: ticket([fresh(), player], { queues: [{ queue: 'pairs' }] }) }));
  assert.equal(party.code, Code.ALREADY_EXISTS);
  // Another group is another world.
  await client.enqueue({ ticket: ticket(player, { queues: [{ queue: 'far' }] }) });
});

test('a player of a live match waits for nothing else until it ends', async (t) => {
  const client = connect(t, await startServer(t));
  const [player, third] = [fresh(), fresh()];
  const { ticket_id } = await client.enqueue({ ticket: ticket(player) });
  await client.enqueue({ ticket: ticket(fresh()) });
  const { match } = await matched(client, ticket_id);
  const waiting = await client.enqueue({ ticket: ticket(third) });
  const error = await refusal(client.enqueue({ ticket: ticket(player) }));
  assert.equal(error.code, Code.FAILED_PRECONDITION);
  assert.equal(detailsOf(error).ResourceInfo.resourceName, match.match_id);

  await client.endMatch({ match_id: match.match_id });
  const again = await client.enqueue({ ticket: ticket(player) });
  const next = await matched(client, again.ticket_id);
  assert.notEqual(next.match.match_id, match.match_id);
  assert.equal((await matched(client, waiting.ticket_id)).match.match_id, next.match.match_id);
});

test('one player from many connections at once has one ticket', async (t) => {
  const server = await startServer(t);
  const clients = Array.from({ length: 4 }, () => connect(t, server));
  for (let round = 0; round < 25; ++round) {
    const player = { player_id: fresh(), rating: 1000 + 2000 * round };
    const outcomes = await Promise.allSettled(clients.map((client) => client.enqueue({ ticket: ticket(player) })));
    const winners = outcomes.filter(({ status }) => status === 'fulfilled').map(({ value }) => value.ticket_id);
    assert.equal(winners.length, 1);
    for (const { reason } of outcomes.filter(({ status }) => status === 'rejected')) {
      assert.equal(reason.code, Code.ALREADY_EXISTS);
      assert.equal(detailsOf(reason).ResourceInfo.resourceName, winners[0]);
    }
  }
});

test('players that arrive at the same instant are each in one match', async (t) => {
  const server = await startServer(t);
  const clients = [connect(t, server), connect(t, server)];
  const players = Array.from({ length: 400 }, () => fresh());
  const tickets = await Promise.all(
    players.map((player, i) => clients[i % 2].enqueue({ ticket: ticket(player, { queues: [{ queue: 'pairs' }] }) })),
  );
  const matches = new Map();
  for (const { ticket_id } of tickets) {
    const { match } = await matched(clients[0], ticket_id);
    matches.set(match.match_id, match);
  }
  const seated = [...matches.values()].flatMap(({ teams }) => teams.flatMap(({ seats }) => seats.map((s) => s.player_id)));
  assert.deepEqual(seated.sort(), players.sort());
  assert.equal(matches.size, 100);
});

test('a ticket that nobody meets expires after its timeout', async (t) => {
  const config = baseConfig();
  config.queues[0].default_timeout = '150ms';
  const client = connect(t, await startServer(t, { config }));
  const own = await client.enqueue({ ticket: ticket({ player_id: fresh(), rating: 0 }, { timeout: seconds(0.05) }) });
  const usual = await client.enqueue({ ticket: ticket({ player_id: fresh(), rating: 9000 }) });
  for (const [{ ticket_id }, waits] of [[own, 0.05], [usual, 0.15]]) {
    const reader = client.watchTicket({ ticket_id, cursor: 1 });
    const { event } = await reader.until(({ event }) => event.kind === 'TICKET_EVENT_KIND_EXPIRED', 'the expiry');
    assert.equal(event.reason, 'REASON_TIMEOUT');
    const { ticket: status } = await client.getTicket({ ticket_id });
    assert.equal(status.state, 'TICKET_STATE_EXPIRED');
    assert.ok(toSeconds(status.wait) >= waits && toSeconds(status.wait) < waits + 5, `waited ${toSeconds(status.wait)}`);
  }
});

test('ids are compared byte by byte, in any script', async (t) => {
  const client = connect(t, await startServer(t));
  // One accented letter, composed and decomposed; an emoji of several code points; a mark that turns the direction.
  const ids = ['\u00e9', 'e\u0301', '\u{1f469}\u200d\u{1f680}', 'abc\u200f', 'x'.repeat(128)];
  for (const [i, id] of ids.entries()) {
    const player = { player_id: id, rating: 3000 * i };
    const { existing } = await client.enqueue({ ticket: ticket(player, { ticket_id: id }) });
    assert.equal(existing, false);
  }
  for (const id of ids) assert.equal((await client.getTicket({ player_id: id })).ticket.ticket_id, id);
});

test('required attributes keep strangers apart', async (t) => {
  const config = baseConfig();
  config.queues[0].required_attributes = ['version'];
  const client = connect(t, await startServer(t, { config }));
  const enqueue = (text) =>
    client.enqueue({ ticket: ticket(fresh(), text ? { attributes: { version: { text } } } : {}) });
  const tickets = [await enqueue('1.1'), await enqueue('1.2'), await enqueue(null)];
  const partner = await enqueue('1.2');
  assert.equal((await matched(client, partner.ticket_id)).match.match_id, (await matched(client, tickets[1].ticket_id)).match.match_id);
  for (const { ticket_id } of [tickets[0], tickets[2]]) {
    assert.equal((await client.getTicket({ ticket_id })).ticket.state, 'TICKET_STATE_WAITING');
  }
});
