// The rules of a queue, as a client sees them: where a match is played and who does what in it, what keeps a ticket
// waiting, and which tickets could wait for ever.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Code, connect, fieldOf, fresh, ticket, toSeconds } from './support/client.mjs';
import { startServer } from './support/server.mjs';
import { eventually } from './support/wait.mjs';

const config = (queue, more = {}) => ({ queues: [{ name: 'q', tick: '10ms', ...queue }], ...more });
const into = (players, more = {}) => ({ ...ticket(players), queues: [{ queue: 'q' }], ...more });
const player = (more = {}) => ({ player_id: fresh(), rating: 1500, ...more });

async function matchOf(client, id) {
  const message = await client.watchTicket({ ticket_id: id }).until(({ event }) => event.match, 'the match');
  return message.event.match;
}

async function refusal(promise) {
  return promise.then(
    () => assert.fail('it was taken'),
    (error) => error,
  );
}

test('a match says who does what and where it is played', async (t) => {
  const server = await startServer(t, {
    config: config({
      team_size: 2,
      roles: { composition: [{ name: 'tank' }, { name: 'healer' }], fill_after: '0s' },
      regions: { names: ['eu', 'us'] },
      quality: { terms: { fill: { weight: 0.1 }, latency: { weight: 0.2, scale: 100 } } },
    }),
  });
  const client = connect(t, server);
  const wishes = [['tank'], ['tank', 'healer'], ['healer'], ['tank']];
  const players = wishes.map((roles, i) => player({ roles, latency_ms: { eu: 100 + i, us: 30 + 10 * i } }));
  const ids = [];
  for (const one of players) ids.push((await client.enqueue({ ticket: into(one) })).ticket_id);
  const match = await matchOf(client, ids[0]);
  assert.equal(match.region, 'us', 'the least worst latency');
  const seats = match.teams.map((team) => team.seats);
  for (const team of seats) assert.deepEqual(team.map(({ role }) => role).sort(), ['healer', 'tank']);
  for (const seat of seats.flat()) {
    const wish = wishes[players.findIndex(({ player_id }) => player_id === seat.player_id)];
    assert.equal(seat.filled_in, !wish.includes(seat.role), `${seat.player_id} as ${seat.role}`);
  }
  const costs = new Map(match.quality.costs.map((cost) => [cost.term, cost]));
  assert.equal(costs.get('QUALITY_TERM_LATENCY').measure, 30);
  assert.equal(costs.get('QUALITY_TERM_LATENCY').cost, 600);
  assert.equal(costs.get('QUALITY_TERM_FILL').measure, 0);
  const lacking = [...costs.values()].reduce((sum, { cost }) => sum + cost, 0);
  assert.equal(match.quality.score, Math.max(0, 10_000 - lacking));
  const { queues } = await client.listQueues();
  assert.deepEqual([queues[0].roles, queues[0].regions], [['tank', 'healer'], ['eu', 'us']]);
});

test('uneven sides, and fewer players when nobody else comes', async (t) => {
  const client = connect(t, await startServer(t, { config: config({ sides: [1, 3] }) }));
  const ids = [];
  for (let i = 0; i < 4; ++i) ids.push((await client.enqueue({ ticket: into(fresh()) })).ticket_id);
  const match = await matchOf(client, ids[0]);
  assert.deepEqual(match.teams.map(({ seats }) => seats.length), [1, 3]);

  const small = config({ team_count: 3, team_size: 2, fewer_players: [{ after: '100ms', team_count: 2, team_size: 1 }] });
  const other = connect(t, await startServer(t, { config: small }));
  const { ticket_id } = await other.enqueue({ ticket: into(fresh()) });
  await other.enqueue({ ticket: into(fresh()) });
  const fewer = await matchOf(other, ticket_id);
  assert.deepEqual(fewer.teams.map(({ seats }) => seats.length), [1, 1]);
});

