/**
 * Goal: nothing acknowledged is lost, doubled or left halfway when gateways, workers and PostgreSQL itself are killed at random (C-51, C-60). Method:
 * two processes that serve, two that work, and a server of their own; merchants who order and pay all the while, with a webhook for each
 * event; SIGKILL for one of them again and again, and a new one in its place. KILLS=625 for more, of which a fifth are PostgreSQL's, SEED to choose
 * them again, MERCHANTS for more events in a second. Losses are judged, times are told.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../src/store/connection/connection.ts';
import { verifyLedger } from '../src/store/ledger/verify.ts';
import { misplaced, missing, readEvents } from './support/delivered-events.ts';
import { newHome } from './support/home.ts';
import { randomOf } from './support/load.ts';
import { type MortalPostgres, startMortalPostgres } from './support/mortal-postgres.ts';
import { type Running, start } from './support/process.ts';
import { useReceiver } from './support/receiver.ts';
import { startTrading, untilPaid } from './support/trading.ts';

const KILLS = Number(process.env.KILLS ?? 15);
const MERCHANTS = Number(process.env.MERCHANTS ?? 3);
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const random = randomOf(SEED);
/** Time between a start and the next kill. Unit: ms. */
const LIFE_MS = [200, 2_500] as const;
/** Victims, in the shares in which they are killed. */
const VICTIMS = [...Array(5).fill('serve'), ...Array(3).fill('work'), ...Array(2).fill('postgres')] as const;
/** Webhooks of a process that died are free when its lease ends. Unit: ms. */
const STILL_MS = 30_000;

const receiver = useReceiver();
const { home, remove } = newHome();
const up: Record<'serve' | 'work', Running[]> = { serve: [], work: [] };
let postgres: MortalPostgres;
let owner: pg.Pool;
let env: Record<string, string>;

beforeAll(async () => {
  postgres = await startMortalPostgres();
  owner = new pg.Pool({ connectionString: postgres.url, max: 2 });
  owner.on('error', () => {});
  env = {
    ...{ DATABASE_URL: postgres.url, SANDBOX: '1', CROSSRAMP_HOME: home, RATE_LIMIT: 'off' },
    ...{ LOG_LEVEL: 'fatal', DRAIN_DELAY: '0' },
  };
  for (const role of ['serve', 'serve', 'work', 'work'] as const)
    up[role].push(await start({ ...env, ROLE: role }));
}, 240_000);
afterAll(async () => {
  for (const each of [...up.serve, ...up.work]) await each.end('SIGKILL');
  await owner?.end();
  await postgres?.remove();
  remove();
}, 60_000);

/** @returns who is killed, one after the other. */
function victims(): string[] {
  const rounds = Math.ceil(KILLS / VICTIMS.length);
  return Array.from({ length: rounds }, () => random.shuffle(VICTIMS))
    .flat()
    .slice(0, KILLS);
}

/** Kills one of them, and starts another in its place. */
async function killOne(victim: string): Promise<void> {
  if (victim === 'postgres') {
    postgres.kill();
    await sleep(random.integer(0, 1_500));
    return postgres.start();
  }
  const role = victim as 'serve' | 'work';
  const [dead] = up[role].splice(random.integer(0, 1), 1);
  await dead?.end('SIGKILL');
  up[role].push(await start({ ...env, ROLE: role }));
}

/** Waits until every webhook has come; one that does not move for a while is missing. */
async function untilDelivered(): Promise<void> {
  for (let before = -1; ; ) {
    const { rows } = await owner.query<{ left: number }>(
      `select (select count(*)::int from webhook_delivery where state = 'pending') + (select count(*)::int from relay_queue) as left`,
    );
    const left = rows[0]?.left ?? 0;
    if (left === 0) return;
    expect(left, 'webhooks that do not go on').not.toBe(before);
    before = left;
    await sleep(STILL_MS);
  }
}

test(
  `seed ${SEED}: every acknowledged transaction is there, once, with all its webhooks, whatever process was killed`,
  async () => {
    const key: string = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8')).apiKey;
    const webhook = receiver.url('kills');
    const trading = startTrading({ gateways: () => up.serve, key, webhook, merchants: MERCHANTS });
    const begunAt = performance.now();
    const kills: Record<string, number> = { serve: 0, work: 0, postgres: 0 };
    for (const victim of victims()) {
      await sleep(random.integer(...LIFE_MS));
      await killOne(victim);
      kills[victim] = (kills[victim] as number) + 1;
    }
    const seconds = Math.round((performance.now() - begunAt) / 1_000);
    const acknowledged = await trading.stop();
    const { met } = trading;
    const story = `${acknowledged.length} payments, ${met.refused.length} answers of 503 or 409, ${met.lost} calls without an answer`;
    process.stdout.write(`SEED=${SEED}: killed ${JSON.stringify(kills)} in ${seconds} s; ${story}\n`);

    const passing = /: 503 |IDEMPOTENCY_RUNNING/;
    expect(met.refused.filter((each) => !passing.test(each))).toEqual([]);
    const { rows } = await owner.query('select end2end from transaction');
    expect(rows.map(({ end2end }) => end2end).toSorted()).toEqual(acknowledged.toSorted());
    await untilPaid((text, values) => owner.query(text, values), acknowledged);
    await untilDelivered();
    const events = await readEvents(owner);
    const received = receiver.at('kills');
    process.stdout.write(
      `${events.length} events, ${Math.round(events.length / seconds)} a second, by ${received.length} webhooks\n`,
    );
    expect(missing(events, received)).toEqual([]);
    expect(misplaced(events, received)).toEqual([]);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(events.length);
    const database = openDatabase(postgres.url);
    const { rows: accounts } = await owner.query<{ id: string }>('select id from account');
    for (const { id } of accounts) expect((await verifyLedger(database, BigInt(id))).defects).toEqual([]);
    await database.close();
  },
  900_000 + KILLS * 20_000,
);
