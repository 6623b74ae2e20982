/**
 * Orders with a later outcome. The order, the plan that it uses up, and the jobs that report its outcome are stored
 * together, so an order repeated after a crash has no effect.
 */

import { groupCommit } from '../../base/concurrency/group-commit.ts';
import { RAIL_EVENT_JOB } from '../../resolvers/engine/run-jobs.ts';
import type { Clock } from '../../resolvers/services/clock.ts';
import type { RailEvent, RefundEvent } from '../../resolvers/services/rail-event.ts';
import type { Order, RefundOrder } from '../../resolvers/services/rails.ts';
import type { Database } from '../../store/connection/database.ts';
import { isOutOfReach } from '../../store/connection/database-error.ts';
import type { NewJob } from '../../store/engine/jobs.ts';
import { type SandboxOrder, type SubmittedOrder, submitOrders } from '../../store/rails/sandbox-orders.ts';
import type { PlanName } from './plans.ts';

/** Submits an order. Orders that arrive while others are being stored are stored together, in the next statement. */
export type SubmitOrder = (order: SandboxOrder) => Promise<SubmittedOrder>;

/** Shared parts of the sandbox's rails. */
export interface RailParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly submit: SubmitOrder;
}

const TOGETHER_MAX = 200;

/**
 * @param worker - number of this process's worker, which processes the jobs of its orders first; null for any worker.
 */
export function orderQueue(database: Database, worker: number | null): SubmitOrder {
  return groupCommit((orders: readonly SandboxOrder[]) => submitOrders(database, orders, worker), {
    max: TOGETHER_MAX,
    failsAll: isOutOfReach,
    keyOf: ({ accountId, key }) => `${accountId} ${key}`,
  });
}

/** Time until the sandbox settles a payout, a return or a transfer. Unit: ms. */
export const SETTLE_MS = 1_000;

/** An event of the rail, and its delay after the order. */
export interface Outcome {
  readonly event: RailEvent;
  readonly afterMs: number;
}

/** An order: its kind, its request, and its outcome. */
export interface OrderSubmission {
  readonly kind: string;
  /** Facts of the order that may be looked up later, as JSON. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Plans that change the outcome, by priority. */
  readonly plans?: readonly PlanName[];
  /** @returns the events; `plan` is the plan that the order used up. */
  readonly outcomes?: (nowMs: number, plan: string | undefined) => readonly Outcome[];
}

/** Submits an order; a repeated key has no effect. @returns the plan that the order used up, if any. */
export async function submitOnce(
  { clock, submit }: RailParts,
  { key, row }: Order,
  { kind, request, plans = [], outcomes }: OrderSubmission,
): Promise<string | undefined> {
  const target = { accountId: row.accountId, transactionId: row.id };
  const nowMs = outcomes ? await clock.nowMs() : 0;
  const follow = (plan?: string) => ({
    jobs: (outcomes?.(nowMs, plan) ?? []).map(({ afterMs, event }) =>
      railEventJob(target, event, nowMs + afterMs),
    ),
  });
  const planned = Object.fromEntries(plans.map((plan) => [plan, follow(plan)]));
  const { plan } = await submit({ ...target, key, kind, request, usual: follow(), planned });
  return plan ?? undefined;
}

/** @returns the job that reports an event at a time of the sandbox clock. */
export function railEventJob(
  about: Pick<NewJob, 'accountId' | 'transactionId'>,
  event: RailEvent,
  dueMs: number,
): NewJob {
  return { ...about, kind: RAIL_EVENT_JOB, payload: event, dueMs };
}

/** Orders a refund of money that belongs to no transaction; the outcome is reported after a second. */
export async function refundOnce(
  { clock, submit }: RailParts,
  { key, accountId }: RefundOrder,
  request: Readonly<Record<string, unknown>>,
  outcome: Pick<RefundEvent, 'rail' | 'endToEndId' | 'networkFee' | 'gas' | 'txHash'>,
): Promise<void> {
  const target = { accountId, transactionId: null };
  const event: RailEvent = { kind: 'refund_ended', order: key, isDone: true, ...outcome };
  const jobs = [railEventJob(target, event, (await clock.nowMs()) + SETTLE_MS)];
  await submit({ ...target, key, kind: 'give_back', request, usual: { jobs }, planned: {} });
}
