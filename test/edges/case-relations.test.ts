/**
 * Goal: the view of a case leads to what belongs to it over all accounts of the operator: orders that money may be for, payments of the
 * same customer or wallet, other cases; an account sees its own alone, and reads that its payments were looked at (C-15, C-40). Method:
 * payments of two merchants on the real application, over GraphQL.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { newPayment } from '../../src/rails/sandbox/pix.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { CANDIDATES_MAX } from '../../src/store/engine/payment-candidates.ts';
import { findAnywhere } from '../../src/store/engine/processes.ts';
import { raiseHits } from '../../src/store/rails/screening-hits.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { cpfOf } from '../support/load.ts';

const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let other: Awaited<ReturnType<typeof app.addAccount>>;
let apiKey = '';
const client = graphqlClient(app, () => apiKey);
const PATIENCE = { timeout: 30_000 };
const ISPB = '12345678';
const WALLET = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
const PAYER = { clientName: 'Joana Dias Prado', clientTaxId: cpfOf(1) };

const PAYMENTS =
  'accounts payments { account accountName transaction { end2end clientName } } sums { outcome count brl }';
const CASE = `query ($id: String!) { reviewCase(caseKey: $id) { facts { name value } samePayer { ${PAYMENTS} } sameWallet { ${PAYMENTS} }
  candidates { account isOpen reasons transaction { end2end } }
  otherCases { caseKey kind account title decision notes files } } }`;

beforeAll(async () => {
  shop = await app.addAccount();
  other = await app.addAccount();
  apiKey = shop.apiKey;
});

async function read(id: string, key = app.platformKey) {
  return (await client.ask(CASE, { id }, key)).reviewCase;
}

/** @returns the id of an order of a merchant. */
async function order(merchant: { readonly apiKey: string }, brl: string, more: object): Promise<string> {
  apiKey = merchant.apiKey;
  const input = { currency: 'USDT_TRX', amount: { brl }, accept: true, ...more };
  const { transaction } = await client.create('createOnramp', input);
  await vi.waitFor(
    async () =>
      expect((await findAnywhere(app.database, transaction.end2end))?.process?.brCode).toBeDefined(),
    PATIENCE,
  );
  return transaction.end2end;
}

async function pay(end2end: string, step = 'success/DONE'): Promise<void> {
  const row = await findAnywhere(app.database, end2end);
  const settledAtMs = await app.services.clock.nowMs();
  const payment = newPayment({
    ...{ txid: row?.process?.txid ?? null, amount: BigInt(Math.round(Number(row?.sourceAmount) * 100)) },
    ...{ settledAtMs, payerTaxId: row?.clientTaxId ?? null },
  });
  await app.services.receive({ ...payment, endToEndId: ofBank(payment.endToEndId) });
  await vi.waitFor(async () => {
    const now = await findAnywhere(app.database, end2end);
    expect(`${now?.component}/${now?.state}`).toBe(step);
  }, PATIENCE);
}

const ofBank = (endToEndId: string, ispb = ISPB) => `E${ispb}${endToEndId.slice(9)}`;

/** Money comes to the key of the house. @returns the case of the entry in suspense. */
async function stray(amount: bigint, payer: object): Promise<string> {
  const settledAtMs = await app.services.clock.nowMs();
  const payment = newPayment({ txid: null, amount, settledAtMs, payerTaxId: null });
  await app.services.receive({ ...payment, endToEndId: ofBank(payment.endToEndId), ...payer });
  const { suspense } = await client.ask(
    '{ suspense(first: 1, state: OPEN) { nodes { suspenseId account } } }',
    {},
    app.platformKey,
  );
  const [{ suspenseId, account }] = suspense.nodes;
  return `SUSPENSE:${account}:${suspenseId}`;
}

