/**
 * Goal: what is to be done is done once, in time and in order, whatever fails and whoever dies. Method: jobs in the
 * database, workers that die by not going on, leases that the owner ends, rails that fail or wait, the virtual clock.
 */
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Times } from '../../../src/base/access/account-mode.ts';
import { millisOf } from '../../../src/base/time/instant.ts';
import { createServices } from '../../../src/compose/services.ts';
import { RAIL_EVENT_JOB, settle, startWorker, type Worker } from '../../../src/resolvers/engine/run-jobs.ts';
import { railEventRecordOf } from '../../../src/resolvers/inbound/rail-events.ts';
import { emptyProcess, endOf } from '../../../src/resolvers/orders/create-transaction.ts';
import type { NewProcess } from '../../../src/resolvers/services/advance.ts';
import type { Services } from '../../../src/resolvers/services/context.ts';
import type { PaymentEvent, RailEvent } from '../../../src/resolvers/services/rail-event.ts';
import type { Sandbox } from '../../../src/resolvers/services/sandbox.ts';
import { createAccount } from '../../../src/store/account/accounts.ts';
import { openDatabase } from '../../../src/store/connection/connection.ts';
import type { Database } from '../../../src/store/connection/database.ts';
import {
  addJobs,
  claimJobs,
  endJobs,
  type Job,
  postponeJob,
  releaseUnknownJobs,
  renewLeases,
} from '../../../src/store/engine/jobs.ts';
import { readProcesses } from '../../../src/store/engine/processes.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { REGISTRY } from '../../../src/templates/index.ts';
import { useDatabase } from '../../support/database.ts';
import { fundAccount } from '../../support/fund-account.ts';
import { cpfOf } from '../../support/load.ts';
import { loseAnswer } from '../../support/lost-answers.ts';
import { SYSTEM_CLOCK } from '../../support/machine-clock.ts';
import { MOVER } from '../../support/mover.ts';
import { eventually } from '../../support/receiver.ts';

const store = useDatabase();
const SILENT = pino({ level: 'silent' });
const CONFIG = { publicUrl: 'http://127.0.0.1', exactIntegers: false, sandboxAuto: false };

let services: Services;
let sandbox: Sandbox;
let accountId: bigint;

beforeAll(async () => {
  services = newServices();
  sandbox = services.sandbox as Sandbox;
  const templates = REGISTRY.templates.map(({ name }) => name);
  accountId = await createAccount(store.database, 'Jobs', { templates });
  for (const currency of ['USDT_TRX', 'BRL'])
    await fundAccount(store.database, accountId, { currency, amount: '100000' });
});
afterEach(() => store.owner.query('delete from job'));

function newServices(database: Database = store.database): Services {
  return createServices({ database, registry: REGISTRY, config: CONFIG });
}

/** Services with parts of their own, which every account gets. */
function withParts(services: Services, parts: Partial<Pick<Services, 'advance' | 'clock'>>): Services {
  const own: Services = {
    ...services,
    ...parts,
    forAccount: async () => own,
    times: async () => ({ ...(await services.times()), sandbox: await own.clock.nowMs() }),
  };
  return own;
}

