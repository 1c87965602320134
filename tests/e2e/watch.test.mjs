// WatchTicket: every change is told, in order, and a broken stream goes on where it stopped.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Code, connect, fieldOf, fresh, refusal, seconds, ticket } from './support/client.mjs';
import { baseConfig, startServer } from './support/server.mjs';
import { eventually } from './support/wait.mjs';

const kind = ({ event }) => event.kind.replace('TICKET_EVENT_KIND_', '');
const numbered = (messages) => messages.filter((message) => kind(message) !== 'WIDENED');
const open = (reader) => reader.end('the refusal of a stream');

test('a watcher from the beginning is told everything in order, then the stream ends', async (t) => {
  const client = connect(t, await startServer(t));
  const { ticket_id } = await client.enqueue({ ticket: ticket(fresh()) });
  const reader = client.watchTicket({ ticket_id, cursor: 0 });
  const first = await reader.next();
  assert.deepEqual([kind(first), first.event.sequence, first.event.snapshot], ['QUEUED', 1, false]);
  await client.enqueue({ ticket: ticket(fresh()) });
  const rest = numbered(await reader.rest());
  assert.deepEqual(rest.map((message) => [kind(message), message.event.sequence]), [['MATCHED', 2]]);
  assert.equal(rest[0].event.match.teams.length, 2);
  assert.equal(rest[0].event.match.teams[0].seats[0]._rating, undefined, 'players are not shown ratings');
  assert.equal((await reader.end()).code, Code.OK);
});

test('without a cursor the first event tells the present state', async (t) => {
  const client = connect(t, await startServer(t));
  const { ticket_id } = await client.enqueue({ ticket: ticket(fresh()) });
  const waiting = await client.watchTicket({ ticket_id }).next();
  assert.deepEqual([kind(waiting), waiting.event.snapshot, waiting.event.sequence], ['QUEUED', true, 1]);
  await client.cancel({ ticket_id });
  const messages = await client.watchTicket({ ticket_id }).rest();
  assert.deepEqual(messages.map((m) => [kind(m), m.event.snapshot]), [['CANCELLED', true]]);
});

test('a broken stream goes on from its cursor without loss or repetition', async (t) => {
  const server = await startServer(t);
  const { ticket_id } = await connect(t, server).enqueue({ ticket: ticket(fresh()) });
  const before = connect(t, server);
  const reader = before.watchTicket({ ticket_id, cursor: 0 });
  const { event } = await reader.next();
  reader.cancel();
  await reader.end();
  before.channel.close();

  const after = connect(t, server);
  await after.enqueue({ ticket: ticket(fresh()) });
  await eventually(async () => (await after.getTicket({ ticket_id })).ticket.state === 'TICKET_STATE_MATCHED', 'the match');
  const rest = await after.watchTicket({ ticket_id, cursor: event.sequence }).rest();
  assert.deepEqual(rest.map((m) => [kind(m), m.event.sequence, m.event.snapshot]), [['MATCHED', 2, false]]);
  assert.ok((await server.metrics()).sum('evenmatch_resumes_total') >= 1);
});

test('the final event is told again on each attach until it is acknowledged', async (t) => {
  const client = connect(t, await startServer(t));
  const { ticket_id } = await client.enqueue({ ticket: ticket(fresh()) });
  await client.cancel({ ticket_id });
  for (let i = 0; i < 2; ++i) {
    const rest = await client.watchTicket({ ticket_id, cursor: 2 }).rest();
    assert.deepEqual(rest.map((m) => [kind(m), m.event.sequence]), [['CANCELLED', 2]]);
  }
  await client.acknowledge({ ticket_id, sequence: 2 });
  await client.acknowledge({ ticket_id, sequence: 2 });
  const reader = client.watchTicket({ ticket_id, cursor: 2 });
  assert.deepEqual(await reader.rest(), []);
  assert.equal((await reader.end()).code, Code.OK);
});

test('players of a party acknowledge each for themselves', async (t) => {
  const client = connect(t, await startServer(t));
  const party = [fresh(), fresh()];
  const { ticket_id } = await client.enqueue({ ticket: ticket(party, { queues: [{ queue: 'pairs' }] }) });
  await client.cancel({ ticket_id });
  await client.acknowledge({ ticket_id, player_id: party[0], sequence: 2 });
  assert.equal((await client.watchTicket({ ticket_id, cursor: 2 }).rest()).length, 1, 'the other has not heard yet');
  await client.acknowledge({ ticket_id, player_id: party[1], sequence: 2 });
  assert.equal((await client.watchTicket({ ticket_id, cursor: 2 }).rest()).length, 0);
  const error = await refusal(client.acknowledge({ ticket_id, player_id: 'stranger', sequence: 2 }));
  assert.equal(error.code, Code.INVALID_ARGUMENT);
  assert.equal(fieldOf(error), 'player_id');
});

test('what lies in the future is refused', async (t) => {
  const client = connect(t, await startServer(t));
  const { ticket_id } = await client.enqueue({ ticket: ticket(fresh()) });
  const status = await open(client.watchTicket({ ticket_id, cursor: 2 }));
  assert.equal(status.code, Code.INVALID_ARGUMENT);
  assert.equal(fieldOf(status), 'cursor');
  const error = await refusal(client.acknowledge({ ticket_id, sequence: 2 }));
  assert.equal(error.code, Code.INVALID_ARGUMENT);
  assert.equal(fieldOf(error), 'sequence');
});