describe('candidates for money in suspense', () => {
  test('are orders of all accounts, the best first, each with its reasons', async () => {
    const earlier = await order(other, '77.00', PAYER);
    await pay(earlier);
    const meant = await order(other, '150.00', PAYER);
    const sameAmount = await order(shop, '150.00', { clientName: 'Bia Reis', clientTaxId: cpfOf(2) });
    const near = await order(shop, '153.00', { clientName: 'Caio Reis', clientTaxId: cpfOf(3) });
    const named = await order(shop, '400.00', { clientName: 'Prado, Joana Días', clientTaxId: cpfOf(4) });
    const ended = await order(other, '900.00', PAYER);
    await order(shop, '500.00', { clientName: 'Davi Reis', clientTaxId: cpfOf(5) });
    const old = await order(shop, '151.00', PAYER);
    await app.owner.query(
      `update transaction set created_at = now() - interval '8 days' where end2end = $1`,
      [old],
    );
    apiKey = other.apiKey;
    expect(await client.perform('cancelTransaction', ended)).toBe('quote/CANCELLED');

    const id = await stray(15_000n, { payerTaxId: PAYER.clientTaxId, payerName: 'JOANA DIAS PRADO' });
    const { candidates, facts } = await read(id);
    expect(
      candidates.map(({ transaction, reasons }: { transaction: { end2end: string }; reasons: string[] }) => [
        transaction.end2end,
        reasons,
      ]),
    ).toEqual([
      [meant, ['SAME_PAYER', 'SAME_NAME', 'SAME_AMOUNT', 'SAME_BANK']],
      [ended, ['SAME_PAYER', 'SAME_NAME', 'SAME_BANK']],
      [named, ['SAME_NAME']],
      [sameAmount, ['SAME_AMOUNT']],
      [near, ['NEAR_AMOUNT']],
    ]);
    expect(candidates[0]).toMatchObject({ account: String(other.accountId), isOpen: true });
    expect(candidates[1]).toMatchObject({ isOpen: false });
    expect(facts).toContainEqual({ name: 'payerBank', value: ISPB });
    expect(facts).toContainEqual({ name: 'payerName', value: 'JOANA DIAS PRADO' });
  });

  test('C-40: the account of a candidate gets the money when a second person approves', async () => {
    const id = await stray(15_000n, { payerTaxId: PAYER.clientTaxId });
    const [best] = (await read(id)).candidates;
    const suspenseId = id.split(':')[2];
    const second = await app.addKey(await platformAccount(app.database, 'sandbox'), ['platform:risk']);
    const input = `suspenseId: "${suspenseId}", account: "${best.account}", reason: "same payer"`;
    const act = (name: string) =>
      `mutation { ${name}(input: { ${input} }) { suspenseEntry { state proposedTo } errors { code message path } } }`;
    const { assignSuspense } = await client.ask(act('assignSuspense'), {}, app.platformKey);
    expect(assignSuspense.suspenseEntry).toEqual({ state: 'OPEN', proposedTo: best.account });
    expect((await client.refusal(act('approveSuspense'), {}, app.platformKey)).code).toBe('FORBIDDEN');
    const { approveSuspense } = await client.ask(act('approveSuspense'), {}, second.apiKey);
    expect(approveSuspense.suspenseEntry.state).toBe('ASSIGNED');
  });

  test(`are ${CANDIDATES_MAX} at most`, async () => {
    apiKey = shop.apiKey;
    const input = { currency: 'USDT_TRX', amount: { brl: '63.00' }, accept: true };
    for (let n = 0; n <= CANDIDATES_MAX; n++)
      await client.create('createOnramp', { ...input, clientName: 'Eva Reis', clientTaxId: cpfOf(20 + n) });
    const { candidates } = await read(await stray(6_300n, { payerTaxId: null }));
    expect(candidates).toHaveLength(CANDIDATES_MAX);
  });

  test('of a deposit are orders that wait for its amount, or that came from its address', async () => {
    apiKey = shop.apiKey;
    const { transaction } = await client.create('createOfframp', {
      ...{ currency: 'USDT_TRX', amount: { brl: '500' }, from: 'EXTERNAL', accept: true },
      ...{ clientName: 'Ana Souza', clientTaxId: '52998224725', pixKey: '52998224725', pixKeyType: 'CPF' },
    });
    const row = await vi.waitFor(async () => {
      const found = await findAnywhere(app.database, transaction.end2end);
      expect(found?.depositAddress).not.toBeNull();
      return found;
    }, PATIENCE);
    await app.services.receive({
      ...{ kind: 'deposit_confirmed', txHash: 'ab'.repeat(32), logIndex: 0, currency: 'USDT_TRX' },
      ...{ address: WALLET, amount: row?.exactDepositAmount ?? '', from: WALLET },
      seenAt: new Date().toISOString(),
    });
    const { suspense } = await client.ask(
      '{ suspense(first: 1, state: OPEN) { nodes { suspenseId account } } }',
      {},
      app.platformKey,
    );
    const [{ suspenseId, account }] = suspense.nodes;
    const { candidates } = await read(`SUSPENSE:${account}:${suspenseId}`);
    expect(candidates).toMatchObject([
      { reasons: ['SAME_AMOUNT'], transaction: { end2end: transaction.end2end } },
    ]);
  });

  test('C-15: are not shown to the account that the money is booked for', async () => {
    const end2end = await order(shop, '88.00', PAYER);
    await pay(end2end);
    await pay(end2end);
    const list = '{ suspense(first: 1, state: OPEN) { nodes { suspenseId } } }';
    const entry = await vi.waitFor(async () => {
      const { suspense } = await client.ask(list, {}, shop.apiKey);
      expect(suspense.nodes).toHaveLength(1);
      return suspense.nodes[0];
    }, PATIENCE);
    const seen = await read(`SUSPENSE:${shop.accountId}:${entry.suspenseId}`, shop.apiKey);
    expect(seen).toMatchObject({ candidates: [], facts: [], otherCases: [] });
    expect(seen.samePayer).toEqual({ accounts: 0, payments: [], sums: [] });
  });
});