const PIX_KEY = { pixKey: 'ana@example.com', pixKeyType: 'email' };
const IN = { sourceCurrency: 'BRL', sourceAmount: '550.00', targetCurrency: 'USDT_TRX', fees: '12.50' };
const OUT = { sourceCurrency: 'USDT_TRX', sourceAmount: '100', targetCurrency: 'BRL', fees: '10.00' };
const WALLET = { wallet: 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD', networkFee: '1.00', targetAmount: '99' };
const MAKES = {
  onramp: ['onramp', { ...IN, targetAmount: '100' }],
  delivery: ['onramp_instant', { ...IN, ...WALLET }],
  payout: ['offramp', { ...OUT, targetAmount: '490.00', ...PIX_KEY }],
  deposit: ['offramp_instant', { ...OUT, targetAmount: '490.00', ...PIX_KEY }],
} as const satisfies Record<string, readonly [string, Partial<NewProcess>]>;

let customers = 0;

/** A transaction of a new customer as it is made: no job was done yet. */
async function make(what: keyof typeof MAKES, lifeSeconds = 1_800): Promise<ProcessRow> {
  const [template, facts] = MAKES[what];
  const nowMs = await services.clock.nowMs();
  const empty = emptyProcess(accountId, template, nowMs, null);
  customers += 1;
  const client = { clientName: 'Ana Souza', clientTaxId: cpfOf(customers) };
  const create = { ...empty, expiresAt: endOf(nowMs, lifeSeconds), ...client, ...facts };
  const made = await services.advance({
    target: { create: { ...create, process: { ...empty.process, isAccepted: true } } },
    trigger: { on: 'created' },
    author: MOVER,
  });
  return made.row;
}

const keyOf = ({ id }: ProcessRow) => ({ accountId, transactionId: id });

async function again(row: ProcessRow): Promise<ProcessRow> {
  const [now] = await readProcesses(store.database, [keyOf(row)]);
  return now as ProcessRow;
}

async function stepOf(row: ProcessRow): Promise<string> {
  const { component, state } = await again(row);
  return `${component}/${state}`;
}

/** Does what is due of a transaction, without waiting for anybody else. */
const run = (row: ProcessRow, by: Services = services) =>
  settle(by, SILENT, { only: keyOf(row), patienceMs: 0 });

/** Seconds go by, and what becomes due is done. */
async function pass(row: ProcessRow, seconds: number, by: Services = services): Promise<void> {
  for (let passed = 0; passed < seconds; passed++) {
    await sandbox.advanceClock(1_000);
    await run(row, by);
  }
}

/** What time it will be. */
async function inMs(ms: number): Promise<Times> {
  const { sandbox: sandboxMs, live } = await services.times();
  return { sandbox: sandboxMs + ms, live: live + ms };
}

/** A worker takes what is due of a transaction, and dies. Its leases last until `endLeases`, however slow the machine is. */
async function die(row: ProcessRow): Promise<Job[]> {
  const jobs = await claimJobs(store.database, {
    now: await services.times(),
    limit: 100,
    worker: services.worker,
    only: keyOf(row),
  });
  await holdLeases();
  return jobs;
}

const holdLeases = () =>
  store.owner.query(`update job set leased_until = clock_timestamp() + interval '1 hour'
    where leased_until is not null`);

/** Seconds after the deaths. */
const endLeases = () =>
  store.owner.query(`update job set leased_until = clock_timestamp() - interval '1 second'
    where leased_until is not null`);

interface JobRow {
  readonly kind: string;
  readonly attempts: number;
  readonly dueMs: number;
  readonly lastError: string | null;
}

async function jobsOf(row: ProcessRow): Promise<JobRow[]> {
  const { rows } = await store.owner.query(
    `select kind, attempts, due_at::text as due, last_error as "lastError" from job
      where transaction_id = $1 order by due_at, id`,
    [String(row.id)],
  );
  return rows.map(({ due, ...job }) => ({ ...job, dueMs: millisOf(due) }));
}

/** Jobs without a transaction that could take anything of them: for the store alone. */
async function addPlain(transactions: readonly number[]): Promise<void> {
  const dueMs = await services.clock.nowMs();
  await addJobs(
    store.database,
    transactions.map((transaction, at) => ({
      accountId,
      transactionId: BigInt(transaction),
      kind: `plain${at}`,
      payload: {},
      dueMs: dueMs - 1_000 + at,
    })),
    null,
  );
}

describe('leases', () => {
  const claim = async (limit = 100) =>
    (await claimJobs(store.database, { now: await inMs(1_000), limit, worker: null })).map(
      ({ kind, attempts }) => `${kind} ${attempts}`,
    );

  test('a job belongs to its worker until the lease ends; then it is claimed again, and counted', async () => {
    await addPlain([1]);
    expect(await claim()).toEqual(['plain0 1']);
    expect(await claim()).toEqual([]);
    await endLeases();
    expect(await claim()).toEqual(['plain0 2']);
    expect(await claim()).toEqual([]);
  });

  test('C-32: a worker releases only the jobs whose claim was not answered, and they do not count as attempted', async () => {
    await addPlain([1, 2, 3]);
    const claimAs = async (worker: string, limit: number) =>
      claimJobs(store.database, { now: await inMs(1_000), limit, worker: null, leasedBy: worker });
    const known = await claimAs('mine', 1);
    await claimAs('mine', 1);
    await claimAs('another', 1);
    await releaseUnknownJobs(store.database, 'mine', known);
    expect(await claim()).toEqual(['plain1 1']);
  });

  test.each([
    'mine',
    undefined,
  ])('C-32: a postponement that is repeated frees no later lease, held by %s', async (leasedBy) => {
    await addPlain([1]);
    const now = await inMs(1_000);
    const claimOne = async () =>
      (await claimJobs(store.database, { now, limit: 1, worker: null, leasedBy }))[0];
    const first = (await claimOne()) as Job;
    const postpone = { dueMs: now.sandbox - 1, error: 'away', isCounted: false };
    await postponeJob(store.database, first, postpone);
    const again = await claimOne();
    expect(again?.attempts).toBe(first.attempts);
    await postponeJob(store.database, first, postpone);
    expect(await claimOne()).toBeUndefined();
    // The same where the lease ended and the job was claimed once more.
    await endLeases();
    expect(await claimOne()).toMatchObject({ attempts: 2 });
    await postponeJob(store.database, again as Job, postpone);
    expect(await claimOne()).toBeUndefined();
  });

  test('C-51: jobs of a dead worker are free after six seconds; renewed ones stay leased', async () => {
    await addPlain([1, 2]);
    const now = await inMs(1_000);
    const taken = (by: string, afterMs: number, limit = 2) =>
      claimJobs(store.database, {
        now: { ...now, live: now.live + afterMs },
        limit,
        worker: null,
        leasedBy: by,
      });
    const dead = await taken('dead', 0, 1);
    const mine = await taken('mine', 0, 1);
    await renewLeases(store.database, 'mine', [...mine, ...dead], now.live + 4_000);
    expect(await taken('heir', 6_000)).toEqual([]);
    expect((await taken('heir', 6_001)).map(({ kind }) => kind)).toEqual(dead.map(({ kind }) => kind));
    expect(await taken('heir', 10_000)).toEqual([]);
    expect((await taken('heir', 10_001)).map(({ kind }) => kind)).toEqual(mine.map(({ kind }) => kind));
  });

  test('a job that is being ended is not waited for when leases are renewed', async () => {
    await addPlain([1, 2]);
    const now = await inMs(1_000);
    const mine = await claimJobs(store.database, { now, limit: 2, worker: null, leasedBy: 'mine' });
    const ending = await store.owner.connect();
    try {
      await ending.query('begin');
      await ending.query('delete from job where id = $1', [String(mine[0]?.id)]);
      await renewLeases(store.database, 'mine', mine, now.live + 60_000);
    } finally {
      await ending.query('commit');
      ending.release();
    }
    const { rows } = await store.owner.query('select leased_until from job where leased_by = $1', ['mine']);
    expect(rows.map((row) => row.leased_until.getTime())).toEqual([now.live + 66_000]);
  });

  test('C-32: a worker that lost a job to another one neither renews it nor postpones it', async () => {
    await addPlain([1]);
    const now = await inMs(1_000);
    const taken = async (by: string) =>
      claimJobs(store.database, { now, limit: 1, worker: null, leasedBy: by });
    const [lost] = await taken('slow');
    await endLeases();
    expect(await taken('heir')).toHaveLength(1);
    const leases = () => store.owner.query('select due_at, leased_until, leased_by, attempts from job');
    const { rows } = await leases();
    await renewLeases(store.database, 'slow', [lost as Job], now.live + 60_000);
    await postponeJob(store.database, lost as Job, { dueMs: now.sandbox, error: 'late', isCounted: false });
    expect((await leases()).rows).toEqual(rows);
  });

  test('however far the clock of the sandbox is ahead, a claim scans no timer of a live account', async () => {
    const live = await createAccount(store.database, 'Live', { templates: [], mode: 'live' });
    const nowMs = Date.now();
    const timers = Array.from({ length: 2_000 }, (_, at) => ({
      accountId: live,
      transactionId: BigInt(at),
      kind: 'timer',
      payload: {},
      dueMs: nowMs + 3_600_000 + at,
    }));
    await addJobs(store.database, timers, null);
    await store.owner.query('analyze job');
    const counted = {
      name: 'test_rows_read',
      text: `select sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::int8 as rows
        from pg_class where oid = 'job'::regclass
          or oid in (select indexrelid from pg_index where indrelid = 'job'::regclass)`,
    };
    const read = await store.database.withTx(async (tx) => {
      const now = { sandbox: nowMs + 10 * 365 * 86_400_000, live: nowMs };
      // The server counts on from what this connection did before.
      const count = async () => Number((await tx.query<{ rows: bigint }>(counted, []))[0]?.rows);
      const before = await count();
      expect(await claimJobs(tx, { now, limit: 100, worker: null })).toEqual([]);
      return (await count()) - before;
    });
    // What tests before this one deleted is still in the index and counts; the timers are many more.
    expect(read).toBeLessThan(timers.length / 4);
  });

  test('jobs are claimed in the order in which they become due, and not before', async () => {
    await addPlain([1, 2, 3, 4]);
    await store.owner.query(`update job set due_at = due_at + interval '1 hour' where kind = 'plain1'`);
    expect((await claim(2)).sort()).toEqual(['plain0 1', 'plain2 1']);
    expect(await claim()).toEqual(['plain3 1']);
    expect(await claim()).toEqual([]);
  });

  test('a job is claimed once the earlier ones of its transaction are done', async () => {
    await addPlain([1, 1, 2, 1]);
    expect((await claim()).sort()).toEqual(['plain0 1', 'plain2 1']);
    expect(await claim()).toEqual([]);
    const { rows } = await store.owner.query(`select id, transaction_id from job where kind = 'plain0'`);
    const [{ id, transaction_id: transactionId }] = rows;
    await endJobs(store.database, [{ accountId, id: BigInt(id), transactionId: BigInt(transactionId) }], 0);
    expect(await claim()).toEqual(['plain1 1']);
  });

  test('jobs of no transaction wait for none of the others, and each is renewed, postponed and ended separately', async () => {
    const now = await services.times();
    const kinds = ['none0', 'none1', 'none2'];
    await addJobs(
      store.database,
      kinds.map((kind) => ({ accountId, transactionId: null, kind, payload: {}, dueMs: now.sandbox })),
      null,
    );
    const taken = await claimJobs(store.database, { now, limit: 10, worker: null, leasedBy: 'mine' });
    expect(taken.map(({ kind, transactionId }) => [kind, transactionId]).sort()).toEqual(
      kinds.map((kind) => [kind, null]),
    );
    const [first, second, third] = taken as [Job, Job, Job];
    await renewLeases(store.database, 'mine', [first], now.live + 60_000);
    await postponeJob(store.database, second, { dueMs: now.sandbox, error: 'later', isCounted: true });
    expect(await endJobs(store.database, [third], now.sandbox)).toBe(false);
    await releaseUnknownJobs(store.database, 'mine', [first]);
    const { rows } = await store.owner.query(
      'select kind, leased_until > $1::timestamptz as renewed, last_error as error from job order by kind',
      [new Date(now.live + 60_000).toISOString()],
    );
    expect(rows).toEqual(
      [
        { kind: first.kind, renewed: true, error: null },
        { kind: second.kind, renewed: null, error: 'later' },
      ].sort((one, other) => one.kind.localeCompare(other.kind)),
    );
  });

  test('many parallel workers never get the same one', async () => {
    await addPlain(Array.from({ length: 100 }, (_, at) => at + 1));
    const taken = (await Promise.all(Array.from({ length: 20 }, () => claim(10)))).flat();
    expect(new Set(taken).size).toBe(taken.length);
    while (taken.length < 100) {
      const more = await claim(10);
      expect(more.length).toBeGreaterThan(0);
      taken.push(...more);
    }
    expect(new Set(taken).size).toBe(100);
  });
});

describe('two workers', () => {
  const workers: Worker[] = [];
  const databases: Database[] = [];
  afterEach(async () => {
    vi.restoreAllMocks();
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await Promise.all(databases.splice(0).map((database) => database.close()));
  });

  test('never do the same job in parallel, and do all of them once', async () => {
    const begun = new Map<string, number>();
    const running = new Set<string>();
    const twice: string[] = [];
    const places = new Set<number>();
    // One worker takes at most a hundred at once; until the other has some, nobody ends any.
    const both = Promise.withResolvers<void>();
    for (const place of [0, 1]) {
      const database = openDatabase(store.url);
      databases.push(database);
      const own = newServices(database);
      const { check } = own.rails.identity;
      replace(own.rails.identity, 'check', async (order) => {
        if (running.has(order.key)) twice.push(order.key);
        running.add(order.key);
        begun.set(order.key, (begun.get(order.key) ?? 0) + 1);
        places.add(place);
        if (places.size === 2) both.resolve();
        await both.promise;
        await setTimeout(20);
        const answer = await check(order);
        running.delete(order.key);
        return answer;
      });
      workers.push(startWorker(own, SILENT));
    }
    // More than one worker takes at once, and not so many that one waits for a connection longer than it may.
    const made = await Promise.all(Array.from({ length: 120 }, () => make('onramp')));
    for (const row of made) await untilPayable(row);
    expect(twice).toEqual([]);
    expect([...begun.values()].filter((times) => times > 1)).toEqual([]);
    expect(begun.size).toBe(120);
    expect(places.size).toBe(2);
  });

  test('continue with the jobs of a third one that died', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => make('onramp')));
    for (const row of made) expect(await die(row)).toHaveLength(1);
    for (const _ of [0, 1]) workers.push(startWorker(services, SILENT));
    const other = await make('onramp');
    await untilPayable(other);
    for (const row of made) expect(await stepOf(row)).toBe('valida_id/INITIAL');
    await endLeases();
    for (const row of made) await untilPayable(row);
  });

  test('C-51: one with long work renews its lease until it is done', async () => {
    const own = newServices();
    let go = () => {};
    const { check } = own.rails.identity;
    replace(own.rails.identity, 'check', async (order) => {
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      return check(order);
    });
    workers.push(startWorker({ ...own, worker: services.worker }, SILENT));
    const row = await make('onramp');
    const lease = async () => {
      const { rows } = await store.owner.query(
        'select leased_until as until from job where leased_until is not null and transaction_id = $1',
        [String(row.id)],
      );
      return rows[0]?.until.getTime() as number | undefined;
    };
    const first = await eventually('a lease', lease);
    await eventually('a longer lease', async () => ((await lease()) ?? 0) > first);
    go();
    await untilPayable(row);
  });

  test('C-32: jobs of a claim whose answer was lost are released as soon as the database answers, however late', async () => {
    const own = newServices();
    const { database, seen } = loseAnswer(store.database, {
      name: 'job_claim',
      refuses: 'job_give_back',
      whenLost: holdLeases,
    });
    workers.push(startWorker({ ...withParts({ ...own, database }, {}), worker: services.worker }, SILENT));
    await untilPayable(await make('onramp'));
    expect(seen).toEqual({ isLost: true, refused: 3 });
  });

  test('a stopped one finishes its jobs and claims no more', async () => {
    const own = newServices();
    let go = () => {};
    let isDone = false;
    const { check } = own.rails.identity;
    const begun = new Promise<void>((resolve) => {
      replace(own.rails.identity, 'check', async (order) => {
        resolve();
        await new Promise<void>((let_) => {
          go = let_;
        });
        isDone = true;
        return check(order);
      });
    });
    const worker = startWorker({ ...own, worker: services.worker }, SILENT);
    const row = await make('onramp');
    await begun;
    const stopped = worker.stop();
    const later = await make('onramp');
    go();
    await stopped;
    expect(isDone).toBe(true);
    expect((await again(row)).process?.brCode).toBeUndefined();
    expect((await jobsOf(later)).map(({ attempts }) => attempts)).toEqual([0, 0]);
    await run(row);
    expect(await stepOf(row)).toBe('depositpix/QRCODE');
  });
});

