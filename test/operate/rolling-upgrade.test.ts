/**
 * Goal: gateways are upgraded one after the other while payments go on, and back again, and nobody notices (docs/upgrades.md). Method: this
 * version and a later one of it on one database; merchants who create, pay and read all the time, by whichever gateway is up, as behind a
 * load balancer; a webhook for each event. The older program runs beside the newer schema, is started on it, and is alone on it again.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERSION } from '../../src/base/process/version.ts';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { useDatabase } from '../support/database.ts';
import { newHome } from '../support/home.ts';
import { LATER_MIGRATIONS, type LaterProgram, makeLaterProgram } from '../support/later-program.ts';
import { failToStart, type Running, start, startIn } from '../support/process.ts';
import { eventually, useReceiver } from '../support/receiver.ts';
import { startTrading, untilPaid } from '../support/trading.ts';

/** Gateways of both versions work beside each other for so long. */
const BESIDE_MS = 2_000;

const store = useDatabase();
const receiver = useReceiver();
const { home, remove } = newHome();
let later: LaterProgram;
let env: Record<string, string>;
let key = '';
/** Gateways that the balancer sends to. */
const up: Running[] = [];
const all: Running[] = [];

beforeAll(() => {
  env = { CROSSRAMP_HOME: home, DATABASE_URL: store.url, SANDBOX: '1', RATE_LIMIT: 'off', DRAIN_DELAY: '1' };
  later = makeLaterProgram();
});
afterAll(async () => {
  for (const each of all) await each.end('SIGKILL');
  later?.remove();
  remove();
});

async function add(starting: Promise<Running>): Promise<Running> {
  const gateway = await starting;
  all.push(gateway);
  up.push(gateway);
  return gateway;
}

/** As a balancer does: no more calls as soon as it is told to end. @returns what it logged. */
async function claim(gateway: Running): Promise<string> {
  up.splice(up.indexOf(gateway), 1);
  const { code, stderr } = await gateway.end('SIGTERM');
  all.splice(all.indexOf(gateway), 1);
  expect(code).toBe(0);
  return stderr;
}

test('a database is upgraded and the programs downgraded, with payments under way: none fails, none is lost', async () => {
  const first = await add(start(env));
  key = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8')).apiKey;
  const second = await add(start(env));
  const trading = startTrading({ gateways: () => up, key, webhook: receiver.url('upgrade') });
  const logs: string[] = [];
  await sleep(BESIDE_MS);

  // Upward: the first newer one migrates, while both older ones serve.
  const newer = await add(startIn(later.folder, { ...env, DATABASE_OWNER_URL: store.ownerUrl }));
  const { rows } = await store.owner.query(
    `select from _prisma_migrations where migration_name = any ($1) and finished_at is not null`,
    [LATER_MIGRATIONS],
  );
  expect(rows).toHaveLength(LATER_MIGRATIONS.length);
  await sleep(BESIDE_MS);
  logs.push(await claim(first));
  // An older one that dies meanwhile comes back.
  logs.push(await claim(second));
  const again = await add(start(env));
  await sleep(BESIDE_MS);
  logs.push(await claim(again));
  await sleep(BESIDE_MS);

  // Back: the older program alone, on the newer schema.
  const back = await add(start(env));
  await sleep(BESIDE_MS);
  logs.push(await claim(newer));
  await sleep(BESIDE_MS);
  const acknowledged = await trading.stop();
  const { met } = trading;
  const story = `${acknowledged.length} payments, ${met.calls} calls, ${met.lost} sent again`;
  process.stdout.write(`${VERSION} to ${later.version} and back: ${story}\n`);
  expect(met.refused).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(30);
  await untilPaid((text, values) => store.owner.query(text, values), acknowledged);
  const { rows: kept } = await store.owner.query('select from transaction where end2end = any ($1)', [
    acknowledged,
  ]);
  expect(kept).toHaveLength(acknowledged.length);
  // The last events may not have their deliveries yet.
  await eventually('a webhook for each event', async () => {
    const { rows: left } = await store.owner.query(
      `select from webhook_delivery where state = 'pending' union all select from relay_queue`,
    );
    return left.length === 0;
  });
  const told = new Set(receiver.at('upgrade').map(({ headers }) => headers['webhook-id']));
  const { rows: events } = await store.owner.query('select count(*)::int as count from webhook_delivery');
  expect(told.size).toBe(events[0].count);
  const { rows: accounts } = await store.owner.query<{ id: string }>('select id from account');
  for (const { id } of accounts) expect((await verifyLedger(store.database, BigInt(id))).defects).toEqual([]);
  logs.push(await claim(back));
  expect(
    logs
      .join('')
      .split('\n')
      .filter((line) => /"level":(50|60)/.test(line)),
  ).toEqual([]);
}, 300_000);

test('an older program is refused if a later migration is not marked as compatible with it', async () => {
  const last = LATER_MIGRATIONS.at(-1) as string;
  await store.owner.query('delete from migration_reach where migration = $1', [last]);
  const { code, stderr } = await failToStart({ ...env, PORT: '0' });
  expect(stderr).toContain(`the database has migration ${last}, which this version does not know`);
  expect(code).toBe(1);
}, 60_000);
