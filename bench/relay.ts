/**
 * What a step of the webhooks costs the database when the tables are large: the relay, with a log of many events behind it, and
 * the lease of deliveries, while something waits for many endpoints. Of a hundred times each, one at a
 * time. Commits are not flushed: what the disk takes is not counted.
 *
 * `npm run relay -- --events 1000000 --endpoints 10000 [--check]`
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createAccount } from '../src/store/account/accounts.ts';
import { type Database, openDatabase } from '../src/store/database.ts';
import { type Head, recordEvents } from '../src/store/engine/processes.ts';
import { leaseDeliveries } from '../src/store/webhooks/deliveries.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { relayAccounts, relayAll } from '../src/webhooks/relay.ts';
import { machine } from './cpu.ts';
import { withWriteServer } from './environment.ts';
import { count, median, table } from './table.ts';

const ACCOUNTS = 100;
const EVENTS_PER_TRANSACTION = 7;
const TIMES = 100;
/** Milliseconds that the median of a relay step may take. */
const GOAL_MS = 3;

/** Steps of one kind. Unit: ms. */
interface Steps {
  readonly name: string;
  readonly times: readonly number[];
  readonly hasGoal: boolean;
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
     select ($1::bigint[])[1 + n % cardinality($1)], 'w' || n, 'http://127.0.0.1:9/', 'template', 'offramp',
         case when n % 2 = 0 then now() + interval '1 day' end, now() from generate_series(1, $2::int) n`,
  `insert into webhook_delivery (account_id, endpoint_id, event_seq, transaction_id, due_at, created_at)
     select account_id, id, 1, 1, case when blocked_until is null then now() + interval '1 day' else now() end, now()
       from webhook_endpoint where id like 'w%' and $2::int > 0 and cardinality($1::bigint[]) > 0`,
  `insert into webhook_turn (account_id, endpoint_id, at)
     select account_id, id, now() from webhook_endpoint where id like 'w%' and $2::int > 0 and cardinality($1::bigint[]) > 0`,
];

async function seed(owner: pg.Client, database: Database, events: number): Promise<bigint[]> {
  const accountIds: bigint[] = [];
  const templates = REGISTRY.templates.map(({ name }) => name);
  for (let n = 0; n < ACCOUNTS; n += 1)
    accountIds.push(await createAccount(database, `Account ${n}`, { templates, mode: 'sandbox' }));
  await fill(owner, SEED, accountIds, Math.ceil(events / ACCOUNTS));
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
      payload: 'x'.repeat(200),
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

async function run(url: string, events: number, endpoints: number): Promise<Steps[]> {
  const database = openDatabase(url, { connections: 4 });
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const nothing = async () => {};
  const services = { database, mode: 'sandbox' as const, clock: { nowMs: async () => Date.now() } };
  const lease = () =>
    leaseDeliveries(database, {
      mode: 'sandbox',
      nowMs: Date.now(),
      machineMs: Date.now(),
      worker: 'bench',
      limit: 256,
    });
  try {
    const accountIds = await seed(owner, database, events);
    const at = (n: number) => accountIds[(n + ACCOUNTS) % ACCOUNTS] as bigint;
    const appendAll = async () => {
      for (const accountId of accountIds) await append(database, accountId);
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
    await fill(owner, WAITING, accountIds, endpoints);
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
    return [
      ...relayed,
      { name: `relay: looks, and finds ${ACCOUNTS} accounts`, times: [all], hasGoal: false },
      ...leases,
    ];
  } finally {
    await owner.end();
    await database.close();
  }
}

/** Prints the table. @returns whether every relay step stays within the goal. */
function report(all: readonly Steps[]): boolean {
  const ms = (value: number) => value.toFixed(2);
  const rows = all.map(({ name, times, hasGoal }) => [
    name,
    hasGoal ? `≤ ${GOAL_MS}` : '–',
    ms(Math.min(...times)),
    ms(median(times)),
    ms(Math.max(...times)),
  ]);
  console.log(`\n${table(['Step', 'Goal, ms', 'Fastest ms', 'Median ms', 'Slowest ms'], rows)}\n`);
  return all.every(({ times, hasGoal }) => !hasGoal || median(times) <= GOAL_MS);
}

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    endpoints: { type: 'string', default: '10000' },
    check: { type: 'boolean', default: false },
  },
});
const [events, endpoints] = [Number(values.events), Number(values.endpoints)];
console.log(`${machine()}; ${count(events)} events, ${count(endpoints)} endpoints for which something waits`);
await withWriteServer({ fsync: false }, async (url) => {
  const isMet = report(await run(url, events, endpoints));
  if (!isMet && values.check) process.exitCode = 1;
});
