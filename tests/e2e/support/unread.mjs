// A session whose client never reads: bare HTTP/2, because a gRPC library reads ahead.
import { once } from 'node:events';
import http2 from 'node:http2';
import { fresh, MatchmakingService, ticket } from './client.mjs';
import { within } from './wait.mjs';

const { path, requestSerialize } = MatchmakingService.service.Session;

function frame(message) {
  const body = requestSerialize(message);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

// Long names fill the windows of the connection sooner.
const long = (prefix) => fresh(prefix).padEnd(128, '.');

export async function unreadSession(t, server, session_id) {
  const connection = http2.connect(`http://${server.grpc}`);
  connection.on('error', () => {});
  t.after(() => connection.destroy());
  const stream = connection.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' });
  stream.on('error', () => {});
  const closed = once(stream, 'close');
  let trailers = {};
  stream.on('trailers', (headers) => (trailers = headers));
  const write = (message) => new Promise((resolve) => stream.write(frame(message), resolve));
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
