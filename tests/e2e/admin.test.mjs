// What operators see and do.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Code, connect, detailsOf, fieldOf, fresh, refusal, seconds, ticket, toSeconds } from './support/client.mjs';
import { baseConfig, startServer } from './support/server.mjs';
import { eventually } from './support/wait.mjs';

test('queues are listed as configured', async (t) => {
  const client = connect(t, await startServer(t));
  const { queues } = await client.listQueues();
  assert.deepEqual(
    queues.map(({ queue, pool_group, team_count, team_size, paused, tick }) => [queue, pool_group, team_count, team_size, paused, toSeconds(tick)]),
    [
      ['duel', 'default', 2, 1, false, 0.01],
      ['duel2', 'default', 2, 1, false, 0.01],
      ['pairs', 'default', 2, 2, false, 0.01],
      ['far', 'elsewhere', 2, 1, false, 0.01],
    ],
  );
});

test('the numbers of a queue follow what happens', async (t) => {
  const client = connect(t, await startServer(t));
  const queues = [{ queue: 'pairs' }];
  const [party] = [await client.enqueue({ ticket: ticket([fresh(), fresh()], { queues }) })];
  let { stats } = await client.getQueueStats({ queue: 'pairs' });
  assert.deepEqual([stats.waiting_tickets, stats.waiting_players, stats.enqueued], [1, 2, 1]);
  assert.ok(toSeconds(stats.oldest_wait) >= 0);
  await client.enqueue({ ticket: ticket([fresh(), fresh()], { queues }) });
  ({ stats } = await eventually(async () => {
    const answer = await client.getQueueStats({ queue: 'pairs' });
    return answer.stats.matches === 1 && answer;
  }, 'the match'));
  assert.deepEqual([stats.waiting_tickets, stats.matched_tickets, stats.live_matches], [0, 2, 1]);
  const { ticket: status } = await client.getTicket({ ticket_id: party.ticket_id });
  await client.endMatch({ match_id: status.match.match_id });
  const lone = await client.enqueue({ ticket: ticket(fresh(), { queues }) });
  await client.cancel({ ticket_id: lone.ticket_id });
  await client.enqueue({ ticket: ticket(fresh(), { queues, timeout: seconds(0.01) }) });
  await eventually(async () => (await client.getQueueStats({ queue: 'pairs' })).stats.expired === 1, 'the expiry');
  ({ stats } = await client.getQueueStats({ queue: 'pairs' }));
  assert.deepEqual([stats.cancelled, stats.expired, stats.live_matches, stats.waiting_tickets], [1, 1, 0, 0]);
});

test('the numbers are told again and again', async (t) => {
  const client = connect(t, await startServer(t));
  const reader = client.watchQueueStats({ queue: 'duel', interval: seconds(0.1) });
  assert.equal((await reader.next()).stats.enqueued, 0);
  await client.enqueue({ ticket: ticket(fresh()) });
  await reader.until(({ stats }) => stats.enqueued === 1, 'a newer number');
  reader.cancel();
  for (const [request, field] of [[{ queue: 'duel', interval: seconds(0.05) }, 'interval'], [{ queue: 'duel', interval: { seconds: -1 } }, 'interval']]) {
    const status = await client.watchQueueStats(request).end();
    assert.equal(status.code, Code.INVALID_ARGUMENT);
    assert.equal(fieldOf(status), field);
  }
  assert.equal((await client.watchQueueStats({ queue: 'nowhere' }).end()).code, Code.NOT_FOUND);
});

test('a paused queue takes nobody and matches nobody until it is resumed', async (t) => {
  const config = baseConfig();
  // Nobody fits at first, then all do: the window opens while the queue is paused.
  config.queues[0].window = { steps: [{ after: '0s', width: 10 }, { after: '100ms' }] };
  const client = connect(t, await startServer(t, { config }));
  const waiting = [];
  for (const rating of [1000, 2000]) waiting.push((await client.enqueue({ ticket: ticket({ player_id: fresh(), rating }) })).ticket_id);
  await client.pauseQueue({ queue: 'duel' });
  await client.pauseQueue({ queue: 'duel' });
  assert.equal((await client.listQueues()).queues[0].paused, true);
  const error = await refusal(client.enqueue({ ticket: ticket(fresh()) }));
  assert.equal(error.code, Code.UNAVAILABLE);
  assert.ok(detailsOf(error).RetryInfo);
  await client.enqueue({ ticket: ticket(fresh(), { queues: [{ queue: 'duel2' }] }) });

  const open = async () => {
    const { ticket: status } = await client.getTicket({ ticket_id: waiting[0] });
    assert.equal(status.state, 'TICKET_STATE_WAITING');
    return toSeconds(status.wait) > 0.3;
  };
  await eventually(open, 'a wait well past the step');
  await client.resumeQueue({ queue: 'duel' });
  await eventually(async () => (await client.getTicket({ ticket_id: waiting[0] })).ticket.state === 'TICKET_STATE_MATCHED', 'the match');
  assert.equal((await refusal(client.pauseQueue({ queue: 'nowhere' }))).code, Code.NOT_FOUND);
});

test('tickets of a paused queue still expire', async (t) => {
  const client = connect(t, await startServer(t));
  const { ticket_id } = await client.enqueue({ ticket: ticket(fresh(), { timeout: seconds(0.1) }) });
  await client.pauseQueue({ queue: 'duel' });
  await client.watchTicket({ ticket_id }).until(({ event }) => event.kind === 'TICKET_EVENT_KIND_EXPIRED', 'the expiry');
});
