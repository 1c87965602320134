// Bad input is refused with INVALID_ARGUMENT that names the field, and does no harm.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Code, connect, detailsOf, fieldOf, fresh, MatchmakingService, refusal, seconds, ticket } from './support/client.mjs';
import { startServer } from './support/server.mjs';

const player = (more) => ({ player_id: fresh(), rating: 1500, ...more });
const many = (count, make) => Object.fromEntries(Array.from({ length: count }, (_, i) => make(i)));
const texts = (count) => many(count, (i) => [`key${i}`, { text: 'x' }]);
const queue = (name, more) => ({ queues: [{ queue: name, ...more }] });

// What, the ticket, and the field to be blamed.
const cases = [
  ['a rating that is not a number', ticket(player({ rating: NaN })), 'ticket.players[0].rating'],
  ['an infinite rating', ticket(player({ rating: Infinity })), 'ticket.players[0].rating'],
  ['a rating below all', ticket(player({ rating: -Infinity })), 'ticket.players[0].rating'],
  ['a rating out of range', ticket(player({ rating: 100_001 })), 'ticket.players[0].rating'],
  ['a rating out of range below', ticket(player({ rating: -1e300 })), 'ticket.players[0].rating'],
  ['a negative deviation', ticket(player({ rating_deviation: -1 })), 'ticket.players[0].rating_deviation'],
  ['a deviation out of range', ticket(player({ rating_deviation: 10_001 })), 'ticket.players[0].rating_deviation'],
  ['a deviation that is not a number', ticket(player({ rating_deviation: NaN })), 'ticket.players[0].rating_deviation'],
  ['a player without a name', ticket(player({ player_id: '' })), 'ticket.players[0].player_id'],
  ['a name that is too long', ticket(player({ player_id: 'x'.repeat(129) })), 'ticket.players[0].player_id'],
  ['a name that is much too long', ticket(player({ player_id: 'x'.repeat(65_536) })), 'ticket.players[0].player_id'],
  ['a name too long in bytes only', ticket(player({ player_id: '\u00e9'.repeat(65) })), 'ticket.players[0].player_id'],
  ['a name with a zero byte', ticket(player({ player_id: 'a\0b' })), 'ticket.players[0].player_id'],
  ['a name with a line break', ticket(player({ player_id: 'a\nb' })), 'ticket.players[0].player_id'],
  ['a ticket id that is too long', ticket(fresh(), { ticket_id: 'x'.repeat(129) }), 'ticket.ticket_id'],
  ['a ticket id with control characters', ticket(fresh(), { ticket_id: 'a\u007f' }), 'ticket.ticket_id'],
  ['a party label that is too long', ticket(fresh(), { party_id: 'x'.repeat(129) }), 'ticket.party_id'],
  ['a player twice', ticket(['twin', 'twin'], queue('pairs')), 'ticket.players[1].player_id'],
  ['a party larger than a team', ticket([fresh(), fresh()]), 'ticket.players'],
  ['nobody', ticket([]), 'ticket.players'],
  ['no queue', ticket(fresh(), { queues: [] }), 'ticket.queues'],
  ['too many queues', ticket(fresh(), { queues: Array(17).fill({ queue: 'duel' }) }), 'ticket.queues'],
  ['a queue without a name', ticket(fresh(), queue('')), 'ticket.queues[0].queue'],
  ['an unknown queue', ticket(fresh(), queue('nowhere')), 'ticket.queues[0].queue'],
  ['a queue twice', ticket(fresh(), { queues: [{ queue: 'duel' }, { queue: 'duel' }] }), 'ticket.queues[1].queue'],
  ['queues of different groups', ticket(fresh(), { queues: [{ queue: 'duel' }, { queue: 'far' }] }), 'ticket.queues[1].queue'],
  ['another group than that of the queues', ticket(fresh(), { pool_group: 'elsewhere' }), 'ticket.pool_group'],
  ['an unknown group', ticket(fresh(), { pool_group: 'nowhere' }), 'ticket.pool_group'],
  ['a preference out of range', ticket(fresh(), queue('duel', { preference: 1001 })), 'ticket.queues[0].preference'],
  ['a rating for a stranger', ticket(fresh(), queue('duel', { ratings: { stranger: { value: 1 } } })), /^ticket\.queues\[0\]\.ratings/],
  ['too many attributes', ticket(fresh(), { attributes: texts(65) }), 'ticket.attributes'],
  ['too many attributes of a player', ticket(player({ attributes: texts(65) })), 'ticket.players[0].attributes'],
  ['an attribute that is too long', ticket(fresh(), { attributes: { key: { text: 'x'.repeat(257) } } }), /^ticket\.attributes\[.?key/],
  ['an attribute without a key', ticket(fresh(), { attributes: { '': { text: 'x' } } }), /^ticket\.attributes/],
  ['an attribute whose key is too long', ticket(fresh(), { attributes: { ['k'.repeat(65)]: { text: 'x' } } }), /^ticket\.attributes/],
  ['an attribute without a value', ticket(fresh(), { attributes: { key: {} } }), /^ticket\.attributes\[.?key/],
  ['an attribute that is not a number', ticket(fresh(), { attributes: { key: { number: NaN } } }), /^ticket\.attributes\[.?key/],
  ['a latency of -1', ticket(player({ latency_ms: { eu: -1 } })), /^ticket\.players\[0\]\.latency_ms\[.?eu/],
  ['a latency out of range', ticket(player({ latency_ms: { eu: 10_001 } })), /^ticket\.players\[0\]\.latency_ms\[.?eu/],
  ['too many regions', ticket(player({ latency_ms: many(65, (i) => [`r${i}`, 1]) })), 'ticket.players[0].latency_ms'],
  ['a role twice', ticket(player({ roles: ['tank', 'tank'] })), 'ticket.players[0].roles[1]'],
  ['a negative number of games', ticket(player({ games_played: -1 })), 'ticket.players[0].games_played'],
  ['a negative streak', ticket(player({ loss_streak: -1 })), 'ticket.players[0].loss_streak'],
  ['too many blocked players', ticket(player({ block: Array.from({ length: 257 }, (_, i) => `b${i}`) })), 'ticket.players[0].block'],
  ['a timeout of zero', ticket(fresh(), { timeout: seconds(0) }), 'ticket.timeout'],
  ['a negative timeout', ticket(fresh(), { timeout: { seconds: -5, nanos: 0 } }), 'ticket.timeout'],
  ['a timeout of more than a day', ticket(fresh(), { timeout: seconds(86_401) }), 'ticket.timeout'],
  ['a timeout that is no duration', ticket(fresh(), { timeout: { seconds: 1, nanos: -5 } }), 'ticket.timeout'],
  ['a presence that is none', ticket(fresh(), { presence: 77 }), 'ticket.presence'],
  ['no ticket', undefined, 'ticket'],
];

const blames = (field, wanted, what) => {
  if (wanted instanceof RegExp) assert.match(field ?? '', wanted, what);
  else assert.equal(field, wanted, what);
};

test('every kind of bad ticket is refused by name, over Enqueue and over a Session', async (t) => {
  const server = await startServer(t);
  const client = connect(t, server);
  const session = client.session().read().open(fresh('session'));
  for (const [what, bad, field] of cases) {
    const error = await refusal(client.enqueue({ ticket: bad }));
    assert.equal(error.code, Code.INVALID_ARGUMENT, `${what}: ${error.details}`);
    blames(fieldOf(error), field, what);
    assert.notEqual(detailsOf(error).BadRequest.fieldViolations[0].description, '');
    const { error: answer } = await session.ask({ enqueue: { ticket: bad } });
    assert.equal(answer?.code, Code.INVALID_ARGUMENT, what);
    blames(answer.field.replace(/^enqueue\./, ''), field, what);
  }
  // Unharmed.
  const { stats } = await client.getQueueStats({ queue: 'duel' });
  assert.deepEqual([stats.waiting_tickets, stats.enqueued], [0, 0]);
  assert.equal((await session.ask({ enqueue: { ticket: ticket(fresh()) } })).enqueue.state, 'TICKET_STATE_WAITING');
  assert.ok((await server.metrics()).sum('evenmatch_refusals_total') >= 2 * cases.length);
});

test('what stands just within the limits is taken', async (t) => {
  const client = connect(t, await startServer(t));
  const full = player({
    player_id: 'y'.repeat(128),
    rating: -100_000,
    rating_deviation: 10_000,
    tier: 'x'.repeat(128),
    latency_ms: many(64, (i) => [`r${i}`, i ? 10_000 : 0]),
    attributes: texts(64),
    block: Array.from({ length: 256 }, (_, i) => `b${i}`),
  });
  const timeout = seconds(86_400);
  const attributes = { ['k'.repeat(64)]: { text: 'x'.repeat(256) }, list: { texts: { values: ['a', 'b'] } }, zero: { number: -0 } };
  const queues = [{ queue: 'duel', preference: -1000, ratings: { ['y'.repeat(128)]: { value: 100_000, deviation: 0 } } }];
  const { ticket_id } = await client.enqueue({ ticket: ticket(full, { ticket_id: 'x'.repeat(128), timeout, attributes, queues }) });
  const { ticket: status } = await client.getTicket({ ticket_id });
  assert.equal(status.queues[0].value_points, 100_000, 'the rating of the queue overrules the own');
});

// Sends bytes as they are.
const raw = (client, method, bytes) =>
  new Promise((resolve, reject) => {
    const { path, responseDeserialize } = MatchmakingService.service[method];
    client.MatchmakingService.makeUnaryRequest(path, (value) => value, responseDeserialize, bytes, (error, answer) =>
      error ? reject(error) : resolve(answer),
    );
  });

// A good request in which `mark`, a text of one field, is overwritten by bytes that are no UTF-8.
function spoil(request, mark) {
  const bytes = Buffer.from(MatchmakingService.service.Enqueue.requestSerialize(request));
  const at = bytes.indexOf(mark);
  assert.ok(at > 0);
  Buffer.from([0xff, 0xfe, 0xc0, 0x80]).copy(bytes, at);
  return bytes;
}

test('names that are not UTF-8 are refused by name', async (t) => {
  const client = connect(t, await startServer(t));
  const spoilt = [
    [{ ticket: ticket('MARK') }, 'ticket.players[0].player_id'],
    [{ ticket: ticket([fresh(), 'MARK'], queue('pairs')) }, 'ticket.players[1].player_id'],
    [{ ticket: ticket(fresh(), { ticket_id: 'MARK' }) }, 'ticket.ticket_id'],
    [{ ticket: ticket(fresh(), { queues: [{ queue: 'MARK' }] }) }, 'ticket.queues[0].queue'],
    [{ ticket: ticket(fresh(), { party_id: 'MARK' }) }, 'ticket.party_id'],
    [{ ticket: ticket(player({ roles: ['MARK'] })) }, 'ticket.players[0].roles[0]'],
    [{ ticket: ticket(fresh(), { attributes: { key: { text: 'MARK' } } }) }, 'ticket.attributes'],
  ];
  for (const [request, field] of spoilt) {
    const error = await refusal(raw(client, 'Enqueue', spoil(request, 'MARK')));
    assert.equal(error.code, Code.INVALID_ARGUMENT, error.details);
    blames(fieldOf(error), field, error.details);
  }
  for (const garbage of [[0xff], [0x0a, 0x7f], [0x0a, 0x02, 0x08], Array(64).fill(0x0b)]) {
    const error = await refusal(raw(client, 'Enqueue', Buffer.from(garbage)));
    assert.equal(error.code, Code.INVALID_ARGUMENT, error.details);
  }
  assert.ok((await client.enqueue({ ticket: ticket(fresh()) })).ticket_id);
});

test('a message over the limit is refused', async (t) => {
  const client = connect(t, await startServer(t));
  const big = (bytes) => ticket(player({ player_id: 'x'.repeat(bytes) }));
  const error = await refusal(client.enqueue({ ticket: big(1 << 20) }));
  assert.equal(error.code, Code.INVALID_ARGUMENT, error.details);
  const huge = await refusal(client.enqueue({ ticket: big(8 << 20) }));
  assert.ok([Code.INVALID_ARGUMENT, Code.RESOURCE_EXHAUSTED].includes(huge.code), huge.details);
  assert.ok((await client.enqueue({ ticket: ticket(fresh()) })).ticket_id);
});

test('other calls name their bad fields too', async (t) => {
  const client = connect(t, await startServer(t));
  const calls = [
    [client.getTicket({}), /ticket_id|player_id/],
    [client.getTicket({ ticket_id: 'x'.repeat(129) }), 'ticket_id'],
    [client.getTicket({ ticket_id: 'a', pool_group: 'nowhere' }), 'pool_group'],
    [client.acknowledge({ sequence: 1 }), 'ticket_id'],
    [client.getMatch({}), 'match_id'],
    [client.endMatch({ match_id: '' }), 'match_id'],
  ];
  for (const [call, field] of calls) {
    const error = await refusal(call);
    assert.equal(error.code, Code.INVALID_ARGUMENT, error.details);
    blames(fieldOf(error), field, error.details);
  }
  for (const call of [client.getMatch({ match_id: 'nobody' }), client.endMatch({ match_id: 'nobody' }), client.getQueueStats({ queue: 'nowhere' })]) {
    assert.equal((await refusal(call)).code, Code.NOT_FOUND);
  }
});
