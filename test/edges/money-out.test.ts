/**
 * Goal: money leaves an account by one rule, whatever the kind (C-25, C-22, C-40). Method: the attack by HTTP, with a key of one
 * scope after the other, on an account with a cooling time and a threshold; then the way that is open, with two keys.
 */

import { beforeEach, describe, expect, test } from 'vitest';
import type { Scope } from '../../src/base/access/api-key.ts';
import { verifyMoneyOut } from '../../src/store/engine/verify-money-out.ts';
import { useApp } from '../support/app.ts';
import { fundAccount } from '../support/fund-account.ts';
import { graphqlClient, stepOf } from '../support/graphql-client.ts';
import { newCustomer } from '../support/limits.ts';
import { LIVE_RAILS } from '../support/live-rails.ts';
import { errorsIn } from '../support/refusals.ts';
import { GROUP, whitelist } from '../support/rest-routes.ts';

const app = useApp();
const PAYEE = {
  pix_key: 'bea@example.com',
  pix_key_type: 'email',
  client_name: 'Bea Lima',
  client_tax_id: '11144477735',
};
const ELSEWHERE = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
const COOLING_SECONDS = 90_000;
let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, fund, until, trigger } = graphqlClient(app, () => shop.apiKey);

const update = (input: string) =>
  ask(
    `mutation { updateAccountSettings(input: { ${input} }) { accountSettings { approvalAbove } errors { code message path } } }`,
  );
const keyWith = async (...scopes: Scope[]) => (await app.addKey(shop.accountId, scopes)).apiKey;
const pass = (by: string) =>
  ask(`mutation { sandboxAdvanceClock(input: { by: "${by}" }) { now errors { code message path } } }`);
const available = async (currency = 'USDT_TRX') =>
  (await ask(`{ balances { currency { code } available } }`)).balances.find(
    (each: { currency: { code: string } }) => each.currency.code === currency,
  )?.available;
const offramp = (key: string, changes: object = {}) =>
  app.post(
    '/v2/offramp',
    { amount_sent: 100, currency_entry_paid_code: 'USDT_TRX', ...PAYEE, ...changes },
    { key },
  );

/** A finished onramp of 550 BRL. */
async function paid(input: object = {}): Promise<string> {
  const body = {
    amount_payment: 550,
    currency_exit_received_code: 'USDT_TRX',
    client_name: 'Ana Souza',
    client_tax_id: '52998224725',
    ...input,
  };
  const { json } = await app.post('/v2/onramp', body, { key: shop.apiKey });
  await trigger(json.end2end, 'pay');
  await until(json.end2end, 'success/DONE');
  return json.end2end;
}

/** An offramp whose deposit is held because its amount is wrong. */
async function held(): Promise<string> {
  const { json } = await offramp(shop.apiKey, { from: 'external' });
  await trigger(json.end2end, 'deposit-wrong');
  await until(json.end2end, 'crypto_deposit/UNDERPAID');
  return json.end2end;
}

const step = async (end2end: string) =>
  stepOf((await ask(`{ transaction(end2end: "${end2end}") { component state } }`)).transaction);

beforeEach(async () => {
  shop = await app.addAccount();
  await fund('USDT_TRX', '5000');
});

