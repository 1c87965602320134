// A client that does not read its stream loses the stream, never an event, and disturbs nobody.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Code, connect, fresh, ticket } from './support/client.mjs';
import { startServer } from './support/server.mjs';
import { eventually } from './support/wait.mjs';

// Long names fill the pipe sooner.
const long = (prefix) => fresh(prefix).padEnd(128, '.');

test('a session that does not read is ended, others go on, and it resumes without loss', async (t) => {
  const server = await startServer(t);
  const id = fresh('session');
  const slow = connect(t, server).session().open(id);
  const ids = [];
  const write = (message) => new Promise((resolve, reject) => slow.call.write(message, (error) => (error ? reject(error) : resolve())));
  let request = 0;
  // Enough answers and matches that the windows of the connection are full long before the last of them.
  for (let batch = 0; batch < 60; ++batch) {
    const commands = Array.from({ length: 128 }, () => ({
      request: ++request,
      enqueue: { ticket: ticket({ player_id: long('p'), rating: 1500 }, { ticket_id: long('t') }) },
    }));
    ids.push(...commands.map((command) => command.enqueue.ticket.ticket_id));
    await write({ commands });
  }

  // Everybody else is served while it hangs.
  const client = connect(t, server);
  const hanging = Symbol('hanging');
  let status = hanging;
  slow.ended.then((end) => (status = end));
  let served = 0;
  await eventually(async () => {
    const mine = await client.enqueue({ ticket: ticket({ player_id: fresh(), rating: 9000 }) });
    const reader = client.watchTicket({ ticket_id: mine.ticket_id, cursor: 0 });
    assert.ok(await reader.next('an event for somebody else', 2_000));
    await client.cancel({ ticket_id: mine.ticket_id });
    ++served;
    return status !== hanging;
  }, 'the end of the stream that nobody reads', 60_000);
  assert.ok(served >= 2);
  assert.ok([Code.RESOURCE_EXHAUSTED, Code.CANCELLED].includes(status.code), `${status.code} ${status.details}`);
  const metrics = await server.metrics();
  assert.ok(
    metrics.sum('evenmatch_stream_ends_total', { reason: 'stalled' }) +
      metrics.sum('evenmatch_stream_ends_total', { reason: 'overflow' }) >= 1,
  );

  // Nothing is lost: every ticket is matched, each told once more, each in one match.
  const again = connect(t, server).session().read().open(id);
  const seen = () => new Map(again.events.filter((e) => e.kind === 'TICKET_EVENT_KIND_MATCHED').map((e) => [e.ticket_id, e.match.match_id]));
  await again.until(() => seen().size >= ids.length, 'the matches of all tickets');
  assert.deepEqual([...seen().keys()].sort(), ids.slice().sort());
  const seats = [...again.matches.values()].flatMap(({ teams }) => teams.flatMap((team) => team.seats));
  assert.equal(new Set(seats.map((seat) => seat.player_id)).size, seats.length);
  assert.equal(seats.length, ids.length);
});