describe('the worker of the process that made a job', () => {
  test('claims it first; after half a second any worker does', async () => {
    const own = services.worker as number;
    const row = await make('onramp');
    const { rows } = await store.owner.query('select min(due_at) as due from job where transaction_id = $1', [
      String(row.id),
    ]);
    /** How many jobs of the transaction a worker is given, so long after the first of them was due. */
    const given = async (worker: number | null, lateMs: number) => {
      const now = { sandbox: rows[0].due.getTime() + lateMs, live: Date.now() };
      const jobs = await claimJobs(store.database, { now, limit: 100, worker });
      return jobs.filter(({ transactionId }) => transactionId === row.id).length;
    };
    expect([await given(null, 499), await given(own + 1, 499)]).toEqual([0, 0]);
    expect(await given(own, 499)).toBe(1);
    await endLeases();
    expect(await given(own + 1, 500)).toBe(1);
    await endLeases();
    await run(row);
  });
});

describe('a worker that died', () => {
  test('before it did anything: its job is done when the lease is over', async () => {
    const row = await make('onramp');
    await die(row);
    await run(row);
    expect(await stepOf(row)).toBe('valida_id/INITIAL');
    await endLeases();
    await run(row);
    expect(await stepOf(row)).toBe('depositpix/QRCODE');
  });

  test('after the charge was created: the customer sees that one', async () => {
    const own = newServices();
    const { createCharge } = own.rails.pix;
    const made: string[] = [];
    replace(own.rails.pix, 'createCharge', async (order) => {
      made.push(order.txid);
      return createCharge(order);
    });
    const row = await make('onramp');
    const advance = own.advance;
    const dying = withParts(own, { advance: dieAt(advance, 'charge_created') });
    void settle(dying, SILENT, { only: keyOf(row), patienceMs: 0 });
    await eventually('the charge', () => made.length > 0);
    await endLeases();
    await run(row, own);
    expect(made).toHaveLength(2);
    const { rows } = await store.owner.query(
      `select request ->> 'txid' as txid from sandbox_order where kind = 'charge' and account_id = $1 and transaction_id = $2`,
      [row.accountId, row.id],
    );
    expect(rows.map(({ txid }) => txid)).toEqual([(await again(row)).process?.txid]);
  });

  test('C-34: after the charge was created, and paid before its answer arrived: the transaction is paid', async () => {
    const own = newServices();
    const { createCharge } = own.rails.pix;
    let made = '';
    replace(own.rails.pix, 'createCharge', async (order) => {
      await createCharge(order);
      made = order.txid;
      return new Promise(() => {});
    });
    const row = await make('onramp');
    void settle(own, SILENT, { only: keyOf(row), patienceMs: 0 });
    await eventually('the charge', () => made !== '');
    const told = { ...payment('550.00', row), txid: made };
    const outcomes = [await services.receive(told), await services.receive(told)];
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['step', 'duplicate']);
    await endLeases();
    await pass(row, 10);
    expect(await path(row)).toMatch(
      /valida_id\/INITIAL depositpix\/QRCODE depositpix\/PAID .*success\/DONE$/,
    );
    expect(await journals(row, 'L1')).toBe(1);
  });

  test('C-34: after a deposit was watched for: the payer sees that one', async () => {
    const own = newServices();
    let watched: { depositAddress: string; exactDepositAmount: string } | undefined;
    replace(own.rails.chain, 'watchDeposit', async ({ address, exactAmount }) => {
      watched = { depositAddress: address, exactDepositAmount: exactAmount };
      return new Promise(() => {});
    });
    const row = await make('deposit');
    void settle(own, SILENT, { only: keyOf(row), patienceMs: 0 });
    await eventually('the watch', () => watched !== undefined);
    await endLeases();
    await run(row);
    expect(await again(row)).toMatchObject(watched ?? {});
    expect(await stepOf(row)).toBe('crypto_deposit/WAITING_DEPOSIT');
  });

  test('after the return was ordered: the payment is back all the same', async () => {
    const row = await payable('onramp');
    await sandbox.play(row, 'pay-under', { amount: undefined });
    const own = newServices();
    const { returnPayment } = own.rails.pix;
    let isOrdered = false;
    replace(own.rails.pix, 'returnPayment', async (order) => {
      await returnPayment(order);
      isOrdered = true;
      return new Promise(() => {});
    });
    void settle(own, SILENT, { only: keyOf(row), patienceMs: 0 });
    await eventually('the return', () => isOrdered);
    // The rail is done long before the lease of the dead is over.
    await pass(row, 20);
    await endLeases();
    await pass(row, 5);
    expect(await stepOf(row)).toBe('refund/DONE');
  });

  test('with the event of a transfer: later events are not lost', async () => {
    const row = await payable('delivery');
    await sandbox.play(row, 'pay', { amount: undefined });
    await run(row);
    expect(await stepOf(row)).toBe('crypto_out/INITIAL');
    await sandbox.advanceClock(750);
    expect((await die(row)).map(({ kind }) => kind)).toEqual([RAIL_EVENT_JOB]);
    await pass(row, 20);
    expect(await stepOf(row)).toBe('crypto_out/INITIAL');
    await endLeases();
    await pass(row, 5);
    expect(await stepOf(row)).toBe('success/DONE');
  });

  test('after it reported something: reported again, it is settled once', async () => {
    const row = await payable('onramp');
    const told = payment('550.00', row);
    await services.receive(told);
    await addRailEvent(row, told);
    await run(row);
    await pass(row, 10);
    expect(await stepOf(row)).toBe('success/DONE');
    expect(await journals(row, 'L1')).toBe(1);
    expect((await jobsOf(row)).filter(({ kind }) => kind === RAIL_EVENT_JOB)).toEqual([]);
  });
});

