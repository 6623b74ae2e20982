/**
 * Goal: what Home shows in BRL is what was paid. Method: payments in the sandbox, paid and not paid, by today's clock and a day later;
 * the figures are compared with sums of the transactions and of the books.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';

const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;

const CREATE = `mutation ($amount: Decimal!) { createCheckout(input: { currency: "USDT_TRX", amount: { brl: $amount },
  clientName: "Maria Souza Prado", clientTaxId: "39053344705" }) { transaction { end2end } errors { code message path } } }`;
const PLAY = `mutation ($end2end: String!, $scenario: SandboxScenarioName!) { sandboxTrigger(input: { end2end: $end2end, scenario: $scenario }) {
  transaction { end2end } errors { code message path } } }`;
const TAKINGS = `{ takings { today { ...P } week { ...P } month { ...P } calendarMonth { ...P } days { day amount payments ended } medianMs p95Ms } }
  fragment P on TakingsPeriod { amount amountBefore payments paymentsBefore ended }`;

async function query(query: string, variables: Record<string, unknown> = {}, key = shop.apiKey) {
  const { json } = await app.graphql(query, variables, { key });
  expect(json.errors).toBeUndefined();
  return json.data;
}

/** @returns a payment session, played to its end. */
async function play(amount: string, scenario: 'PAY' | 'EXPIRE', ends: string): Promise<void> {
  const { createCheckout } = await query(CREATE, { amount });
  expect(createCheckout.errors).toEqual([]);
  const { end2end } = createCheckout.transaction;
  await query(PLAY, { end2end, scenario });
  const status = async () =>
    (await query('query ($e: String!) { transaction(end2end: $e) { statusCode } }', { e: end2end }))
      .transaction.statusCode;
  await vi.waitFor(async () => expect(await status()).toBe(ends), { timeout: 15_000 });
}

beforeAll(async () => {
  shop = await app.addAccount();
  await play('150.00', 'PAY', 'SUCCESS');
  await play('10.00', 'EXPIRE', 'EXPIRED');
}, 60_000);

describe('takings', () => {
  test('are the payments that succeeded, compared with those that ended otherwise', async () => {
    const { takings } = await query(TAKINGS);
    const period = { amount: '150', amountBefore: '0', payments: 1, paymentsBefore: 0, ended: 2 };
    expect(takings.today).toEqual(period);
    expect(takings.month).toEqual(period);
    expect(takings.calendarMonth).toEqual(period);
    expect(takings.days).toHaveLength(60);
    expect(takings.days.at(-1)).toMatchObject({ amount: '150', payments: 1, ended: 2 });
    expect(takings.medianMs).toBeGreaterThanOrEqual(0);
    expect(takings.p95Ms).toBeGreaterThanOrEqual(takings.medianMs);
  });

  test('of another account are zero', async () => {
    const { takings } = await query(TAKINGS, {}, (await app.addAccount()).apiKey);
    expect(takings.month).toMatchObject({ amount: '0', payments: 0, ended: 0 });
    expect(takings.medianMs).toBeNull();
  });

  test('move to yesterday when a day is over', async () => {
    const { today } = (await query(TAKINGS)).takings;
    const advance = await app.graphql(
      'mutation { sandboxAdvanceClock(input: { by: "1d" }) { errors { message } } }',
      {},
      { key: app.platformKey },
    );
    expect(advance.json.errors).toBeUndefined();
    const later = (await query(TAKINGS)).takings;
    expect(later.today).toMatchObject({ amount: '0', amountBefore: today.amount, paymentsBefore: 1 });
    expect(later.week.amount).toBe(today.amount);
  });
});

test('worth is the sum of all balances at the last rates, with their time', async () => {
  const { balanceWorth, balances } = await query(
    '{ balanceWorth { total available ratesAt unpriced { code } } balances { calculatedBrl } }',
  );
  expect(balanceWorth.available).toBe(balances[0].calculatedBrl);
  expect(Date.parse(balanceWorth.ratesAt)).toBeGreaterThan(0);
  expect(balanceWorth.unpriced).toEqual([]);
});

describe('days of the house', () => {
  const HOUSE = 'query ($days: Int!) { houseDays(days: $days) { day pixIn pixOut margin } }';

  test('have money in and earnings, as in the books', async () => {
    const { houseDays } = await query(HOUSE, { days: 3 }, app.platformKey);
    expect(houseDays).toHaveLength(3);
    const { treasury } = await query(
      '{ treasury { account currency { code } balance } }',
      {},
      app.platformKey,
    );
    const bank = treasury.find((line: { account: string }) => line.account === 'A.pix');
    const [pixIn, pixOut] = ['pixIn', 'pixOut'].map((name) =>
      houseDays.reduce((all: number, day: Record<string, string>) => all + Number(day[name]), 0),
    ) as [number, number];
    expect(pixIn - pixOut).toBe(Number(bank.balance));
    expect(houseDays.every(({ margin }: { margin: string | null }) => margin !== null)).toBe(true);
  });

  test('capital that the operator pays in is no volume', async () => {
    const read = async () => (await query(HOUSE, { days: 3 }, app.platformKey)).houseDays;
    const before = await read();
    const { bookCapital } = await query(
      'mutation { bookCapital(input: { currency: "BRL", amount: "1000", direction: IN }) { manualJournal { proposalId } } }',
      {},
      app.platformKey,
    );
    const second = await app.addKey(await platformAccount(app.database, 'sandbox'), ['platform:books']);
    const { approveJournal } = await query(
      'mutation ($id: String!) { approveJournal(input: { proposalId: $id }) { manualJournal { state } } }',
      { id: bookCapital.manualJournal.proposalId },
      second.apiKey,
    );
    expect(approveJournal.manualJournal.state).toBe('POSTED');
    expect(await read()).toEqual(before);
  });

  test('are refused to an account, and for more days than are read', async () => {
    const refused = await app.graphql(HOUSE, { days: 3 }, { key: shop.apiKey });
    expect(refused.json.errors[0].extensions.code).toBe('FORBIDDEN');
    const wrong = await app.graphql(HOUSE, { days: 63 }, { key: app.platformKey });
    expect(wrong.json.errors[0].message).toMatch(/days.*must be an integer from 1 to 62/);
  });
});

test('a report of deliveries has its slices, and refuses more than a week', async () => {
  const REPORT =
    'query ($hours: Int) { deliveryReport(hours: $hours) { total { delivered attempts } slices { since delivered } endpoints { endpointId } } }';
  const { deliveryReport } = await query(REPORT, { hours: 24 });
  expect(deliveryReport.slices).toHaveLength(24);
  expect(deliveryReport).toMatchObject({ total: { delivered: 0, attempts: 0 }, endpoints: [] });
  const wrong = await app.graphql(REPORT, { hours: 169 }, { key: shop.apiKey });
  expect(wrong.json.errors[0].message).toMatch(/hours.*must be an integer from 1 to 168/);
});
