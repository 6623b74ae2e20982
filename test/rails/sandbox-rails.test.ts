/**
 * Goal: what the gateway orders of the sandbox happens once, whoever asks how often, and its answers never change.
 * Method: the rails beside the database that they keep their state in; jobs are looked at, not waited for.
 */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Currency, currencyOf } from '../../src/base/money/currency.ts';
import { decodeBrCode } from '../../src/base/pix/br-code.ts';
import { isEndToEndId, txidOf } from '../../src/base/pix/end-to-end-id.ts';
import { millisOf } from '../../src/base/time/instant.ts';
import { createServices } from '../../src/compose/services.ts';
import { txHashOf } from '../../src/rails/sandbox/chain.ts';
import { settle } from '../../src/resolvers/engine/run-jobs.ts';
import { railEventRecordOf } from '../../src/resolvers/inbound/rail-events.ts';
import { emptyProcess, endOf } from '../../src/resolvers/orders/create-transaction.ts';
import type { Services } from '../../src/resolvers/services/context.ts';
import type { RailEvent } from '../../src/resolvers/services/rail-event.ts';
import type { Order } from '../../src/resolvers/services/rails.ts';
import type { Sandbox } from '../../src/resolvers/services/sandbox.ts';
import { createAccount } from '../../src/store/account/accounts.ts';
import { readProcesses } from '../../src/store/engine/processes.ts';
import { arm } from '../../src/store/rails/sandbox.ts';
import { submitOrders } from '../../src/store/rails/sandbox-orders.ts';
import type { ProcessRow } from '../../src/templates/facts.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useDatabase } from '../support/database.ts';
import { MOVER } from '../support/mover.ts';

const store = useDatabase();
const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
const SILENT = pino({ level: 'silent' });
const CONFIG = { publicUrl: 'http://127.0.0.1', exactIntegers: false, sandboxAuto: false };
const USDT_TRX = currencyOf('USDT_TRX') as Currency;

let services: Services;
let sandbox: Sandbox;
let accountId: bigint;
let row: ProcessRow;
/** Beyond the ids of jobs, which orders have here. */
let orders = 1_000_000;

beforeAll(async () => {
  services = createServices({ database: store.database, registry: REGISTRY, config: CONFIG });
  sandbox = services.sandbox as Sandbox;
  accountId = await createAccount(store.database, 'Rails', {
    templates: REGISTRY.templates.map(({ name }) => name),
  });
  row = await makeOnramp(services);
});

/** An onramp that was made, with nothing done about it yet. */
async function makeOnramp({ advance, clock }: Services): Promise<ProcessRow> {
  const nowMs = await clock.nowMs();
  const price = {
    quote: '5.375',
    refQuote: '5.3217',
    fees: '12.50',
    sourceAmount: '550.00',
    targetAmount: '100',
  };
  const empty = emptyProcess(accountId, 'onramp', nowMs, null);
  const made = await advance({
    target: {
      create: {
        ...empty,
        ...price,
        sourceCurrency: 'BRL',
        targetCurrency: 'USDT_TRX',
        clientName: 'Ana Souza',
        clientTaxId: '52998224725',
        expiresAt: endOf(nowMs, 1_800),
        process: { ...empty.process, isAccepted: true },
      },
    },
    trigger: { on: 'created' },
    author: MOVER,
  });
  return made.row;
}

/** The same key, as often as it is given on. */
function newOrder(of: ProcessRow = row): Order {
  orders += 1;
  return { key: `${of.end2end}:${orders}`, row: of };
}

const ADDRESS = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';

/** An event of a rail, and the time from the order to its report: at most, and at least. */
type Message = RailEvent & { readonly afterMs: number; readonly afterEndMs: number };

