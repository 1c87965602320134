// What happens to a match after it was formed.
import assert from 'node:assert/strict';
import test from 'node:test';
import { connect, fresh, ticket } from './support/client.mjs';
import { baseConfig, startServer } from './support/server.mjs';
import { eventually } from './support/wait.mjs';

async function play(client, ratings = [1500, 1540]) {
  const players = ratings.map((rating) => ({ player_id: fresh(), rating }));
  const tickets = [];
  for (const player of players) tickets.push((await client.enqueue({ ticket: ticket(player) })).ticket_id);
  const message = await client.watchTicket({ ticket_id: tickets[0] }).until(({ event }) => event.match, 'the match');
  return { players, tickets, match: message.event.match };
}

test('a match is known with the ratings that counted', async (t) => {
  const client = connect(t, await startServer(t));
  const { players, tickets, match } = await play(client);
  const known = await client.getMatch({ match_id: match.match_id });
  assert.equal(known.state, 'MATCH_STATE_FORMED');
  assert.equal(known.end_reason, 'MATCH_END_REASON_UNSPECIFIED');
  const seats = known.match.teams.flatMap((team) => team.seats);
  for (const [i, player] of players.entries()) {
    const seat = seats.find(({ player_id }) => player_id === player.player_id);
    assert.deepEqual([seat.rating, seat.ticket_id], [player.rating, tickets[i]]);
  }
  assert.ok(Math.abs(Number(known.match.formed_at.seconds) - Date.now() / 1000) < 60);
});

test('a match ends once', async (t) => {
  const client = connect(t, await startServer(t));
  const { match } = await play(client);
  for (let i = 0; i < 2; ++i) {
    const { state, end_reason } = await client.endMatch({ match_id: match.match_id });
    assert.deepEqual([state, end_reason], ['MATCH_STATE_ENDED', 'MATCH_END_REASON_END_MATCH']);
  }
  const known = await client.getMatch({ match_id: match.match_id });
  assert.deepEqual([known.state, known.end_reason], ['MATCH_STATE_ENDED', 'MATCH_END_REASON_END_MATCH']);
  assert.ok(known.ended_at);
});

test('players are free when the hold is over', async (t) => {
  const config = baseConfig();
  config.queues[0].hold_timeout = '200ms';
  const server = await startServer(t, { config });
  const client = connect(t, server);
  const { players, match } = await play(client);
  await eventually(async () => (await client.getMatch({ match_id: match.match_id })).state === 'MATCH_STATE_ENDED', 'the end of the hold');
  const late = await client.endMatch({ match_id: match.match_id });
  assert.equal(late.end_reason, 'MATCH_END_REASON_HOLD_TIMEOUT');
  assert.equal((await client.enqueue({ ticket: ticket(players[0]) })).existing, false);
  assert.equal((await client.getQueueStats({ queue: 'duel' })).stats.live_matches, 0);
});

test('only so many ended matches are kept', async (t) => {
  const config = baseConfig();
  config.limits = { retained_matches_per_group: 2 };
  const client = connect(t, await startServer(t, { config }));
  const ids = [];
  for (let i = 0; i < 4; ++i) {
    const { match } = await play(client);
    await client.endMatch({ match_id: match.match_id });
    ids.push(match.match_id);
  }
  assert.equal(new Set(ids).size, 4);
  const known = await Promise.all(ids.map((match_id) => client.getMatch({ match_id }).then(() => true, () => false)));
  assert.deepEqual(known, [false, false, true, true]);
});
