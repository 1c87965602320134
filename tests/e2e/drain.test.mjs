// The way out: not ready at once, nothing new, everybody told, exit 0 within the grace.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Code, connect, detailsOf, fresh, refusal, ticket } from './support/client.mjs';
import { baseConfig, startServer } from './support/server.mjs';
import { unreadSession } from './support/bare.mjs';
import { eventually, within } from './support/wait.mjs';

// The drain waits a moment with streams open, so that its steps can be seen.
const patient = () => {
  const config = baseConfig();
  config.server.drain_grace = '8s';
  return config;
};

for (const how of ['SIGTERM', 'SIGINT', 'Drain']) {
  test(`${how} drains`, async (t) => {
    const server = await startServer(t, { config: patient() });
    const client = connect(t, server);
    const { ticket_id } = await client.enqueue({ ticket: ticket(fresh()) });
    const watcher = client.watchTicket({ ticket_id });
    await watcher.next();
    const session = client.session().read().open(fresh('session'));
    await session.until(() => session.session_id, 'a session');
    const health = client.healthWatch({ service: '' });
    assert.equal((await health.next()).status, 'SERVING');
    const stats = client.watchQueueStats({ queue: 'duel' });
    await stats.next();
    assert.equal((await server.get('/readyz')).status, 200);

    const began = Date.now();
    if (how === 'Drain') await client.drain();
    else server.kill(how);

    // Whoever comes now is refused, or finds nobody.
    const refused = eventually(async () => {
      try {
        await client.enqueue({ ticket: ticket({ player_id: fresh(), rating: 3000 * Math.random() + 3000 }) });
        return null;
      } catch (error) {
        return error;
      }
    }, 'a refusal');
    for (const [what, stream] of Object.entries({ watcher, session, stats })) {
      const { code, details } = await stream.end('the end of a stream in a drain');
      assert.equal(code, Code.UNAVAILABLE, `${what}: ${details}`);
    }
    assert.equal((await refused).code, Code.UNAVAILABLE);
    const { code, signal } = await within(server.exited, 'the end of the server');
    assert.deepEqual([code, signal], [0, null], server.log());
    assert.ok(Date.now() - began < 8_000 + 2_000, 'within the grace');
  });
}

test('while it drains it is alive but not ready, refuses new tickets, and answers about those it has', async (t) => {
  const config = baseConfig();
  config.server.drain_grace = '60s';
  const server = await startServer(t, { config });
  const client = connect(t, server);
  const { ticket_id } = await client.enqueue({ ticket: ticket(fresh()) });
  server.kill('SIGTERM');
  await eventually(async () => (await server.get('/readyz')).status === 503, 'not ready');
  assert.equal((await server.get('/healthz')).status, 200);
  assert.equal((await client.healthCheck({ service: '' })).status, 'NOT_SERVING');
  const error = await refusal(client.enqueue({ ticket: ticket(fresh()) }));
  assert.equal(error.code, Code.UNAVAILABLE);
  assert.ok(detailsOf(error).RetryInfo);
  assert.equal((await client.getTicket({ ticket_id })).ticket.state, 'TICKET_STATE_WAITING');
  assert.equal((await client.cancel({ ticket_id })).outcome, 'CANCEL_OUTCOME_CANCELLED');
  const { code } = await within(server.exited, 'the end of the server, long before the grace is over');
  assert.equal(code, 0);
});

test('a client that never reads does not hold up the end', async (t) => {
  const config = baseConfig();
  config.server.drain_grace = '1s';
  const server = await startServer(t, { config });
  const slow = await unreadSession(t, server, fresh('session'));
  await slow.enqueue(2048);
  const { stats } = await connect(t, server).getQueueStats({ queue: 'duel' });
  assert.ok(stats.enqueued > 0);
  const began = Date.now();
  server.kill('SIGTERM');
  const { code } = await within(server.exited, 'the end of the server');
  assert.equal(code, 0, server.log());
  assert.ok(Date.now() - began < 6_000);
});

test('many open streams end together', async (t) => {
  const server = await startServer(t, { config: patient() });
  const client = connect(t, server);
  const { ticket_id } = await client.enqueue({ ticket: ticket(fresh()) });
  const readers = Array.from({ length: 1000 }, () => client.watchTicket({ ticket_id }));
  for (const reader of readers) await reader.next();
  server.kill('SIGTERM');
  for (const reader of readers) assert.equal((await reader.end()).code, Code.UNAVAILABLE);
  assert.equal((await within(server.exited, 'the end of the server')).code, 0);
});

test('a second signal ends it at once', async (t) => {
  const config = baseConfig();
  config.server.drain_grace = '60s';
  const server = await startServer(t, { config, mayFail: true });
  const client = connect(t, server);
  const { ticket_id } = await client.enqueue({ ticket: ticket(fresh()) });
  await client.watchTicket({ ticket_id }).next();
  server.kill('SIGTERM');
  server.kill('SIGTERM');
  await within(server.exited, 'the end of the server');
});
