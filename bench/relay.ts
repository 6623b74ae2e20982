/**
 * What a step of those who work and follow costs the database, with many accounts beside few: the relay, with a log of many events
 * behind it, the lease of deliveries while something waits for many endpoints, the claim of jobs while many wait for their time,
 * and the look at accounts that are followed. Of a hundred times each, one at a time; and the start of a gateway on that database. Commits
 * are not flushed: what the disk takes is not counted.
 *
 * `npm run relay -- --events 1000000 --endpoints 10000 --accounts 10000 --few 100 --starts 3 [--check]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createAccount } from '../src/store/account/accounts.ts';
import { openDatabase } from '../src/store/connection/connection.ts';
import type { Database } from '../src/store/connection/database.ts';
import { addJobs, claimJobs, endJobs } from '../src/store/engine/jobs.ts';
import { type Head, recordEvents } from '../src/store/engine/processes.ts';
import { readMarks } from '../src/store/events/events.ts';
import { leaseDeliveries } from '../src/store/webhooks/deliveries.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { relayAccounts, relayAll } from '../src/webhooks/relay.ts';
import { SYSTEM_CLOCK } from '../test/support/machine-clock.ts';
import { machine } from './cpu.ts';
import { withWriteServer } from './environment.ts';
import { ask, endGateway, startGateway } from './gateway-process.ts';
import { goal, publish, type Report } from './report.ts';
import { count, median, ratio } from './table.ts';

/** Accounts that are made at once. */
const PARALLEL_MAX = 4;
/** Accounts that have something new together. */
const TOGETHER = 100;
const EVENTS_PER_TRANSACTION = 7;
const TIMES = 100;
/** Milliseconds that the median of a relay step may take. */
const GOAL_MS = 3;
/** How many times as long a step may take with many accounts. */
const GROWTH = 2;

/** Steps of one kind. Unit: ms. */
interface Steps {
  readonly name: string;
  readonly times: readonly number[];
  readonly hasGoal: boolean;
}

/** How large a database is. */
interface Size {
  readonly accounts: number;
  readonly events: number;
  readonly endpoints: number;
  /** How often a gateway is started on it. */
  readonly starts: number;
}

/** Accounts with a log of events that were all relayed, of transactions that were done; an endpoint each. */
const SEED = [
  `insert into webhook_endpoint (account_id, id, url, kind, created_at)
     select a, 'e', 'http://127.0.0.1:9/', 'general', now() from unnest($1::bigint[]) a`,
  `insert into transaction (account_id, id, end2end, template, family, list_seq, component, state, created_at, updated_at)
     select a, n, concat('T', a, '-', n), 'onramp', 'onramp', n, 'quote', 'created', now(), now()
       from unnest($1::bigint[]) a, generate_series(1, ceil($2::numeric / ${EVENTS_PER_TRANSACTION})::int) n`,
  `with head as (update account_head set event_seq = $2::int where account_id = any ($1))
   insert into event (account_id, seq, name, transaction_id, sequence, component, state, occurred_at, payload)
     select a, n, 'onramp.payment.paid', 1 + (n - 1) / ${EVENTS_PER_TRANSACTION}, 1 + (n - 1) % ${EVENTS_PER_TRANSACTION}, 'payment', 'paid',
         now(), repeat('x', 200) from unnest($1::bigint[]) a, generate_series(1, $2::int) n`,
  `update relay_place set seq = $2::int where account_id = any ($1)`,
  `delete from relay_queue where account_id = any ($1) and seq <= $2::int`,
];
/** Endpoints for each of which a delivery waits: for its time, or because the endpoint is blocked. */
const WAITING = [
  `insert into webhook_endpoint (account_id, id, url, kind, template, blocked_until, created_at)
     select ($1::bigint[])[1 + n % cardinality($1)], 'wait-' || n, 'http://127.0.0.1:9/', 'template', 'offramp',
         case when n % 2 = 0 then now() + interval '1 day' end, now() from generate_series(1, $2::int) n`,
  `insert into webhook_delivery (account_id, endpoint_id, event_seq, transaction_id, due_at, created_at)
     select account_id, id, 1, 1, case when blocked_until is null then now() + interval '1 day' else now() end, now()
       from webhook_endpoint where id like 'wait-%' and $2::int > 0 and cardinality($1::bigint[]) > 0`,
  `insert into webhook_turn (account_id, endpoint_id, at)
     select account_id, id, now() from webhook_endpoint where id like 'wait-%' and $2::int > 0 and cardinality($1::bigint[]) > 0`,
];