describe('rail events', () => {
  test('the same event is reported for one transaction of an account only', async () => {
    const rows = [await payable('onramp'), await payable('onramp')];
    const other = await payable('onramp');
    const told = payment('550.00', other);
    const { endToEndId, amount, settledAt, payerTaxId } = told;
    const trigger = { on: 'pix_received', endToEndId, amount, settledAt, payerTaxId } as const;
    const event = railEventRecordOf(services, told);
    // What is told while the engine is busy comes into one batch.
    const busy = services.advance({ target: keyOf(other), trigger: { on: 'cancelled' } });
    const outcomes = await Promise.all(
      rows.map((row) => services.advance({ target: keyOf(row), trigger, railEvent: event })),
    );
    await busy;
    expect(outcomes.map(({ code }) => code).sort()).toEqual(['ADVANCED', 'DUPLICATE']);
    const counts = await Promise.all(rows.map((row) => journals(row, 'L1')));
    expect(counts.sort()).toEqual([0, 1]);
  });
});

describe('timers', () => {
  const HOUR_MS = 3_600_000;

  test('follow the virtual clock: a session ends a minute after its time', async () => {
    const row = await payable('onramp');
    await sandbox.advanceClock(1_800_000 - 10_000);
    await run(row);
    await sandbox.advanceClock(40_000);
    await run(row);
    expect(await stepOf(row)).toBe('depositpix/QRCODE');
    await sandbox.advanceClock(40_000);
    await run(row);
    expect(await stepOf(row)).toBe('depositpix/EXPIRED');
    expect(await jobsOf(row)).toEqual([]);
  });

  test('an undecided step-up is denied after a day', async () => {
    const row = await make('onramp', 10 * 24 * 3_600);
    await sandbox.play(row, 'step-up-require', { amount: undefined });
    await run(row);
    await sandbox.advanceClock(23 * HOUR_MS);
    await run(row);
    expect(await stepOf(row)).toBe('valida_id/PENDING');
    await sandbox.advanceClock(HOUR_MS + 1_000);
    await run(row);
    expect(await stepOf(row)).toBe('valida_id/DENIED');
  });

  test('a timer of a step that was left has no effect when the step is reached again', async () => {
    const row = await make('onramp', 10 * 24 * 3_600);
    await sandbox.play(row, 'step-up-require', { amount: undefined });
    await run(row);
    await sandbox.play(await again(row), 'step-up-approve', { amount: undefined });
    await run(row);
    await sandbox.advanceClock(23 * HOUR_MS);
    await sandbox.play(await again(row), 'step-up-require', { amount: undefined });
    await sandbox.play(await again(row), 'pay', { amount: undefined });
    await run(row);
    expect(await stepOf(row)).toBe('valida_id/PENDING');
    // The first stay would have been over by now, the second one has hours to go.
    await sandbox.advanceClock(2 * HOUR_MS);
    await run(row);
    expect(await stepOf(row)).toBe('valida_id/PENDING');
    await sandbox.advanceClock(22 * HOUR_MS);
    await run(row);
    await pass(row, 5);
    expect(await stepOf(row)).toBe('refund/DONE');
  });
});

