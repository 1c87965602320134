// Cancel has one answer in every state a ticket can be in.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Code, connect, fieldOf, fresh, refusal, seconds, ticket } from './support/client.mjs';
import { startServer } from './support/server.mjs';

const lonely = () => ({ player_id: fresh(), rating: 5000 + 3000 * lonely.count++ });
lonely.count = 0;

test('a waiting ticket is cancelled, once', async (t) => {
  const client = connect(t, await startServer(t));
  const player = lonely();
  const { ticket_id } = await client.enqueue({ ticket: ticket(player) });
  const reader = client.watchTicket({ ticket_id, cursor: 1 });
  const first = await client.cancel({ ticket_id });
  assert.deepEqual([first.outcome, first.state], ['CANCEL_OUTCOME_CANCELLED', 'TICKET_STATE_CANCELLED']);
  const second = await client.cancel({ ticket_id });
  assert.deepEqual([second.outcome, second.state], ['CANCEL_OUTCOME_ALREADY_ENDED', 'TICKET_STATE_CANCELLED']);

  const { event } = await reader.until(({ event }) => event.kind === 'TICKET_EVENT_KIND_CANCELLED', 'the end of the ticket');
  assert.equal(event.reason, 'REASON_CLIENT');
  assert.equal((await reader.end()).code, Code.OK);

  // The player is free at once.
  const again = await client.enqueue({ ticket: ticket(player) });
  assert.equal(again.existing, false);
});

test('a matched ticket answers with its match', async (t) => {
  const client = connect(t, await startServer(t));
  const { ticket_id } = await client.enqueue({ ticket: ticket(fresh()) });
  await client.enqueue({ ticket: ticket(fresh()) });
  await client.watchTicket({ ticket_id }).until(({ event }) => event.kind === 'TICKET_EVENT_KIND_MATCHED', 'the match');
  for (let i = 0; i < 2; ++i) {
    const { outcome, state, match } = await client.cancel({ ticket_id });
    assert.deepEqual([outcome, state], ['CANCEL_OUTCOME_ALREADY_MATCHED', 'TICKET_STATE_MATCHED']);
    assert.ok(match.teams.some(({ seats }) => seats.some((seat) => seat.ticket_id === ticket_id)));
  }
});

test('an expired ticket answers so', async (t) => {
  const client = connect(t, await startServer(t));
  const { ticket_id } = await client.enqueue({ ticket: ticket(lonely(), { timeout: seconds(0.02) }) });
  await client.watchTicket({ ticket_id }).until(({ event }) => event.kind === 'TICKET_EVENT_KIND_EXPIRED', 'the expiry');
  const { outcome, state } = await client.cancel({ ticket_id });
  assert.deepEqual([outcome, state], ['CANCEL_OUTCOME_ALREADY_ENDED', 'TICKET_STATE_EXPIRED']);
});

test('any member cancels for the whole party', async (t) => {
  const client = connect(t, await startServer(t));
  const party = [fresh(), fresh()];
  const { ticket_id } = await client.enqueue({ ticket: ticket(party, { queues: [{ queue: 'pairs' }] }) });
  assert.equal((await client.cancel({ player_id: party[1] })).outcome, 'CANCEL_OUTCOME_CANCELLED');
  assert.equal((await client.getTicket({ ticket_id })).ticket.state, 'TICKET_STATE_CANCELLED');
  for (const player of party) await client.enqueue({ ticket: ticket({ ...lonely(), player_id: player }) });
});

test('what nobody knows is not found, and a nameless request is refused', async (t) => {
  const client = connect(t, await startServer(t));
  for (const request of [{ ticket_id: 'nobody' }, { player_id: 'nobody' }, { pool_group: 'elsewhere', ticket_id: 'nobody' }]) {
    assert.equal((await refusal(client.cancel(request))).code, Code.NOT_FOUND);
  }
  for (const request of [{}, { ticket_id: 'a', player_id: 'b' }]) {
    const error = await refusal(client.cancel(request));
    assert.equal(error.code, Code.INVALID_ARGUMENT);
    assert.match(fieldOf(error), /ticket_id|player_id/);
  }
  const error = await refusal(client.cancel({ pool_group: 'nowhere', ticket_id: 'a' }));
  assert.equal(error.code, Code.INVALID_ARGUMENT);
  assert.equal(fieldOf(error), 'pool_group');
});

test('cancel and match at the same instant agree on one outcome', async (t) => {
  const server = await startServer(t);
  const [here, there] = [connect(t, server), connect(t, server)];
  const seen = { CANCEL_OUTCOME_CANCELLED: 0, CANCEL_OUTCOME_ALREADY_MATCHED: 0 };
  for (let round = 0; round < 200; ++round) {
    const { ticket_id } = await here.enqueue({ ticket: ticket(fresh()) });
    const reader = here.watchTicket({ ticket_id, cursor: 1 });
    const partner = await there.enqueue({ ticket: ticket(fresh()) });
    // From at once to longer than a tick, in round trips.
    for (let trips = round % 40; trips > 0; --trips) await there.getTicket({ ticket_id: partner.ticket_id });
    const answer = await here.cancel({ ticket_id });
    ++seen[answer.outcome];
    const events = (await reader.rest()).map(({ event }) => event.kind);
    const { ticket: status } = await here.getTicket({ ticket_id });
    const other = await there.cancel({ ticket_id: partner.ticket_id });
    if (answer.outcome === 'CANCEL_OUTCOME_CANCELLED') {
      assert.equal(status.state, 'TICKET_STATE_CANCELLED');
      assert.equal(status.match, null);
      assert.equal(other.outcome, 'CANCEL_OUTCOME_CANCELLED', 'the partner was still waiting');
      assert.ok(!events.includes('TICKET_EVENT_KIND_MATCHED'));
    } else {
      assert.equal(status.state, 'TICKET_STATE_MATCHED');
      assert.equal(other.outcome, 'CANCEL_OUTCOME_ALREADY_MATCHED');
      assert.equal(other.match.match_id, answer.match.match_id);
      assert.ok(!events.includes('TICKET_EVENT_KIND_CANCELLED'));
      await here.endMatch({ match_id: answer.match.match_id });
    }
  }
  assert.ok(seen.CANCEL_OUTCOME_CANCELLED > 0 && seen.CANCEL_OUTCOME_ALREADY_MATCHED > 0, JSON.stringify(seen));
});
