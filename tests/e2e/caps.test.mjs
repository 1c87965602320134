// Too much is refused at once, says when to come again, and nobody else suffers.
import assert from 'node:assert/strict';
import test from 'node:test';
import { enqueueFrom } from './support/bare.mjs';
import { Code, connect, detailsOf, fresh, refusal, ticket } from './support/client.mjs';
import { baseConfig, startServer } from './support/server.mjs';

let rating = 0;
const lonely = () => ({ player_id: fresh(), rating: (rating += 1000) % 90_000 });
const narrow = (config) => {
  for (const queue of config.queues) queue.window = { linear: { base: 1, growth_per_second: 0, max: 1 } };
  return config;
};
const full = (error) => {
  assert.equal(error.code, Code.RESOURCE_EXHAUSTED, error.details);
  const { retryDelay } = detailsOf(error).RetryInfo;
  assert.ok(retryDelay.seconds + retryDelay.nanos / 1e9 > 0);
};

test('a queue takes no more than max_waiting, and again when somebody leaves', async (t) => {
  const config = narrow(baseConfig());
  config.queues[0].max_waiting = 3;
  const server = await startServer(t, { config });
  const client = connect(t, server);
  const tickets = [];
  for (let i = 0; i < 3; ++i) tickets.push((await client.enqueue({ ticket: ticket(lonely()) })).ticket_id);
  full(await refusal(client.enqueue({ ticket: ticket(lonely()) })));
  full(await refusal(client.enqueue({ ticket: ticket(lonely(), { queues: [{ queue: 'duel2' }, { queue: 'duel' }] }) })));
  await client.enqueue({ ticket: ticket(lonely(), { queues: [{ queue: 'duel2' }] }) });
  await client.cancel({ ticket_id: tickets[0] });
  await client.enqueue({ ticket: ticket(lonely()) });
  assert.ok((await server.metrics()).sum('evenmatch_refusals_total', { reason: 'limit' }) >= 2);
});

test('one address has no more than waiting_per_peer tickets waiting', async (t) => {
  const config = narrow(baseConfig());
  config.limits = { waiting_per_peer: 5 };
  const server = await startServer(t, { config, address: '0.0.0.0' });
  const port = server.grpc.split(':').at(-1);
  const greedy = connect(t, server, { address: `127.0.0.1:${port}` });
  const accepted = [];
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => greedy.enqueue({ ticket: ticket(lonely()) })));
  for (const { value, reason } of outcomes) value ? accepted.push(value.ticket_id) : full(reason);
  assert.equal(accepted.length, 5);
  // A new connection is the same address.
  full(await refusal(connect(t, server, { address: `127.0.0.1:${port}` }).enqueue({ ticket: ticket(lonely()) })));
  // Everybody else is served.
  for (let i = 0; i < 4; ++i) assert.equal(await enqueueFrom('127.0.0.2', server, ticket(lonely())), Code.OK);
  await greedy.cancel({ ticket_id: accepted[0] });
  await greedy.enqueue({ ticket: ticket(lonely()) });
});

test('one address has no more than commands_in_flight_per_peer commands under way', async (t) => {
  const config = narrow(baseConfig());
  config.limits = { commands_in_flight_per_peer: 10 };
  const server = await startServer(t, { config });
  const client = connect(t, server);
  const session = client.session().read().open(fresh('session'));
  const requests = session.send(...Array.from({ length: 200 }, () => ({ enqueue: { ticket: ticket(lonely()) } })));
  await session.until(() => session.results.size === requests.length, 'all answers');
  const refused = [...session.results.values()].filter(({ error }) => error);
  assert.ok(refused.length > 0);
  for (const { error } of refused) assert.equal(error.code, Code.RESOURCE_EXHAUSTED);
  // Free again as soon as those are answered.
  assert.ok((await session.ask({ enqueue: { ticket: ticket(lonely()) } })).enqueue);
  await client.enqueue({ ticket: ticket(lonely()) });
});

test('a group keeps no more than tickets_per_group', async (t) => {
  const config = narrow(baseConfig());
  config.limits = { tickets_per_group: 10 };
  const client = connect(t, await startServer(t, { config }));
  const ids = [];
  for (let i = 0; i < 10; ++i) ids.push((await client.enqueue({ ticket: ticket(lonely()) })).ticket_id);
  full(await refusal(client.enqueue({ ticket: ticket(lonely()) })));
  // An ended ticket whose end is acknowledged makes room.
  await client.cancel({ ticket_id: ids[0] });
  full(await refusal(client.enqueue({ ticket: ticket(lonely()) })));
  await client.acknowledge({ ticket_id: ids[0], sequence: 2 });
  await client.enqueue({ ticket: ticket(lonely()) });
});
