/**
 * Goal: the worker of a process begins what its engine stores without looking for it, and what is handed over is lost by no
 * crash and done by nobody else meanwhile (C-51). Method: a receiver in place of the worker, which does nothing, or a worker
 * whose claims are counted.
 */
import { pino } from 'pino';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createServices } from '../../../src/compose/services.ts';
import { settle, startWorker, type Worker } from '../../../src/resolvers/engine/run-jobs.ts';
import { emptyProcess, endOf } from '../../../src/resolvers/orders/create-transaction.ts';
import type { Services } from '../../../src/resolvers/services/context.ts';
import type { HandedJob } from '../../../src/resolvers/services/local-dispatch.ts';
import { createAccount } from '../../../src/store/account/accounts.ts';
import type { Database } from '../../../src/store/connection/database.ts';
import { CommitUnknownError } from '../../../src/store/connection/database-error.ts';
import { addHandedJobs, addJobs, claimJobs, endJobs } from '../../../src/store/engine/jobs.ts';
import { readProcesses } from '../../../src/store/engine/processes.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { REGISTRY } from '../../../src/templates/index.ts';
import { useDatabase } from '../../support/database.ts';
import { holdAccounts } from '../../support/hold-accounts.ts';
import { cpfOf } from '../../support/load.ts';
import { eventually } from '../../support/receiver.ts';

const store = useDatabase();
const SILENT = pino({ level: 'silent' });
const CONFIG = { publicUrl: 'http://127.0.0.1', exactIntegers: false, sandboxAuto: false };
const workers: Worker[] = [];
let accountId: bigint;
let customers = 0;

const addAccount = () =>
  createAccount(store.database, 'Handed', { templates: REGISTRY.templates.map(({ name }) => name) });

beforeAll(async () => {
  accountId = await addAccount();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await store.owner.query('delete from job');
});

/** Services over a database that notes the names of its statements. */
function newServices(): { services: Services; sent: string[] } {
  const sent: string[] = [];
  const query: Database['query'] = (statement, values) => {
    sent.push(statement.name);
    return store.database.query(statement, values);
  };
  const database = { ...store.database, query };
  return { services: createServices({ database, registry: REGISTRY, config: CONFIG }), sent };
}

async function make(
  { advance, clock }: Services,
  atomically?: () => Promise<void>,
  owner = accountId,
): Promise<ProcessRow> {
  const nowMs = await clock.nowMs();
  const empty = emptyProcess(owner, 'onramp', nowMs, null);
  customers += 1;
  const create = {
    ...empty,
    ...{ sourceCurrency: 'BRL', sourceAmount: '550.00', targetCurrency: 'USDT_TRX', fees: '12.50' },
    ...{ targetAmount: '100', clientName: 'Ana Souza', clientTaxId: cpfOf(customers) },
    expiresAt: endOf(nowMs, 1_800),
    process: { ...empty.process, isAccepted: true },
  };
  const trigger = { on: 'created' } as const;
  return (await advance({ target: { create }, trigger, ...(atomically && { atomically }) })).row;
}

/** A worker that takes what it is handed, and dies of it. */
function dying({ localDispatch }: Services, room = 10): HandedJob[] {
  const handed: HandedJob[] = [];
  localDispatch.receiver = {
    holder: 'dying',
    room: () => room,
    begin: (each) => void handed.push(each),
    doubt: () => {},
  };
  return handed;
}

const keyOf = ({ accountId, id }: ProcessRow) => ({ accountId, transactionId: id });
const run = (services: Services, row: ProcessRow) =>
  settle(services, SILENT, { only: keyOf(row), patienceMs: 0 });
const endLeases = () =>
  store.owner.query(
    `update job set leased_until = clock_timestamp() - interval '1 second' where leased_until is not null`,
  );

async function stepOf(row: ProcessRow): Promise<string> {
  const [now] = await readProcesses(store.database, [keyOf(row)]);
  return `${now?.component}/${now?.state}`;
}

