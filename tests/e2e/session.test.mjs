// Session: many commands a message, answers by number, events of all its tickets, and going on after a break.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Code, connect, fieldOf, fresh, ticket } from './support/client.mjs';
import { startServer } from './support/server.mjs';
import { eventually } from './support/wait.mjs';

const enqueue = (player, more = {}) => ({ enqueue: { ticket: ticket(player, { ticket_id: fresh('t'), ...more }) } });
const lonely = (() => {
  let rating = 0;
  return () => ({ player_id: fresh(), rating: (rating += 3000) });
})();
const begin = async (client, id = fresh('session')) => {
  const session = client.session().read().open(id);
  await session.until(() => session.session_id === id, 'the first message of a session');
  return session;
};

test('commands are answered by number and the events of the tickets follow', async (t) => {
  const session = await begin(connect(t, await startServer(t)));
  const [one, two] = [enqueue(fresh()), enqueue(fresh())];
  const requests = session.send(one, two);
  for (const [i, command] of [one, two].entries()) {
    const result = await session.until(() => session.results.get(requests[i]), 'an answer');
    assert.equal(result.enqueue.ticket_id, command.enqueue.ticket.ticket_id);
    assert.equal(result.enqueue.sequence, 1);
    const event = await session.event(command.enqueue.ticket.ticket_id, 'MATCHED');
    assert.deepEqual([event.sequence, event.snapshot], [2, false]);
    const match = session.matches.get(event.match.match_id);
    assert.equal(match.teams.length, 2);
    assert.equal(match.teams[0].seats[0].rating, 1500, 'a backend is shown ratings');
  }
  assert.ok(!session.events.some((event) => event.kind === 'TICKET_EVENT_KIND_QUEUED'), 'the answer was that event');
  session.call.end();
  assert.equal((await session.end()).code, Code.OK);
});

test('each command of a message fails or succeeds by itself', async (t) => {
  const client = connect(t, await startServer(t));
  const session = await begin(client);
  const good = enqueue(lonely());
  const player = good.enqueue.ticket.players[0];
  const commands = [
    enqueue({ player_id: '', rating: 1 }),
    good,
    enqueue(player),
    { cancel: { ticket_id: 'nobody' } },
    { cancel: { ticket_id: good.enqueue.ticket.ticket_id } },
    { acknowledge: { ticket_id: good.enqueue.ticket.ticket_id, sequence: 2 } },
    { acknowledge: { ticket_id: good.enqueue.ticket.ticket_id, sequence: 9 } },
    {},
  ];
  const requests = session.send(...commands);
  const results = [];
  for (const request of requests) results.push(await session.until(() => session.results.get(request), `answer ${request}`));
  assert.equal(results[0].error.code, Code.INVALID_ARGUMENT);
  assert.match(results[0].error.field, /ticket\.players\[0\]\.player_id$/);
  assert.equal(results[1].enqueue.state, 'TICKET_STATE_WAITING');
  assert.deepEqual([results[2].error.code, results[2].error.ticket_id], [Code.ALREADY_EXISTS, good.enqueue.ticket.ticket_id]);
  assert.equal(results[3].error.code, Code.NOT_FOUND);
  assert.equal(results[4].cancel.outcome, 'CANCEL_OUTCOME_CANCELLED');
  assert.equal(results[5].result, 'acknowledge');
  assert.equal(results[6].error.code, Code.INVALID_ARGUMENT);
  assert.equal(results[7].error.code, Code.INVALID_ARGUMENT);
  // The stream goes on.
  assert.ok((await session.ask(enqueue(lonely()))).enqueue);
});

test('a new stream of the session begins with every live or unacknowledged ticket', async (t) => {
  const server = await startServer(t);
  const id = fresh('session');
  const broken = await begin(connect(t, server), id);
  const [waits, heard, unheard] = [enqueue(lonely()), enqueue(lonely()), enqueue(lonely())].map((command) => {
    broken.send(command);
    return command.enqueue.ticket.ticket_id;
  });
  for (const ticket_id of [heard, unheard]) {
    await broken.ask({ cancel: { ticket_id } });
    await broken.event(ticket_id, 'CANCELLED');
  }
  await broken.ask({ acknowledge: { ticket_id: heard, sequence: 2 } });
  broken.cancel();
  await broken.end();

  const client = connect(t, server);
  const again = await begin(client, id);
  await again.event(unheard, 'CANCELLED');
  await again.event(waits, 'QUEUED');
  assert.ok(again.events.every((event) => event.snapshot));
  assert.ok(!again.events.some((event) => event.ticket_id === heard));

  // What happens from here on comes as events, and only then.
  await client.cancel({ ticket_id: waits });
  const event = await again.event(waits, 'CANCELLED');
  assert.deepEqual([event.snapshot, event.sequence], [false, 2]);
});

