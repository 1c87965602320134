// The client `evenmatch`, as people use it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fresh } from './support/client.mjs';
import { baseConfig, binary, startServer } from './support/server.mjs';
import { within } from './support/wait.mjs';

const program = path.join(path.dirname(binary), 'evenmatch');

async function run(server, ...args) {
  const child = spawn(program, [...args, '--server', server.grpc], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => (stdout += data));
  child.stderr.on('data', (data) => (stderr += data));
  try {
    const [code] = await within(once(child, 'close'), `the end of evenmatch ${args.join(' ')}`, 60_000);
    return { code, stdout, stderr };
  } finally {
    child.kill('SIGKILL');
  }
}

test('two people enqueue, watch and play', async (t) => {
  const server = await startServer(t);
  const [ada, bob] = [fresh('ada'), fresh('bob')];
  const enqueue = (player, rating) => run(server, 'enqueue', '--queue', 'duel', '--player', player, '--rating', rating, '--watch');
  const ends = await Promise.all([enqueue(ada, '1500'), enqueue(bob, '1520')]);
  for (const { code, stdout, stderr } of ends) {
    assert.equal(code, 0, stderr);
    assert.match(stdout, /matched/i);
    assert.ok(stdout.includes(ada) && stdout.includes(bob), stdout);
  }
});

test('a ticket is taken back, and a second time too late', async (t) => {
  const server = await startServer(t);
  const player = fresh();
  assert.equal((await run(server, 'enqueue', '--queue', 'duel', '--player', player)).code, 0);
  assert.match((await run(server, 'cancel', '--player', player)).stdout, /cancelled/i);
  const { code } = await run(server, 'cancel', '--ticket', 'nobody');
  assert.notEqual(code, 0);
  assert.match((await run(server, 'stats')).stdout, /duel/);
});

test('who asks why a ticket waits is told', async (t) => {
  const config = baseConfig();
  config.queues.push({ name: 'roles', team_size: 1, tick: '10ms', roles: { composition: [{ name: 'tank' }] } });
  const server = await startServer(t, { config });
  const [near, far] = [fresh(), fresh()];
  await run(server, 'enqueue', '--queue', 'duel', '--player', near, '--rating', '1500');
  await run(server, 'enqueue', '--queue', 'duel', '--player', far, '--rating', '9000');
  const explained = await run(server, 'explain', '--player', near);
  assert.equal(explained.code, 0, explained.stderr);
  assert.match(explained.stdout, /queue duel: 1 other, 0 fit now/);
  assert.match(explained.stdout, /1 kept apart by window/);
  assert.match(explained.stdout, /nearest miss: 7500 points away, kept apart by window for ever/);
  const json = JSON.parse((await run(server, 'explain', '--player', near, '--json')).stdout);
  assert.equal(json.queues[0].nearest_miss.rule, 'RULE_WINDOW');

  const hopeless = fresh();
  const taken = await run(server, 'enqueue', '--queue', 'roles', '--player', hopeless, '--role', 'healer', '--latency', 'eu=30');
  assert.match(taken.stdout, /warning: .*role/);
  assert.match((await run(server, 'explain', '--player', hopeless)).stdout, /can never play: .*role/);
});

test('attributes are numbers, lists and texts, as they are written', async (t) => {
  const config = baseConfig();
  const attributes = [
    { name: 'rules', distance: 3, missing: 'nobody' },
    { name: 'languages', compare: 'overlap', missing: 'nobody' },
  ];
  config.queues.push({ name: 'typed', team_size: 1, tick: '10ms', attributes });
  const server = await startServer(t, { config });
  const enqueue = (rules, languages, ...args) =>
    run(server, 'enqueue', '--queue', 'typed', '--player', fresh(), '--attribute', `rules=${rules}`, '--attribute', `languages=${languages}`, ...args);
  const far = await enqueue('5', '[en+de]', '--json');
  assert.equal(far.code, 0, far.stderr);
  const pair = await Promise.all([enqueue('9', '[fr+en]', '--watch'), enqueue('11.5', '[es+fr]', '--watch')]);
  for (const { code, stdout, stderr } of pair) {
    assert.equal(code, 0, stderr);
    assert.match(stdout, /matched/i);
  }
  const { ticket_id } = JSON.parse(far.stdout);
  assert.match((await run(server, 'get', '--ticket', ticket_id)).stdout, /waiting/i);
});

test('players who are blocked are never met', async (t) => {
  const config = baseConfig();
  config.queues.push({ name: 'guarded', team_size: 1, tick: '10ms', blocks: true });
  const server = await startServer(t, { config });
  const [ada, bob] = [fresh('ada'), fresh('bob')];
  const known = ['--rating', '1500', '--deviation', '80', '--games-played', '12', '--loss-streak', '3', '--preference', '2'];
  const blocking = await run(server, 'enqueue', '--queue', 'guarded', '--player', ada, ...known, '--block', bob, '--avoid', 'cy', '--json');
  assert.equal(blocking.code, 0, blocking.stderr);
  await run(server, 'enqueue', '--queue', 'guarded', '--player', bob, '--rating', '1500');
  assert.match((await run(server, 'explain', '--player', bob)).stdout, /1 kept apart by block/);
});

for (const mode of ['session', 'unary']) {
  test(`load over ${mode}: nobody lost, nobody doubled`, async (t) => {
    const server = await startServer(t);
    const { code, stdout, stderr } = await run(server, 'load', '--rate', '400', '--duration', '2s', '--mode', mode, '--json');
    assert.equal(code, 0, stdout + stderr);
    const report = JSON.parse(stdout);
    assert.deepEqual([report.lost, report.doubled], [0, 0]);
    for (const key of ['enqueued_per_s', 'matched_per_s', 'enqueue_p99_ms', 'match_p99_ms', 'gap_mean']) {
      assert.ok(Number.isFinite(report[key]) && report[key] > 0, `${key}: ${report[key]}`);
    }
  });
}

test('load with parties into teams', async (t) => {
  const server = await startServer(t);
  const args = ['--queue', 'pairs', '--parties', '1:3,2:1', '--rate', '400', '--duration', '2s', '--json'];
  const { code, stdout, stderr } = await run(server, 'load', ...args);
  assert.equal(code, 0, stdout + stderr);
  const report = JSON.parse(stdout);
  assert.deepEqual([report.lost, report.doubled], [0, 0]);
});

test('demo shows matches and ends well', async (t) => {
  const config = baseConfig();
  config.queues.push({ name: 'squad', team_size: 5 });
  const server = await startServer(t, { config });
  const { code, stdout, stderr } = await run(server, 'demo');
  assert.equal(code, 0, stdout + stderr);
  assert.ok(stdout.split('\n').length > 10, stdout);
});

test('replay of real games', async (t) => {
  const file = path.join(process.env.EVENMATCH_DATA ?? '', 'lichess_classical_2025_01.csv');
  if (!process.env.EVENMATCH_DATA || !existsSync(file)) return t.skip('EVENMATCH_DATA names no folder with the games');
  const server = await startServer(t);
  const { code, stdout, stderr } = await run(server, 'replay', file, '--rate', '10000', '--json');
  assert.equal(code, 0, stdout + stderr);
  const report = JSON.parse(stdout);
  assert.deepEqual([report.lost, report.doubled], [0, 0]);
  assert.ok(report.gap_mean > 0);
});
