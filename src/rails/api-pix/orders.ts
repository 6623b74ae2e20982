/**
 * Submits orders so that none is executed twice. An order is stored first, then sent under an id of the gateway. While
 * the outcome is unknown, the provider is queried. An order that the provider never received is sent again after a
 * minute under the same id, by which the provider refuses a duplicate. Such a refusal therefore neither describes nor
 * ends the first order.
 */
import { GatewayError } from '../../base/errors/errors.ts';
import type { RailEvent } from '../../resolvers/services/rail-event.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { PIX_SENDING, readNetwork } from '../../store/rails/chain-network.ts';
import {
  claimResend,
  type NewPixOrder,
  type PixOrder,
  readPixOrder,
  schedulePixOrder,
  storePixOrder,
} from '../../store/rails/pix-orders.ts';
import { findSent, type QueryTools } from './after-restore.ts';
import { PspProblem, PspUnavailable } from './http.ts';
import { passOn } from './report-payments.ts';
import { afterMissing, afterOpen, afterPayout } from './times.ts';

/** Pause before an order that a paused rail holds is tried again. Unit: s. */
const PAUSED_SECONDS = 30;

/** Dependencies of submitting and polling. */
export type OrderTools = Pick<RailTools, 'mode' | 'database' | 'receive'>;

/** Dependencies of submitting. */
export interface SubmitTools extends OrderTools, QueryTools {
  /**
   * Age from which an order that the provider does not know is sent again under the same id; until then it may still be
   * on its way. Unit: ms.
   */
  readonly sendAgainMs: number;
}

/** Report of the provider about an order. */
export interface OrderReport {
  readonly events: readonly RailEvent[];
  /** Whether more reports will follow soon. */
  readonly isUnfinished: boolean;
}

/** An order to be queried, with the provider's own id if it is known. */
export type QueriedOrder = NewPixOrder & Partial<Pick<PixOrder, 'reference'>>;

/** Sending and polling of one kind of orders. */
export interface OrderKind {
  /** @returns events about the order. @throws {PspUnavailable} {PspProblem} */
  readonly send: (order: NewPixOrder) => Promise<readonly RailEvent[]>;
  /** @returns the report about the order; undefined if the provider does not have it. */
  readonly query: (order: QueriedOrder) => Promise<OrderReport | undefined>;
  /**
   * Time for which the provider certainly recognises an order's id, so that a repetition is no second order. Unit: ms.
   */
  readonly repeatableMs: number;
  /**
   * Whether a problem is a permanent refusal, rather than a matter of access or settings that a person can correct.
   */
  readonly isRefusal: (problem: PspProblem) => boolean;
}

/**
 * Submits an order, or queries one that was submitted before.
 *
 * @returns 'refused' if the provider refuses the order permanently, or could not execute it.
 * @throws {PspUnavailable} while it is unknown whether the provider has the order; the next call queries first.
 * @throws {GatewayError} `UNAVAILABLE` while a restore of the database holds the order, and for one that would be sent while sending is
 *   paused: it waits, and the attempt does not count.
 */
export async function submitOrder(
  tools: SubmitTools,
  kind: OrderKind,
  order: NewPixOrder,
): Promise<'placed' | 'refused'> {
  const { database } = tools;
  const sentAs = await findSent(tools, order, async () => (await kind.query(order)) !== undefined);
  const named = sentAs === undefined ? order : { ...order, pspId: sentAs };
  const nowMs = database.nowMs();
  const isPaused =
    (await readNetwork(database, { mode: order.mode, network: PIX_SENDING }))?.pausedAt != null;
  // An order that was sent before a restore is only stored again.
  const isNew =
    (sentAs !== undefined || !isPaused) &&
    (await storePixOrder(database, named, { nowMs, askAtMs: afterOpen(nowMs, nowMs) }));
  if (isNew && sentAs === undefined) return sendFirst(tools, kind, order);
  const before = await readPixOrder(database, order.mode, order.key);
  if (before?.isDone === false) return 'refused';
  if (before?.isDone || (before && (await isFound(tools, kind, before)))) return 'placed';
  if (isPaused)
    throw new GatewayError('UNAVAILABLE', 'sending by PIX is paused', { retryAfter: PAUSED_SECONDS });
  if (!before)
    throw new PspUnavailable(
      `the provider's order ${named.pspId} belongs to another order here: order ${order.key} cannot be stored`,
    );
  return sendAgain(tools, kind, before);
}