test('an explanation counts whom each rule keeps apart, and tells when that ends', async (t) => {
  const server = await startServer(t, {
    config: config({
      team_size: 1,
      window: { steps: [{ after: '0s', width: 50 }, { after: '1h', width: 400 }] },
      tiers: {
        groups: [
          { name: 'low', tiers: [{ name: 'bronze' }] },
          { name: 'top', isolated: true, tiers: [{ name: 'peak' }] },
        ],
      },
      default_timeout: '2h',
    }),
  });
  const client = connect(t, server);
  const me = player({ tier: 'bronze' });
  const { ticket_id } = await client.enqueue({ ticket: into(me) });
  const alone = await client.explainTicket({ ticket_id });
  assert.equal(alone.state, 'TICKET_STATE_WAITING');
  assert.equal(alone.queues[0].candidates_seen, 0);
  assert.equal(alone.queues[0].nearest_miss, null);

  await client.enqueue({ ticket: into(player({ rating: 1600.5, tier: 'bronze' })) });
  await client.enqueue({ ticket: into(player({ rating: 1500, tier: 'peak' })) });
  await client.enqueue({ ticket: into(player({ rating: 1200, tier: 'peak' })) });
  const [queue] = (await client.explainTicket({ ticket_id })).queues;
  assert.equal(queue.queue, 'q');
  assert.deepEqual([queue.candidates_seen, queue.fitting_now], [3, 0]);
  assert.deepEqual(
    Object.fromEntries(queue.refusals.map(({ rule, tickets }) => [rule, tickets])),
    { RULE_WINDOW: 2, RULE_TIER: 2 },
  );
  assert.equal(queue.nearest_miss.rule, 'RULE_WINDOW');
  assert.equal(queue.nearest_miss.gap_points, 100.5);
  assert.ok(toSeconds(queue.nearest_miss.fits_in) > 3500 && toSeconds(queue.nearest_miss.fits_in) <= 3601);
  assert.equal(queue.stage, 0);
  assert.ok(queue.next_stage_in);
  assert.equal(queue.never, null);

  assert.equal((await client.explainTicket({ player_id: me.player_id })).ticket_id, ticket_id);
  await client.cancel({ ticket_id });
  const ended = await client.explainTicket({ ticket_id });
  assert.deepEqual([ended.state, ended.queues], ['TICKET_STATE_CANCELLED', []]);
  const unknown = await refusal(client.explainTicket({ ticket_id: fresh() }));
  assert.equal(unknown.code, Code.NOT_FOUND);
  const both = await refusal(client.explainTicket({ ticket_id, player_id: 'p' }));
  assert.deepEqual([both.code, fieldOf(both)], [Code.INVALID_ARGUMENT, 'ticket_id']);
});

test('a ticket that could wait for ever is warned of, or refused', async (t) => {
  const rules = { team_size: 1, roles: { composition: [{ name: 'tank' }] } };
  const hopeless = () => player({ roles: ['healer'] });
  const warning = connect(t, await startServer(t, { config: config(rules) }));
  const { ticket_id, warnings } = await warning.enqueue({ ticket: into(hopeless()) });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0], /role/);
  const [queue] = (await warning.explainTicket({ ticket_id })).queues;
  assert.equal(queue.never.rule, 'RULE_ROLES');
  assert.match(queue.never.message, /role/);
  assert.deepEqual((await warning.enqueue({ ticket: into(player({ roles: ['tank'] })) })).warnings, []);
  const session = warning.session().read().open(fresh('s'));
  const { enqueue } = await session.ask({ enqueue: { ticket: into(hopeless()) } });
  assert.equal(enqueue.warnings.length, 1);
  session.call.end();

  const refusing = connect(t, await startServer(t, { config: config({ ...rules, never: 'refuse' }) }));
  const error = await refusal(refusing.enqueue({ ticket: into(hopeless()) }));
  assert.equal(error.code, Code.INVALID_ARGUMENT);
  assert.match(fieldOf(error), /^ticket\.players\[0\]\.roles$/);
  await refusing.enqueue({ ticket: into(player({ roles: ['tank'] })) });
});

test('who waits is told how long such waits take, once there were enough', async (t) => {
  const client = connect(t, await startServer(t, { config: config({ team_size: 1 }) }));
  const { ticket_id: first } = await client.enqueue({ ticket: into(player({ rating: 90_000 })) });
  const status = async (id) => (await client.getTicket({ ticket_id: id })).ticket;
  assert.equal((await status(first)).queues[0].expected_wait, null, 'nobody was matched yet');
  await eventually(async () => {
    await Promise.all(Array.from({ length: 100 }, () => client.enqueue({ ticket: into(fresh()) })));
    const lone = await client.enqueue({ ticket: into(player({ rating: 1500 + 700 })) });
    const { queues } = await status(lone.ticket_id);
    await client.cancel({ ticket_id: lone.ticket_id });
    return queues[0]?.expected_wait;
  }, 'an expected wait');
});
