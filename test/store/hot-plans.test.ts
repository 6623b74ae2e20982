/**
 * Goal: no hot statement reads a large table whole, whatever the statistics of the moment say. Method: hot statements are those that
 * the gateway sends while an onramp is created, paid, credited and told, and while lists are read; each is planned as a prepared
 * statement is, in three states of the statistics, which the database transaction that makes them takes back.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { useApp } from '../support/app.ts';
import { beginCount, textsSent } from '../support/count-statements.ts';
import { HOT, unpinned } from '../support/hot-statements.ts';
import { addHotCase, addHotEndpoint, hotWork } from '../support/hot-work.ts';
import { counts, emptyTables, NOTHING_KNOWN, nameOf, nodesOf, type Plan, readsOf } from '../support/plans.ts';
import { useReceiver } from '../support/receiver.ts';

const { retention } = readConfig({ REQUEST_LOG_DAYS: '7' });
const app = useApp({ rateLimit: null, retention });
const receiver = useReceiver();

/** Small at any size of the gateway: processes, the one clock, indexes of what is leased or asked for by hand. */
const SMALL = new Set([
  'webhook_worker',
  'sandbox_clock',
  'webhook_delivery_at_once',
  'webhook_delivery_of_worker',
]);
/** Read whole where the statistics say so, and why that is no harm. */
const WHOLE = new Set([
  // Joined with processes that died: mostly there are none.
  'turn_bury: webhook_delivery',
  'turn_bury: webhook_delivery_pkey',
  // In a new database alone: beside the turns there are as many endpoints.
  'turn_take: webhook_endpoint_pkey',
  // The same, planned by PostgreSQL 16.
  ...(process.env.TEST_POSTGRES === '16' ? ['process_lock: account_pkey'] : []),
]);

const OFF = ['seqscan', 'hashjoin', 'mergejoin', 'bitmapscan'].map((way) => `set local enable_${way} = off`);
const NEW = 'a new database';
const STATES = {
  'a million rows each, columns as a few rows have them': ['analyze', counts(1e6, 1)],
  'a million rows each, many deliveries wait': [
    `update webhook_delivery set state = 'pending', ended_at = null where id % 3 = 0`,
    'analyze',
    counts(1e6, 1),
  ],
  'a million rows each, columns never analyzed': [NOTHING_KNOWN, counts(1e6, 1)],
  'a million rows each, columns never analyzed, all was delivered': [
    `update webhook_delivery set state = 'delivered', ended_at = now(), leased_until = null`,
    NOTHING_KNOWN,
    counts(1e6, 1),
  ],
  // Here all ways are as quick: the question is whether there is one by indexes.
  [NEW]: [...OFF, NOTHING_KNOWN, counts(-1, 0)],
};

let texts: ReadonlyMap<string, string>;

beforeAll(async () => {
  await addHotEndpoint(app, receiver);
  await addHotCase(app);
  beginCount();
  await hotWork(app, receiver);
  texts = textsSent();
}, 120_000);

test('each hot statement is in the table, and each of the table is sent', () => {
  expect(unpinned(texts.keys())).toEqual([]);
  expect(Object.keys(HOT).filter((name) => !texts.has(name))).toEqual([]);
});

describe.each(Object.entries(STATES))('%s', (state, changes) => {
  test('hot statements read large tables by their indexes', async () => {
    const bare = await emptyTables(app.owner);
    const client = await app.owner.connect();
    const whole: string[] = [];
    const missed: string[] = [];
    try {
      await client.query('begin');
      for (const change of changes) await client.query(change);
      for (const [name, indexes] of Object.entries(HOT)) {
        const { rows: plans } = await client.query(`explain (generic_plan, format json) ${texts.get(name)}`);
        const plan: Plan = plans[0]['QUERY PLAN'][0].Plan;
        // Read once for each delivery that waits: not from the first one of the endpoint on.
        for (const node of nodesOf(plan))
          if (state !== NEW && /delivery/.test(nameOf(node)) && /\btransaction_id = /.test(node.Filter ?? ''))
            whole.push(`${name}: ${nameOf(node)} is filtered by its transaction`);
        const reads = readsOf(plan);
        for (const node of reads)
          if (!node['Index Cond'] && !SMALL.has(nameOf(node)) && !bare.has(node['Relation Name']))
            whole.push(`${name}: ${nameOf(node)}`);
        const used = new Set(reads.filter((node) => node['Index Cond']).map(nameOf));
        for (const index of indexes.split(' '))
          if (index && !index.split('|').some((each) => used.has(each)))
            missed.push(`${name}: ${index}, not ${[...used]}`);
      }
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect(whole.filter((each) => !WHOLE.has(each))).toEqual([]);
    // Where no table has rows, all indexes that begin with the account are as good.
    if (state !== NEW) expect(missed).toEqual([]);
  });
});
