/**
 * Thirty days of history for a sandbox account, made by running the real processes under the virtual clock. Every run
 * has the same events (except ids and times of day), so that screenshots and documents have realistic content.
 */
import type { Logger } from 'pino';
import { settle, startWorker } from '../../resolvers/engine/run-jobs.ts';
import type { Services } from '../../resolvers/services/context.ts';
import type { Database } from '../../store/connection/database.ts';
import { readAheadMs, setAheadMs } from '../../store/rails/sandbox.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { closeDays, type DemoBusiness, leaveOpen, openBusiness } from './demo-business.ts';
import { PEOPLE, payOut, sell, withdraw } from './demo-sessions.ts';

const DAYS = 30;
/** Days between two reports. */
const REPORTED_DAYS = 5;
const DAY_MS = 86_400_000;
const SEED = 20_260_101;
/** Age of the open items, short enough that none has expired. Unit: ms. */
const LAST_MS = 5 * 60_000;
/** Possible courses of a session after its creation, by kind; the first is the usual one. */
const ENDS = {
  in: [
    ['pay'],
    ['pay'],
    ['pay'],
    ['pay'],
    ['pay-over'],
    ['pay-other-payer'],
    ['expire', 'pay-late'],
    [],
    ['pay', 'dispute-open', 'dispute-reject'],
  ],
  delivered: [['pay'], ['pay'], ['pay'], ['delivery-fail', 'pay'], ['swap-fail', 'pay']],
  out: [[], [], [], ['pix-return'], ['pix-out-reject']],
  deposited: [
    ['deposit', 'deposit-confirm'],
    ['deposit', 'deposit-confirm'],
    ['deposit-wrong'],
    ['deposit', 'deposit-reorg'],
  ],
  withdrawn: [[], [], ['delivery-fail']],
} as const satisfies Record<string, readonly (readonly string[])[]>;

type Kind = keyof typeof ENDS;
const KINDS: readonly Kind[] = ['in', 'in', 'in', 'delivered', 'out', 'deposited', 'withdrawn', 'in'];

interface DemoOptions {
  readonly log: Logger;
  readonly signal?: AbortSignal | undefined;
  readonly report?: ((line: string) => void) | undefined;
}

/**
 * Fills an account of a database without transactions; afterwards the sandbox clock equals the database's clock.
 *
 * @param options.signal - stops the history early.
 * @param options.report - receives a line after every fifth day.
 * @returns the number of transactions.
 */
export async function playDemo(
  services: Services,
  accountId: bigint,
  { log, signal, report }: DemoOptions,
): Promise<number> {
  const { database } = services;
  const begin = database.nowMs() - DAYS * DAY_MS;
  await setAheadMs(database, -DAYS * DAY_MS);
  const worker = startWorker(services, log);
  try {
    const business = await openBusiness(services, accountId);
    const stage: DemoStage = { ...business, random: randomOf(SEED), log, signal, report, made: 0 };
    await playDays(stage, begin);
    await at(stage, database.nowMs() - LAST_MS);
    stage.made += await leaveOpen(business, () => wait(stage, 5_000));
    await worker.stop();
    await setAheadMs(services.database, 0);
    await closeDays(business);
    return stage.made;
  } catch (error) {
    await worker.stop();
    await endDemo(services.database);
    throw error;
  }
}

/** Ends an interrupted demo by resetting the sandbox clock. @returns whether there was one. */
export async function endDemo(database: Database): Promise<boolean> {
  // Only an interrupted demo leaves the clock behind.
  const isCutOff = (await readAheadMs(database)) < 0;
  if (isCutOff) await setAheadMs(database, 0);
  return isCutOff;
}

async function playDays(stage: DemoStage, begin: number): Promise<void> {
  for (let day = 0; day < DAYS; day++) {
    const sessions = 3 + Math.floor(stage.random() * 4);
    for (let n = 0; n < sessions; n++) {
      await at(stage, begin + day * DAY_MS + Math.floor(((n + stage.random()) / sessions) * DAY_MS * 0.9));
      await session(stage, KINDS[(day + n) % KINDS.length] as Kind, day);
    }
    if ((day + 1) % REPORTED_DAYS === 0) stage.report?.(`  ${day + 1} of ${DAYS} days`);
  }
}

interface DemoStage extends DemoBusiness, DemoOptions {
  readonly random: () => number;
  made: number;
}

/** Moves the clock forward to a time, and processes the work due until then. */
async function at({ context, log, signal }: DemoStage, atMs: number): Promise<void> {
  signal?.throwIfAborted();
  const nowMs = await context.clock.nowMs();
  if (atMs > nowMs) await context.sandbox?.advanceClock(atMs - nowMs);
  await settle(context, log);
}

async function session(stage: DemoStage, kind: Kind, day: number): Promise<void> {
  const { context, random, log } = stage;
  const row = await make(stage, kind, day).catch((error: Error) => {
    // On a day without balance no withdrawal is made; the history skips it.
    log.debug({ err: error, kind }, 'demo session not made');
    return undefined;
  });
  if (!row) return;
  stage.made++;
  const ends = ENDS[kind];
  const scenarios: readonly string[] = ends[Math.floor(random() * random() * ends.length)] ?? [];
  for (const scenario of scenarios) {
    await wait(stage, 5_000 + Math.floor(random() * 60_000));
    await context.sandbox
      ?.play(row, scenario, {})
      .catch((error: Error) => log.debug({ err: error, act: scenario }, 'demo act'));
    await wait(stage, 3_000);
  }
  await wait(stage, 5_000);
}

async function wait(stage: DemoStage, ms: number): Promise<void> {
  await at(stage, (await stage.context.clock.nowMs()) + ms);
}

function make({ context, random, groupId }: DemoStage, kind: Kind, day: number): Promise<ProcessRow> {
  const person = PEOPLE[Math.floor(random() * PEOPLE.length)] as (typeof PEOPLE)[number];
  const cents = 5_000 + Math.floor(random() * 150_000);
  const brl = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
  const crypto = String(5 + Math.floor(random() * 40));
  const facts = { person, brl, crypto, currency: 'USDT_TRX', reference: `order-${day + 1}-${cents}` };
  switch (kind) {
    case 'in':
      return sell(context, facts, { family: random() < 0.5 ? 'checkouts' : 'onramps' });
    case 'delivered':
      return sell(context, facts, { family: 'onramps', isDelivered: true });
    case 'out':
      return payOut(context, facts, 'balance');
    case 'deposited':
      return payOut(context, facts, 'external');
    case 'withdrawn':
      return withdraw(context, { ...facts, reference: `treasury ${day + 1}` }, groupId);
  }
}

/** Pseudo-random numbers from 0 to 1, the same in every run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
