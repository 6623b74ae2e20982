/**
 * Goal: many deliveries are sent again after they were counted, and the sandbox gives play money and moves its clock, each by
 * its form (C-40). Method: forms as a browser sends them, on the real application.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const app = useApp();
const BACK = '/console/developers';
let owner: SignedInForTest;
let operator: SignedInForTest;

beforeAll(async () => {
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  const platform = await platformAccount(app.database, 'sandbox');
  operator = await signInAs(app, platform, { email: 'olga@platform.invalid', role: 'platform_operator' });
});

const send = (action: string, form: Record<string, string>, person = owner) =>
  visit(app, person, `/console/acts/${action}`, { form: { back: BACK, ...form } });

describe('many deliveries', () => {
  test('are counted before they are sent; the sent ones have the counted filter', async () => {
    const endpoint = await app.graphql(
      'mutation { createWebhookEndpoint(input: { url: "https://hooks.invalid/x" }) { webhookEndpoint { id: endpointId } errors { code message path } } }',
    );
    const { id } = endpoint.json.data.createWebhookEndpoint.webhookEndpoint;
    await app.graphql(
      'mutation { createCheckout(input: { currency: "USDT_TRX" }) { replayed errors { code message path } } }',
    );
    await app.owner.query(
      `insert into webhook_delivery (account_id, endpoint_id, event_seq, transaction_id, state, due_at, created_at, ended_at)
        select account_id, $2, seq, transaction_id, 'dead', occurred_at, occurred_at, occurred_at
          from event where account_id = $1 order by seq desc limit 1`,
      [String(app.accountId), id],
    );
    const counted = await send('RedeliverWebhooks', {
      dryRun: 'true',
      endpointId: id,
      since: '2026-01-01T00:00',
      states: 'DEAD',
    });
    expect([counted.status, counted.headers.get('location')]).toEqual([200, null]);
    expect(counted.text).toContain('Events to resend: 1');
    const form =
      /<form[^>]*action="\/console\/acts\/RedeliverWebhooks"(?:(?!<\/form>).)*value="false".*?<\/form>/s;
    const second = form.exec(counted.text)?.[0] ?? '';
    for (const value of [id, '2026-01-01T00:00', 'DEAD']) expect(second).toContain(`value="${value}"`);
    const sent = await send('RedeliverWebhooks', { dryRun: 'false', endpointId: id, states: 'DEAD' });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `${BACK}?done=RedeliverWebhooks`]);
  });

  test('that match nothing are not offered', async () => {
    const counted = await send('RedeliverWebhooks', { dryRun: 'true', since: '2099-01-01T00:00' });
    expect(counted.status).toBe(200);
    expect(counted.text).toContain('No events match');
  });
});

describe('the sandbox', () => {
  test('credits play money, of less than a cent in the language of the page', async () => {
    const done = await send('SandboxFund', { currency: 'TRX', amount: '0.125' });
    expect([done.status, done.headers.get('location')]).toEqual([303, `${BACK}?done=SandboxFund`]);
    const { json } = await app.graphql('{ balances { available currency { code } } }');
    expect(json.data.balances).toContainEqual({ available: '0.125', currency: { code: 'TRX_TRX' } });
  });

  test('C-40: moves its clock only for the operator', async () => {
    const [ours, theirs] = [await visit(app, owner, BACK), await visit(app, operator, BACK)];
    expect(ours.text).toContain('action="/console/acts/SandboxFund"');
    expect(ours.text).not.toContain('action="/console/acts/SandboxAdvanceClock"');
    expect(theirs.text).toContain('action="/console/acts/SandboxAdvanceClock"');
    expect((await send('SandboxAdvanceClock', { by: '1ms' }, operator)).status).toBe(303);
    expect((await send('SandboxAdvanceClock', { by: 'soon' }, operator)).status).toBe(400);
  });
});