/**
 * Queries the provider about an order, and passes its reports on.
 * @returns the reports; undefined if the provider does not have the order.
 */
export async function queryOrder(
  tools: OrderTools,
  kind: OrderKind,
  order: QueriedOrder,
): Promise<OrderReport | undefined> {
  const reported = await kind.query(order);
  for (const each of reported?.events ?? []) await passOn(tools, each);
  return reported;
}

/** @returns whether the provider has an order. Its next query is scheduled then: queries about a missing one may have ended. */
async function isFound(tools: OrderTools, kind: OrderKind, order: PixOrder): Promise<boolean> {
  const reported = await queryOrder(tools, kind, order);
  if (reported) await schedulePoll(tools, order, reported);
  return reported !== undefined;
}

/** Schedules the next query about an order without a final report. @param reported - undefined if the provider does not have it. */
export async function schedulePoll(
  { database }: OrderTools,
  order: PixOrder,
  reported: OrderReport | undefined,
): Promise<void> {
  const nowMs = database.nowMs();
  const { isDone, placedAtMs, sentAtMs } = order;
  if (isDone === false) return;
  const isFinished = isDone && !reported?.isUnfinished;
  const isMissing = isDone === null && !reported;
  const askAtMs = isFinished
    ? afterPayout(placedAtMs, nowMs)
    : isMissing
      ? afterMissing(sentAtMs, nowMs)
      : afterOpen(placedAtMs, nowMs);
  await schedulePixOrder(database, order, askAtMs);
}

/**
 * @throws {PspUnavailable} {PspProblem} for any problem, because the provider may have received the order earlier. The
 *   order stays open and is polled.
 */
async function sendAgain(tools: SubmitTools, kind: OrderKind, order: PixOrder): Promise<'placed'> {
  const nowMs = tools.database.nowMs();
  if (nowMs - order.placedAtMs > kind.repeatableMs)
    throw new PspUnavailable(
      'the provider may not recognise the order any more: ask the provider, and settle the order manually',
    );
  const isClaimed = await claimResend(tools.database, order, {
    nowMs,
    askAtMs: afterOpen(nowMs, nowMs),
    sentBeforeMs: nowMs - tools.sendAgainMs,
  });
  if (!isClaimed)
    throw new PspUnavailable('the provider does not have the order, which may still be on its way');
  const problem = await sendOnce(tools, kind, order);
  if (problem) throw problem;
  return 'placed';
}

/** @throws {PspUnavailable} {PspProblem} for problems other than a permanent refusal. */
async function sendFirst(
  tools: OrderTools,
  kind: OrderKind,
  order: NewPixOrder,
): Promise<'placed' | 'refused'> {
  const problem = await sendOnce(tools, kind, order);
  if (!problem) return 'placed';
  if (problem instanceof PspProblem && kind.isRefusal(problem)) return 'refused';
  throw problem;
}

/**
 * Sends an order. After any failure, the provider is queried first, because it may have received the order.
 * @returns the problem; undefined if the provider has the order.
 */
async function sendOnce(
  tools: OrderTools,
  kind: OrderKind,
  order: NewPixOrder,
): Promise<PspUnavailable | PspProblem | undefined> {
  try {
    for (const each of await kind.send(order)) await passOn(tools, each);
    return undefined;
  } catch (error) {
    if (!(error instanceof PspUnavailable || error instanceof PspProblem)) throw error;
    return (await queryOrder(tools, kind, order)) ? undefined : error;
  }
}