test('a ticket is watched by any of its players', async (t) => {
  const client = connect(t, await startServer(t));
  const party = [fresh(), fresh()];
  const { ticket_id } = await client.enqueue({ ticket: ticket(party, { queues: [{ queue: 'pairs' }] }) });
  for (const player_id of party) {
    assert.equal((await client.watchTicket({ player_id }).next()).event.ticket_id, ticket_id);
  }
  assert.equal((await open(client.watchTicket({ ticket_id: 'nobody' }))).code, Code.NOT_FOUND);
  assert.equal((await open(client.watchTicket({}))).code, Code.INVALID_ARGUMENT);
});

test('a ticket that was answered for is found at once, from any connection', async (t) => {
  const server = await startServer(t);
  const [here, there] = [connect(t, server), connect(t, server)];
  for (let round = 0; round < 300; ++round) {
    const player = fresh();
    const { ticket_id } = await here.enqueue({ ticket: ticket({ player_id: player, rating: 100 * round }) });
    const reader = there.watchTicket(round % 2 ? { ticket_id } : { player_id: player });
    assert.equal((await reader.next()).event.ticket_id, ticket_id);
    assert.equal((await there.cancel({ ticket_id })).outcome, 'CANCEL_OUTCOME_CANCELLED');
    assert.deepEqual((await reader.rest()).map(kind), ['CANCELLED']);
  }
});

test('many watch one ticket and each is told', async (t) => {
  const server = await startServer(t);
  const client = connect(t, server);
  const { ticket_id } = await client.enqueue({ ticket: ticket(fresh()) });
  const readers = Array.from({ length: 20 }, () => connect(t, server).watchTicket({ ticket_id, cursor: 0 }));
  for (const reader of readers) await reader.next();
  await client.enqueue({ ticket: ticket(fresh()) });
  for (const reader of readers) await reader.until((m) => kind(m) === 'MATCHED', 'the match');
});

test('a window that opens is told as it opens', async (t) => {
  const config = baseConfig();
  config.queues[0].window = { steps: [{ after: '0s', width: 100 }, { after: '50ms', width: 300 }, { after: '100ms' }] };
  const client = connect(t, await startServer(t, { config }));
  const { ticket_id } = await client.enqueue({ ticket: ticket(fresh()) });
  const reader = client.watchTicket({ ticket_id, cursor: 1 });
  const first = await reader.until((m) => kind(m) === 'WIDENED', 'a wider window');
  assert.equal(first.event.sequence, 1, 'carries the number of the event before');
  assert.ok(first.event.widening.to_points > first.event.widening.from_points);
  const last = first.event.widening.to_points === Infinity ? first : await reader.until((m) => m.event.widening?.to_points === Infinity, 'the last step');
  assert.equal(last.event.widening.stage, 2);
  // Anybody will do now.
  await client.enqueue({ ticket: ticket({ player_id: fresh(), rating: 1500 }) });
  await reader.until((m) => kind(m) === 'MATCHED', 'the match');
});

test('presence STREAM: a ticket that nobody watches any more is cancelled after the grace', async (t) => {
  const server = await startServer(t);
  const client = connect(t, server);
  const presence = 'PRESENCE_STREAM';
  const watched = ticket({ player_id: fresh(), rating: 0 }, { ticket_id: fresh('t'), presence });
  const never = ticket({ player_id: fresh(), rating: 9000 }, { ticket_id: fresh('t'), presence });
  const free = ticket({ player_id: fresh(), rating: 20000 }, { ticket_id: fresh('t'), timeout: seconds(600) });
  for (const one of [watched, never, free]) await client.enqueue({ ticket: one });
  const reader = client.watchTicket({ ticket_id: watched.ticket_id });
  await reader.next();

  const state = async (one) => (await client.getTicket({ ticket_id: one.ticket_id })).ticket;
  await eventually(async () => (await state(never)).state === 'TICKET_STATE_CANCELLED', 'the end of the unwatched ticket');
  assert.equal((await state(never)).reason, 'REASON_PRESENCE_LOST');
  assert.equal((await state(watched)).state, 'TICKET_STATE_WAITING', 'its watcher is there');

  // A second stream takes over within the grace.
  reader.cancel();
  await reader.end();
  const again = connect(t, server).watchTicket({ ticket_id: watched.ticket_id });
  await again.next();
  again.cancel();
  await eventually(async () => (await state(watched)).state === 'TICKET_STATE_CANCELLED', 'the end of the left ticket');
  assert.equal((await state(watched)).reason, 'REASON_PRESENCE_LOST');
  assert.equal((await state(free)).state, 'TICKET_STATE_WAITING');
});

test('closed streams give everything back', async (t) => {
  const server = await startServer(t);
  const client = connect(t, server);
  const { ticket_id } = await client.enqueue({ ticket: ticket(fresh(), { timeout: seconds(600) }) });
  const openStreams = async () => (await server.metrics()).sum('evenmatch_open_streams');
  const readers = Array.from({ length: 200 }, () => client.watchTicket({ ticket_id }));
  for (const reader of readers) await reader.next();
  assert.equal(await openStreams(), 200);
  for (const reader of readers) reader.cancel();
  await eventually(async () => (await openStreams()) === 0, 'no open stream');
});
