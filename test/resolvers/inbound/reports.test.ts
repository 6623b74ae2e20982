/**
 * C-33, C-34: what rails report of payouts, transfers, returns and disputes is stored once, finds its transaction by what the rail
 * knows, and is a step, a booking, or an entry in the operator's list. Method: transactions on live rails that take every order
 * and report nothing, so that all events come from here; events are tried again by hand.
 */
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { currencyOfLedger } from '../../../src/base/money/currency.ts';
import { createServices } from '../../../src/compose/services.ts';
import * as journals from '../../../src/ledger/journals.ts';
import { settle } from '../../../src/resolvers/engine/run-jobs.ts';
import { retryRailEvents } from '../../../src/resolvers/inbound/retry-rail-events.ts';
import { emptyProcess, endOf } from '../../../src/resolvers/orders/create-transaction.ts';
import type { NewProcess } from '../../../src/resolvers/services/advance.ts';
import type { Services } from '../../../src/resolvers/services/context.ts';
import type {
  BroadcastEvent,
  DisputeEvent,
  DisputeReturnEvent,
  RailEvent,
} from '../../../src/resolvers/services/rail-event.ts';
import { createAccount, platformAccount } from '../../../src/store/account/accounts.ts';
import { lockHeads, readProcesses } from '../../../src/store/engine/processes.ts';
import { postJournals } from '../../../src/store/ledger/posting.ts';
import { verifyLedger } from '../../../src/store/ledger/verify.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { REGISTRY } from '../../../src/templates/index.ts';
import { useDatabase } from '../../support/database.ts';
import { LIVE_RAILS } from '../../support/live-rails.ts';
import { MOVER } from '../../support/mover.ts';
import { whitelist } from '../../support/rest-routes.ts';
import { pixFor } from './support.ts';

const store = useDatabase();
const CONFIG = { publicUrl: 'http://127.0.0.1', exactIntegers: false, sandboxAuto: false };
const ANA = { clientName: 'Ana Souza', clientTaxId: '52998224725' };
const lines: { railEvent?: string; kind?: string; tries?: number; error?: string; msg: string }[] = [];
const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
let live: Services;

beforeAll(() => {
  const parts = { database: store.database, registry: REGISTRY, config: CONFIG };
  live = createServices({ ...parts, liveRails: LIVE_RAILS, log }).forMode('live');
});

const MAKES = {
  onramp: ['onramp', { sourceCurrency: 'BRL', targetCurrency: 'USDT_TRX', targetAmount: '100' }],
  delivery: [
    'onramp_instant',
    { sourceCurrency: 'BRL', targetCurrency: 'USDT_TRX', targetAmount: '99', networkFee: '1.00' },
  ],
  withdrawal: [
    'withdraw_dash_same_curr',
    { sourceCurrency: 'USDT_TRX', targetCurrency: 'USDT_TRX', targetAmount: '99', networkFee: '1.00' },
  ],
  payout: [
    'withdraw_dash_same_curr',
    {
      ...{ sourceCurrency: 'BRL', targetCurrency: 'BRL', sourceAmount: '100.00', targetAmount: '100.00' },
      ...{ pixKeyType: 'email', wallet: 'ana@example.com' },
    },
  ],
} as const satisfies Record<string, readonly [string, Partial<NewProcess>]>;

/** A transaction of a new account with means, as far as it goes without rail events. */
const GROUP = 'whg_reports';

