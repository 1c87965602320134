// Whatever happens can be seen in /metrics.
import assert from 'node:assert/strict';
import test from 'node:test';
import { connect, fresh, refusal, seconds, ticket } from './support/client.mjs';
import { startServer } from './support/server.mjs';
import { eventually } from './support/wait.mjs';

// Waits until the sums of these samples are as wanted; the metrics then.
async function see(server, wanted) {
  let last;
  try {
    return await eventually(async () => {
      last = await server.metrics();
      return wanted.every(([name, labels, value]) => last.sum(name, labels) === value) && last;
    }, 'the numbers');
  } catch {
    const got = wanted.map(([name, labels]) => [name, labels, last.sum(name, labels)]);
    return assert.deepEqual(got, wanted);
  }
}

test('tickets, matches, waits and refusals are counted where they happen', async (t) => {
  const server = await startServer(t);
  const client = connect(t, server);
  const pairs = { queues: [{ queue: 'pairs' }] };
  const waits = await client.enqueue({ ticket: ticket([fresh(), fresh()], pairs) });
  await see(server, [
    ['evenmatch_waiting_tickets', { queue: 'pairs' }, 1],
    ['evenmatch_waiting_players', { queue: 'pairs' }, 2],
    ['evenmatch_enqueues_total', { queue: 'pairs' }, 1],
    ['evenmatch_waiting_tickets', { queue: 'duel' }, 0],
  ]);
  await client.cancel({ ticket_id: waits.ticket_id });

  const { ticket_id } = await client.enqueue({ ticket: ticket({ player_id: fresh(), rating: 1500 }) });
  await client.enqueue({ ticket: ticket({ player_id: fresh(), rating: 1570 }) });
  const { event } = await client.watchTicket({ ticket_id, cursor: 1 }).until(({ event }) => event.match, 'the match');
  await client.enqueue({ ticket: ticket(fresh(), { timeout: seconds(0.02) }) });
  await refusal(client.enqueue({ ticket: ticket({ player_id: fresh(), rating: NaN }) }));

  const metrics = await see(server, [
    ['evenmatch_waiting_tickets', {}, 0],
    ['evenmatch_matches_total', { queue: 'duel' }, 1],
    ['evenmatch_live_matches', { queue: 'duel' }, 1],
    ['evenmatch_wait_seconds_count', { queue: 'duel', outcome: 'matched' }, 2],
    ['evenmatch_wait_seconds_count', { queue: 'duel', outcome: 'expired' }, 1],
    ['evenmatch_wait_seconds_count', { queue: 'pairs', outcome: 'cancelled' }, 1],
    ['evenmatch_expiries_total', { queue: 'duel', stage: '0' }, 1],
    ['evenmatch_refusals_total', { reason: 'invalid' }, 1],
    ['evenmatch_match_spread_points_sum', { queue: 'duel' }, 70],
    ['evenmatch_match_spread_points_count', { queue: 'duel' }, 1],
    ['evenmatch_match_quality_ratio_count', { queue: 'duel' }, 1],
    ['evenmatch_resumes_total', { kind: 'watch' }, 1],
    ['evenmatch_stream_ends_total', { kind: 'watch', reason: 'done' }, 1],
    ['evenmatch_open_streams', {}, 0],
    ['evenmatch_store_commits_total', { outcome: 'unknown' }, 0],
  ]);
  const favourite = metrics.sum('evenmatch_match_win_probability_sum', { queue: 'duel' });
  assert.ok(favourite > 0.59 && favourite < 0.61, `70 points more win 60 %, not ${favourite}`);
  for (const name of ['evenmatch_tick_duration_seconds_count', 'evenmatch_tick_due_tickets_count', 'evenmatch_store_batch_events_count']) {
    assert.ok(metrics.sum(name) > 0, name);
  }
  await client.endMatch({ match_id: event.match.match_id });
  await see(server, [['evenmatch_live_matches', {}, 0], ['evenmatch_match_ends_total', { queue: 'duel', end: 'client' }, 1]]);
});

test('what clients send never becomes a label', async (t) => {
  const server = await startServer(t);
  const client = connect(t, server);
  const odd = 'odd-name"\\{}';
  await client.enqueue({ ticket: ticket(odd, { ticket_id: odd, party_id: odd, attributes: { [odd]: { text: odd } } }) });
  await refusal(client.enqueue({ ticket: ticket(fresh(), { queues: [{ queue: odd }] }) }));
  const metrics = await see(server, [['evenmatch_waiting_tickets', {}, 1]]);
  assert.ok(!metrics.text.includes('odd-name'));
  assert.ok(!server.log().includes('odd-name'));
});