/** Jobs that wait for a later time: one for each transaction of the seed. */
const LATER = [
  `insert into job (account_id, transaction_id, kind, payload, due_at, is_live)
     select account_id, id, 'bench', '{}', now() + interval '1 day', false from transaction
      where account_id = any ($1) and $2::int > 0`,
];

async function seed(owner: pg.Client, database: Database, size: Size): Promise<bigint[]> {
  const accountIds: bigint[] = [];
  const templates = REGISTRY.templates.map(({ name }) => name);
  while (accountIds.length < size.accounts) {
    const names = Array.from(
      { length: Math.min(PARALLEL_MAX, size.accounts - accountIds.length) },
      (_, n) => `Account ${accountIds.length + n}`,
    );
    const made = names.map((name) => createAccount(database, name, { templates, mode: 'sandbox' }));
    accountIds.push(...(await Promise.all(made)));
  }
  await fill(owner, [...SEED, ...LATER], accountIds, Math.ceil(size.events / size.accounts));
  return accountIds;
}

async function fill(owner: pg.Client, texts: readonly string[], accountIds: readonly bigint[], size: number) {
  for (const text of texts) {
    const values = [accountIds.map(String), size];
    await owner.query(text, text.includes('$2') ? values : values.slice(0, 1));
  }
  await owner.query('vacuum (analyze)');
}