describe('C-25: scope', () => {
  test('a key with the scope create alone neither sells from the balance nor pays from it', async () => {
    const key = await keyWith('read', 'create');
    const refused = await offramp(key);
    expect([refused.status, refused.json.code]).toEqual([403, 'FORBIDDEN']);
    expect(refused.json.detail).toContain('"move"');
    expect(await available()).toBe('5000');
    // A quote, and what its payer brings from outside.
    expect((await offramp(key, { from: 'external' })).status).toBe(201);
  });

  test('a quote made with the scope create is accepted, and its payee named, with the scope move only', async () => {
    const key = await keyWith('read', 'create');
    const { createOfframp } = await ask(
      `mutation { createOfframp(input: { amount: { brl: "100" }, currency: "USDT_TRX", accept: false }) { transaction { end2end } errors { code message path } } }`,
      {},
      key,
    );
    const { end2end } = createOfframp.transaction;
    const accept = `mutation { acceptQuote(input: { end2end: "${end2end}" }) { transaction { component state } errors { code message path } } }`;
    const name = `mutation { provideIdentity(input: { end2end: "${end2end}", clientName: "Bea Lima", clientTaxId: "11144477735", pixKey: "bea@example.com", pixKeyType: EMAIL }) { transaction { component state } errors { code message path } } }`;
    const refusedBy = async (query: string) =>
      errorsIn((await app.graphql(query, {}, { key })).json)[0].extensions.code;
    expect(await refusedBy(accept)).toBe('FORBIDDEN');
    const mover = await keyWith('read', 'move');
    expect(stepOf((await ask(accept, {}, mover)).acceptQuote.transaction)).toBe('pre_kyc/INFO');
    expect(await refusedBy(name)).toBe('FORBIDDEN');
    expect(await available()).toBe('5000');
    await ask(name, {}, mover);
    expect(Number(await available())).toBeLessThan(5_000);
  });
});

describe('C-25, C-22: a destination that is new to the account', () => {
  beforeEach(() => update(`whitelistCoolingSeconds: ${COOLING_SECONDS}`));

  test('a PIX key is paid out of the balance only once it is on the whitelist and its cooling time is over', async () => {
    const refused = await offramp(shop.apiKey);
    expect([refused.status, refused.json.code]).toEqual([422, 'ADDRESS_NOT_WHITELISTED']);
    const {
      createWhitelistGroup: { whitelistGroup: group },
    } = await ask(
      'mutation { createWhitelistGroup(input: { name: "payees" }) { whitelistGroup { id: groupId } errors { code message path } } }',
    );
    await ask(
      `mutation { addWhitelistEntry(input: { groupId: "${group.id}", target: { pixKey: { type: EMAIL, key: "bea@example.com" } } }) { whitelistEntry { id: entryId } errors { code message path } } }`,
    );
    expect((await offramp(shop.apiKey)).json.code).toBe('ADDRESS_NOT_WHITELISTED');
    expect(await available()).toBe('5000');
    await pass(`${COOLING_SECONDS + 1}s`);
    expect((await offramp(shop.apiKey)).status).toBe(201);
  });

  test('a held deposit goes back to its sender immediately, and elsewhere as a withdrawal does', async () => {
    const end2end = await held();
    const redirect = () =>
      app.post(`/v2/offramp/${end2end}/refund`, { address: ELSEWHERE }, { key: shop.apiKey });
    expect((await redirect()).json.code).toBe('ADDRESS_NOT_WHITELISTED');
    expect(await step(end2end)).toBe('crypto_deposit/UNDERPAID');
    const back = await app.post(`/v2/offramp/${end2end}/refund`, {}, { key: shop.apiKey });
    expect(stepOf(back.json)).toBe('refund/INITIAL');
  });

  test('a payment that was delivered to a wallet is refunded out of the balance once its payer is not new any more', async () => {
    const end2end = await paid({ wallet: ELSEWHERE });
    const refund = `mutation { refundPayment(input: { end2end: "${end2end}" }) { transaction { component state } errors { code message path } } }`;
    const { json } = await app.graphql(refund, {}, { key: shop.apiKey });
    expect(errorsIn(json)?.[0].extensions.code).toBe('ADDRESS_NOT_WHITELISTED');
    expect(await available()).toBe('5000');
    // What came into the balance from a payer may go back to that payer.
    const own = await paid();
    await ask(
      `mutation { refundPayment(input: { end2end: "${own}" }) { transaction { component state } errors { code message path } } }`,
    );
  });
});