describe('payments of the same customer and wallet', () => {
  const CUSTOMER = { clientName: 'Maria Souza', clientTaxId: cpfOf(7), wallet: WALLET };
  let held: string;
  let elsewhere: string;

  beforeAll(async () => {
    elsewhere = await order(other, '40.00', CUSTOMER);
    await pay(elsewhere);
    await pay(await order(shop, '30.00', CUSTOMER));
    await order(other, '20.00', { ...CUSTOMER, clientName: 'Nina Reis', clientTaxId: cpfOf(8) });
    held = await order(shop, '150.00', CUSTOMER);
  });

  const idOf = (end2end: string) => `HOLD:${shop.accountId}:${end2end}`;
  const LOG =
    'query ($id: String!) { auditLog(objectId: $id, acts: ["transaction.view"]) { nodes { act scope } } }';

  test('are listed over all accounts for the operator, with sums by outcome', async () => {
    const { samePayer, sameWallet } = await read(idOf(held));
    expect(samePayer).toMatchObject({
      accounts: 2,
      sums: [{ outcome: 'SUCCESS', count: 2, brl: '70' }],
      payments: [
        { account: String(shop.accountId), accountName: expect.any(String) },
        { account: String(other.accountId), transaction: { end2end: elsewhere } },
      ],
    });
    expect(sameWallet).toMatchObject({
      accounts: 2,
      sums: [
        { outcome: 'SUCCESS', count: 2, brl: '70' },
        { outcome: 'OPEN', count: 1, brl: '20' },
      ],
    });
    expect(sameWallet.payments.map((each: { account: string }) => each.account)).toEqual(
      [other, shop, other].map(({ accountId }) => String(accountId)),
    );
  });

  test('C-15: of other accounts are not seen by a merchant, whose case is missing to the others', async () => {
    const { samePayer, sameWallet, otherCases } = await read(idOf(held), shop.apiKey);
    for (const { accounts, payments, sums } of [samePayer, sameWallet]) {
      expect([accounts, sums]).toEqual([1, [{ outcome: 'SUCCESS', count: 1, brl: '30' }]]);
      expect(payments).toMatchObject([{ account: String(shop.accountId) }]);
    }
    expect(otherCases).toEqual([]);
    expect((await client.refusal(CASE, { id: idOf(held) }, other.apiKey)).code).toBe('NOT_FOUND');
  });

  test('are recorded as views in the logs of their account and of the operator, once', async () => {
    await Promise.all([read(idOf(held)), read(idOf(held))]);
    await read(idOf(held));
    const seen = [{ act: 'transaction.view', scope: 'platform:risk' }];
    for (const key of [other.apiKey, app.platformKey])
      expect((await client.ask(LOG, { id: elsewhere }, key)).auditLog.nodes).toEqual(seen);
  });

  test('leave no trace where a merchant reads its own', async () => {
    const [own] = (await read(idOf(held), shop.apiKey)).samePayer.payments;
    expect((await client.ask(LOG, { id: own.transaction.end2end }, shop.apiKey)).auditLog.nodes).toEqual([]);
  });
});

