// `evenmatch simulate`: worlds without a server.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { binary } from './support/server.mjs';

const program = path.join(path.dirname(binary), 'evenmatch');

const simulate = (...args) => spawnSync(program, ['simulate', ...args], { encoding: 'utf8', timeout: 60_000 });

function folder(t) {
  const made = mkdtempSync(path.join(os.tmpdir(), 'evenmatch-'));
  t.after(() => rmSync(made, { recursive: true }));
  return (name, text) => {
    const file = path.join(made, name);
    if (text !== undefined) writeFileSync(file, text);
    return file;
  };
}

const config = (window) => `queues:\n  - name: duel\n    team_size: 1\n    window:\n      linear: ${window}\n`;

test('two configurations are compared on the same players', (t) => {
  const file = folder(t);
  const configs = [
    ['--config', file('narrow.yaml', config('{base: 50, growth_per_second: 10, max: 400}'))],
    ['--config', file('wide.yaml', config('{base: 300, growth_per_second: 100, max: 800}'))],
  ].flat();
  const run = () => simulate(...configs, '--rate', '20', '--tickets', '3000', '--json', file('o.json'), '--html', file('o.html'));
  const { status, stdout, stderr } = run();
  assert.equal(status, 0, stderr);
  assert.equal(stderr, '');
  assert.match(stdout, /queue duel, 1 against 1/);
  assert.match(stdout, /^ {2}narrow +\d/m);

  const text = readFileSync(file('o.json'), 'utf8');
  const { configurations, seed } = JSON.parse(text);
  assert.equal(seed, 1);
  assert.deepEqual(configurations.map(({ name }) => name), ['narrow', 'wide']);
  const [narrow, wide] = configurations.map(({ queues }) => queues[0]);
  for (const { all, matches, by_rating: bands } of [narrow, wide]) {
    assert.equal(all.tickets, 3000);
    assert.equal(all.matched, 2 * matches.matches);
    assert.equal(all.matched + all.cancelled + all.expired + all.waiting, 3000);
    assert.equal(bands.reduce((sum, { measures }) => sum + measures.tickets, 0), 3000);
  }
  assert.ok(narrow.matches.gap.mean < wide.matches.gap.mean);
  assert.ok(narrow.all.wait_seconds.p95 > wide.all.wait_seconds.p95);
  assert.notEqual(configurations[0].signature, configurations[1].signature);

  const page = readFileSync(file('o.html'), 'utf8');
  assert.doesNotMatch(page, /https?:|\b(src|href)=|url\(|@import|<(script|link|iframe|img)\b/i);
  assert.ok((page.match(/<svg /g) ?? []).length >= 8);
  assert.match(page, /prefers-color-scheme:dark/);

  // The same bytes again.
  assert.equal(run().stdout, stdout);
  assert.equal(readFileSync(file('o.json'), 'utf8'), text);
  assert.equal(readFileSync(file('o.html'), 'utf8'), page);
});

test('a grid of one configuration', () => {
  const { status, stdout, stderr } = simulate('--vary', 'base=50,400', '--vary', 'growth=10,100', '--tickets', '500', '--json');
  assert.equal(status, 0, stderr);
  const names = JSON.parse(stdout).configurations.map(({ name }) => name);
  assert.deepEqual(names, ['base=50 growth=10', 'base=50 growth=100', 'base=400 growth=10', 'base=400 growth=100']);
});

test('what is varied is held to the rules of a file', (t) => {
  const file = folder(t)('duel.yaml', 'queues:\n  - {name: duel, team_size: 1, max_difference: 900}\n');
  const preset = folder(t)('open.yaml', 'queues:\n  - {name: duel, team_size: 1, window: {preset: open}}\n');
  for (const [vary, said, config = file] of [
    ['target_wait_p95=5s,91s', /target_wait_p95: must not be longer than default_timeout, 1m30s \(with target_wait_p95=91s\)/],
    ['target_wait_p95=50ms', /must be longer than the tick/],
    ['deviation_factor=11', /deviation_factor/],
    ['base=801', /max 800 \(its default\) must not be below base 801/],
    ['max=901', /max_difference: must not be below the window/],
    ['max=200001', /window\.linear\.max/],
    ['tick=61s', /tick/],
    ['base=50', /more than one of preset, linear and steps/, preset],
  ]) {
    const { status, stderr } = simulate('--config', config, '--vary', vary, '--tickets', '10');
    assert.equal(status, 1, vary);
    assert.match(stderr, said);
  }
  const both = simulate('--config', file, '--vary', 'base=850', '--vary', 'max=900', '--tickets', '10');
  assert.equal(both.status, 0, both.stderr);
});

test('attributes that are numbers make players strong', (t) => {
  const rules = `queues:
  - name: duel
    team_size: 1
    strength:
      parts: [{attribute: win_rate, low: 0.3, high: 0.7, weight: 1}]
    attributes:
      - {name: rules_version, distance: 1, missing: nobody}
      - {name: languages, compare: overlap, missing: nobody}
`;
  const config = folder(t)('ranked.yaml', rules);
  const typed = ['--attribute', 'rules_version=1:1,2:1', '--attribute', 'languages=[en]:1,[en+de]:2'];
  const spreadOf = (winRate) => {
    const { status, stdout, stderr } = simulate('--config', config, '--tickets', '2000', ...typed, '--attribute', `win_rate=${winRate}`, '--json');
    assert.equal(status, 0, stderr);
    const [{ refused, queues }] = JSON.parse(stdout).configurations;
    assert.equal(refused, 0);
    assert.ok(queues[0].matches.matches > 500);
    return queues[0].matches.spread.mean;
  };
  assert.equal(spreadOf('0.5:1'), 0);
  assert.ok(spreadOf('uniform:0.3:0.7') > 0);
});

test('parties, several queues and impatience', () => {
  const { status, stdout, stderr } = simulate(
    ...['--queue', 'squad', '--parties', '1:3,2:1,5:1', '--rate', '30', '--tickets', '1500', '--leave-after', '20s', '--json'],
  );
  assert.equal(status, 0, stderr);
  const [queue] = JSON.parse(stdout).configurations[0].queues;
  assert.equal(queue.queue, 'squad');
  assert.deepEqual(queue.by_party.map(({ size }) => size), [1, 2, 5]);
  assert.equal(queue.matches.by_players['10'], queue.matches.matches);
  assert.ok(queue.all.cancelled > 0);
});

test('roles, regions and who was refused', (t) => {
  const rules = `queues:
  - name: squad
    team_size: 5
    window: {preset: region_first}
    roles: {composition: [{name: tank}, {name: healer}, {name: damage, count: 3}], fill_after: 10s}
    regions: {names: [eu, us]}
    attributes: [{name: version, compare: equal, missing: nobody}]
    never: refuse
`;
  const config = folder(t)('squad.yaml', rules);
  const world = ['--config', config, '--rate', '50', '--tickets', '3000', '--roles', 'tank:1,healer:1,damage:3', '--regions', 'eu:2,us:1'];
  const { status, stdout, stderr } = simulate(...world, '--attribute', 'version=1:1', '--json');
  assert.equal(status, 0, stderr);
  const [{ refused, queues }] = JSON.parse(stdout).configurations;
  const { matches } = queues[0];
  assert.equal(refused, 0);
  assert.ok(matches.matches > 100);
  assert.equal(matches.seats_with_role, 10 * matches.matches);
  assert.equal(matches.latency_ms.count, 10 * matches.matches);
  const { stdout: text } = simulate(...world);
  assert.match(text, /squad: 3 000 INVALID_ARGUMENT, the first: .*version/);
});

test('what cannot be played is said, with its exit code', (t) => {
  const file = folder(t);
  const bad = simulate('--config', file('bad.yaml', 'queues:\n  - name: duel\n    team_size: 1\n    tick: 0s\n'));
  assert.equal(bad.status, 1);
  assert.match(bad.stderr, /bad\.yaml:4: queues\[0\]\.tick/);
  const missing = simulate('--config', file('missing.yaml'));
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /missing\.yaml/);
  const queue = simulate('--queue', 'chess', '--tickets', '10');
  assert.equal(queue.status, 1);
  assert.match(queue.stderr, /chess/);
  const party = simulate('--parties', '2:1', '--tickets', '10', '--json');
  assert.equal(party.status, 1);
  assert.equal(JSON.parse(party.stderr).code, 'INVALID_ARGUMENT');
  const output = simulate('--tickets', '10', '--html', path.join(file('no'), 'o.html'));
  assert.equal(output.status, 1);
  assert.match(output.stderr, /cannot write/);
  assert.equal(simulate('--trace').status, 2);
  assert.equal(simulate('--rate', 'fast').status, 2);
});

test('real games, drawn and traced', (t) => {
  const data = process.env.EVENMATCH_DATA ?? '';
  const [rated, played] = ['lichess_classical_2025_01.csv', 'halo2_headtohead.csv'].map((name) => path.join(data, name));
  if (!data || !existsSync(rated) || !existsSync(played)) return t.skip('EVENMATCH_DATA names no folder with the games');
  const drawn = simulate('--games', rated, '--tickets', '2000', '--json');
  assert.equal(drawn.status, 0, drawn.stderr);
  const { scenario, configurations } = JSON.parse(drawn.stdout);
  assert.ok(configurations[0].queues[0].matches.matches > 900);
  assert.match(scenario['gap in the file'], /^mean [\d.]+, p95 [\d.]+ points$/);
  const traced = simulate('--games', played, '--trace', '--speed', '100', '--json');
  assert.equal(traced.status, 0, traced.stderr);
  assert.equal(JSON.parse(traced.stdout).configurations[0].tickets, 2 * 6227);
  assert.equal(simulate('--games', rated, '--trace').status, 1);
});
