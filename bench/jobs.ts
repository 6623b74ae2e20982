/**
 * Jobs stored, taken and ended in PostgreSQL: by the statements of the engine, and by pg-boss. Both store jobs in the same
 * portions, take and end them in the same portions, and do nothing in between. Alternating rounds; medians. The engine's jobs
 * can do more: those of one transaction come in order, and are stored with the step that causes them.
 *
 * `npm run jobs -- --jobs 20000 --rounds 3 [--check]`
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { createAccount } from '../src/store/account/accounts.ts';
import { openDatabase } from '../src/store/connection/connection.ts';
import type { Database } from '../src/store/connection/database.ts';
import { addJobs, claimJobs, endJobs } from '../src/store/engine/jobs.ts';
import { clusterCpu, machine, parentOf } from './cpu.ts';
import { withWriteServer } from './environment.ts';
import { goal, publish } from './report.ts';
import { count, median, ratio } from './table.ts';

/** A queue. */
interface Queue {
  readonly store: (from: number, to: number) => Promise<void>;
  /** Takes a portion and ends it. @returns how many jobs it had. */
  readonly work: () => Promise<number>;
}

/** One run, for each job. Unit of CPU time: µs. */
interface Run {
  readonly perSecond: number;
  readonly nodeUs: number;
  readonly postgresUs: number;
}

const STORED_AT_ONCE = 10;
const TAKEN_AT_ONCE = 100;
const STORERS = 4;
const WORKERS = 4;
const WORKER = 'bench';
const NAME = 'bench';

async function openEngine(database: Database): Promise<Queue> {
  const accountId = await createAccount(database, 'Jobs', { templates: [] });
  return {
    store: (from, to) =>
      database.withTx((tx) => {
        const jobs = Array.from({ length: to - from }, (_, at) => ({
          accountId,
          transactionId: BigInt(from + at + 1),
          kind: 'bench',
          payload: { n: from + at },
          dueMs: Date.now() - 1_000,
        }));
        return addJobs(tx, jobs, null);
      }),
    work: async () => {
      const nowMs = Date.now();
      const now = { sandbox: nowMs, live: nowMs };
      const jobs = await claimJobs(database, { now, limit: TAKEN_AT_ONCE, worker: 0, leasedBy: WORKER });
      if (jobs.length > 0) await endJobs(database, jobs, nowMs);
      return jobs.length;
    },
  };
}

async function openBoss(url: string): Promise<{ queue: Queue; stop: () => Promise<void> }> {
  const boss = new PgBoss({
    connectionString: url,
    max: STORERS + WORKERS,
    supervise: false,
    schedule: false,
  });
  boss.on('error', (error) => {
    throw error;
  });
  await boss.start();
  await boss.createQueue(NAME);
  const queue = {
    store: async (from: number, to: number) => {
      const jobs = Array.from({ length: to - from }, (_, at) => ({ data: { n: from + at } }));
      await boss.insert(NAME, jobs);
    },
    work: async () => {
      const jobs = await boss.fetch(NAME, { batchSize: TAKEN_AT_ONCE });
      if (jobs.length > 0)
        await boss.complete(
          NAME,
          jobs.map(({ id }) => id),
        );
      return jobs.length;
    },
  };
  return { queue, stop: () => boss.stop({ graceful: false }) };
}

/** Stores all, while workers take them. */
async function run({ store, work }: Queue, jobs: number, postmaster: number): Promise<Run> {
  const before = { node: process.cpuUsage(), postgres: clusterCpu(postmaster), at: performance.now() };
  let next = 0;
  let done = 0;
  const storer = async () => {
    while (next < jobs) {
      const from = next;
      next = Math.min(jobs, next + STORED_AT_ONCE);
      await store(from, next);
    }
  };
  const worker = async () => {
    while (done < jobs) {
      const ended = await work();
      done += ended;
    }
  };
  await Promise.all([...Array.from({ length: STORERS }, storer), ...Array.from({ length: WORKERS }, worker)]);
  if (done !== jobs) throw new Error(`${done} jobs were done in place of ${jobs}`);
  const { user, system } = process.cpuUsage(before.node);
  return {
    perSecond: (jobs * 1_000) / (performance.now() - before.at),
    nodeUs: (user + system) / jobs,
    postgresUs: (clusterCpu(postmaster) - before.postgres) / jobs,
  };
}

async function measure(url: string, jobs: number, rounds: number): Promise<Map<string, Run[]>> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const database = openDatabase(url, { connections: STORERS + WORKERS });
  const { queue: boss, stop } = await openBoss(url);
  try {
    const { rows } = await owner.query('select pg_backend_pid() as pid');
    const postmaster = parentOf(rows[0].pid);
    const queues = [
      ['engine', await openEngine(database)],
      ['pg-boss', boss],
    ] as const;
    const runs = new Map(queues.map(([name]) => [name as string, [] as Run[]]));
    for (const [, queue] of queues) await run(queue, Math.min(jobs, 1_000), postmaster);
    for (let round = 0; round < rounds; round += 1) {
      await owner.query('vacuum (analyze)');
      for (const [name, queue] of round % 2 ? queues.toReversed() : queues)
        runs.get(name)?.push(await run(queue, jobs, postmaster));
    }
    return runs;
  } finally {
    await stop();
    await database.close();
    await owner.end();
  }
}

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '3' },
    check: { type: 'boolean', default: false },
  },
});
console.log(machine());
const runs = await withWriteServer({ fsync: true }, (url) =>
  measure(url, Number(values.jobs), Number(values.rounds)),
);
const cpuOf = ({ nodeUs, postgresUs }: Run) => nodeUs + postgresUs;
const [engine = [], boss = []] = [runs.get('engine'), runs.get('pg-boss')];
const ratios = boss.map((each, round) => cpuOf(each) / cpuOf(engine[round] as Run));
publish(
  {
    goals: [goal(0, 'jobs per CPU second beside pg-boss', { least: 1 }, median(ratios), ratio)],
    sections: [
      {
        title: `${count(Number(values.jobs))} jobs, stored ${STORED_AT_ONCE} at once, taken and ended ${TAKEN_AT_ONCE} at once`,
        headings: ['Queue', 'Rounds', 'Jobs/s', 'least to greatest', 'CPU µs of each, Node \\| PostgreSQL'],
        rows: [...runs].map(([name, all]) => {
          const of = (value: (run: Run) => number) => count(median(all.map(value)));
          const rates = all.map(({ perSecond }) => perSecond);
          return [
            name,
            String(all.length),
            of(({ perSecond }) => perSecond),
            `${count(Math.min(...rates))} to ${count(Math.max(...rates))}`,
            `${of(({ nodeUs }) => nodeUs)} \\| ${of(({ postgresUs }) => postgresUs)}`,
          ];
        }),
      },
    ],
  },
  values.check,
);