test('matches formed while nobody listened are told on the next attach', async (t) => {
  const server = await startServer(t);
  const client = connect(t, server);
  const id = fresh('session');
  const broken = await begin(connect(t, server), id);
  const command = enqueue(fresh());
  const { ticket_id } = command.enqueue.ticket;
  await broken.ask(command);
  broken.cancel();
  await broken.end();
  await client.enqueue({ ticket: ticket(fresh()) });
  await eventually(async () => (await client.getTicket({ ticket_id })).ticket.state === 'TICKET_STATE_MATCHED', 'the match');
  const again = await begin(client, id);
  const event = await again.event(ticket_id, 'MATCHED');
  assert.equal(event.snapshot, true);
  assert.ok(again.matches.has(event.match.match_id));
});

test('a ticket that another session enqueues again belongs to that session', async (t) => {
  const server = await startServer(t);
  const client = connect(t, server);
  const before = await begin(connect(t, server));
  const [first, ended] = [enqueue(fresh(), { presence: 'PRESENCE_STREAM' }), enqueue(lonely())];
  const [live, over] = [first, ended].map((command) => command.enqueue.ticket.ticket_id);
  await before.ask(first);
  await before.ask(ended);
  await before.ask({ cancel: { ticket_id: over } });
  before.cancel();
  await before.end();

  const id = fresh('session');
  const after = await begin(connect(t, server), id);
  for (const command of [first, ended]) assert.equal((await after.ask(command)).enqueue.existing, true);
  await client.enqueue({ ticket: ticket(fresh()) });
  const event = await after.event(live, 'MATCHED');
  assert.equal(event.snapshot, false);
  after.cancel();
  await after.end();

  // What had ended before is told by the next attach, and to nobody else.
  const again = await begin(connect(t, server), id);
  await again.event(over, 'CANCELLED');
  await again.event(live, 'MATCHED');
  const stale = await begin(connect(t, server), before.session_id);
  await stale.ask(enqueue(lonely()));
  assert.deepEqual(stale.events, []);
});

test('a newer stream of the same session ends the older one', async (t) => {
  const server = await startServer(t);
  const id = fresh('session');
  const older = await begin(connect(t, server), id);
  const command = enqueue(lonely());
  await older.ask(command);
  const newer = await begin(connect(t, server), id);
  const { code } = await older.end('the end of the older stream');
  assert.equal(code, Code.ABORTED);
  await newer.event(command.enqueue.ticket.ticket_id, 'QUEUED');
  assert.ok((await newer.ask(enqueue(lonely()))).enqueue);
});

test('sessions and watchers hear of the same ticket', async (t) => {
  const client = connect(t, await startServer(t));
  const session = await begin(client);
  const command = enqueue(lonely());
  const { ticket_id } = command.enqueue.ticket;
  await session.ask(command);
  const reader = client.watchTicket({ ticket_id, cursor: 0 });
  assert.equal((await reader.next()).event.kind, 'TICKET_EVENT_KIND_QUEUED');
  await session.ask({ cancel: { ticket_id } });
  await session.event(ticket_id, 'CANCELLED');
  await reader.until(({ event }) => event.kind === 'TICKET_EVENT_KIND_CANCELLED', 'the end of the ticket');
});

test('a session without a proper name is refused', async (t) => {
  const client = connect(t, await startServer(t));
  for (const id of ['', 'x'.repeat(129), 'a\nb']) {
    const session = client.session().read().open(id);
    const status = await session.end('the refusal of a session');
    assert.equal(status.code, Code.INVALID_ARGUMENT);
    assert.equal(fieldOf(status), 'session_id');
  }
});

test('presence STREAM follows the session', async (t) => {
  const server = await startServer(t);
  const id = fresh('session');
  const session = await begin(connect(t, server), id);
  const command = enqueue(lonely(), { presence: 'PRESENCE_STREAM' });
  const { ticket_id } = command.enqueue.ticket;
  await session.ask(command);
  session.cancel();
  await session.end();
  const client = connect(t, server);
  const back = await begin(client, id);
  await back.event(ticket_id, 'QUEUED');
  back.cancel();
  await back.end();
  const { ticket: status } = await eventually(async () => {
    const answer = await client.getTicket({ ticket_id });
    return answer.ticket.state === 'TICKET_STATE_CANCELLED' && answer;
  }, 'the end of the left ticket');
  assert.equal(status.reason, 'REASON_PRESENCE_LOST');
});

test('thousands of tickets over one session: none lost, none doubled', async (t) => {
  const session = await begin(connect(t, await startServer(t)));
  const ids = [];
  for (let batch = 0; batch < 80; ++batch) {
    const commands = Array.from({ length: 64 }, () => enqueue(fresh()));
    ids.push(...commands.map((command) => command.enqueue.ticket.ticket_id));
    session.send(...commands);
  }
  const matched = () => session.events.filter((event) => event.kind === 'TICKET_EVENT_KIND_MATCHED');
  await session.until(() => matched().length >= ids.length, 'a match for everybody');
  assert.equal(session.results.size, ids.length);
  const seats = [...session.matches.values()].flatMap(({ teams }) => teams.flatMap(({ seats }) => seats));
  assert.deepEqual(seats.map((seat) => seat.ticket_id).sort(), ids.slice().sort());
  assert.equal(new Set(seats.map((seat) => seat.player_id)).size, ids.length);
});
