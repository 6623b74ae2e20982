/**
 * Places orders so that none is executed twice: stored first, then sent under a name of our own at the provider. When
 * the outcome is unknown, the provider is asked. An order that the provider says it never had is resent after a
 * minute, under the same name, by which the provider itself refuses a duplicate: such a refusal says nothing about
 * the first, and ends nothing.
 */
import type { RailEvent } from '../../resolvers/services/rail-event.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import {
  claimResend,
  type NewPixOrder,
  type PixOrder,
  readPixOrder,
  schedulePixOrder,
  storePixOrder,
} from '../../store/rails/pix-orders.ts';
import { PspProblem, PspUnavailable } from './http.ts';
import { passOn } from './report-payments.ts';
import { afterOpen, afterPayout } from './times.ts';

/** Common parts. */
export type OrderTools = Pick<RailTools, 'mode' | 'database' | 'receive'>;

/** Parts that place orders. */
export interface SubmitTools extends OrderTools {
  /** An order that the provider does not know may be on its way to it still; after this it is sent again under the same name. */
  readonly sendAgainMs: number;
}

/** Report of the provider about an order. */
export interface OrderReport {
  readonly events: readonly RailEvent[];
  /** Whether more reports will follow soon. */
  readonly isUnfinished: boolean;
}

/** An order that the provider is asked about; the provider's own name for it, where it is known. */
export type QueriedOrder = NewPixOrder & Partial<Pick<PixOrder, 'reference'>>;

/** Sending and polling of one kind of orders. */
export interface OrderKind {
  /**
   * @returns reports about it.
   * @throws {PspUnavailable} {PspProblem}
   */
  readonly send: (order: NewPixOrder) => Promise<readonly RailEvent[]>;
  /** @returns reports about it; undefined when the provider does not have it. */
  readonly query: (order: QueriedOrder) => Promise<OrderReport | undefined>;
  /** Time for which the provider surely knows the name of an order again, so that a repetition is no second order. Unit: ms. */
  readonly repeatableMs: number;
  /** Whether a problem is a refusal for good, and not a matter of access or settings, which somebody can put right. */
  readonly isRefusal: (problem: PspProblem) => boolean;
}

/**
 * Places an order, or finds out about one that was placed before.
 *
 * @returns 'refused' where the provider refuses it for good, or could not carry it out.
 * @throws {PspUnavailable} while nobody knows whether the provider has it: placing it again later asks first.
 */
export async function submitOrder(
  tools: SubmitTools,
  kind: OrderKind,
  order: NewPixOrder,
): Promise<'placed' | 'refused'> {
  const nowMs = tools.database.nowMs();
  const isNew = await storePixOrder(tools.database, order, { nowMs, askAtMs: afterOpen(nowMs, nowMs) });
  if (isNew) return sendFirst(tools, kind, order);
  const before = await readPixOrder(tools.database, order.mode, order.key);
  if (!before || before.isDone === true) return 'placed';
  if (before.isDone === false) return 'refused';
  return (await queryOrder(tools, kind, before)) ? 'placed' : sendAgain(tools, kind, before);
}

/**
 * Asks the provider about an order, and passes its reports on.
 *
 * @returns the reports; undefined when the provider does not have it.
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

/** Says when the provider is asked next about an order of which it had nothing final to tell. */
export async function schedulePoll(
  { database }: OrderTools,
  order: PixOrder,
  reported: OrderReport | undefined,
): Promise<void> {
  const nowMs = database.nowMs();
  const { isDone, placedAtMs } = order;
  if (isDone === false) return;
  const isFinished = isDone && !reported?.isUnfinished;
  const askAtMs = isFinished ? afterPayout(placedAtMs, nowMs) : afterOpen(placedAtMs, nowMs);
  await schedulePixOrder(database, order, askAtMs);
}

/**
 * @throws {PspUnavailable} {PspProblem} the provider may have had the order before, whatever it refuses: the order stays
 *   open, and is polled.
 */
async function sendAgain(tools: SubmitTools, kind: OrderKind, order: PixOrder): Promise<'placed'> {
  const nowMs = tools.database.nowMs();
  if (nowMs - order.placedAtMs > kind.repeatableMs)
    throw new PspUnavailable(
      'the provider may have lost the name of the order: ask the provider, and settle the order by hand',
    );
  const isClaimed = await claimResend(tools.database, order, {
    nowMs,
    sentBeforeMs: nowMs - tools.sendAgainMs,
  });
  if (!isClaimed)
    throw new PspUnavailable('the provider does not have the order, which may still be on its way');
  const problem = await sendOnce(tools, kind, order);
  if (problem) throw problem;
  return 'placed';
}

/** @throws {PspUnavailable} {PspProblem} what is no refusal for good. */
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
 * Whatever goes wrong, the provider is asked before a conclusion: it may have had the order already.
 *
 * @returns the problem; undefined when the provider has it.
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