/** One event, as the engine appends it. */
function append(database: Database, accountId: bigint): Promise<void> {
  return database.withTx(async (tx) => {
    const [head] = await tx.query<Head>(
      {
        name: 'bench_lock',
        text: `select account_id as "accountId", transaction_id as "transactionId", event_seq as "eventSeq",
            audit_seq as "auditSeq", audit_hash as "auditHash" from account_head where account_id = $1 for update`,
      },
      [accountId],
    );
    if (!head) throw new Error('there is no such account');
    const seq = head.eventSeq + 1n;
    const event = {
      name: 'onramp.payment.paid',
      component: 'payment',
      state: 'paid',
      body: { form: null, payload: 'x'.repeat(200) },
    };
    const record = {
      ...event,
      accountId,
      seq,
      transactionId: 1n,
      sequence: Number(seq),
      occurredAt: new Date().toISOString(),
    };
    await recordEvents(tx, [record], [{ ...head, eventSeq: seq }]);
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function steps(
  name: string,
  hasGoal: boolean,
  before: (n: number) => Promise<unknown>,
  step: (n: number) => Promise<unknown>,
): Promise<Steps> {
  const times: number[] = [];
  for (let n = -10; n < TIMES; n += 1) {
    await before(n);
    const time = await timed(() => step(n));
    if (n >= 0) times.push(time);
  }
  return { name, times, hasGoal };
}

/** From the start of the process until its first answer. */
async function starts(url: string, most: number): Promise<Steps> {
  const home = mkdtempSync(join(tmpdir(), 'crossramp-start-'));
  const times: number[] = [];
  try {
    for (let n = -1; n < most; n += 1) {
      const began = performance.now();
      const gateway = await startGateway(url, home);
      try {
        const { status } = await ask(gateway, '/v2/balance');
        if (status !== 200) throw new Error(`the first answer was ${status}`);
        if (n >= 0) times.push(performance.now() - began);
      } finally {
        await endGateway(gateway);
      }
    }
    return { name: 'start of a gateway, until its first answer', times, hasGoal: false };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function run(url: string, size: Size): Promise<Steps[]> {
  const database = openDatabase(url, { connections: 4 });
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const nothing = async () => {};
  const services = { database, mode: 'sandbox' as const, clock: SYSTEM_CLOCK };
  const lease = () =>
    leaseDeliveries(database, {
      mode: 'sandbox',
      nowMs: Date.now(),
      machineMs: Date.now(),
      worker: 'bench',
      limit: 256,
    });
  try {
    const accountIds = await seed(owner, database, size);
    // Before anything is due: the endpoints are of no use to a gateway that works.
    const started = size.starts > 0 ? [await starts(url, size.starts)] : [];
    const at = (n: number) => accountIds[Math.abs(n) % accountIds.length] as bigint;
    const appendAll = async () => {
      for (const accountId of accountIds.slice(0, TOGETHER)) await append(database, accountId);
    };
    const relayed = [
      await steps(
        'relay: rung for one event',
        true,
        (n) => append(database, at(n)),
        (n) => relayAccounts(services, [at(n)]),
      ),
      await steps(
        'relay: looks, and finds one event',
        true,
        (n) => append(database, at(n)),
        () => relayAll(services),
      ),
      await steps('relay: looks, and finds nothing', true, nothing, () => relayAll(services)),
    ];
    await appendAll();
    const all = await timed(() => relayAll(services));
    await fill(owner, WAITING, accountIds, size.endpoints);
    // Each endpoint is looked at once; then they wait for their time.
    for (let isMore = true; isMore; ) isMore = (await lease()).isMore;
    await owner.query('vacuum (analyze)');
    const leases = [
      await steps('lease: nothing is due', false, nothing, lease),
      await steps(
        'lease: one delivery is due',
        false,
        async (n) => {
          await append(database, at(n));
          await relayAccounts(services, [at(n)]);
        },
        lease,
      ),
    ];
    const claim = async () => {
      const now = { sandbox: Date.now(), live: Date.now() };
      const jobs = await claimJobs(database, { now, limit: 100, worker: 0, leasedBy: 'bench' });
      if (jobs.length > 0) await endJobs(database, jobs, now.live);
    };
    const addJob = (n: number) =>
      database.withTx((tx) =>
        addJobs(
          tx,
          [
            {
              accountId: at(n),
              transactionId: BigInt(1_000_000 + n),
              kind: 'bench',
              payload: {},
              dueMs: Date.now() - 1,
            },
          ],
          null,
        ),
      );
    const others = [
      await steps('claim: no job is due', false, nothing, claim),
      await steps('claim: one job is due, taken and ended', false, addJob, claim),
      await steps('look at 100 accounts that are followed', false, nothing, () =>
        readMarks(database, accountIds.slice(0, TOGETHER)),
      ),
      await steps('look at all accounts that are followed', false, nothing, () =>
        readMarks(database, accountIds),
      ),
    ];
    const together = `relay: looks, and finds ${TOGETHER} accounts`;
    const once = { name: together, times: [all], hasGoal: false };
    return [...relayed, once, ...leases, ...others, ...started];
  } finally {
    await owner.end();
    await database.close();
  }
}

function reportOf(many: readonly Steps[], few: readonly Steps[], size: Size): Report {
  const ms = (value: number) => value.toFixed(2);
  const title = `${count(size.events)} events, ${count(size.endpoints)} endpoints for which something waits`;
  const grown = many.map(({ name, times }, at) => ({
    name,
    ratio: median(times) / median(few[at]?.times ?? []),
  }));
  // What looks at each account takes as many times as long as there are accounts: its slope is said in the table.
  const flat = grown.filter(({ name }) => !/all accounts/.test(name));
  const worst = flat.toSorted((a, b) => b.ratio - a.ratio)[0];
  return {
    goals: [
      ...many
        .filter(({ hasGoal }) => hasGoal)
        .map(({ name, times }) => goal(10, `${name}, ms at ${title}`, { most: GOAL_MS }, median(times), ms)),
      ...(worst
        ? [
            goal(
              14,
              `steps with many accounts beside few, the most of all (${worst.name})`,
              { most: GROWTH },
              worst.ratio,
              ratio,
            ),
          ]
        : []),
    ],
    sections: [
      {
        title: `${count(size.accounts)} accounts, ${title}`,
        headings: ['Step', 'Times', 'Fastest ms', 'Median ms', 'Slowest ms', 'Median ms with few', 'Ratio'],
        rows: many.map(({ name, times }, at) => [
          name,
          String(times.length),
          ms(Math.min(...times)),
          ms(median(times)),
          ms(Math.max(...times)),
          ms(median(few[at]?.times ?? [])),
          ratio(grown[at]?.ratio ?? Number.NaN),
        ]),
      },
    ],
  };
}

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    endpoints: { type: 'string', default: '10000' },
    accounts: { type: 'string', default: '10000' },
    few: { type: 'string', default: '100' },
    starts: { type: 'string', default: '3' },
    check: { type: 'boolean', default: false },
  },
});
const size = {
  accounts: Number(values.accounts),
  events: Number(values.events),
  endpoints: Number(values.endpoints),
  starts: Number(values.starts),
};
const share = Number(values.few) / size.accounts;
console.log(machine());
const fewSize = {
  accounts: Number(values.few),
  events: Math.ceil(size.events * share),
  endpoints: Math.ceil(size.endpoints * share),
  starts: size.starts,
};
const few = await withWriteServer({ fsync: false }, (url) => run(url, fewSize));
const many = await withWriteServer({ fsync: false }, (url) => run(url, size));
publish(reportOf(many, few, size), values.check);