/** What an order will tell, and how long after it; the jobs are removed. */
async function toldBy(work: () => Promise<unknown>): Promise<Message[]> {
  await store.owner.query(`delete from job where kind = 'news'`);
  const beforeMs = await services.clock.nowMs();
  await work();
  const endMs = await services.clock.nowMs();
  const { rows } = await store.owner.query(
    `delete from job where kind = 'news' returning payload, due_at::text as "dueAt", transaction_id as "transactionId"`,
  );
  expect(rows.every(({ transactionId }) => BigInt(transactionId) === row.id)).toBe(true);
  return rows
    .map(({ payload, dueAt }) => ({
      ...payload,
      afterMs: millisOf(dueAt) - beforeMs,
      afterEndMs: millisOf(dueAt) - endMs,
    }))
    .sort((a, b) => a.afterMs - b.afterMs);
}

const armed = (...scenarios: string[]) =>
  Promise.all(scenarios.map((scenario) => arm(store.database, row.accountId, row.id, scenario)));
const leftPlans = async (): Promise<string[]> => {
  const { rows } = await store.owner.query(`delete from sandbox_plan returning scenario`);
  return rows.map(({ scenario }) => scenario).sort();
};

describe('the clock', () => {
  test('moves forward for every process, and never back', async () => {
    const other = createServices({ database: store.database, registry: REGISTRY, config: CONFIG });
    const before = await other.clock.nowMs();
    const then = await sandbox.advanceClock(3_600_000);
    expect(then - before).toBeGreaterThanOrEqual(3_600_000);
    expect(await other.clock.nowMs()).toBeGreaterThanOrEqual(then);
    for (const byMs of [-1, 0.5, Number.NaN, 101 * 365 * 86_400_000])
      await expect(sandbox.advanceClock(byMs)).rejects.toMatchObject({
        code: 'INVALID_PARAMETER',
        violations: [{ parameter: 'advance' }],
      });
    expect((await other.clock.nowMs()) - then).toBeLessThan(60_000);
  });

  test('makes jobs due, and notifies of them', async () => {
    const made = await makeOnramp(services);
    const key = { accountId: made.accountId, transactionId: made.id };
    await settle(services, SILENT, { only: key });
    let notified = 0;
    services.notifier.onAny(() => {
      notified += 1;
    });
    await sandbox.advanceClock(1_860_000);
    expect(notified).toBeGreaterThan(0);
    await settle(services, SILENT, { only: key });
    const [now] = await readProcesses(store.database, [key]);
    expect(`${now?.component}/${now?.state}`).toBe('depositpix/EXPIRED');
  });
});