describe('other cases of the same customer', () => {
  const CUSTOMER = { clientName: 'Rui Souza', clientTaxId: cpfOf(9) };
  let own: string;
  let disputed: string;

  beforeAll(async () => {
    own = await order(shop, '60.00', CUSTOMER);
    disputed = await order(other, '61.00', CUSTOMER);
    await pay(disputed);
    await client.trigger(disputed, 'dispute-open');
    const noted = await order(other, '62.00', CUSTOMER);
    const note = `mutation { addReviewNote(input: { caseKey: "HOLD:${other.accountId}:${noted}", body: "Called" }) { reviewNote { body } errors { code } } }`;
    await client.ask(note, {}, app.platformKey);
    const place = { mode: 'sandbox', accountId: BigInt(other.accountId), transactionId: null } as const;
    const hit = {
      ...{ role: 'customer', subject: 'rui', subjectName: 'Rui Souza', address: null },
      ...{ taxId: CUSTOMER.clientTaxId, list: 'own', entry: '1', entryName: 'Rui Sousa', score: '0.9' },
      ...({ strength: 'review', answer: 'held', version: '1' } as const),
    };
    await app.database.withTx((tx) => raiseHits(tx, place, [hit], new Date()));
    const freeze = `mutation { freezeCustomer(input: { account: "${other.accountId}", taxId: "${CUSTOMER.clientTaxId}", reason: "court order" }) { customerCase { caseId } errors { code } } }`;
    await client.ask(freeze, {}, app.platformKey);
    await vi.waitFor(async () => expect(await casesSeen()).toHaveLength(4), PATIENCE);
  });

  const casesSeen = async () => (await read(`HOLD:${shop.accountId}:${own}`)).otherCases;

  test('are listed with title, decision, and numbers of notes and files', async () => {
    const found = await casesSeen();
    const account = String(other.accountId);
    expect(found).toHaveLength(4);
    for (const expected of [
      { kind: 'CUSTOMER_CASE', account, title: null, decision: 'FROZEN', notes: 0, files: 0 },
      { kind: 'SCREENING_HIT', account, title: 'Rui Sousa', decision: 'OPEN', notes: 0, files: 0 },
      { kind: 'MED_CASE', account, title: expect.any(String), decision: 'OPEN', notes: 0, files: 0 },
      { kind: 'HOLD', account, decision: null, notes: 1, files: 0 },
    ])
      expect(found).toContainEqual(expect.objectContaining(expected));
  });

  test('C-40: those of a further account are recorded as viewed by the list alone', async () => {
    await casesSeen();
    const VIEWS = 'query { auditLog(first: 100, acts: ["case.view", "hit.view"]) { nodes { act } } }';
    const { nodes } = (await client.ask(VIEWS, {}, other.apiKey)).auditLog;
    expect(nodes.map(({ act }: { act: string }) => act).toSorted()).toEqual(['case.view', 'hit.view']);
  });

  test('C-40: each opens for the operator and is recorded; to a merchant it is missing', async () => {
    const ACTIONS =
      'query { auditLog(first: 100, acts: ["transaction.view", "case.view", "hit.view"]) { nodes { act objectId } } }';
    for (const { caseKey } of await casesSeen()) {
      await read(caseKey);
      expect((await client.refusal(CASE, { id: caseKey }, shop.apiKey)).code).toBe('NOT_FOUND');
    }
    const { nodes } = (await client.ask(ACTIONS, {}, other.apiKey)).auditLog;
    const acts = new Set(nodes.map(({ act }: { act: string }) => act));
    expect(acts).toEqual(new Set(['transaction.view', 'case.view', 'hit.view']));
    expect(nodes).toContainEqual({ act: 'transaction.view', objectId: disputed });
  });

  test('a decision of a person is named by its action', async () => {
    const before = await order(shop, '45.00', { clientName: 'Lia Reis', clientTaxId: cpfOf(10) });
    await client.trigger(before, 'hold');
    await client.trigger(before, 'pay');
    const stepOf = async () => {
      const row = await findAnywhere(app.database, before);
      return `${row?.component}/${row?.state}`;
    };
    await vi.waitFor(async () => expect(await stepOf()).toBe('compliance/UNCOMPLIANT'), PATIENCE);
    const release = `mutation { releaseHold(input: { account: "${shop.accountId}", end2end: "${before}", reason: "checked" }) { transaction { state } errors { code } } }`;
    await client.ask(release, {}, app.platformKey);
    const next = await order(shop, '46.00', { clientName: 'Lia Reis', clientTaxId: cpfOf(10) });
    const expected = { kind: 'HOLD', caseKey: `HOLD:${shop.accountId}:${before}`, decision: 'hold.release' };
    expect((await read(`HOLD:${shop.accountId}:${next}`)).otherCases).toMatchObject([expected]);
  });
});
