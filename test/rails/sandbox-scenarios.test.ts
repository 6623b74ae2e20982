/**
 * Goal: every scenario of the catalogue does to a transaction what it says, at once or once the transaction gets there.
 * Method: transactions of an account of their own on the real engine and database, played on, settled and set ahead;
 * what is compared is the steps of their events.
 */
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { toMinor } from '../../src/base/money/money.ts';
import { createServices } from '../../src/compose/services.ts';
import { createSandbox } from '../../src/rails/sandbox/index.ts';
import { SCENARIOS } from '../../src/rails/sandbox/scenarios.ts';
import { settle } from '../../src/resolvers/engine/run-jobs.ts';
import { emptyProcess, endOf } from '../../src/resolvers/orders/create-transaction.ts';
import type { NewProcess } from '../../src/resolvers/services/advance.ts';
import type { Services } from '../../src/resolvers/services/context.ts';
import type { Receive } from '../../src/resolvers/services/rail-event.ts';
import type { Sandbox } from '../../src/resolvers/services/sandbox.ts';
import { createAccount } from '../../src/store/account/accounts.ts';
import { readProcesses } from '../../src/store/engine/processes.ts';
import type { Process, ProcessRow } from '../../src/templates/facts.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useDatabase } from '../support/database.ts';
import { fundAccount } from '../support/fund-account.ts';
import { MOVER } from '../support/mover.ts';
import { whitelist } from '../support/rest-routes.ts';

const store = useDatabase();
const SILENT = pino({ level: 'silent' });
const CONFIG = { publicUrl: 'http://127.0.0.1', exactIntegers: false, sandboxAuto: false };

let services: Services;
let sandbox: Sandbox;

beforeAll(() => {
  services = createServices({ database: store.database, registry: REGISTRY, config: CONFIG });
  sandbox = services.sandbox as Sandbox;
});

