// A client made of @grpc/grpc-js and the published .proto files.
import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';
import path from 'node:path';
import protobuf from 'protobufjs';
import { top } from './server.mjs';
import { PATIENCE_MS, within } from './wait.mjs';

const protos = path.join(top, 'proto');
const published = grpc.loadPackageDefinition(
  protoLoader.loadSync(
    [
      'evenmatch/v1/matchmaking_service.proto',
      'evenmatch/v1/match_service.proto',
      'evenmatch/v1/admin_service.proto',
      'grpc/health/v1/health.proto',
    ],
    { includeDirs: [protos], keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true },
  ),
);
export const { MatchmakingService, MatchService, AdminService } = published.evenmatch.v1;
export const { Health } = published.grpc.health.v1;
export const { status: Code, credentials } = grpc;

// google.rpc.Status travels in a trailer; its .proto is no part of the contract.
const details = protobuf.parse(
  'syntax = "proto3"; package d; message Any { string type_url = 1; bytes value = 2; }' +
    'message Status { int32 code = 1; string message = 2; repeated Any details = 3; }',
).root;
const errorDetails = new protobuf.Root();
errorDetails.resolvePath = (_, target) => (target.startsWith('/') ? target : path.join(protos, target));
errorDetails.loadSync('google/rpc/error_details.proto');

// The details of an error by short name: {BadRequest: {field_violations: [...]}, RetryInfo: ..., ResourceInfo: ...}.
export function detailsOf(error) {
  const found = {};
  const [bytes] = error.metadata?.get('grpc-status-details-bin') ?? [];
  if (!bytes) return found;
  for (const any of details.lookupType('d.Status').decode(bytes).details) {
    const name = any.typeUrl.split('/').at(-1);
    const type = errorDetails.lookupType(name);
    found[name.split('.').at(-1)] = type.toObject(type.decode(any.value), { longs: Number, defaults: true });
  }
  return found;
}

// The path of the field that an error blames.
export const fieldOf = (error) => detailsOf(error).BadRequest?.fieldViolations?.[0]?.field;

export const seconds = (value) => ({ seconds: Math.floor(value), nanos: Math.round((value % 1) * 1e9) });
export const toSeconds = (duration) => (duration ? duration.seconds + duration.nanos / 1e9 : undefined);

let serial = 0;
// A name that no other test uses.
export const fresh = (prefix = 'p') => `${prefix}-${process.pid}-${++serial}`;

// One ticket of one party; `players` are ids or whole players.
export function ticket(players, more = {}) {
  const list = [players].flat().map((player) => (typeof player === 'string' ? { player_id: player, rating: 1500 } : player));
  return { queues: [{ queue: 'duel' }], players: list, ...more };
}

// Everything that comes over a stream, one by one.
export class Reader {
  #messages = [];
  #waiting = null;
  #end = null;

  constructor(call) {
    this.call = call;
    call.on('data', (message) => {
      this.#messages.push(message);
      this.#waiting?.();
    });
    call.on('error', () => {});
    // {code, details, metadata}
    this.ended = new Promise((resolve) => {
      call.on('status', (status) => {
        this.#end = status;
        this.#waiting?.();
        resolve(status);
      });
    });
  }

  // The next message, or undefined when the stream is over.
  async next(what = 'the next message of a stream', ms = PATIENCE_MS) {
    while (!this.#messages.length && !this.#end) {
      await within(new Promise((resolve) => (this.#waiting = resolve)), what, ms);
    }
    return this.#messages.shift();
  }

  // The first message that `wanted` accepts; what came before it is gone.
  async until(wanted, what = 'a certain message of a stream') {
    for (;;) {
      const message = await this.next(what);
      if (!message) throw new Error(`the stream ended (${this.#end.code} ${this.#end.details}) before ${what}`);
      if (wanted(message)) return message;
    }
  }

  async rest() {
    const all = [];
    for (let message = await this.next(); message; message = await this.next()) all.push(message);
    return all;
  }

  end(what = 'the end of a stream') {
    return within(this.ended, what);
  }

  cancel() {
    this.call.cancel();
  }
}

// All services at one address, on a connection of its own. `options.security`: credentials; the rest are channel options.
export function connect(t, server, { security = credentials.createInsecure(), address = server.grpc, ...options } = {}) {
  const channel = new grpc.Channel(address, security, { 'grpc.use_local_subchannel_pool': 1, ...options });
  t.after(() => channel.close());
  const client = { channel };
  const services = { MatchmakingService, MatchService, AdminService, Health };
  for (const [name, Service] of Object.entries(services)) {
    const stub = new Service(address, security, { channelOverride: channel });
    client[name] = stub;
    for (const [method, { requestStream, responseStream }] of Object.entries(Service.service)) {
      const call = method[0].toLowerCase() + method.slice(1);
      const key = name === 'Health' ? `health${method}` : call;
      if (requestStream) client[key] = () => new SessionStream(stub[method]());
      else if (responseStream) client[key] = (request, more = {}) => new Reader(stub[method](request, more));
      else client[key] = (request = {}, more = {}) => unary(stub, method, request, more);
    }
  }
  return client;
}

function unary(stub, method, request, { deadline = Date.now() + PATIENCE_MS } = {}) {
  return new Promise((resolve, reject) => {
    stub[method](request, { deadline }, (error, response) => (error ? reject(error) : resolve(response)));
  });
}

// A Session: commands by number, and their results and the tickets' events as they come.
export class SessionStream {
  results = new Map();
  events = [];
  matches = new Map();
  #waiting = [];
  #requests = 0;

  constructor(call) {
    this.call = call;
    call.on('error', () => {});
    this.ended = new Promise((resolve) => {
      call.on('status', (status) => {
        this.status = status;
        resolve(status);
        this.#wake();
      });
    });
  }

  #wake() {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  // Begins to read; a client that does not call it is a slow reader.
  read() {
    this.call.on('data', (message) => {
      this.session_id ||= message.session_id;
      for (const result of message.results) this.results.set(result.request, result);
      this.events.push(...message.events);
      for (const match of message.matches) this.matches.set(match.match_id, match);
      this.#wake();
    });
    return this;
  }

  open(session_id) {
    this.call.write({ session_id });
    return this;
  }

  // Sends commands in one message; their request numbers.
  send(...commands) {
    const numbered = commands.map((command) => ({ request: ++this.#requests, ...command }));
    this.call.write({ commands: numbered });
    return numbered.map(({ request }) => request);
  }

  async ask(command) {
    const [request] = this.send(command);
    return this.until(() => this.results.get(request), `result ${request} of a session`);
  }

  // Waits until `condition` gives something.
  async until(condition, what) {
    for (;;) {
      const answer = condition();
      if (answer) return answer;
      if (this.status) throw new Error(`the session ended (${this.status.code} ${this.status.details}) before ${what}`);
      await within(new Promise((resolve) => this.#waiting.push(resolve)), what);
    }
  }

  event(ticket_id, kind) {
    const wanted = (event) => event.ticket_id === ticket_id && event.kind === `TICKET_EVENT_KIND_${kind}`;
    return this.until(() => this.events.find(wanted), `event ${kind} of ${ticket_id}`);
  }

  end(what = 'the end of a session') {
    return within(this.ended, what);
  }

  cancel() {
    this.call.cancel();
  }
}

// What a call failed with; an error when it did not.
export async function refusal(promise) {
  try {
    await promise;
  } catch (error) {
    if (typeof error.code !== 'number') throw error;
    return error;
  }
  throw new Error('the call was expected to be refused and was not');
}