test('a worker makes a transaction payable without claiming a job or reading it again', async () => {
  const { services, sent } = newServices();
  workers.push(startWorker(services, SILENT));
  const row = await make(services);
  await eventually('the charge', async () => (await stepOf(row)) === 'depositpix/QRCODE');
  expect(sent).not.toContain('process_read');
});

test('C-51: jobs dispatched to a process that died are done by another one when the lease ends, with the transaction unchanged', async () => {
  const { services } = newServices();
  const handed = dying(services);
  const row = await make(services);
  expect(handed.map(({ job }) => [job.kind, job.attempts, job.leasedBy])).toEqual([
    ['check_identity', 1, 'dying'],
  ]);
  const [stored] = await readProcesses(store.database, [keyOf(row)]);
  const published = (each?: ProcessRow) =>
    each && [services.render(each), JSON.parse(JSON.stringify(each.process))];
  expect(published(handed[0]?.row)).toEqual(published(stored));
  const another = newServices().services;
  await run(another, row);
  expect(await stepOf(row)).toBe('valida_id/INITIAL');
  await endLeases();
  await run(another, row);
  expect(await stepOf(row)).toBe('depositpix/QRCODE');
});

test('C-51: jobs of a commit without an answer are released, and done as soon as the database answers', async () => {
  let isLost = false;
  const database: Database = {
    ...store.database,
    withTx: async (work) => {
      const result = await store.database.withTx(work);
      if (isLost) return result;
      isLost = true;
      // Their leases would last beyond this test.
      await store.owner.query(
        `update job set leased_until = now() + interval '1 hour' where leased_until is not null`,
      );
      throw new CommitUnknownError('the commit was not answered');
    },
  };
  const services = createServices({ database, registry: REGISTRY, config: CONFIG });
  workers.push(startWorker(services, SILENT));
  await expect(make(services)).rejects.toThrow(CommitUnknownError);
  await eventually('the charge', async () => {
    const { rows } = await store.owner.query('select state from transaction order by id desc limit 1');
    return rows[0].state === 'QRCODE';
  });
});

test('C-51: a job released before its commit is answered, and claimed, is not started again when it is dispatched', async () => {
  const checked: unknown[] = [];
  let isHeld = true;
  const database: Database = {
    ...store.database,
    query: (statement, values) => {
      const isCheck = `${values[0]}`.includes('"kind":"identity"');
      if (statement.name === 'sandbox_place_orders' && isCheck) checked.push(values);
      return store.database.query(statement, values);
    },
    withTx: async (work) => {
      const result = await store.database.withTx(work);
      if (isHeld) await eventually('the claim', async () => checked.length > 0);
      isHeld = false;
      return result;
    },
  };
  const services = createServices({ database, registry: REGISTRY, config: CONFIG });
  workers.push(startWorker(services, SILENT));
  services.localDispatch.receiver?.doubt();
  const row = await make(services);
  await eventually('the charge', async () => (await stepOf(row)) === 'depositpix/QRCODE');
  expect(checked).toHaveLength(1);
});

test('a batch that is rolled back dispatches nothing', async () => {
  const { services } = newServices();
  const handed = dying(services);
  const failing = make(services, async () => {
    throw new Error('not this one');
  });
  await expect(failing).rejects.toThrow('not this one');
  expect(handed).toEqual([]);
});

test('a worker without room gets no dispatched job, and the job is free for the first worker', async () => {
  const { services } = newServices();
  const handed = dying(services, 0);
  const row = await make(services);
  expect(handed).toEqual([]);
  await run(services, row);
  expect(await stepOf(row)).toBe('depositpix/QRCODE');
});

