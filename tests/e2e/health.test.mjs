// What balancers, probes and curious tools ask.
import assert from 'node:assert/strict';
import test from 'node:test';
import protobuf from 'protobufjs';
import { Code, connect, Reader, refusal } from './support/client.mjs';
import { baseConfig, startServer } from './support/server.mjs';

test('health is told by Check and by Watch, for the server and for each service', async (t) => {
  const server = await startServer(t);
  const client = connect(t, server);
  for (const service of ['', 'evenmatch.v1.MatchmakingService']) {
    assert.equal((await client.healthCheck({ service })).status, 'SERVING');
  }
  assert.equal((await refusal(client.healthCheck({ service: 'nobody' }))).code, Code.NOT_FOUND);
  const watch = client.healthWatch({ service: 'nobody' });
  assert.equal((await watch.next()).status, 'SERVICE_UNKNOWN');
  watch.cancel();

  const serving = client.healthWatch({ service: '' });
  assert.equal((await serving.next()).status, 'SERVING');
  server.kill('SIGTERM');
  const rest = new Set((await serving.rest()).map(({ status }) => status));
  assert.deepEqual([...rest], ['NOT_SERVING'], 'told before the stream ends');
});

test('the HTTP side tells alive, ready and metrics, and nothing else', async (t) => {
  const server = await startServer(t);
  for (const where of ['/healthz', '/readyz']) assert.equal((await server.get(where)).status, 200);
  const metrics = await server.get('/metrics');
  assert.equal(metrics.status, 200);
  assert.match(metrics.headers.get('content-type'), /^text\/plain/);
  assert.equal((await server.get('/nothing')).status, 404);
});

// Only what these calls need of grpc.reflection.v1alpha, by its field numbers.
const reflection = protobuf.parse(`syntax = "proto3"; package r;
  message Request { oneof ask { string file_containing_symbol = 4; string list_services = 7; } }
  message Files { repeated bytes file = 1; }
  message Service { string name = 1; }
  message Services { repeated Service service = 1; }
  message Response { oneof answer { Files files = 4; Services services = 6; } }`, { keepCase: true }).root;
const [Request, Response] = ['Request', 'Response'].map((name) => reflection.lookupType(`r.${name}`));

function reflect(client) {
  return client.AdminService.makeBidiStreamRequest(
    '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo',
    (value) => Buffer.from(Request.encode(value).finish()),
    (bytes) => Response.decode(bytes),
  );
}

test('reflection names the services and hands out their description', async (t) => {
  const client = connect(t, await startServer(t));
  const call = reflect(client);
  const reader = new Reader(call);
  call.write({ list_services: '' });
  const names = (await reader.next()).services.service.map(({ name }) => name);
  for (const name of ['MatchmakingService', 'MatchService', 'AdminService']) assert.ok(names.includes(`evenmatch.v1.${name}`));
  call.write({ file_containing_symbol: 'evenmatch.v1.MatchmakingService' });
  const { files } = await reader.next();
  assert.ok(Buffer.concat(files.file).includes('WatchTicketRequest'));
  call.end();
  assert.equal((await reader.end()).code, Code.OK);
});

test('reflection can be switched off', async (t) => {
  const config = baseConfig();
  config.server.reflection = false;
  const client = connect(t, await startServer(t, { config }));
  const reader = new Reader(reflect(client));
  assert.equal((await reader.end()).code, Code.UNIMPLEMENTED);
});
