// A client that does not read its stream loses the stream, never an event, and disturbs nobody.
import assert from 'node:assert/strict';
import http2 from 'node:http2';
import test from 'node:test';
import { Code, connect, fresh, ticket } from './support/client.mjs';
import { startServer } from './support/server.mjs';
import { unreadSession } from './support/bare.mjs';
import { eventually } from './support/wait.mjs';

test('a session that does not read is ended, others go on, and it resumes without loss', async (t) => {
  const server = await startServer(t);
  const id = fresh('session');
  const slow = await unreadSession(t, server, id);
  const ids = await slow.enqueue(4096);

  // Everybody else is served while it hangs.
  const client = connect(t, server);
  const ends = async () => {
    const metrics = await server.metrics();
    const count = (reason) => metrics.sum('evenmatch_stream_ends_total', { kind: 'session', reason });
    return count('stalled') + count('overflow');
  };
  let served = 0;
  await eventually(async () => {
    const { ticket_id } = await client.enqueue({ ticket: ticket({ player_id: fresh(), rating: 9000 }) });
    const reader = client.watchTicket({ ticket_id, cursor: 0 });
    assert.ok(await reader.next('an event for somebody else', 2_000));
    await client.cancel({ ticket_id });
    ++served;
    return (await ends()) === 1;
  }, 'the end of the stream that nobody reads', 60_000);
  assert.ok(served >= 2);
  const { status, reset } = await slow.end();
  const broken = status === Code.CANCELLED || reset === http2.constants.NGHTTP2_CANCEL;
  assert.ok(broken || status === Code.RESOURCE_EXHAUSTED, `${status} ${reset}`);

  // Nothing is lost: every ticket is matched, each told once more, each in one match.
  const again = client.session().read().open(id);
  const told = () => again.events.filter((event) => event.kind === 'TICKET_EVENT_KIND_MATCHED').map((event) => event.ticket_id);
  await again.until(() => told().length >= ids.length, 'the matches of all tickets');
  assert.deepEqual(told().sort(), ids.slice().sort());
  const seats = [...again.matches.values()].flatMap(({ teams }) => teams.flatMap((team) => team.seats));
  assert.equal(seats.length, ids.length);
  assert.equal(new Set(seats.map((seat) => seat.player_id)).size, seats.length);
});