test('a worker that is busy with dispatched jobs still claims others', async () => {
  const held = Promise.withResolvers<void>();
  const query: Database['query'] = async (statement, values) => {
    if (statement.name === 'sandbox_place_orders') await held.promise;
    return store.database.query(statement, values);
  };
  const database = { ...store.database, query };
  const services = createServices({ database, registry: REGISTRY, config: CONFIG });
  workers.push(startWorker(services, SILENT));
  try {
    await Promise.all(Array.from({ length: 120 }, () => make(services)));
    const { rows: handed } = await store.owner.query(
      'select count(*)::int as n from job where leased_until is not null',
    );
    expect(handed[0].n).toBeGreaterThan(100);
    // As a timer that is due, or what another process stored.
    const dueMs = (await services.clock.nowMs()) - 1_000;
    await addJobs(store.database, [{ accountId, transactionId: 1n, kind: 'none', payload: {}, dueMs }], null);
    await eventually('it is taken', async () => {
      const { rows } = await store.owner.query(`select attempts from job where kind = 'none'`);
      return rows[0]?.attempts > 0;
    });
  } finally {
    held.resolve();
  }
});

test('C-51: due jobs of a locked account leave room for those of others', async () => {
  const { services } = newServices();
  const other = await addAccount();
  // More than a worker takes from the queue at once, and due before the job of the other account.
  await Promise.all(Array.from({ length: 120 }, () => make(services)));
  const row = await make(services, undefined, other);
  const held = await holdAccounts(store.owner, accountId);
  try {
    workers.push(startWorker(services, SILENT));
    await eventually('the charge', async () => (await stepOf(row)) === 'depositpix/QRCODE');
    const { rows } = await store.owner.query(
      'select count(*)::int as n from job where last_error is not null',
    );
    expect(rows[0].n, 'jobs that gave their room back').toBe(0);
  } finally {
    await held.release();
  }
});

test('a job waits for earlier due jobs of its transaction, and is woken when they end', async () => {
  const dueMs = Date.now() - 1_000;
  const job = (kind: string, transactionId: bigint) => ({
    accountId,
    transactionId,
    kind,
    payload: {},
    dueMs,
  });
  await addJobs(store.database, [job('first', 901n)], null);
  const jobs = [job('second', 901n), job('alone', 902n), job('later', 902n)];
  const leased = await addHandedJobs(store.database, jobs, null, {
    jobs: new Set(jobs.slice(0, 2)),
    holder: 'mine',
    nowMs: Date.now(),
  });
  expect(leased.map(({ kind, attempts, leasedBy }) => [kind, attempts, leasedBy])).toEqual([
    ['alone', 1, 'mine'],
  ]);
  const now = { sandbox: Date.now(), live: Date.now() };
  const claim = () => claimJobs(store.database, { now, limit: 10, worker: null });
  const [first, ...others] = await claim();
  expect([first?.kind, others]).toEqual(['first', []]);
  expect(await endJobs(store.database, first ? [first] : [], now.sandbox)).toBe(true);
  const [second] = await claim();
  expect(second?.kind).toBe('second');
  expect(await endJobs(store.database, second ? [second] : [], now.sandbox)).toBe(false);
});

test('C-32: a worker that is woken repeatedly scans for new jobs, and from time to time for all', async () => {
  const since = new Set<unknown>();
  const query: Database['query'] = (statement, values) => {
    if (statement.name === 'job_claim') since.add(values[8]);
    return store.database.query(statement, values);
  };
  const database = { ...store.database, query };
  const services = createServices({ database, registry: REGISTRY, config: CONFIG });
  workers.push(startWorker(services, SILENT));
  await eventually('looks for all, and for what is new', () => {
    services.notifier.notify([accountId]);
    return since.has('-infinity') && since.size > 1;
  });
  // It has been due for an hour, and was not there when it was looked.
  const dueMs = (await services.clock.nowMs()) - 3_600_000;
  await addJobs(store.database, [{ accountId, transactionId: 1n, kind: 'none', payload: {}, dueMs }], null);
  await eventually('it is taken', async () => {
    services.notifier.notify([accountId]);
    const { rows } = await store.owner.query('select attempts from job');
    return rows[0]?.attempts !== 0;
  });
});