describe('C-25: threshold of the day, over all kinds', () => {
  const APPROVALS = '{ approvals { kind reason brl approvalsNeeded mayApprove transaction { end2end } } }';

  beforeEach(() => update('approvalAbove: "0"'));

  test('an offramp out of the balance waits as a quote until another key approves it', async () => {
    const second = await keyWith('read', 'move');
    const { json, status } = await offramp(shop.apiKey);
    expect([status, stepOf(json)]).toEqual([201, 'quote/QUOTE']);
    expect(await available()).toBe('5000');
    expect((await ask(APPROVALS, {}, second)).approvals).toEqual([
      {
        kind: 'PAYOUT',
        reason: 'THRESHOLD',
        brl: '100',
        approvalsNeeded: 1,
        mayApprove: true,
        transaction: { end2end: json.end2end },
      },
    ]);
    const approve = `mutation { approveMoneyOut(input: { end2end: "${json.end2end}" }) { transaction { component state } errors { code message path } } }`;
    const own = await app.graphql(approve, {}, { key: shop.apiKey });
    expect(errorsIn(own.json)[0].extensions.code).toBe('FORBIDDEN');
    await ask(approve, {}, second);
    await until(json.end2end, 'success/DONE');
    expect((await ask(APPROVALS, {}, second)).approvals).toEqual([]);
  });

  test('a refund and a redirected deposit wait, and are rejected or approved', async () => {
    const second = await keyWith('read', 'move');
    const [payment, deposit] = [await paid(), await held()];
    const before = await available();
    await ask(
      `mutation { refundPayment(input: { end2end: "${payment}" }) { transaction { component state } errors { code message path } } }`,
    );
    await app.post(`/v2/offramp/${deposit}/refund`, { address: ELSEWHERE }, { key: shop.apiKey });
    expect([await step(payment), await step(deposit)]).toEqual(['success/DONE', 'crypto_deposit/UNDERPAID']);
    expect(await available()).toBe(before);
    const { approvals } = await ask('{ approvals { kind destination } }', {}, second);
    expect(approvals).toHaveLength(2);
    expect(approvals).toEqual(
      expect.arrayContaining([
        { kind: 'REDIRECT', destination: ELSEWHERE },
        { kind: 'REFUND', destination: null },
      ]),
    );
    await ask(
      `mutation { rejectMoneyOut(input: { end2end: "${payment}" }) { transaction { component } errors { code message path } } }`,
      {},
      second,
    );
    await ask(
      `mutation { approveMoneyOut(input: { end2end: "${deposit}" }) { transaction { component } errors { code message path } } }`,
      {},
      second,
    );
    await until(deposit, 'refund/DONE');
    expect([await step(payment), await available()]).toEqual(['success/DONE', before]);
    expect((await ask(APPROVALS, {}, second)).approvals).toEqual([]);
  });

  test('C-52: /v2 answers 202 for waiting money out, also when repeated, and 200 for money that left', async () => {
    const payment = await paid();
    const refund = async (amount: number, idempotencyKey: string) => {
      const headers = { 'idempotency-key': idempotencyKey };
      const { status, headers: given } = await app.post(
        `/v2/onramp/${payment}/refund`,
        { amount },
        { headers, key: shop.apiKey },
      );
      return [status, given.get('idempotent-replayed')];
    };
    expect(await refund(10, 'waits')).toEqual([202, null]);
    expect(await refund(10, 'waits')).toEqual([202, 'true']);
    const second = await keyWith('read', 'move');
    const { json } = await app.get(`/v2/onramp/${payment}/actions`, { key: second });
    expect(json.results).toMatchObject([
      {
        action: 'approve_money_out',
        mutation: 'approveMoneyOut',
        path: `/v2/onramp/${payment}/approve`,
        body: { requested_at: expect.any(String) },
      },
      {
        action: 'reject_money_out',
        mutation: 'rejectMoneyOut',
        path: `/v2/onramp/${payment}/reject`,
        body: {},
      },
    ]);
    expect((await app.post(json.results[1].path, {}, { key: second })).status).toBe(200);
    await update('approvalAbove: null');
    expect(await refund(10, 'leaves')).toEqual([200, null]);
    expect(await refund(10, 'waits')).toEqual([202, 'true']);
  });

  test('C-40: /v2 approves money out with another key than the one that requested it', async () => {
    const [payment, deposit] = [await paid(), await held()];
    const before = await available();
    await app.post(`/v2/onramp/${payment}/refund`, { amount: 10 }, { key: shop.apiKey });
    await app.post(`/v2/offramp/${deposit}/refund`, { address: ELSEWHERE }, { key: shop.apiKey });
    const second = await keyWith('read', 'move');
    for (const path of [`/v2/onramp/${payment}/approve`, `/v2/offramp/${deposit}/approve`]) {
      const own = await app.post(path, {}, { key: shop.apiKey });
      expect([own.status, own.json.code]).toEqual([403, 'FORBIDDEN']);
      const other = await app.post(path, { requested_at: '2026-01-01T00:00:00Z' }, { key: second });
      expect([other.status, other.json.code]).toEqual([409, 'STEP_CONFLICT']);
      const odd = await app.post(path, { requested_at: 'today' }, { key: second });
      expect([odd.status, JSON.stringify(odd.json)]).toEqual([400, expect.stringContaining('requested_at')]);
      const [approve] = (await app.get(path.replace('/approve', '/actions'), { key: second })).json.results;
      const { status, text } = await app.post(path, approve.body, { key: second });
      expect(status, text).toBe(200);
      expect((await app.post(path, {}, { key: second })).json.code).toBe('STEP_CONFLICT');
    }
    await until(deposit, 'refund/DONE');
    expect(await available()).not.toBe(before);
    expect((await ask(APPROVALS, {}, second)).approvals).toEqual([]);
  });

  test('an approval that is not decided within 72 hours lapses, and the money out can be requested again', async () => {
    const second = await keyWith('read', 'move');
    const [payment, deposit, other] = [await paid(), await held(), await paid()];
    const refund = (end2end: string) =>
      app.graphql(
        `mutation { refundPayment(input: { end2end: "${end2end}", amount: "50" }) { transaction { component } errors { code message path } } }`,
        {},
        { key: shop.apiKey },
      );
    const redirect = () =>
      app.post(`/v2/offramp/${deposit}/refund`, { address: ELSEWHERE }, { key: shop.apiKey });
    const listed = async () =>
      (await ask(APPROVALS, {}, second)).approvals.map(
        (each: { transaction: { end2end: string } }) => each.transaction.end2end,
      );
    for (const end2end of [payment, other]) expect(errorsIn((await refund(end2end)).json)).toBeUndefined();
    expect((await redirect()).status).toBe(202);
    expect(errorsIn((await refund(payment)).json)[0].extensions.code).toBe('STEP_CONFLICT');
    const approve = (end2end: string) =>
      app.graphql(
        `mutation { approveMoneyOut(input: { end2end: "${end2end}" }) { transaction { component } errors { code message path } } }`,
        {},
        { key: second },
      );
    await pass('73h');
    expect(await listed()).toEqual([]);
    expect(errorsIn((await approve(payment)).json)[0].extensions.code).toBe('STEP_CONFLICT');
    expect(errorsIn((await refund(payment)).json)).toBeUndefined();
    const again = await redirect();
    expect([again.status, stepOf(again.json)], again.text).toEqual([202, 'crypto_deposit/UNDERPAID']);
    expect((await listed()).sort()).toEqual([payment, deposit].sort());
    expect((await ask('{ attention { approvals } }')).attention.approvals).toBe(2);
    await approve(payment);
    await approve(deposit);
    await until(deposit, 'refund/DONE');
    // Without a threshold, nothing is left of the approval that lapsed.
    await update('approvalAbove: null');
    await refund(other);
    const { transaction } = await ask(
      `{ transaction(end2end: "${payment}") { refunds { amount { amount } } } }`,
    );
    expect(transaction.refunds).toEqual([{ amount: { amount: '50' } }]);
    const { rows } = await app.owner.query(
      `select state from money_out where account_id = $1 order by state`,
      [String(shop.accountId)],
    );
    expect(rows.map(({ state }) => state)).toEqual(['approved', 'approved', 'passed']);
  });

  test('a redirected deposit counts its present worth, not that of its quote', async () => {
    await update('approvalAbove: "150", outflowPerHour: "250"');
    const [second, third] = [await keyWith('read', 'move'), await keyWith('read', 'move')];
    const redirected = async () => {
      const end2end = await held();
      await app.owner.query('update transaction set ref_quote = 0.01 where end2end = $1', [end2end]);
      await app.post(`/v2/offramp/${end2end}/refund`, { address: ELSEWHERE }, { key: shop.apiKey });
      return end2end;
    };
    const [first, another] = [await redirected(), await redirected()];
    expect(await step(first)).toMatch(/^refund\//);
    expect(await step(another)).toBe('crypto_deposit/UNDERPAID');
    const { approvals } = await ask('{ approvals { kind reason brl approvalsNeeded } }', {}, second);
    expect(approvals).toEqual([
      { kind: 'REDIRECT', reason: 'THRESHOLD', brl: expect.stringMatching(/^9\d/), approvalsNeeded: 1 },
    ]);
    await ask(
      `mutation { approveMoneyOut(input: { end2end: "${another}" }) { transaction { component } errors { code message path } } }`,
      {},
      second,
    );
    await until(another, 'refund/DONE');
    const over = await redirected();
    for (const key of [second, third])
      await ask(
        `mutation { approveMoneyOut(input: { end2end: "${over}" }) { transaction { component } errors { code message path } } }`,
        {},
        key,
      );
    await until(over, 'refund/DONE');
    const { rows } = await app.owner.query(
      'select state, brl > 90 as "isWorth" from money_out where account_id = $1 order by state',
      [String(shop.accountId)],
    );
    expect(rows).toEqual(['approved', 'lifted', 'passed'].map((state) => ({ state, isWorth: true })));
    expect((await verifyMoneyOut(app.database, shop.accountId)).length).toBe(0);
  });

  test('a redirected deposit is checked again at its approval, by the greater of its worth then and now', async () => {
    await update('outflowPerHour: "150"');
    const [second, third] = [await keyWith('read', 'move'), await keyWith('read', 'move')];
    const { rails } = app.services as { rails: { rates: unknown } };
    const { rates } = rails;
    const price = async (mid: string) => {
      rails.rates = { observe: async () => ({ mid, observedAtMs: await app.services.clock.nowMs() }) };
      await app.owner.query(`update rate set observed_at = now() - interval '2 minutes'`);
    };
    const redirect = (end2end: string) =>
      app.post(`/v2/offramp/${end2end}/refund`, { address: ELSEWHERE }, { key: shop.apiKey });
    const approve = (end2end: string, key: string) =>
      ask(
        `mutation { approveMoneyOut(input: { end2end: "${end2end}" }) { transaction { component } errors { code message path } } }`,
        {},
        key,
      );
    const waiting = async () =>
      (await ask('{ approvals { reason brl approvalsNeeded } }', {}, third)).approvals;
    try {
      await price('1');
      const [risen, fallen] = [await held(), await held()];
      await redirect(risen);
      expect(await waiting()).toEqual([
        { reason: 'THRESHOLD', brl: expect.stringMatching(/^(?:9|10)\d\./), approvalsNeeded: 1 },
      ]);
      await price('5');
      await approve(risen, second);
      expect(await step(risen)).toBe('crypto_deposit/UNDERPAID');
      expect(await waiting()).toEqual([
        { reason: 'CEILING', brl: expect.stringMatching(/^(?:4|5)\d\d\./), approvalsNeeded: 1 },
      ]);
      await approve(risen, third);
      await until(risen, 'refund/DONE');
      // One that has fallen since counts what it was worth.
      await redirect(fallen);
      await price('1');
      await approve(fallen, second);
      expect(await step(fallen)).toBe('crypto_deposit/UNDERPAID');
      await approve(fallen, third);
      await until(fallen, 'refund/DONE');
      const { rows } = await app.owner.query(
        `select state, brl > 150 as "isAbove" from money_out where account_id = $1`,
        [String(shop.accountId)],
      );
      expect(rows).toEqual(Array(2).fill({ state: 'lifted', isAbove: true }));
      expect(await verifyMoneyOut(app.database, shop.accountId)).toEqual([]);
    } finally {
      rails.rates = rates;
    }
  });

  test('a withdrawal is checked again at its approval, by the greater of its worth then and now', async () => {
    await update('approvalAbove: "50", outflowPerHour: "150"');
    await whitelist(app, shop.accountId, GROUP, [{ network: 'TRX', target: ELSEWHERE }]);
    const [second, third] = [await keyWith('read', 'move'), await keyWith('read', 'move')];
    const { rails } = app.services as { rails: { rates: unknown } };
    const { rates } = rails;
    const price = async (mid: string) => {
      rails.rates = { observe: async () => ({ mid, observedAtMs: await app.services.clock.nowMs() }) };
      await app.owner.query(`update rate set observed_at = now() - interval '2 minutes'`);
    };
    const withdraw = async () => {
      const body = { amount_received: 100, currency_receive_code: 'USDT_TRX', group_id: GROUP };
      return (await app.post('/v2/withdrawal', body, { key: shop.apiKey })).json.end2end;
    };
    const approve = (end2end: string, key: string) =>
      app.post(`/v2/withdrawal/${end2end}/approve`, {}, { key });
    const waiting = async () =>
      (await ask('{ approvals { reason brl approvalsNeeded } }', {}, third)).approvals;
    try {
      await price('1');
      const risen = await withdraw();
      expect(await waiting()).toEqual([{ reason: 'THRESHOLD', brl: '100', approvalsNeeded: 1 }]);
      await price('5');
      expect((await approve(risen, second)).status).toBe(200);
      expect(await step(risen)).toBe('approval_withdrawl_dash/PENDING');
      expect(await waiting()).toEqual([{ reason: 'CEILING', brl: '500', approvalsNeeded: 1 }]);
      await approve(risen, third);
      await until(risen, 'success_withdrawl_dash/DONE');
      // One that has fallen since counts what it was worth.
      const fallen = await withdraw();
      await price('1');
      await approve(fallen, second);
      await approve(fallen, third);
      await until(fallen, 'success_withdrawl_dash/DONE');
      const { rows } = await app.owner.query('select state, brl from money_out where account_id = $1', [
        String(shop.accountId),
      ]);
      expect(rows).toEqual(Array(2).fill({ state: 'lifted', brl: expect.stringMatching(/^500(?:\.0+)?$/) }));
      expect(await verifyMoneyOut(app.database, shop.accountId)).toEqual([]);
    } finally {
      rails.rates = rates;
    }
  });

  test('kinds count together: one uses up the day of another', async () => {
    shop = await app.addAccount();
    await fund('USDT_TRX', '5000');
    await update('approvalAbove: "600"');
    const payment = await paid();
    await ask(
      `mutation { refundPayment(input: { end2end: "${payment}", amount: "550" }) { transaction { component } errors { code message path } } }`,
    );
    expect(stepOf((await offramp(shop.apiKey, { amount_sent: 40 })).json)).toBe('reserve/DONE');
    const waits = await offramp(shop.apiKey, { amount_sent: 40 });
    expect([waits.status, stepOf(waits.json)], waits.text).toEqual([201, 'quote/QUOTE']);
  });
});

describe('C-25: ceilings of the hour', () => {
  const APPROVALS = '{ approvals { kind reason approvalsNeeded mayApprove transaction { end2end } } }';
  const decide = (name: string, end2end: string) =>
    `mutation { ${name}(input: { end2end: "${end2end}" }) { transaction { component state events { name } } errors { code message path } } }`;
  const events = async (end2end: string) =>
    (await ask(`{ transaction(end2end: "${end2end}") { events { name } } }`)).transaction.events.map(
      ({ name }: { name: string }) => name,
    );

  test('money out above the ceiling of the account is held, reported by an event, and released by two other people', async () => {
    const [second, third] = [await keyWith('read', 'move'), await keyWith('read', 'move')];
    await update('outflowPerHour: "150"');
    expect(stepOf((await offramp(shop.apiKey)).json)).toBe('reserve/DONE');
    const { json } = await offramp(shop.apiKey);
    expect(stepOf(json)).toBe('quote/QUOTE');
    expect(await events(json.end2end)).toEqual(['offramp.quote.quote', 'offramp.money_out.held']);
    expect((await ask('{ attention { approvals } }')).attention.approvals).toBe(1);
    const seen = async (key: string) => (await ask(APPROVALS, {}, key)).approvals;
    const held = { kind: 'PAYOUT', reason: 'CEILING', transaction: { end2end: json.end2end } };
    expect(await seen(second)).toEqual([{ ...held, approvalsNeeded: 2, mayApprove: true }]);
    const first = (await ask(decide('approveMoneyOut', json.end2end), {}, second)).approveMoneyOut
      .transaction;
    expect(stepOf(first)).toBe('quote/QUOTE');
    expect(await seen(second)).toEqual([{ ...held, approvalsNeeded: 1, mayApprove: false }]);
    const again = await app.graphql(decide('approveMoneyOut', json.end2end), {}, { key: second });
    expect(errorsIn(again.json)[0].extensions.code).toBe('FORBIDDEN');
    await ask(decide('approveMoneyOut', json.end2end), {}, third);
    await until(json.end2end, 'success/DONE');
  });

  test('a new destination has a ceiling of its own, until a day after the first money was sent there', async () => {
    await update('newTargetPerHour: "150"');
    await offramp(shop.apiKey);
    expect(stepOf((await offramp(shop.apiKey)).json)).toBe('quote/QUOTE');
    const other = { pix_key: 'ana@example.com', client_name: 'Ana Souza', client_tax_id: '52998224725' };
    expect(stepOf((await offramp(shop.apiKey, other)).json)).toBe('reserve/DONE');
    await pass('25h');
    expect(stepOf((await offramp(shop.apiKey, { amount_sent: 400 })).json)).toBe('reserve/DONE');
  });

  test('a withdrawal above it waits at its own step, and ends there after 72 hours', async () => {
    const [second, third] = [await keyWith('read', 'move'), await keyWith('read', 'move')];
    await fund('BRL', '900');
    await update('outflowPerHour: "100"');
    const {
      createWhitelistGroup: { whitelistGroup: group },
    } = await ask(
      'mutation { createWhitelistGroup(input: { name: "bank" }) { whitelistGroup { id: groupId } errors { code message path } } }',
    );
    await ask(
      `mutation { addWhitelistEntry(input: { groupId: "${group.id}", target: { pixKey: { type: EMAIL, key: "bea@example.com" } } }) { whitelistEntry { id: entryId } errors { code message path } } }`,
    );
    const withdraw = async () =>
      (
        await app.post(
          '/v2/withdrawal',
          { amount_received: 200, currency_receive_code: 'BRL', group_id: group.id },
          { key: shop.apiKey },
        )
      ).json;
    const [one, two] = [await withdraw(), await withdraw()];
    expect([stepOf(one), stepOf(two)]).toEqual(Array(2).fill('approval_withdrawl_dash/PENDING'));
    const path = `/v2/withdrawal/${one.end2end}`;
    const { json: listed } = await app.get(`${path}/actions`, { key: second });
    expect(listed.results).toMatchObject([
      { action: 'approve_money_out', path: `${path}/approve`, mutation: 'approveWithdrawal' },
      { action: 'reject_money_out', path: `${path}/reject`, mutation: 'rejectWithdrawal' },
      { action: 'cancel', path: `${path}/cancel` },
    ]);
    // Its state says that it waits.
    for (const key of [second, third])
      expect((await app.post(`${path}/approve`, {}, { key })).status).toBe(200);
    await until(one.end2end, 'success_withdrawl_dash/DONE');
    await pass('73h');
    await until(two.end2end, 'approval_withdrawl_dash/REJECTED');
    expect((await ask(APPROVALS, {}, second)).approvals).toEqual([]);
  });

  test('C-40: raising a ceiling waits for the cooling time, lowering it applies immediately', async () => {
    await update('whitelistCoolingSeconds: 3600, outflowPerHour: "100", newTargetPerHour: "50"');
    const {
      updateAccountSettings: { accountSettings: now },
    } = await ask(
      'mutation { updateAccountSettings(input: { outflowPerHour: "200", newTargetPerHour: null }) { accountSettings { outflowPerHour newTargetPerHour pendingChanges { setting value } } errors { code message path } } }',
    );
    expect(now).toEqual({
      outflowPerHour: '100',
      newTargetPerHour: '50',
      pendingChanges: expect.arrayContaining([
        { setting: 'OUTFLOW_PER_HOUR', value: '200' },
        { setting: 'NEW_TARGET_PER_HOUR', value: null },
      ]),
    });
  });
});

describe('C-25: a live account without settings of its own', () => {
  const live = useApp({ liveRails: LIVE_RAILS });
  const keys = Array.from({ length: 6 }, (_, number) => `payee-${number}@example.com`);
  let accountId: bigint;
  let key: string;

  beforeEach(async () => {
    ({ accountId, apiKey: key } = await live.addAccount({ mode: 'live' }));
    await fundAccount(live.database, accountId, { currency: 'USDT_TRX', amount: '30000' });
    const entries = keys.map((target) => ({ pixKeyType: 'email', target }));
    await whitelist(live, accountId, GROUP, entries);
  });

  const pay = async (pixKey: string | undefined, amount: number) => {
    const body = {
      amount_sent: amount,
      currency_entry_paid_code: 'USDT_TRX',
      ...{ pix_key: pixKey, pix_key_type: 'email' },
      ...{ client_name: 'Bea Lima', client_tax_id: newCustomer() },
    };
    const { status, json, text } = await live.post('/v2/offramp', body, { key });
    expect(status, text).toBe(201);
    return stepOf(json);
  };
  const waiting = async () =>
    (
      await live.graphql(
        '{ viewer { account { mode } } approvals { kind reason brl approvalsNeeded } }',
        {},
        { key },
      )
    ).json.data;

  test('holds more than 10,000 BRL an hour to a new destination until two other people have approved', async () => {
    expect(await pay(keys[0], 10_000.01)).toBe('quote/QUOTE');
    expect(await pay(keys[1], 10_000)).not.toBe('quote/QUOTE');
    expect(await pay(keys[1], 1)).toBe('quote/QUOTE');
    expect(await waiting()).toEqual({
      viewer: { account: { mode: 'LIVE' } },
      approvals: ['10000.01', '1'].map((brl) => ({
        ...{ kind: 'PAYOUT', reason: 'CEILING', brl, approvalsNeeded: 2 },
      })),
    });
  });

  test('holds more than 50,000 BRL an hour, to any destinations', async () => {
    for (const pixKey of keys.slice(0, 5)) expect(await pay(pixKey, 10_000)).not.toBe('quote/QUOTE');
    expect(await pay(keys[5], 1)).toBe('quote/QUOTE');
    expect((await waiting()).approvals).toEqual([
      { kind: 'PAYOUT', reason: 'CEILING', brl: '1', approvalsNeeded: 2 },
    ]);
  });
});