const CLIENT = { clientName: 'Ana Souza', clientTaxId: '52998224725' };
const PAYEE = { ...CLIENT, pixKey: 'ana@example.com', pixKeyType: 'email' };
const INTO_CRYPTO = {
  sourceCurrency: 'BRL',
  sourceAmount: '550.00',
  targetCurrency: 'USDT_TRX',
  fees: '12.50',
};
const INTO_BRL = { sourceCurrency: 'USDT_TRX', sourceAmount: '100', targetCurrency: 'BRL', fees: '10.00' };
const WALLET = { wallet: 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD', networkFee: '1.00', targetAmount: '99' };

const GROUP = 'whg_scenarios';

/** Transactions by a word: template and facts. */
const MAKES = {
  checkout: ['crossramp_checkout', { ...INTO_CRYPTO, targetAmount: '100', ...CLIENT }],
  onramp: ['onramp', { ...INTO_CRYPTO, targetAmount: '100', ...CLIENT }],
  delivery: ['onramp_instant', { ...INTO_CRYPTO, ...WALLET, ...CLIENT }],
  payout: ['offramp', { ...INTO_BRL, targetAmount: '490.00', ...PAYEE }],
  deposit: ['offramp_instant', { ...INTO_BRL, targetAmount: '490.00', ...PAYEE }],
  'small deposit': [
    'offramp_instant',
    { ...INTO_BRL, fees: '0.10', sourceAmount: '0.9', targetAmount: '4.00', ...PAYEE },
  ],
  withdrawal: [
    'withdraw_dash_same_curr',
    {
      sourceCurrency: 'USDT_TRX',
      sourceAmount: '100',
      targetCurrency: 'USDT_TRX',
      groupId: GROUP,
      ...WALLET,
    },
  ],
  'BRL withdrawal': [
    'withdraw_dash_same_curr',
    {
      sourceCurrency: 'BRL',
      sourceAmount: '100.00',
      targetCurrency: 'BRL',
      targetAmount: '100.00',
      groupId: GROUP,
      wallet: PAYEE.pixKey,
      ...PAYEE,
    },
  ],
} as const satisfies Record<string, readonly [string, Partial<NewProcess>]>;
type Make = keyof typeof MAKES;

/** A transaction of a new account with means, as it is made: no job was done yet. */
async function make(what: Make, facts: Partial<NewProcess> = {}): Promise<ProcessRow> {
  const [template, given] = MAKES[what];
  const templates = REGISTRY.templates.map(({ name }) => name);
  const accountId = await createAccount(store.database, 'Scenarios', { templates });
  const nowMs = await services.clock.nowMs();
  for (const currency of ['USDT_TRX', 'BRL'])
    await fundAccount(store.database, accountId, { currency, amount: '1000' }, nowMs);
  await whitelist(store, accountId, GROUP, [
    { network: 'TRX', target: WALLET.wallet },
    { pixKeyType: PAYEE.pixKeyType, target: PAYEE.pixKey },
  ]);
  const empty = emptyProcess(accountId, template, nowMs, null);
  const create = { ...empty, expiresAt: endOf(nowMs, 1_800), ...given, ...facts };
  const made = await services.advance({
    target: { create: { ...create, process: { ...empty.process, isAccepted: true, worth: '100.00' } } },
    trigger: { on: 'created' },
    author: MOVER,
  });
  return made.row;
}

const keyOf = ({ accountId, id }: ProcessRow) => ({ accountId, transactionId: id });
const at = ({ component, state }: ProcessRow) => `${component}/${state}`;

async function again(row: ProcessRow): Promise<ProcessRow> {
  const [now] = await readProcesses(store.database, [keyOf(row)]);
  return now as ProcessRow;
}

/** The transaction once it rests: what is due is done, and what comes of it within so many seconds. */
async function rest(row: ProcessRow, seconds = 6): Promise<ProcessRow> {
  await settle(services, SILENT, { only: keyOf(row) });
  for (let passed = 0; passed < seconds; passed++) {
    await sandbox.advanceClock(1_000);
    await settle(services, SILENT, { only: keyOf(row) });
  }
  return again(row);
}

/** Plays scenarios one after the other, the transaction at rest between them; `name=1.00` gives an amount. */
async function playAll(row: ProcessRow, scenarios: string): Promise<ProcessRow> {
  let now = row;
  for (const word of scenarios.split(' ').filter(Boolean)) {
    const [name = '', amount] = word.split('=');
    now = word === 'rest' ? await rest(now) : await sandbox.play(now, name, { amount });
  }
  // A deposit is confirmed after 15 seconds, and paid out then.
  return rest(now, scenarios.endsWith('deposit') ? 18 : 6);
}

async function pathOf({ accountId, id }: ProcessRow): Promise<string> {
  const { rows } = await store.owner.query(
    `select component || '/' || state as step from event where account_id = $1 and transaction_id = $2 order by seq`,
    [String(accountId), String(id)],
  );
  return rows.map(({ step }) => step).join(' ');
}

/** What is played, on what, and how the path ends. */
const CASES: readonly (readonly [scenarios: string, make: Make, path: string])[] = [
  ['rest pay', 'onramp', 'depositpix/QRCODE depositpix/PAID swap_transfer/INITIAL success/DONE'],
  ['rest pay', 'checkout', 'depositpix_v2/QRCODE depositpix_v2/PAID swap_transfer_v2/INITIAL success/DONE'],
  ['rest pay', 'delivery', 'swap_transfer/INITIAL crypto_out/INITIAL crypto_out/BROADCAST success/DONE'],
  ['', 'withdrawal', 'send_withdrawl_dash/SENDING send_withdrawl_dash/BROADCAST success_withdrawl_dash/DONE'],
  ['', 'BRL withdrawal', 'send_withdrawl_dash/SENDING success_withdrawl_dash/DONE'],
  ['rest pay-late', 'onramp', 'depositpix/EXPIRED depositpix/LATE refund/INITIAL refund/DONE'],
  ['rest expire pay-late', 'onramp', 'depositpix/EXPIRED depositpix/LATE refund/INITIAL refund/DONE'],
  ['rest pay-over', 'onramp', 'depositpix/OVERPAID swap_transfer/INITIAL success/DONE'],
  ['excess-fail rest pay-over', 'onramp', 'depositpix/OVERPAID swap_transfer/INITIAL success/DONE'],
  ['rest pay-over=600.5', 'onramp', 'depositpix/OVERPAID swap_transfer/INITIAL success/DONE'],
  ['rest pay-under', 'onramp', 'depositpix/QRCODE depositpix/UNDERPAID refund/INITIAL refund/DONE'],
  ['rest pay-under=0.01', 'onramp', 'depositpix/QRCODE depositpix/UNDERPAID refund/INITIAL refund/DONE'],
  ['rest pay-other-payer', 'onramp', 'depositpix/QRCODE depositpix/DIVERGENT refund/INITIAL refund/DONE'],
  ['rest pay-twice', 'onramp', 'depositpix/QRCODE depositpix/PAID swap_transfer/INITIAL success/DONE'],
  ['step-up-require', 'onramp', 'valida_id/INITIAL valida_id/PENDING'],
  ['step-up-require rest step-up-approve', 'onramp', 'valida_id/PENDING depositpix/QRCODE'],
  ['step-up-require rest step-up-deny', 'onramp', 'valida_id/PENDING valida_id/DENIED'],
  ['rest step-up-require pay', 'onramp', 'depositpix/PAID valida_id/PENDING'],
  [
    'rest step-up-require pay rest step-up-approve',
    'onramp',
    'valida_id/PENDING swap_transfer/INITIAL success/DONE',
  ],
  ['rest step-up-require pay rest step-up-deny', 'onramp', 'valida_id/DENIED refund/INITIAL refund/DONE'],
  ['identity-review', 'onramp', 'valida_id/INITIAL valida_id/REVIEW'],
  ['identity-review', 'deposit', 'kyc_payee/INITIAL kyc_payee/REVIEW'],
  ['identity-irregular', 'onramp', 'valida_id/INITIAL valida_id/IRREGULAR'],
  ['rest hold pay', 'onramp', 'depositpix/PAID compliance/UNCOMPLIANT'],
  ['rest hold pay rest release', 'onramp', 'compliance/UNCOMPLIANT swap_transfer/INITIAL success/DONE'],
  ['rest hold pay rest hold-reject', 'onramp', 'compliance/UNCOMPLIANT refund/INITIAL refund/DONE'],
  ['hold', 'payout', 'reserve/DONE compliance/UNCOMPLIANT'],
  ['hold', 'withdrawal', 'request_withdrawl_dash/INITIAL compliance/UNCOMPLIANT'],
  ['charge-fail', 'onramp', 'valida_id/INITIAL depositpix/ERROR'],
  ['rest swap-fail pay', 'onramp', 'swap_transfer/INITIAL swap_transfer/ERROR refund/INITIAL refund/DONE'],
  ['swap-fail', 'payout', 'swap_transfer/INITIAL swap_transfer/ERROR'],
  ['pix-out-reject', 'payout', 'pix_out/SENDING pix_out/REJECTED'],
  ['pix-out-reject', 'BRL withdrawal', 'send_withdrawl_dash/SENDING send_withdrawl_dash/ERROR'],
  ['rest pix-return', 'payout', 'pix_out/SENDING success/DONE pix_out/RETURNED'],
  ['rest pix-return', 'BRL withdrawal', 'success_withdrawl_dash/DONE success_withdrawl_dash/RETURNED'],
  ['delivery-fail rest pay', 'delivery', 'crypto_out/INITIAL crypto_out/BROADCAST partial_success/DONE'],
  ['delivery-fail', 'withdrawal', 'send_withdrawl_dash/BROADCAST send_withdrawl_dash/ERROR'],
  ['broadcast-fail rest pay', 'delivery', 'crypto_out/INITIAL partial_success/DONE'],
  ['broadcast-fail', 'withdrawal', 'send_withdrawl_dash/SENDING send_withdrawl_dash/ERROR'],
  ['refund-fail rest pay-under', 'onramp', 'depositpix/UNDERPAID refund/INITIAL refund/ERROR'],
  [
    'rest deposit',
    'deposit',
    'crypto_deposit/DETECTED crypto_deposit/DONE swap_transfer/INITIAL pix_out/SENDING success/DONE',
  ],
  [
    'rest deposit deposit-confirm',
    'deposit',
    'crypto_deposit/DETECTED crypto_deposit/DONE swap_transfer/INITIAL pix_out/SENDING success/DONE',
  ],
  ['rest deposit deposit-reorg', 'deposit', 'crypto_deposit/DETECTED crypto_deposit/DROPPED'],
  [
    'rest deposit deposit-reorg deposit deposit-confirm',
    'deposit',
    'crypto_deposit/DROPPED crypto_deposit/DETECTED crypto_deposit/DONE swap_transfer/INITIAL pix_out/SENDING success/DONE',
  ],
  ['rest expire deposit deposit-confirm', 'deposit', 'crypto_deposit/EXPIRED crypto_deposit/LATE'],
  ['rest deposit-wrong', 'deposit', 'crypto_deposit/WAITING_DEPOSIT crypto_deposit/UNDERPAID'],
  ['rest deposit-wrong', 'small deposit', 'crypto_deposit/WAITING_DEPOSIT crypto_deposit/UNDERPAID'],
  ['rest deposit-wrong=250.5', 'deposit', 'crypto_deposit/WAITING_DEPOSIT crypto_deposit/OVERPAID'],
  ['rest pay rest dispute-open', 'onramp', 'success/DONE dispute/OPEN'],
  ['rest pay rest dispute-open dispute-accept', 'onramp', 'dispute/OPEN dispute/ACCEPTED'],
  ['rest pay rest dispute-open dispute-reject', 'onramp', 'dispute/OPEN dispute/REJECTED'],
  ['rest expire', 'onramp', 'depositpix/QRCODE depositpix/EXPIRED'],
];

describe('every scenario', () => {
  test('of the catalogue has one name and a description, and is tested here', () => {
    // A price can only fail when the transaction is made: test/walk does that.
    const played = [...CASES.flatMap(([scenarios]) => scenarios.split(' ')), 'quote-fail'].map(
      (each) => each.split('=')[0],
    );
    const names = SCENARIOS.map(({ name }) => name);
    expect(names.filter((name) => !played.includes(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(SCENARIOS.filter(({ doc }) => !/^[A-Z].*\.$/.test(doc))).toEqual([]);
    expect(sandbox.scenarios).toBe(SCENARIOS);
  });

  test.each(CASES)('%s on %s leads to %s', async (scenarios, what, path) => {
    const row = await playAll(await make(what), scenarios);
    const walked = await pathOf(row);
    expect(walked.slice(-path.length)).toBe(path);
    const { rows } = await store.owner.query(`select 1 from sandbox_plan where account_id = $1`, [
      String(row.accountId),
    ]);
    expect(rows).toEqual([]);
  });
});

describe('reports', () => {
  test.each<[string, Partial<NewProcess>, Partial<Process>]>([
    ['pay-over', {}, { excess: '20' }],
    ['pay-over=600.5', {}, { excess: '50.5' }],
    ['pay-under', {}, { paid: '530.00', payerTaxId: '52998224725' }],
    ['pay-under=0.01', {}, { paid: '0.01' }],
    ['pay-under', { sourceAmount: '20.00', fees: '0.50' }, { paid: '10.00' }],
    ['pay-other-payer', {}, { paid: '550.00', payerTaxId: '11144477735' }],
    ['pay-other-payer', { clientTaxId: '11144477735' }, { payerTaxId: '12345678909' }],
  ])('%s of %j: %j', async (scenario, facts, process) => {
    const row = await playAll(await make('onramp', facts), `rest ${scenario}`);
    expect(row.process).toMatchObject(process);
  });

  test.each([
    ['deposit', 'deposit', (exact: bigint) => exact],
    ['deposit', 'deposit-wrong', (exact: bigint) => exact - 1_000_000n],
    ['small deposit', 'deposit-wrong', (exact: bigint) => exact / 2n],
  ] as const)('%s: %s is as far from the exact amount as it should be', async (what, scenario, deposited) => {
    const waiting = await rest(await make(what));
    const { process, depositFrom } = await sandbox.play(waiting, scenario, {});
    const exact = toMinor(waiting.exactDepositAmount ?? '', 6);
    expect(toMinor(process?.deposit?.amount ?? '', 6)).toBe(deposited(exact));
    expect(depositFrom).toBe('TCjow1qG4ZvDNj5ZRCF2RSuS2kMCGKK1JJ');
  });

  test('a payment reported twice is stored once; a deposit by network, hash and log index (C-33)', async () => {
    const keysOf = async ({ accountId }: ProcessRow) => {
      const { rows } = await store.owner.query('select kind, key from rail_news where account_id = $1', [
        String(accountId),
      ]);
      return rows.map(({ kind, key }) => `${kind} ${key}`).sort();
    };
    const paid = await playAll(await make('onramp'), 'rest pay-twice');
    expect(await keysOf(paid)).toEqual([`payment pix:${paid.pixE2e}`]);
    const deposited = await playAll(await make('deposit'), 'rest deposit');
    expect(await keysOf(deposited)).toEqual([
      `deposit_confirmed chain:TRX:${deposited.txHash}:0`,
      `deposit_seen chain:TRX:${deposited.txHash}:0`,
      `payout_ended pix:${deposited.pixE2e}`,
    ]);
  });

  test('a deposit is confirmed after 15 seconds, but never after it was dropped', async () => {
    const seen = await sandbox.play(await rest(await make('deposit')), 'deposit', {});
    expect(at(await rest(seen, 13))).toBe('crypto_deposit/DETECTED');
    await sandbox.play(seen, 'deposit-reorg', {});
    await sandbox.play(seen, 'expire', {});
    expect(at(await rest(seen, 6))).toBe('crypto_deposit/EXPIRED');
  });

  test('C-36: a late payment does not settle ahead of the clock', async () => {
    const paid = await playAll(await make('onramp'), 'rest pay-late');
    expect(Date.parse(paid.process?.paidAt ?? '')).toBeLessThanOrEqual(await services.clock.nowMs());
  });

  test('orders end within two seconds of sandbox time', async () => {
    const sent = await rest(await make('withdrawal'), 2);
    expect(at(sent)).toBe('success_withdrawl_dash/DONE');
    expect(sent.txHash).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('immediate failures', () => {
  const failing = async (row: ProcessRow, scenario: string) => {
    const told = await sandbox.play(row, scenario, {});
    await rest(told);
    return [at(told), at(await again(told))];
  };

  test.each([
    ['pix-out-reject', 'payout', 'pix_out/REJECTED'],
    ['pix-out-reject', 'BRL withdrawal', 'send_withdrawl_dash/ERROR'],
    ['broadcast-fail', 'withdrawal', 'send_withdrawl_dash/ERROR'],
  ] as const)('%s where the rail of a %s was asked already', async (scenario, what, step) => {
    const row = await make(what);
    await settle(services, SILENT, { only: keyOf(row) });
    expect(await failing(await again(row), scenario)).toEqual([step, step]);
  });

  test('delivery-fail after the broadcast, refund-fail while the payment is returned', async () => {
    const withdrawal = await make('withdrawal');
    await settle(services, SILENT, { only: keyOf(withdrawal) });
    await sandbox.advanceClock(800);
    await settle(services, SILENT, { only: keyOf(withdrawal) });
    const broadcast = await again(withdrawal);
    expect(at(broadcast)).toBe('send_withdrawl_dash/BROADCAST');
    await expect(sandbox.play(broadcast, 'broadcast-fail', {})).rejects.toMatchObject({
      code: 'STEP_CONFLICT',
    });
    expect(await failing(broadcast, 'delivery-fail')).toEqual(Array(2).fill('send_withdrawl_dash/ERROR'));

    const paid = await sandbox.play(await rest(await make('onramp')), 'pay-under', {});
    await settle(services, SILENT, { only: keyOf(paid) });
    expect(await failing(await again(paid), 'refund-fail')).toEqual(Array(2).fill('refund/ERROR'));
  });
});

describe('reports in place of planned ones', () => {
  /** A sandbox that receives events in its own way, on a database of its own where one is given. */
  const sandboxWith = (receive: Receive, database = store.database) =>
    createSandbox({
      ...{ database, receive, registry: REGISTRY, notifier: services.notifier },
      ...{ isAuto: false, worker: null, advance: () => services.advance },
    }).sandbox;
  const DEATH = new Error('killed');
  /** Plays a scenario that gets no further than to what a rail tells. */
  const dieAt = (row: ProcessRow, scenario: string) =>
    expect(sandboxWith(() => Promise.reject(DEATH)).play(row, scenario, {})).rejects.toBe(DEATH);
  /** A transaction whose rail has an outcome to tell. */
  const running = async (what: Make) => {
    const made = await make(what);
    if (what === 'deposit') await sandbox.play(await rest(made), 'deposit', {});
    else await settle(services, SILENT, { only: keyOf(made) });
    return again(made);
  };

  test.each([
    ['deposit-confirm', 'deposit', 'success/DONE'],
    ['deposit-reorg', 'deposit', 'crypto_deposit/DROPPED'],
    ['pix-out-reject', 'payout', 'pix_out/REJECTED'],
    ['broadcast-fail', 'withdrawal', 'send_withdrawl_dash/ERROR'],
  ] as const)('a process that dies at %s leaves it to be told later', async (scenario, what, step) => {
    const before = await running(what);
    await dieAt(before, scenario);
    expect(at(await again(before))).toBe(at(before));
    expect(at(await rest(before, 20))).toBe(step);
  });

  test('a wrong deposit that was seen when the process died is confirmed', async () => {
    const waiting = await rest(await make('deposit'));
    const seen: Receive = (event) =>
      event.kind === 'deposit_seen' ? services.receive(event) : Promise.reject(DEATH);
    await expect(sandboxWith(seen).play(waiting, 'deposit-wrong', {})).rejects.toBe(DEATH);
    expect(at(await rest(waiting, 20))).toBe('crypto_deposit/UNDERPAID');
  });

  test('a report planned for later is replaced as well', async () => {
    const before = await running('deposit');
    await dieAt(before, 'deposit-reorg');
    await sandbox.play(before, 'deposit-confirm', {});
    const after = await rest(before, 20);
    expect([at(after), after.process?.deposit?.isLost]).toEqual(['success/DONE', undefined]);
  });

  test.each([
    ['deposit-confirm', 'deposit', 'crypto_deposit/DONE'],
    ['pix-out-reject', 'payout', 'pix_out/REJECTED'],
  ] as const)('%s that a worker tells first is no refusal', async (scenario, what, step) => {
    const twice: Receive = async (event) => {
      await services.receive(event);
      return services.receive(event);
    };
    expect(at(await sandboxWith(twice).play(await running(what), scenario, {}))).toBe(step);
  });

  test('a scenario that was played does not fail if a planned job cannot be removed', async () => {
    const query: typeof store.database.query = (statement, values) =>
      statement.name === 'sandbox_take_back'
        ? Promise.reject(new Error('away'))
        : store.database.query(statement, values);
    const away = Object.create(store.database, { query: { value: query } });
    const told = await sandboxWith(services.receive, away).play(
      await running('payout'),
      'pix-out-reject',
      {},
    );
    expect([at(told), at(await rest(told, 20))]).toEqual(Array(2).fill('pix_out/REJECTED'));
  });
});

describe('refusals', () => {
  const refused = (row: ProcessRow, scenario: string, amount?: string) =>
    expect(sandbox.play(row, scenario, { amount })).rejects;

  test('an unknown scenario is refused with the names of all scenarios', async () => {
    const names = SCENARIOS.map(({ name }) => name).join(', ');
    for (const name of ['', 'PAY', 'constructor', 'pay '])
      await refused(await make('onramp'), name).toMatchObject({
        code: 'INVALID_PARAMETER',
        violations: [{ parameter: 'scenario', message: `must be one of ${names}` }],
      });
  });

  test.each([
    ['pay', '10.00', 'is not accepted by this scenario'],
    ['hold', '10.00', 'is not accepted by this scenario'],
    ['deposit', '10.00', 'is not accepted by this scenario'],
    ['pay-over', 'abc', 'must be a decimal number above zero with at most 2 decimals, such as 12.50'],
    ['pay-over', '', 'must be a decimal number above zero with at most 2 decimals, such as 12.50'],
    ['pay-over', '1e3', 'must be a decimal number above zero with at most 2 decimals, such as 12.50'],
    [
      'pay-over',
      '10.001',
      'must be a decimal number above zero with at most 2 decimals, such as 12.50: BRL has 2',
    ],
    ['pay-under', '0', 'must be a decimal number above zero with at most 2 decimals, such as 12.50'],
    ['pay-under', '-1', 'must be a decimal number above zero with at most 2 decimals, such as 12.50'],
    [
      'deposit-wrong',
      '0.0000001',
      'must be a decimal number above zero with at most 6 decimals, such as 12.50: USDT (TRX) has 6',
    ],
    [
      'deposit-wrong',
      '0.000000',
      'must be a decimal number above zero with at most 6 decimals, such as 12.50',
    ],
  ])('%s with the amount %j: %s', async (scenario, amount, message) => {
    const row = await rest(await make(scenario.startsWith('deposit') ? 'deposit' : 'onramp'), 0);
    await refused(row, scenario, amount).toMatchObject({
      code: 'INVALID_PARAMETER',
      violations: [{ parameter: 'amount', message }],
    });
    expect(at(await again(row))).toBe(at(row));
  });

  test('a transaction refuses scenarios that do not fit its step, and names the step', async () => {
    const made = await make('onramp');
    const atStart = ['pay', 'pay-twice', 'release', 'deposit', 'deposit-wrong', 'pix-return', 'dispute-open'];
    for (const name of atStart)
      await refused(made, name).toMatchObject({
        code: 'STEP_CONFLICT',
        message: expect.stringMatching(
          new RegExp(
            `^the scenario ${name} is not possible at step valida_id/INITIAL; scenarios possible now: [a-z, -]+$`,
          ),
        ),
      });
    const done = await playAll(made, 'rest pay');
    // The row of long ago is only the transaction's name.
    for (const row of [made, done])
      await refused(row, 'release').toMatchObject({
        message: expect.stringMatching(
          /^the scenario release is not possible at step success\/DONE; scenarios possible now: [a-z, -]+$/,
        ),
      });
  });

  test('a partial return of a payout goes to suspense; an amount equal to the whole returns the payout', async () => {
    const paid = await playAll(await make('payout'), 'rest');
    const whole = paid.targetAmount as string;
    expect(at(await sandbox.play(paid, 'pix-return', { amount: '1.00' }))).toBe('success/DONE');
    const { rows } = await store.owner.query(
      'select reason, amount_minor::text as amount from suspense_entry where account_id = $1',
      [String(paid.accountId)],
    );
    expect(rows).toEqual([{ reason: 'payout_returned', amount: '100' }]);
    const other = await playAll(await make('payout'), 'rest');
    expect(at(await sandbox.play(other, 'pix-return', { amount: whole }))).toBe('pix_out/RETURNED');
  });

  test('a partial dispute blocks and debits its part', async () => {
    const done = await playAll(await make('onramp'), 'rest pay rest');
    const opened = await sandbox.play(done, 'dispute-open', { amount: '25' });
    expect(at(opened)).toBe('dispute/OPEN');
    expect(opened.process?.dispute?.brl).toBe('2500');
    const accepted = await sandbox.play(opened, 'dispute-accept', {});
    expect(accepted.process?.returns).toMatchObject([{ kind: 'dispute', amount: '25' }]);
  });

  test('a withdrawal on a network has no PIX to return', async () => {
    const sent = await playAll(await make('withdrawal'), 'rest');
    await refused(sent, 'pix-return').toMatchObject({
      code: 'STEP_CONFLICT',
      message:
        'the scenario pix-return is not possible at step success_withdrawl_dash/DONE; scenarios possible now: nothing',
    });
  });

  test.each([
    [
      'onramp',
      'rest pay',
      'hold swap-fail step-up-require identity-review excess-fail pix-out-reject delivery-fail',
    ],
    ['onramp', '', 'delivery-fail broadcast-fail pix-out-reject'],
    ['onramp', 'rest', 'identity-review identity-irregular'],
    ['payout', '', 'delivery-fail refund-fail'],
    ['deposit', 'rest deposit-wrong', 'hold refund-fail'],
    ['withdrawal', '', 'pix-out-reject swap-fail step-up-require'],
    ['BRL withdrawal', '', 'delivery-fail broadcast-fail'],
    ['onramp', 'rest expire', 'delivery-fail'],
  ] as const)('%s after %j: plans that cannot come true: %s', async (what, before, plans) => {
    const made = await make(what);
    const row = before === '' ? made : await playAll(made, before);
    for (const name of plans.split(' '))
      await refused(row, name).toMatchObject({
        code: 'STEP_CONFLICT',
        message: expect.stringContaining(at(row)),
      });
    expect(at(await again(row))).toBe(at(row));
  });

  test('a deposit that was not made is neither confirmed nor dropped', async () => {
    const waiting = await rest(await make('deposit'));
    for (const name of ['deposit-confirm', 'deposit-reorg'])
      await refused(waiting, name).toMatchObject({ code: 'STEP_CONFLICT' });
  });

  test('imported history accepts no scenario', async () => {
    const row = await make('onramp');
    await store.owner.query(`update transaction set process = '{}' where account_id = $1`, [
      String(row.accountId),
    ]);
    for (const { name } of SCENARIOS) await refused(row, name).toMatchObject({ code: 'STEP_CONFLICT' });
  });
});