describe('an effect that fails', () => {
  /** Services on a clock that stands still. */
  function frozen() {
    const own = newServices();
    const time = { ms: Date.now() + 1_000_000_000_000 };
    return { own: withParts(own, { clock: { ...SYSTEM_CLOCK, nowMs: async () => time.ms } }), time };
  }

  /** Tries as often; gives how long it waited after each, in seconds. */
  async function waits(
    row: ProcessRow,
    kind: string,
    times: number,
    { own, time }: ReturnType<typeof frozen>,
  ) {
    const waited: number[] = [];
    for (let attempts = 0; attempts < times; attempts++) {
      await run(row, own);
      const job = (await jobsOf(row)).find((each) => each.kind === kind);
      if (!job) break;
      waited.push((job.dueMs - time.ms) / 1_000);
      time.ms = job.dueMs;
    }
    return waited;
  }

  test('is attempted five times, at growing intervals, and then waits for a person: a charge', async () => {
    const clock = frozen();
    replace(clock.own.rails.pix, 'createCharge', () =>
      Promise.reject(new Error(`no charges today ${'x'.repeat(600)}`)),
    );
    const row = await make('onramp');
    await run(row, clock.own);
    const [job] = (await jobsOf(row)).filter(({ kind }) => kind === 'create_charge');
    expect(job?.lastError).toMatch(/^no charges today x+$/);
    expect(job?.lastError).toHaveLength(500);
    clock.time.ms = job?.dueMs ?? 0;
    expect(await waits(row, 'create_charge', 10, clock)).toEqual([4, 16, 64]);
    expect(await stepOf(row)).toBe('depositpix/ERROR');
    expect((await jobsOf(row)).map(({ kind }) => kind)).not.toContain('create_charge');
  });

  test('that is the conversion: the payment is returned', async () => {
    const row = await payable('onramp');
    await sandbox.play(row, 'pay', { amount: undefined });
    const own = newServices();
    replace(own.rails.liquidity, 'convert', () => Promise.reject(new Error('no market')));
    for (let attempts = 0; attempts < 5; attempts++) {
      await run(row, own);
      await sandbox.advanceClock(100_000);
    }
    expect(await path(row)).toMatch(/swap_transfer\/INITIAL swap_transfer\/ERROR refund\/INITIAL/);
    await pass(row, 3);
    expect(await stepOf(row)).toBe('refund/DONE');
    expect(await journals(row, 'L4')).toBe(1);
  });

  test('and waits for no one is retried for ever, at last every six hours; then it continues', async () => {
    const clock = frozen();
    const { check } = clock.own.rails.identity;
    replace(clock.own.rails.identity, 'check', () => Promise.reject(new Error('nobody home')));
    // Its session lasts until after all of that, by the clock of the worker.
    const row = await make('onramp', 2_000_000_000);
    expect(await waits(row, 'check_identity', 12, clock)).toEqual([
      1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 21_600, 21_600, 21_600, 21_600,
    ]);
    replace(clock.own.rails.identity, 'check', check);
    await run(row, clock.own);
    expect(await stepOf(row)).toBe('depositpix/QRCODE');
  });

  test('only once is retried, and then succeeds', async () => {
    const row = await make('payout');
    const own = newServices();
    const { payOut } = own.rails.pix;
    let attempts = 0;
    replace(own.rails.pix, 'payOut', async (order) => {
      attempts += 1;
      await payOut(order);
      // Done, and not heard of.
      if (attempts === 1) throw new Error('the connection broke');
    });
    await run(row, own);
    await pass(row, 10, own);
    expect(attempts).toBe(2);
    expect(await stepOf(row)).toBe('success/DONE');
    expect(await journals(row, 'L22')).toBe(1);
  });

  test('in the database leaves the job for later, and does not count as an attempt', async () => {
    const row = await make('onramp');
    const own = newServices();
    const failing = withParts(own, { advance: () => Promise.reject(new Error('Connection terminated')) });
    await run(row, failing);
    expect((await jobsOf(row))[0]).toMatchObject({
      kind: 'check_identity',
      attempts: 0,
      lastError: 'Connection terminated',
    });
    await pass(row, 2);
    expect(await stepOf(row)).toBe('depositpix/QRCODE');
  });
});

