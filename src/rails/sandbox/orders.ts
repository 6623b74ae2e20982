/**
 * Orders whose outcome comes later: the order, the plan that it uses up and the jobs that bring its outcome are one
 * database transaction, so an order that is repeated after a crash does nothing twice.
 */

import { NEWS } from '../../resolvers/engine/run-jobs.ts';
import type { Clock } from '../../resolvers/services/clock.ts';
import type { GivenBackNews, News } from '../../resolvers/services/news.ts';
import type { GiveBack, Order } from '../../resolvers/services/rails.ts';
import { placeOrder, takePlan } from '../../store/account/sandbox.ts';
import type { Database } from '../../store/database.ts';
import { addJobs, type NewJob } from '../../store/engine/jobs.ts';
import type { PlanName } from './plans.ts';

/** What every rail of the sandbox works with. */
export interface RailParts {
  readonly database: Database;
  readonly clock: Clock;
  /** Worker of this process, which takes its jobs first. */
  readonly worker: number | null;
}

/** How long the sandbox takes to settle a payout, a return or a transfer. */
export const SETTLE_MS = 1_000;

/** What the rail tells, and how long after the order. */
export interface Outcome {
  readonly news: News;
  readonly afterMs: number;
}

/** An order: its kind, what it asks for, and its outcome. */
export interface Placing {
  readonly kind: string;
  /** Facts worth looking up later, as JSON. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Plans that change the outcome, the first of them first. */
  readonly plans?: readonly PlanName[];
  /** @returns what is told; `plan` is the one that was taken. */
  readonly outcomes?: (nowMs: number, plan: string | undefined) => readonly Outcome[];
}

/** Places an order; one that comes again under its key does nothing. @returns the plan that it used up, if any. */
export async function placeOnce(
  { database, clock, worker }: RailParts,
  { key, row }: Order,
  { kind, request, plans = [], outcomes }: Placing,
): Promise<string | undefined> {
  const nowMs = await clock.nowMs();
  return database.withTx(async (tx) => {
    const target = { accountId: row.accountId, transactionId: row.id };
    if (!(await placeOrder(tx, { ...target, key, kind, request }))) return undefined;
    const plan = await takePlan(tx, row.accountId, row.id, plans);
    const told = outcomes?.(nowMs, plan) ?? [];
    if (told.length > 0)
      await addJobs(
        tx,
        told.map(({ afterMs, news }) => newsJob(target, news, nowMs + afterMs)),
        worker,
      );
    return plan;
  });
}

/** @returns the job that brings news at a moment of the sandbox clock. */
export function newsJob(
  about: Pick<NewJob, 'accountId' | 'transactionId'>,
  news: News,
  dueMs: number,
): NewJob {
  return { ...about, kind: NEWS, payload: news, dueMs };
}

/** Places an order to give money back that no transaction took; its outcome is told after a second. */
export async function giveBackOnce(
  { database, clock, worker }: RailParts,
  { key, accountId }: GiveBack,
  request: Readonly<Record<string, unknown>>,
  outcome: Pick<GivenBackNews, 'rail' | 'endToEndId' | 'networkFee' | 'gas' | 'txHash'>,
): Promise<void> {
  const dueMs = (await clock.nowMs()) + SETTLE_MS;
  await database.withTx(async (tx) => {
    const order = { accountId, transactionId: null, key, kind: 'give_back', request };
    if (!(await placeOrder(tx, order))) return;
    const news: News = { kind: 'refund_ended', order: key, isDone: true, ...outcome };
    await addJobs(tx, [newsJob({ accountId, transactionId: null }, news, dueMs)], worker);
  });
}
