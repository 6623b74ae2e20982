/**
 * Goal: over the wire on both sides, nothing is paid twice, lost or stuck, whatever dies and whatever goes wrong: bank, node, gateway and
 * ledger agree in the end. Method: PSP, signer, gateway and node as processes that get SIGKILL while live orders of four kinds
 * are paid, delivered and paid out; callbacks lost and doubled, answers that do not come, providers that fail, blocks that are made
 * anew. LIVE_ORDERS=2000 LIVE_KILLS=20 for more, SEED to choose again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeUnlocked } from './support/change-unlocked.ts';
import { useDatabase } from './support/database.ts';
import { newHome } from './support/home.ts';
import { bookFunds, compareBooks, type Funds, waiting } from './support/live-books.ts';
import { type LiveOrders, liveOrders } from './support/live-orders.ts';
import { type LiveStage, setUpLive } from './support/live-stage.ts';
import { newTrouble } from './support/live-trouble.ts';
import { randomOf } from './support/load.ts';

const ORDERS = Number(process.env.LIVE_ORDERS ?? 16);
const KILLS = Number(process.env.LIVE_KILLS ?? 1);
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Orders that are made at once, and that are open at once. */
const LOAD = { once: 8, open: 64 };
const REST_MS = 180_000 + ORDERS * 500;
const LIMIT_MS = 120_000 + REST_MS + ORDERS * 2_000 + KILLS * 60_000;
const PAY_MS = 1_000;
const TELL_MS = 10_000;
const store = useDatabase();
const { home, remove } = newHome();
const ends: (() => unknown)[] = [remove];
const random = randomOf(SEED);
const trouble = newTrouble(random, (end) => ends.push(end));
let stage: LiveStage;
let orders: LiveOrders;
let before: Funds;

beforeAll(async () => {
  const env = {
    CROSSRAMP_HOME: home,
    DATABASE_URL: store.url,
    LOG_LEVEL: process.env.LIVE_LOG ?? 'fatal',
    RATE_LIMIT: 'off',
  };
  const options = { providersOf: trouble.providersOf, isLarge: true };
  stage = await setUpLive(env, (end) => ends.push(end), {
    ...options,
    ...(process.env.LIVE_TELL && { say: translate }),
  });
  orders = await liveOrders(stage, store.owner, ORDERS);
  before = await bookFunds(stage);
}, 600_000);
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

test(`${ORDERS} live orders, ${KILLS} kills of each`, { timeout: LIMIT_MS }, async () => {
  const begunMs = Date.now();
  translate(`SEED=${SEED} LIVE_ORDERS=${ORDERS} LIVE_KILLS=${KILLS}`);
  await trouble.begin(stage);
  const over = new AbortController();
  const { signal } = over;
  const background = [
    trouble.blocks(stage, signal),
    every(PAY_MS, signal, orders.pay),
    every(TELL_MS, signal, tell),
  ];
  await Promise.all([orders.make({ ...LOAD, upTo }), kills()]);
  await trouble.end(stage);
  translate('all orders are made, and nothing more goes wrong');
  await rest();
  over.abort();
  await Promise.all(background);
  const { report, defects } = await compareBooks(stage, store, before, ORDERS);
  const seconds = Math.round((Date.now() - begunMs) / 1_000);
  translate(JSON.stringify({ seconds, ...trouble.happened, ...report, defects: defects.length }, null, 1));
  expect(defects).toEqual([]);
});

/** How often everything has died. */
let rounds = 0;
/** So many orders that each round has some of its own. */
const PART = ORDERS / (KILLS + 1);
const upTo = () => Math.ceil((rounds + 2) * PART);

/** Everything dies in turn, as the orders go on. */
async function kills(): Promise<void> {
  for (; rounds < KILLS; rounds++) {
    while ((await orders.progress()).ended < Math.floor((rounds + 1) * PART)) await sleep(200);
    await trouble.round(stage, store.owner);
  }
}

/** Waits until nothing is left to be done. What waits for minutes has them gone by. */
async function rest(): Promise<void> {
  const until = Date.now() + REST_MS;
  const isOver = async () =>
    (await orders.progress()).ended >= ORDERS && (await waiting(store.owner)).length === 0;
  while (!(await isOver()) && Date.now() < until) {
    for (const [table, set, where] of HURRY) await changeUnlocked(store.owner, { table, set, where });
    await sleep(1_000);
  }
}

const HURRY = [
  ['job', 'due_at = least(due_at, clock_timestamp())', 'last_error is not null'],
  ['rail_news', 'due_at = least(due_at, clock_timestamp())', `outcome = 'pending'`],
  ['chain_order', `due_at = '2020-01-01'`, 'ended_at is null'],
  ['pix_order', 'ask_at = least(ask_at, clock_timestamp())', 'is_done is null'],
] as const;

async function tell(): Promise<void> {
  const { made, ended } = await orders.progress();
  translate(`${made} made, ${ended} over, ${JSON.stringify(trouble.happened)}`);
  if (process.env.LIVE_TELL) for (const each of await waiting(store.owner)) translate(`  ${each}`);
}

async function every(ms: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work();
    await sleep(ms, undefined, { signal }).catch(() => {});
  }
}

function translate(line: string): void {
  process.stderr.write(`live: ${line}\n`);
}
