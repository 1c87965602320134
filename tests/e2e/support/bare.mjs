// gRPC over bare HTTP/2, for what a gRPC library does not let its users do: never read, or come from another address.
import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import { fresh, MatchmakingService, ticket } from './client.mjs';
import { within } from './wait.mjs';

const { Session, Enqueue } = MatchmakingService.service;

function frame(method, message) {
  const body = method.requestSerialize(message);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

const begin = (connection, { path }) =>
  connection.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' });

// The gRPC status of one Enqueue that comes from `localAddress`.
export async function enqueueFrom(localAddress, server, value) {
  const [, port] = server.grpc.split(':');
  const createConnection = () => net.connect({ host: '127.0.0.1', port: Number(port), localAddress });
  const connection = http2.connect(`http://127.0.0.1:${port}`, { createConnection });
  try {
    const stream = begin(connection, Enqueue);
    stream.end(frame(Enqueue, { ticket: value }));
    stream.resume();
    // Trailers where there was an answer, else the headers are all there is.
    let status;
    for (const event of ['response', 'trailers']) stream.on(event, (headers) => (status ??= headers['grpc-status']));
    await within(once(stream, 'close'), 'the end of a call');
    return Number(status);
  } finally {
    connection.destroy();
  }
}

// Long names fill the windows of the connection sooner.
const long = (prefix) => fresh(prefix).padEnd(128, '.');

// A session whose client never reads.
export async function unreadSession(t, server, session_id) {
  const connection = http2.connect(`http://${server.grpc}`);
  connection.on('error', () => {});
  t.after(() => connection.destroy());
  const stream = begin(connection, Session);
  stream.on('error', () => {});
  const closed = once(stream, 'close');
  let trailers = {};
  stream.on('trailers', (headers) => (trailers = headers));
  const write = (message) => new Promise((resolve) => stream.write(frame(Session, message), resolve));
  await write({ session_id });
  let request = 0;
  return {
    // Enqueues so many tickets of equals into `duel`; their ids.
    async enqueue(count) {
      const ids = [];
      for (let left = count; left > 0; left -= 128) {
        const commands = Array.from({ length: Math.min(left, 128) }, () => {
          ids.push(long('t'));
          return { request: ++request, enqueue: { ticket: ticket(long('p'), { ticket_id: ids.at(-1) }) } };
        });
        await within(write({ commands }), 'room for commands');
      }
      return ids;
    },
    // How it ended: {status: of gRPC, when the server could say it, reset: the code of HTTP/2}. Reads what is left.
    async end() {
      stream.resume();
      await within(closed, 'the end of a session that was not read');
      return { status: Number(trailers['grpc-status'] ?? NaN), reset: stream.rstCode };
    },
  };
}