/** Puts another method in a rail's place. */
function replace<Rail extends object, Name extends keyof Rail>(
  rail: Rail,
  name: Name,
  method: Rail[Name],
): void {
  rail[name] = method;
}

/** A transaction at its charge. */
async function payable(what: 'onramp' | 'delivery'): Promise<ProcessRow> {
  const row = await make(what);
  await run(row);
  expect(await stepOf(row)).toBe('depositpix/QRCODE');
  return again(row);
}

let payments = 0;

/** A payment to a charge; who paid is not told. */
function payment(amount: string, { process }: ProcessRow): PaymentEvent {
  payments += 1;
  const endToEndId = `E99999999202611211200${String(payments).padStart(11, '0')}`;
  const txid = process?.txid ?? null;
  return { kind: 'payment', txid, endToEndId, amount, settledAt: new Date().toISOString(), payerTaxId: null };
}

async function addRailEvent(row: ProcessRow, event: RailEvent): Promise<void> {
  const dueMs = await services.clock.nowMs();
  await addJobs(store.database, [{ ...keyOf(row), kind: RAIL_EVENT_JOB, payload: event, dueMs }], null);
}

async function journals(row: ProcessRow, name: string): Promise<number> {
  const { rows } = await store.owner.query(
    'select count(*)::int as count from journal where account_id = $1 and transaction_id = $2 and name = $3',
    [String(accountId), String(row.id), name],
  );
  return rows[0].count;
}

async function path(row: ProcessRow): Promise<string> {
  const { rows } = await store.owner.query(
    `select component || '/' || state as step from event where account_id = $1 and transaction_id = $2 order by seq`,
    [String(accountId), String(row.id)],
  );
  return rows.map(({ step }) => step).join(' ');
}

const untilPayable = (row: ProcessRow) =>
  eventually(`${row.end2end} can be paid`, async () => (await stepOf(row)) === 'depositpix/QRCODE');

/** The worker dies where it would have told this: it never comes back. */
function dieAt(advance: Services['advance'], on: string): Services['advance'] {
  return (request) => (request.trigger.on === on ? new Promise(() => {}) : advance(request));
}