describe('orders', () => {
  const toWallet = { currency: USDT_TRX, to: ADDRESS, amountMinor: 99_000_000n };
  const PAYMENT = { returnId: 'D99999999202611211201abcdef12345', amount: '550.00', isExcess: false };
  const EXCESS = { returnId: 'D99999999202611211201abcdef54321', amount: '20.00', isExcess: true };
  const chain = () => services.rails.chain;
  const pix = () => services.rails.pix;
  /** Kinds, with `no` for what is not done. */
  const on = (told: readonly Message[]) =>
    told.map((each) => `${'isDone' in each && !each.isDone ? 'no ' : ''}${each.kind}`).join(', ');
  const within = (told: Message | undefined, afterMs: number) => {
    expect(told?.afterMs).toBeGreaterThanOrEqual(afterMs);
    expect(told?.afterEndMs).toBeLessThanOrEqual(afterMs);
  };

  test.each([
    ['a payout', 'payout_ended', (order: Order) => pix().payOut({ ...order, amount: '490.00' })],
    ['a return', 'refund_ended', (order: Order) => pix().returnPayment({ ...order, ...PAYMENT })],
    [
      'a transfer',
      'broadcast_sent, broadcast_confirmed',
      (order: Order) => chain().send({ ...order, ...toWallet }),
    ],
    ['a transfer back', 'refund_ended', (order: Order) => chain().sendBack({ ...order, ...toWallet })],
    [
      'the return of an excess',
      'refund_ended',
      (order: Order) => pix().returnPayment({ ...order, ...EXCESS }),
    ],
    ['a cancellation', '', (order: Order) => pix().cancelCharge(order)],
  ])('%s under the same key happens once, also when asked for five times at once', async (_, triggers, place) => {
    const order = newOrder();
    expect(on(await toldBy(() => Promise.all(Array.from({ length: 5 }, () => place(order)))))).toBe(triggers);
    expect(await toldBy(() => place(order))).toEqual([]);
    const kept = await store.owner.query('select from sandbox_order where key = $1', [`:${orders}`]);
    expect(kept.rowCount).toBe(1);
  });

  test('a payout settles after a second, under a new EndToEndId', async () => {
    const [told] = await toldBy(() => pix().payOut({ ...newOrder(), amount: '490.00' }));
    within(told, 1_000);
    const id = (told as { endToEndId: string }).endToEndId;
    expect(isEndToEndId(id) && id.startsWith('E99999999')).toBe(true);
    expect(told && railEventRecordOf(services, told).key).toBe(`pix:${id}`);
  });

  test('a transfer is broadcast, then confirmed; its hash follows from the key', async () => {
    const order = newOrder();
    const [broadcast, confirmed] = await toldBy(() => chain().send({ ...order, ...toWallet }));
    within(broadcast, 700);
    within(confirmed, 1_700);
    expect(broadcast).toMatchObject({
      kind: 'broadcast_sent',
      order: order.key,
      currency: 'USDT_TRX',
      txHash: txHashOf(USDT_TRX, order.key),
      gas: { currency: 'TRX_TRX', amountMinor: '13400000' },
    });
  });

  test.each([
    ['ETH_ETH', { currency: 'ETH_ETH', amountMinor: '2000000000000000' }],
    ['USDC_ETH', { currency: 'ETH_ETH', amountMinor: '2000000000000000' }],
    ['BTC_BTC', { currency: 'BTC_BTC', amountMinor: '1000' }],
    ['USDT_POLYGON', { currency: 'POL_POLYGON', amountMinor: '10000000000000000' }],
    ['USDC_BASE', { currency: 'ETH_BASE', amountMinor: '20000000000000' }],
    ['USDT_BSC', { currency: 'BNB_BSC', amountMinor: '200000000000000' }],
    ['USDT_SOL', { currency: 'SOL_SOL', amountMinor: '5000' }],
  ])('gas of %s is told in the coin of its network', async (code, gas) => {
    const order = { ...newOrder(), ...toWallet, currency: currencyOf(code) as Currency };
    const [broadcast] = await toldBy(() => chain().send(order));
    expect(broadcast).toMatchObject({ gas });
  });

  test.each([
    ['pix-out-reject', 'no payout_ended', () => pix().payOut({ ...newOrder(), amount: '490.00' })],
    ['refund-fail', 'no refund_ended', () => pix().returnPayment({ ...newOrder(), ...PAYMENT })],
    ['excess-fail', 'no refund_ended', () => pix().returnPayment({ ...newOrder(), ...EXCESS })],
    ['delivery-fail', 'broadcast_sent, broadcast_failed', () => chain().send({ ...newOrder(), ...toWallet })],
    ['broadcast-fail', 'broadcast_failed', () => chain().send({ ...newOrder(), ...toWallet })],
  ])('the plan %s is used up by the order', async (plan, triggers, place) => {
    await armed(plan, 'hold');
    expect(on(await toldBy(place))).toBe(triggers);
    expect(await leftPlans()).toEqual(['hold']);
    expect(on(await toldBy(place))).not.toBe(triggers);
  });

  test('the return of an excess does not use up the plan for the return of the payment', async () => {
    await armed('refund-fail');
    expect(await toldBy(() => pix().returnPayment({ ...newOrder(), ...EXCESS }))).toMatchObject([
      { kind: 'refund_ended', order: EXCESS.returnId, isDone: true },
    ]);
    expect(await leftPlans()).toEqual(['refund-fail']);
  });

  test('the network fee of a return is at most its amount', async () => {
    const back = (amountMinor: bigint) =>
      toldBy(() => chain().sendBack({ ...newOrder(), ...toWallet, amountMinor }));
    expect(await back(99_000_000n)).toMatchObject([{ networkFee: '1' }]);
    expect(await back(400_000n)).toMatchObject([{ networkFee: '0.4' }]);
  });
});

