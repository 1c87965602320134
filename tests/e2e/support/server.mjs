// The real evenmatchd: on free ports, in a temporary folder, ended with the test that started it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import YAML from 'yaml';
import { within } from './wait.mjs';

export const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
export const binary = process.env.EVENMATCHD ?? path.join(top, 'build/bin/evenmatchd');

// Ticks short enough that nobody waits, and every kind of queue that the tests need.
export const baseConfig = () => ({
  queues: [
    { name: 'duel', team_size: 1, tick: '10ms' },
    { name: 'duel2', team_size: 1, tick: '10ms' },
    { name: 'pairs', team_size: 2, tick: '10ms' },
    { name: 'far', pool_group: 'elsewhere', team_size: 1, tick: '10ms' },
  ],
  server: { drain_grace: '5s', presence_grace: '300ms' },
});

export function temporaryFolder(t) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'evenmatch-e2e-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// Runs evenmatchd to its end.
export async function runToEnd(args, { stdin } = {}) {
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => (stdout += data));
  child.stderr.on('data', (data) => (stderr += data));
  const [code, signal] = await within(once(child, 'close'), `the end of evenmatchd ${args.join(' ')}`).catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  return { code, signal, stdout, stderr, output: stdout + stderr };
}

// Starts a server and waits until it listens. Options: `config` (an object, or null for
// none at all; else baseConfig()), `address` (of
// gRPC), `args` (more flags), `descriptors` (ulimit -n), `mayFail` (its exit code is not looked at when the test ends).
export async function startServer(t, { config = baseConfig(), address = '127.0.0.1', args = [], descriptors, mayFail = false } = {}) {
  const folder = temporaryFolder(t);
  const file = path.join(folder, 'evenmatch.yaml');
  if (config) writeFileSync(file, YAML.stringify(config));
  const all = [...(config ? ['--config', file] : []), '--grpc-address', `${address}:0`, '--http-address', '127.0.0.1:0', ...args];
  const child = descriptors
    ? spawn('bash', ['-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, binary, ...all], { stdio: ['ignore', 'pipe', 'pipe'] })
    : spawn(binary, all, { stdio: ['ignore', 'pipe', 'pipe'] });

  const said = [];
  let told = false;
  const server = {
    folder,
    pid: child.pid,
    log: () => said.join('\n'),
    kill(signal = 'SIGTERM') {
      told = true;
      child.kill(signal);
    },
    // {code, signal} once it has ended.
    exited: once(child, 'close').then(([code, signal]) => ({ code, signal })),
  };
  // It must always end by itself and well, whatever the test did to it.
  t.after(async () => {
    // A second signal would cut a drain short.
    if (!told) child.kill('SIGTERM');
    let end;
    try {
      end = await within(server.exited, `the end of evenmatchd; it said:\n${server.log()}`, 20_000);
    } finally {
      child.kill('SIGKILL');
    }
    if (!mayFail) assert.deepEqual(end, { code: 0, signal: null }, server.log());
  });

  const listening = new Promise((resolve) => {
    readline.createInterface({ input: child.stdout }).on('line', (line) => {
      said.push(line);
      const match = /^listening grpc=(\S+) http=(\S+)$/.exec(line);
      if (match) resolve(match);
    });
  });
  readline.createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
  const early = server.exited.then(({ code }) => {
    throw new Error(`evenmatchd ended with ${code} before it listened:\n${server.log()}`);
  });
  early.catch(() => {});
  const [, grpc, http] = await within(Promise.race([listening, early]), 'the line that tells where it listens', 30_000);
  return Object.assign(server, {
    grpc,
    http,
    port: Number(grpc.split(':').at(-1)),
    get: (where) => fetch(`http://${http}${where}`),
    metrics: async () => parseMetrics(await (await fetch(`http://${http}/metrics`)).text()),
  });
}

// The text format of Prometheus: types by name, and samples.
export function parseMetrics(text) {
  const types = new Map();
  const samples = [];
  for (const line of text.split('\n')) {
    const type = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (type) types.set(type[1], type[2]);
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (!sample) continue;
    const labels = {};
    for (const [, key, value] of (sample[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) labels[key] = value;
    samples.push({ name: sample[1], labels, value: Number(sample[3]) });
  }
  return {
    text,
    types,
    samples,
    // The sum over all samples of that name that carry these labels.
    sum: (name, labels = {}) =>
      samples
        .filter((s) => s.name === name && Object.entries(labels).every(([key, value]) => s.labels[key] === value))
        .reduce((total, s) => total + s.value, 0),
  };
}
