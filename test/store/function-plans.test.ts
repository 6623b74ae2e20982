/**
 * Goal: what functions and triggers of the database do for a hot statement reads no large table whole either, whatever the statistics
 * of the moment say. Method: the server tells the plan of each statement it runs, those inside of functions too (auto_explain), while
 * the work of the hot statements is done on new connections, in two states of the statistics. What clients send themselves is left
 * to hot-plans.test.ts.
 */
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { useApp } from '../support/app.ts';
import { allTextsSent, beginCount } from '../support/count-statements.ts';
import { addHotEndpoint, hotWork } from '../support/hot-work.ts';
import { counts, emptyTables, NOTHING_KNOWN, nameOf, type Plan, readsOf } from '../support/plans.ts';
import { useReceiver } from '../support/receiver.ts';

const { retention } = readConfig({ REQUEST_LOG_DAYS: '7' });
const app = useApp({ rateLimit: null, retention });
const receiver = useReceiver();

/** What the server told of one statement. */
interface Message {
  readonly 'Query Text': string;
  readonly Plan: Plan;
}

const told: Message[] = [];
interface Driver {
  readonly connectionParameters: { readonly application_name?: string };
  _handleNotice(this: Driver, notice: { message: string }): void;
}
const driver = pg.Client.prototype as unknown as Driver;
const handle = driver._handleNotice;
driver._handleNotice = function (notice) {
  const [, plan] = /^duration: [\d.]+ ms {2}plan:\n(.*)$/s.exec(notice.message) ?? [];
  if (plan === undefined) handle.call(this, notice);
  // Not those of the test itself, and of looks at whether the server works.
  else if (this.connectionParameters.application_name === 'crossramp') told.push(JSON.parse(plan));
};

/** All rows of the test are of one account, and of no other database. */
const ACCOUNTS_UNKNOWN = `delete from pg_statistic s using pg_attribute a
  where a.attrelid = s.starelid and a.attnum = s.staattnum and a.attname = 'account_id'`;
const STATES = {
  'a million rows each, columns as a few rows have them': ['analyze', ACCOUNTS_UNKNOWN, counts(1e6, 1)],
  'a million rows each, columns never analyzed': [NOTHING_KNOWN, counts(1e6, 1)],
};

beforeAll(async () => {
  await addHotEndpoint(app, receiver);
  beginCount();
  await hotWork(app, receiver);
  const { rows } = await app.owner.query('select current_database() as name');
  for (const setting of [
    `session_preload_libraries = 'auto_explain'`,
    'auto_explain.log_min_duration = 0',
    'auto_explain.log_nested_statements = on',
    `auto_explain.log_format = 'json'`,
    `auto_explain.log_level = 'notice'`,
  ])
    await app.owner.query(`alter database ${rows[0].name} set ${setting}`);
}, 120_000);

describe.each(Object.entries(STATES))('%s', (_, changes) => {
  test('functions and triggers read large tables by their indexes', async () => {
    for (const change of changes) await app.owner.query(change);
    // Plans are kept by connections: new ones make new plans, and are those that tell them.
    await app.owner.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where datname = current_database() and application_name = 'crossramp'`,
    );
    const bare = await emptyTables(app.owner);
    told.length = 0;
    await hotWork(app, receiver);
    const sent = allTextsSent();
    const inside = told.filter((each) => !sent.has(each['Query Text']));
    expect(new Set(inside.map((each) => each['Query Text'])).size).toBeGreaterThan(20);
    const whole = new Set(
      inside.flatMap((each) =>
        readsOf(each.Plan)
          .filter((node) => !node['Index Cond'] && !bare.has(node['Relation Name']))
          .map((node) => `${nameOf(node)}: ${each['Query Text'].replace(/\s+/g, ' ').slice(0, 150)}`),
      ),
    );
    expect([...whole]).toEqual([]);
  }, 120_000);
});