describe('charges', () => {
  const automatic = () =>
    createServices({
      database: store.database,
      registry: REGISTRY,
      config: { ...CONFIG, sandboxAuto: true },
    });

  test('a charge is a dynamic BR Code at its txid, and stays unpaid', async () => {
    const txid = txidOf(newOrder().key);
    const order = { ...newOrder(), txid, merchantName: 'Padaria São João & Irmãos Ltda' };
    let brCode = '';
    const told = await toldBy(async () => {
      brCode = (await services.rails.pix.createCharge(order)).brCode;
    });
    expect(told).toEqual([]);
    expect(decodeBrCode(brCode)).toEqual({
      kind: 'dynamic',
      url: `sandbox.pix.local/qr/v2/${txid}`,
      merchantName: 'Padaria Sao Joao & Irmaos',
      merchantCity: 'SAO PAULO',
    });
    expect(await services.rails.pix.createCharge(order)).toEqual({ brCode });
  });

  test('an automatic sandbox pays it once', async () => {
    const { pix } = automatic().rails;
    const order = { ...newOrder(), txid: txidOf(newOrder().key), merchantName: '日本' };
    const told = await toldBy(async () => {
      await pix.createCharge(order);
      await pix.createCharge(order);
    });
    expect(told).toMatchObject([{ kind: 'payment', amount: '550.00', payerTaxId: '52998224725' }]);
    expect(told[0]?.afterMs).toBeGreaterThanOrEqual(2_000);
  });

  test('an automatic sandbox completes a transaction', async () => {
    const made = await makeOnramp(services);
    const key = { accountId: made.accountId, transactionId: made.id };
    await settle(automatic(), SILENT, { only: key });
    for (let seconds = 0; seconds < 3; seconds++) {
      await sandbox.advanceClock(1_000);
      await settle(services, SILENT, { only: key });
    }
    const [now] = await readProcesses(store.database, [key]);
    expect(`${now?.component}/${now?.state}`).toBe('success/DONE');
  });

  test('an automatic sandbox deposits the exact amount once', async () => {
    const { chain } = automatic().rails;
    const order = { ...newOrder(), currency: USDT_TRX, address: ADDRESS, exactAmount: '100.000137' };
    const told = await toldBy(async () => {
      await chain.watchDeposit(order);
      await chain.watchDeposit(order);
      const other = { ...newOrder(), currency: USDT_TRX, address: ADDRESS, exactAmount: '1.000001' };
      await services.rails.chain.watchDeposit(other);
    });
    expect(told).toMatchObject([
      { kind: 'deposit_seen', address: ADDRESS, amount: '100.000137' },
      { kind: 'deposit_confirmed', address: ADDRESS, amount: '100.000137' },
    ]);
  });

  test('the directory knows the owner of a key', async () => {
    const { keyOwner } = services.rails.pix;
    const stranger = { ...row, pixKey: '11144477735', pixKeyType: 'cpf' };
    expect(await keyOwner(stranger)).toBe('11144477735');
    expect(await keyOwner({ ...row, pixKey: '12ABC34501DE35', pixKeyType: 'cnpj' })).toBe('12ABC34501DE35');
    expect(await keyOwner({ ...row, pixKey: 'ana@example.com', pixKeyType: 'email' })).toBe('52998224725');
  });
});

