// TLS and mTLS, and certificates that are replaced while the server runs.
import assert from 'node:assert/strict';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import tls from 'node:tls';
import { authority } from './support/certificates.mjs';
import { Code, connect, credentials, fresh, refusal, ticket } from './support/client.mjs';
import { baseConfig, startServer, temporaryFolder } from './support/server.mjs';
import { eventually, within } from './support/wait.mjs';

// Certificates in a folder, and a configuration that uses them.
function prepare(t, { mutual = false } = {}) {
  const folder = temporaryFolder(t);
  const ca = authority(folder);
  const files = { certificate: path.join(folder, 'server.crt'), key: path.join(folder, 'server.key') };
  // As careful operators do it: nobody ever sees half a file.
  const put = (what, text) => {
    writeFileSync(`${files[what]}.new`, text);
    renameSync(`${files[what]}.new`, files[what]);
  };
  const first = ca.sign('localhost');
  put('certificate', first.certificate);
  put('key', first.key);
  const config = baseConfig();
  config.server.tls = { certificate_file: files.certificate, key_file: files.key };
  if (mutual) config.server.tls.client_ca_file = ca.file;
  return { ca, config, put, first };
}

// The serial number of the certificate that a new connection is shown.
async function shown(server, ca) {
  const [host, port] = server.grpc.split(':');
  const socket = tls.connect({ host, port, ca: ca.pem, servername: 'localhost', ALPNProtocols: ['h2'] });
  try {
    return await within(
      new Promise((resolve, reject) => {
        socket.on('secureConnect', () => resolve(parseInt(socket.getPeerCertificate().serialNumber, 16)));
        socket.on('error', reject);
      }),
      'a handshake',
    );
  } finally {
    socket.destroy();
  }
}

const play = async (client) => {
  const { ticket_id } = await client.enqueue({ ticket: ticket(fresh()) });
  await client.enqueue({ ticket: ticket(fresh()) });
  await client.watchTicket({ ticket_id }).until(({ event }) => event.match, 'the match');
};

test('with TLS only TLS is spoken, and health sees through it', async (t) => {
  const { ca, config } = prepare(t);
  const server = await startServer(t, { config });
  await play(connect(t, server, { security: credentials.createSsl(ca.pem) }));
  assert.equal((await server.get('/healthz')).status, 200);
  assert.equal((await server.get('/readyz')).status, 200);

  const stranger = authority(temporaryFolder(t), 'stranger');
  for (const security of [credentials.createInsecure(), credentials.createSsl(stranger.pem)]) {
    const error = await refusal(connect(t, server, { security }).listQueues());
    assert.equal(error.code, Code.UNAVAILABLE);
  }
});

test('with mTLS a client needs a certificate of the right authority', async (t) => {
  const { ca, config } = prepare(t, { mutual: true });
  const server = await startServer(t, { config });
  const pair = ca.sign('backend');
  const own = credentials.createSsl(ca.pem, Buffer.from(pair.key), Buffer.from(pair.certificate));
  await play(connect(t, server, { security: own }));
  assert.equal((await server.get('/healthz')).status, 200);

  const foreign = authority(temporaryFolder(t), 'stranger').sign('backend');
  for (const security of [
    credentials.createSsl(ca.pem),
    credentials.createSsl(ca.pem, Buffer.from(foreign.key), Buffer.from(foreign.certificate)),
  ]) {
    const error = await refusal(connect(t, server, { security }).listQueues({}));
    assert.equal(error.code, Code.UNAVAILABLE);
  }
});

test('a new pair is taken when both halves fit; until then the old one stays', async (t) => {
  const { ca, config, put, first } = prepare(t);
  const server = await startServer(t, { config });
  const old = connect(t, server, { security: credentials.createSsl(ca.pem) });
  await play(old);
  assert.equal(await shown(server, ca), first.serial);

  const reloads = async (result) => (await server.metrics()).sum('evenmatch_tls_reloads_total', { result });
  const second = ca.sign('localhost');
  const refusedBefore = await reloads('failure');
  put('certificate', second.certificate);
  await eventually(async () => (await reloads('failure')) > refusedBefore, 'the metric that tells of a half-replaced pair');
  assert.equal(await shown(server, ca), first.serial);
  await play(connect(t, server, { security: credentials.createSsl(ca.pem) }));
  assert.match(server.log(), /certificate/i);

  put('key', second.key);
  await eventually(async () => (await shown(server, ca)) === second.serial, 'the new certificate');
  assert.ok((await reloads('success')) >= 1);

  // A broken file changes nothing either.
  put('certificate', second.certificate.slice(0, 200));
  await eventually(async () => (await reloads('failure')) > refusedBefore + 1, 'the metric that tells of a broken file');
  assert.equal(await shown(server, ca), second.serial);
  assert.equal((await server.get('/healthz')).status, 200);
  await play(old);
});

test('a pair that does not fit is refused at the start', async (t) => {
  const { ca, config, put } = prepare(t);
  put('key', ca.sign('localhost').key);
  await assert.rejects(startServer(t, { config, mayFail: true }), /certificate|key/i);
  assert.ok(readFileSync(config.server.tls.key_file));
});
