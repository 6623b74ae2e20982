/**
 * Orders whose outcome comes later: the order, the plan that it uses up and the jobs that tell its outcome are one
 * database transaction, so an order that is repeated after a crash does nothing twice.
 */

import { TELL, type Telling } from '../../resolvers/engine/run-jobs.ts';
import { recordOf } from '../../resolvers/inbound/match-news.ts';
import type { Clock } from '../../resolvers/services/clock.ts';
import type { TransactionKey } from '../../resolvers/services/doorbell.ts';
import type { News } from '../../resolvers/services/news.ts';
import type { GiveBack, Order } from '../../resolvers/services/rails.ts';
import { placeOrder, takePlan } from '../../store/account/sandbox.ts';
import type { Database } from '../../store/database.ts';
import { addJobs, type NewJob } from '../../store/engine/jobs.ts';
import { postponeNews } from '../../store/engine/news.ts';
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

/** What is told of a transaction, and how long after the order. */
export type Outcome = Telling & { readonly afterMs: number };

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
        told.map(({ afterMs, ...telling }) => tellJob(target, telling, nowMs + afterMs)),
        worker,
      );
    return plan;
  });
}

/** @returns the job that tells a transaction something at a moment of the sandbox clock. */
export function tellJob(target: TransactionKey, telling: Telling, dueMs: number): NewJob {
  return { ...target, kind: TELL, payload: telling, dueMs };
}

/** Places an order to give money back that no transaction took; its outcome is told after a second of the machine's clock. */
export function giveBackOnce(
  { database }: RailParts,
  { key, accountId }: GiveBack,
  rail: 'pix' | 'chain',
  request: Readonly<Record<string, unknown>> & { readonly networkFee: string | null },
): Promise<void> {
  const { networkFee } = request;
  return database.withTx(async (tx) => {
    const order = { accountId, transactionId: null, key, kind: 'give_back', request };
    if (!(await placeOrder(tx, order))) return;
    const news: News = { kind: 'refund_ended', rail, order: key, isDone: true, networkFee };
    const record = recordOf({ mode: 'sandbox' }, news);
    await postponeNews(tx, record, { dueMs: Date.now() + SETTLE_MS, error: 'not over yet' });
  });
}