describe('decisions', () => {
  const check = (order: Order) => services.rails.identity.check(order);
  const screen = (order: Order) => services.rails.screening.screen(order);
  const convert = (order: Order) => services.rails.liquidity.convert(order);
  const withRow = (facts: Partial<ProcessRow>) => ({ ...row, ...facts });
  const paid = () => withRow({ process: { sequence: 3, createdBy: null, paid: '550.00' } });

  test.each<[string, (order: Order) => Promise<string>, () => ProcessRow, string | null, string]>([
    ['identity', check, () => row, null, 'passed'],
    ['identity', check, () => withRow({ clientTaxId: '52998224720' }), null, 'irregular'],
    ['identity', check, () => withRow({ clientTaxId: null }), null, 'irregular'],
    ['identity', check, () => row, 'step-up-require', 'step_up'],
    ['identity', check, () => row, 'identity-review', 'review'],
    ['identity', check, () => row, 'identity-irregular', 'irregular'],
    ['screening', screen, () => row, null, 'cleared'],
    ['screening', screen, () => row, 'hold', 'held'],
    ['screening', screen, paid, 'step-up-require', 'step_up'],
    ['conversion', convert, () => row, null, 'settled'],
    ['conversion', convert, () => row, 'swap-fail', 'failed'],
  ])('%s %#: the answer is the same when asked again, whatever was planned since', async (...cases) => {
    const [, ask, rowOf, plan, answer] = cases;
    if (plan) await armed(plan);
    const order = newOrder(rowOf());
    expect(await Promise.all(Array.from({ length: 5 }, () => ask(order)))).toEqual(Array(5).fill(answer));
    expect(await leftPlans()).toEqual([]);
    await armed('identity-irregular', 'hold', 'swap-fail');
    expect(await ask(order)).toBe(answer);
    expect(await leftPlans()).toEqual(['hold', 'identity-irregular', 'swap-fail']);
  });

  test.each([
    ['commit', { isNew: false, answer: 'of another process' }],
    ['rollback', { isNew: true, answer: 'ours' }],
  ])('the same order from another process at the same moment: %s of the first', async (end, expected) => {
    // A key that is kept as it is.
    const key = `D${randomUUID()}`;
    const first = await store.owner.connect();
    try {
      await first.query('begin');
      await first.query(
        `insert into sandbox_order (account_id, transaction_id, key, kind, request) values ($1, $2, $3, 'identity', '{"answer": "of another process"}')`,
        [String(row.accountId), String(row.id), key],
      );
      const order = { accountId: row.accountId, transactionId: row.id, key, kind: 'identity', request: {} };
      const placed = submitOrders(
        store.database,
        [{ ...order, usual: { answer: 'ours' }, planned: {} }],
        null,
      );
      await expect.poll(async () => (await store.owner.query(WAITING)).rowCount, { timeout: 15_000 }).toBe(1);
      await first.query(end);
      expect(await placed).toMatchObject([expected]);
    } finally {
      first.release();
    }
  });

  test('extra verification applies to payments only', async () => {
    await armed('step-up-require');
    expect(await screen(newOrder())).toBe('cleared');
    expect(await leftPlans()).toEqual(['step-up-require']);
  });

  test('several plans are used up one at a time, by the rail’s priority', async () => {
    await armed('identity-irregular', 'step-up-require');
    const take = async (...names: string[]) => {
      const { key } = newOrder();
      const planned = Object.fromEntries(names.map((name) => [name, { answer: name }]));
      const order = { accountId: row.accountId, transactionId: row.id, key, kind: 'identity', request: {} };
      const [placed] = await submitOrders(store.database, [{ ...order, usual: {}, planned }], null);
      expect(placed?.answer).toBe(placed?.plan);
      return placed?.plan;
    };
    expect(await take('step-up-require', 'identity-irregular')).toBe('step-up-require');
    expect(await take('step-up-require', 'identity-irregular')).toBe('identity-irregular');
    expect(await take('step-up-require', 'identity-irregular')).toBeNull();
    expect(await take()).toBeNull();
  });
});