async function make(what: keyof typeof MAKES): Promise<ProcessRow> {
  const [template, facts] = MAKES[what];
  const templates = REGISTRY.templates.map(({ name }) => name);
  const accountId = await createAccount(store.database, 'Reports', { templates, mode: 'live' });
  await store.database.withTx(async (tx) => {
    await lockHeads(tx, [accountId], 'live');
    const funds = [journals.fund(currencyOfLedger('BRL'), 100_000n)];
    funds.push(journals.fund(currencyOfLedger('USDT_TRX'), 1_000_000_000n));
    const requests = funds.map((journal, at) => ({
      accountId,
      ref: `fund:${at}`,
      transactionId: null,
      journal,
    }));
    await postJournals(tx, requests, new Date());
  });
  const nowMs = await live.clock.nowMs();
  const empty = emptyProcess(accountId, template, nowMs, null);
  const price = { sourceAmount: template.startsWith('onramp') ? '550.00' : '100', fees: '12.50' };
  const wallet = { wallet: 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD', pixKey: 'ana@example.com' };
  await whitelist(store, accountId, GROUP, [
    { network: 'TRX', target: wallet.wallet },
    { pixKeyType: 'email', target: wallet.pixKey },
  ]);
  const own = { ...price, ...ANA, ...wallet, groupId: GROUP, ...facts };
  const create = { ...empty, expiresAt: endOf(nowMs, 1_800), ...own };
  const made = await live.advance({
    target: { create: { ...create, process: { ...empty.process, isAccepted: true, worth: '100.00' } } },
    trigger: { on: 'created' },
    author: MOVER,
  });
  return rest(made.row);
}

async function rest(row: ProcessRow): Promise<ProcessRow> {
  const key = { accountId: row.accountId, transactionId: row.id };
  await settle(live, log, { only: key });
  const [now] = await readProcesses(store.database, [key]);
  return now as ProcessRow;
}

/** A transaction whose payment came. */
async function paid(what: 'onramp' | 'delivery'): Promise<ProcessRow> {
  const made = await make(what);
  expect((await live.receive(pixFor(made))).outcome).toBe('step');
  return rest(made);
}

const receive = async (event: RailEvent) => (await live.receive(event)).outcome;
const again = () => retryRailEvents(live, log, Date.now() + 24 * 3_600_000);
const at = ({ component, state }: ProcessRow) => `${component}/${state}`;
const orderOf = ({ end2end }: ProcessRow) => `${end2end}:1`;
let names = 0;
const nameOf = (letter: string) => `${letter}12345678202611221200${String(++names).padStart(11, '0')}`;

const sent = (row: ProcessRow, changes: Partial<BroadcastEvent> = {}): BroadcastEvent => ({
  kind: 'broadcast_sent',
  order: orderOf(row),
  currency: 'USDT_TRX',
  txHash: String(++names).padStart(64, '0'),
  gas: null,
  ...changes,
});
const dispute = (row: ProcessRow, kind: DisputeEvent['kind'], disputeId: string): DisputeEvent => ({
  kind,
  disputeId,
  endToEndId: row.pixE2e as string,
  amount: null,
});

async function cached({ accountId }: ProcessRow): Promise<string[]> {
  const { rows } = await store.owner.query(
    `select kind || ' ' || outcome as event from rail_news where account_id = $1 order by id`,
    [String(accountId)],
  );
  return rows.map(({ event }) => event);
}

async function stored(kind: string) {
  const { rows } = await store.owner.query(
    'select outcome, attempts, untaken, due_at, last_error from rail_news where kind = $1 order by id desc limit 1',
    [kind],
  );
  return rows[0];
}

async function suspenseOf({ accountId }: ProcessRow) {
  const { rows } = await store.owner.query(
    'select id, reason, amount_minor::text as amount, state from suspense_entry where account_id = $1 order by id',
    [String(accountId)],
  );
  return rows;
}

const verified = async ({ accountId }: ProcessRow) =>
  expect((await verifyLedger(store.database, accountId)).defects).toEqual([]);

/** A withdrawal in BRL that was paid out. */
async function paidOut(): Promise<ProcessRow> {
  const row = await make('payout');
  expect(at(row)).toBe('send_withdrawl_dash/SENDING');
  const event = { kind: 'payout_ended', order: orderOf(row), isDone: true, endToEndId: nameOf('E') } as const;
  const receipts = await Promise.all([receive(event), receive(event)]);
  expect(receipts.sort()).toEqual(['duplicate', 'step']);
  return rest(row);
}

describe('transfers of ours', () => {
  test('C-33: found by their order and then by their hash, each reported once', async () => {
    const row = await make('withdrawal');
    const event = sent(row);
    expect([await receive(event), await receive(event)]).toEqual(['step', 'duplicate']);
    const confirmed = { ...event, kind: 'broadcast_confirmed', order: null } as const;
    expect([await receive(confirmed), await receive(confirmed)]).toEqual(['step', 'duplicate']);
    expect(at(await rest(row))).toBe('success_withdrawl_dash/DONE');
    expect(await cached(row)).toEqual(['broadcast_sent step', 'broadcast_confirmed step']);
    await verified(row);
  });

  test('C-34: confirmed before it was sent: stored, logged, retried, and then a step', async () => {
    const row = await make('withdrawal');
    const event = sent(row);
    lines.length = 0;
    expect(await receive({ ...event, kind: 'broadcast_confirmed' })).toBe('pending');
    expect(lines).toMatchObject([{ kind: 'broadcast_confirmed', tries: 1, railEvent: expect.any(String) }]);
    expect(await stored('broadcast_confirmed')).toMatchObject({ outcome: 'pending', untaken: 1 });
    expect(await receive(event)).toBe('step');
    await again();
    expect(at(await rest(row))).toBe('success_withdrawl_dash/DONE');
  });

  test('C-34: failed before and after it was sent', async () => {
    const [early, late] = [await make('withdrawal'), await make('withdrawal')];
    expect(await receive(sent(early, { kind: 'broadcast_failed', txHash: null }))).toBe('step');
    const event = sent(late);
    await receive(event);
    expect(await receive({ ...event, kind: 'broadcast_failed', order: null })).toBe('step');
    for (const row of [early, late]) {
      expect(at(await rest(row))).toBe('send_withdrawl_dash/ERROR');
      await verified(row);
    }
  });
});

describe('payouts', () => {
  test('C-34: one that comes back whole is a step; again, or in part, it is in suspense', async () => {
    const [whole, part] = [await paidOut(), await paidOut()];
    const back = (row: ProcessRow, amount: string): RailEvent => ({
      kind: 'payout_returned',
      endToEndId: row.pixE2e as string,
      returnId: nameOf('D'),
      amount,
    });
    const event = back(whole, '100.00');
    expect([await receive(event), await receive(event)]).toEqual(['step', 'duplicate']);
    expect(at(await rest(whole))).toBe('success_withdrawl_dash/RETURNED');
    expect(await receive(back(whole, '100.00'))).toBe('suspense');
    expect(await receive(back(part, '40.00'))).toBe('suspense');
    expect(await suspenseOf(whole)).toMatchObject([{ reason: 'payout_returned', amount: '10000' }]);
    expect(await suspenseOf(part)).toMatchObject([{ reason: 'payout_returned', amount: '4000' }]);
    expect(at(await rest(part))).toBe('success_withdrawl_dash/DONE');
    await Promise.all([verified(whole), verified(part)]);
  });

  test('C-34: one that was not sent and comes back is booked with the platform', async () => {
    const platform = await platformAccount(store.database, 'live');
    const event = { kind: 'payout_returned', endToEndId: nameOf('E'), returnId: nameOf('D') } as const;
    expect(await receive({ ...event, amount: '1.00' })).toBe('suspense');
    const { rows } = await store.owner.query(
      'select amount_minor::text as a from suspense_entry where account_id = $1',
      [String(platform)],
    );
    expect(rows).toEqual([{ a: '100' }]);
  });

  test('C-34: rejected after it was settled: no step accepts it, it is in the list as failed, and can be reported again', async () => {
    const row = await paidOut();
    const event = { kind: 'payout_ended', order: orderOf(row), isDone: false, endToEndId: null } as const;
    lines.length = 0;
    expect(await receive(event)).toBe('pending');
    for (let turn = 0; turn < 12; turn++) await again();
    expect(await stored('payout_ended')).toMatchObject({
      outcome: 'failed',
      attempts: 10,
      due_at: null,
      last_error: 'it does not fit at success_withdrawl_dash/DONE',
    });
    expect(lines.map(({ tries: attempts }) => attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await receive(event)).toBe('pending');
    expect(at(await rest(row))).toBe('success_withdrawl_dash/DONE');
  });
});

describe('disputes', () => {
  test('C-34: found by the payment, and ended under the name that they were opened under', async () => {
    const row = await paid('onramp');
    expect(at(row)).toBe('success/DONE');
    expect(await receive(dispute(row, 'dispute_opened', 'MED-1'))).toBe('step');
    expect(await receive(dispute(row, 'dispute_opened', 'MED-2'))).toBe('pending');
    expect(await receive(dispute(row, 'dispute_accepted', 'MED-2'))).toBe('pending');
    expect(at(await rest(row))).toBe('dispute/OPEN');
    expect(await receive(dispute(row, 'dispute_rejected', 'MED-1'))).toBe('step');
    await again();
    expect(at(await rest(row))).toBe('dispute/ACCEPTED');
    await verified(row);
  });

  test('C-34: a second one waits while the first is open, and is accepted as soon as that ends', async () => {
    const row = await paid('onramp');
    await receive(dispute(row, 'dispute_opened', 'MED-7'));
    const second = dispute(row, 'dispute_opened', 'MED-8');
    expect(await receive(second)).toBe('pending');
    expect(await receive({ ...second, kind: 'dispute_accepted' })).toBe('pending');
    // Longer than a report waits that nobody takes.
    for (let turn = 0; turn < 11; turn++) await again();
    expect(await stored('dispute_opened')).toMatchObject({ outcome: 'pending', untaken: 0 });
    expect(await receive(dispute(row, 'dispute_rejected', 'MED-7'))).toBe('step');
    await retryRailEvents(live, log, Date.now());
    expect(at(await rest(row))).toBe('dispute/ACCEPTED');
    await verified(row);
  });

  test('C-33: each return by MED of a rail that also reports disputes is matched with one dispute about its amount', async () => {
    const row = await paid('onramp');
    const back = (amount: string): DisputeReturnEvent => ({
      ...{ kind: 'dispute_returned', returnId: nameOf('D'), endToEndId: row.pixE2e as string, amount },
    });
    // It may be told before its dispute, and waits for that.
    const early = back('100.00');
    expect(await receive(early)).toBe('pending');
    expect(await stored('dispute_returned')).toMatchObject({
      untaken: 1,
      last_error:
        '100.00 went back by MED, and no accepted dispute of this payment is without its return: somebody has to decide',
    });
    await receive({ ...dispute(row, 'dispute_opened', 'MED-20'), amount: '100' });
    for (let turn = 0; turn < 11; turn++) await again();
    expect(await stored('dispute_returned')).toMatchObject({ outcome: 'pending', untaken: 1 });
    await receive({ ...dispute(row, 'dispute_accepted', 'MED-20'), amount: '100' });
    await retryRailEvents(live, log, Date.now());
    expect(await stored('dispute_returned')).toMatchObject({ outcome: 'noted' });
    expect(await receive(early)).toBe('duplicate');
    // Two disputes more, of which one is about the same amount.
    for (const [name, amount] of [
      ['MED-21', '100'],
      ['MED-22', null],
    ] as const)
      for (const kind of ['dispute_opened', 'dispute_accepted'] as const)
        expect(await receive({ ...dispute(row, kind, name), amount })).toBe('step');
    expect(await receive(back('100.00'))).toBe('noted');
    expect(await receive(back('100.00'))).toBe('pending');
    for (let turn = 0; turn < 10; turn++) await again();
    expect(await stored('dispute_returned')).toMatchObject({
      outcome: 'failed',
      last_error: '100.00 went back by MED, and a dispute about 350.00 was accepted: somebody has to decide',
    });
    expect(await receive(back('350.00'))).toBe('noted');
    expect(at(await rest(row))).toBe('dispute/ACCEPTED');
    await verified(row);
  });

  test('C-33: parallel returns by MED are matched with a dispute one after the other', async () => {
    const row = await paid('onramp');
    for (const kind of ['dispute_opened', 'dispute_accepted'] as const)
      await receive({ ...dispute(row, kind, 'MED-23'), amount: '100' });
    const endToEndId = row.pixE2e as string;
    const told = await Promise.all(
      Array.from({ length: 4 }, () =>
        receive({ kind: 'dispute_returned', returnId: nameOf('D'), endToEndId, amount: '100.00' }),
      ),
    );
    expect(told.sort()).toEqual(['noted', 'pending', 'pending', 'pending']);
  });

  describe('beside a refund', () => {
    const returned = (row: ProcessRow, amount: string): DisputeReturnEvent => ({
      ...{ kind: 'dispute_returned', returnId: nameOf('D'), endToEndId: row.pixE2e as string, amount },
    });
    const ended = (row: ProcessRow, isDone: boolean): RailEvent => ({
      ...{ kind: 'refund_ended', rail: 'pix', endToEndId: row.pixE2e, isDone },
      ...{
        order: row.process?.returns?.at(0)?.returnId as string,
        networkFee: null,
        gas: null,
        txHash: null,
      },
    });
    const target = ({ accountId, id }: ProcessRow) => ({ accountId, transactionId: id });
    async function refunding(amount?: string): Promise<ProcessRow> {
      const row = await paid('onramp');
      const trigger = { on: 'payment_refunded', ...(amount && { amount }) } as const;
      expect((await live.advance({ target: target(row), trigger, author: MOVER })).code).toBe('ADVANCED');
      return rest(row);
    }
    const told = (row: ProcessRow, name: string, ...kinds: readonly DisputeEvent['kind'][]) =>
      kinds.reduce<Promise<string[]>>(
        async (before, kind) => [
          ...(await before),
          await receive({ ...dispute(row, kind, name), amount: '550.00' }),
        ],
        Promise.resolve([]),
      );
    const listed = ({ process }: ProcessRow) =>
      (process?.returns ?? []).map(({ kind, amount, state }) => `${kind} ${amount} ${state}`);
    /** What the bank and the payer have of it. */
    async function books({ accountId }: ProcessRow) {
      const { rows } = await store.owner.query(
        `select a.house || ' ' || b.balance as line from ledger_account a
           join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
          where a.account_id = $1 and a.currency = 'BRL' and a.house in ('A.pix', 'L.payer') order by 1`,
        [String(accountId)],
      );
      return rows.map(({ line }) => line);
    }
    const BOTH = ['dispute_opened', 'dispute_accepted'] as const;

    test('C-34: of a part: the dispute is booked whole when the part fails, whatever is reported first', async () => {
      for (const [name, isEarly] of [
        ['MED-30', true],
        ['MED-31', false],
      ] as const) {
        const row = await refunding('220.00');
        const before = await books(await paid('onramp'));
        expect(await told(row, name, ...BOTH)).toEqual(['step', 'step']);
        const back = returned(row, '550.00');
        if (isEarly) expect(await receive(back)).toBe('step');
        expect(await receive(ended(row, false))).toBe('step');
        if (!isEarly) expect(await receive(back)).toBe('noted');
        expect(await receive(back)).toBe('duplicate');
        const end = await rest(row);
        expect(listed(end)).toEqual(['part 220 credited_back', 'dispute 550 done']);
        expect(Number(/A.pix (\S+)/.exec((await books(row))[0] as string)?.[1])).toBe(
          Number(/A.pix (\S+)/.exec(before[0] as string)?.[1]) + 55_000,
        );
        expect((await cached(row)).filter((each) => /pending|failed/.test(each))).toEqual([]);
        await verified(row);
      }
    });

    test('C-34: of all: the dispute settles the debt to the payer, and nothing is ordered again', async () => {
      const row = await refunding();
      expect(at(row)).toBe('refund/INITIAL');
      expect(await told(row, 'MED-32', 'dispute_opened')).toEqual(['step']);
      expect(await receive(ended(row, false))).toBe('step');
      expect(at(await rest(row))).toBe('refund/ERROR');
      const again = { target: target(row), trigger: { on: 'refund_retried' }, author: MOVER } as const;
      expect((await live.advance(again)).code).toBe('STEP_CONFLICT');
      const back = returned(row, '550.00');
      expect(await receive(back)).toBe('pending');
      expect(await told(row, 'MED-32', 'dispute_accepted')).toEqual(['step']);
      expect(await receive(back)).toBe('noted');
      const end = await rest(row);
      expect([at(end), listed(end)]).toEqual(['refund/DONE', ['refund 550 paid_by_hand']]);
      expect((await live.advance(again)).code).toBe('STEP_CONFLICT');
      expect((await books(row)).find((line) => line.startsWith('L.payer'))).toBe('L.payer 0');
      expect((await cached(row)).filter((each) => /pending|failed/.test(each))).toEqual([]);
      await verified(row);
    });

    /** Ledger accounts of the house on which a transaction left something. */
    async function leftBy({ accountId, id }: ProcessRow) {
      const { rows } = await store.owner.query(
        `select a.house || ' ' || a.currency || ' ' || sum(l.delta) as line from journal j
           join ledger_line l on l.account_id = j.account_id and l.journal_id = j.id
           join ledger_account a on a.account_id = l.account_id and a.id = l.ledger_account_id
          where j.account_id = $1 and j.transaction_id = $2 and a.house is not null
          group by a.house, a.currency having sum(l.delta) <> 0 order by 1`,
        [String(accountId), String(id)],
      );
      return rows.map(({ line }) => line);
    }

    test('C-35: of the whole amount that was refunded nevertheless: the second payment is owed in BRL (L67), and reverses nothing', async () => {
      for (const [name, isEarly] of [
        ['MED-34', true],
        ['MED-35', false],
      ] as const) {
        const row = await refunding();
        expect(await told(row, name, ...BOTH)).toEqual(['step', 'step']);
        const [first, second] = isEarly
          ? [returned(row, '550.00'), ended(row, true)]
          : [ended(row, true), returned(row, '550.00')];
        expect([await receive(first), await receive(second)]).toEqual(['step', 'step']);
        const end = await rest(row);
        expect([at(end), listed(end)]).toEqual(['refund/DONE', ['refund 550 done', 'dispute 550 done']]);
        expect(await leftBy(row)).toEqual(['A.pix BRL 55000', 'A.recv BRL -55000']);
        await verified(row);
      }
    });
  });

  test('C-34: one that was rejected and is then accepted under the same name is opened again, and booked', async () => {
    const row = await paid('onramp');
    await receive(dispute(row, 'dispute_opened', 'MED-33'));
    await receive(dispute(row, 'dispute_rejected', 'MED-33'));
    expect(at(await rest(row))).toBe('dispute/REJECTED');
    expect(await receive(dispute(row, 'dispute_accepted', 'MED-33'))).toBe('step');
    const end = await rest(row);
    expect([at(end), end.process?.returns?.map(({ amount }) => amount)]).toEqual([
      'dispute/ACCEPTED',
      ['550'],
    ]);
    await verified(row);
  });

  test('C-34: about an unknown payment, and one in suspense: stored, and no step', async () => {
    const row = await paid('onramp');
    const second = pixFor(row);
    expect(await receive(second)).toBe('suspense');
    const stray = dispute({ ...row, pixE2e: second.endToEndId }, 'dispute_opened', 'MED-3');
    expect(await receive(stray)).toBe('pending');
    expect(await receive({ ...stray, disputeId: 'MED-4', endToEndId: nameOf('E') })).toBe('pending');
    await again();
    expect(at(await rest(row))).toBe('success/DONE');
  });

  test('C-34: found by the facts of its transaction if the event of the payment is no longer stored', async () => {
    const [row, out] = [await paid('onramp'), await paidOut()];
    await store.owner.query('delete from rail_news where account_id = any ($1)', [
      [String(row.accountId), String(out.accountId)],
    ]);
    expect(await receive(dispute(row, 'dispute_opened', 'MED-5'))).toBe('step');
    expect(at(await rest(row))).toBe('dispute/OPEN');
    const back = { endToEndId: out.pixE2e as string, returnId: nameOf('D'), amount: '100.00' };
    expect(await receive({ kind: 'payout_returned', ...back })).toBe('step');
    // A payout is no payment: nobody disputes it.
    expect(await receive(dispute(out, 'dispute_opened', 'MED-6'))).toBe('pending');
    await Promise.all([verified(row), verified(out)]);
  });

  test('C-34: a fraud report opens none: it is stored with the transaction', async () => {
    const row = await paid('onramp');
    const event: RailEvent = {
      kind: 'infraction',
      infractionId: 'INF-1',
      endToEndId: row.pixE2e as string,
      amount: null,
      reason: 'SCAM',
      reportedAt: new Date().toISOString(),
    };
    expect([await receive(event), await receive(event)]).toEqual(['noted', 'duplicate']);
    expect(await cached(row)).toEqual(['payment step', 'infraction noted']);
    expect(at(await rest(row))).toBe('success/DONE');
  });
});

test('C-34: a return is found by its payment and its id', async () => {
  const made = await make('onramp');
  expect(await receive(pixFor(made, { amount: '500.00' }))).toBe('step');
  const row = await rest(made);
  expect(at(row)).toBe('refund/INITIAL');
  const [{ returnId } = { returnId: '' }] = row.process?.returns ?? [];
  const end = {
    kind: 'refund_ended',
    rail: 'pix',
    networkFee: null,
    gas: null,
    txHash: null,
    endToEndId: row.pixE2e,
  } as const;
  expect(await receive({ ...end, order: nameOf('D'), isDone: true })).toBe('pending');
  expect(await receive({ ...end, order: returnId, isDone: true })).toBe('step');
  expect(at(await rest(row))).toBe('refund/DONE');
  await verified(row);
});
