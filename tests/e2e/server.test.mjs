// The process: its start, its flags, its ports, its descriptors.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';
import { connect, fresh, ticket } from './support/client.mjs';
import { runToEnd, startServer, temporaryFolder } from './support/server.mjs';
import { eventually, within } from './support/wait.mjs';

test('without queues of its own it serves duel and squad', async (t) => {
  const server = await startServer(t, { config: null });
  const { queues } = await connect(t, server).listQueues();
  assert.deepEqual(queues.map(({ queue, team_count, team_size }) => [queue, team_count, team_size]), [['duel', 2, 1], ['squad', 2, 5]]);
});

test('a second server on a taken port refuses to start', async (t) => {
  const server = await startServer(t);
  for (const [taken, grpc, http] of [[server.grpc, server.grpc, '127.0.0.1:0'], [server.http, '127.0.0.1:0', server.http]]) {
    const { code, output } = await runToEnd(['--grpc-address', grpc, '--http-address', http]);
    assert.notEqual(code, 0);
    assert.ok(output.includes(taken), `it says which: ${output}`);
    assert.doesNotMatch(output, /^listening/m);
  }
  await connect(t, server).enqueue({ ticket: ticket(fresh()) });
});

test('JSON logs are JSON', async (t) => {
  const server = await startServer(t, { args: ['--log-format', 'json'] });
  await connect(t, server).enqueue({ ticket: ticket('line\u2028break "quoted" \\') });
  server.kill();
  await within(server.exited, 'the end of the server');
  const lines = server.log().split('\n').filter((line) => line && !line.startsWith('listening '));
  assert.ok(lines.length > 0);
  for (const line of lines) {
    const { level, message } = JSON.parse(line);
    assert.ok(level && message, line);
  }
});

test('what is wrong with a configuration is told with file, line and field', async (t) => {
  const folder = temporaryFolder(t);
  const file = path.join(folder, 'wrong.yaml');
  const check = async (text) => {
    writeFileSync(file, text);
    return runToEnd(['--check-config', '--config', file]);
  };
  const good = await check('queues:\n  - name: duel\n    team_size: 1\n');
  assert.equal(good.code, 0, good.output);

  // The text, the line and what else must be said.
  const cases = [
    ['queues:\n  - name: duel\n    team_size: 1\n    colour: red\n', 4, /colour/],
    ['queues:\n  - name: duel\n    team_size: one\n', 3, /queues\[0\]\.team_size/],
    ['queues:\n  - name: duel\n', 2, /queues\[0\]\.team_size/],
    ['queues:\n  - name: duel\n    team_size: 0\n', 3, /queues\[0\]\.team_size/],
    ['queues:\n  - name: duel\n    team_size: 1\n    tick: 5 parsecs\n', 4, /queues\[0\]\.tick/],
    ['queues:\n  - name: duel\n    team_size: 1\n  - name: duel\n    team_size: 2\n', 4, /queues\[1\]\.name/],
    ['queues:\n  - name: duel\n    team_size: 1\n    window:\n      linear: {base: 500, max: 100}\n', 5, /queues\[0\]\.window\.linear\.max/],
    ['queues:\n  - name: duel\n    team_size: 1\nserver:\n  tls:\n    certificate_file: a.crt\n', 6, /server\.tls/],
    ['queues: [\n', 2, /./],
  ];
  for (const [text, line, what] of cases) {
    const { code, output } = await check(text);
    assert.notEqual(code, 0, text);
    assert.ok(output.includes(file), output);
    assert.match(output, new RegExp(`:${line}\\b`), `${text}\n${output}`);
    assert.match(output, what);
    assert.doesNotMatch(output, /^listening/m);
  }
  const missing = await runToEnd(['--check-config', '--config', path.join(folder, 'nothing.yaml')]);
  assert.notEqual(missing.code, 0);
  assert.match(missing.output, /nothing\.yaml/);
});

test('unknown flags and bad addresses are refused', async () => {
  for (const args of [['--colour', 'red'], ['--grpc-address', 'nowhere'], ['--grpc-address', '127.0.0.1:99999'], ['--log-format', 'verse']]) {
    const { code, output } = await runToEnd(args);
    assert.notEqual(code, 0, args.join(' '));
    assert.notEqual(output, '');
  }
  const help = await runToEnd(['--help']);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /--config/);
});

// Whether a new connection is served.
async function reachable(server) {
  const [host, port] = server.grpc.split(':');
  const socket = net.connect({ host, port: Number(port) });
  socket.on('error', () => {});
  try {
    // The preface and an empty SETTINGS frame; a server that lives answers with its own.
    socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])]));
    await within(once(socket, 'data'), 'an answer to a new connection', 2_000);
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

test('running out of descriptors harms nobody who is there, and health tells the truth afterwards', async (t) => {
  const server = await startServer(t, { descriptors: 96 });
  const client = connect(t, server);
  const { ticket_id } = await client.enqueue({ ticket: ticket(fresh()) });
  const reader = client.watchTicket({ ticket_id, cursor: 0 });
  await reader.next();

  const [host, port] = server.grpc.split(':');
  const sockets = Array.from({ length: 150 }, () => net.connect({ host, port: Number(port) }).on('error', () => {}));
  await Promise.all(sockets.map((socket) => within(new Promise((resolve) => {
    socket.on('connect', resolve);
    socket.on('error', resolve);
  }), 'a connection')));
  await client.enqueue({ ticket: ticket(fresh()) });
  await reader.until(({ event }) => event.match, 'the match, on a connection that was there before');

  for (const socket of sockets) socket.destroy();
  await eventually(async () => {
    const healthy = await server.get('/healthz').then((answer) => answer.status === 200, () => false);
    return healthy === (await reachable(server)) && { healthy };
  }, 'health that agrees with what a new connection finds', 30_000);
  await client.listQueues();
});
