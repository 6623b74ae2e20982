/**
 * Open orders to the PIX provider, and their settlement by the operator, with evidence, for outcomes that polling cannot find
 * (C-33, C-34).
 */
import { known } from '../../base/errors/assert.ts';
import { GatewayError, invalidParameters, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { isEndToEndId } from '../../base/pix/end-to-end-id.ts';
import { postponeRailEvent } from '../../store/engine/rail-events.ts';
import { decidePixOrder, findReportedOrder, listOpenPixOrders } from '../../store/rails/open-pix-orders.ts';
import { type PixOrder, readPixOrder } from '../../store/rails/pix-orders.ts';
import { audited } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { type Attempt, UNKEYED } from '../checks/once.ts';
import { type Context, onAccount, requirePermission, requirePlatform } from '../services/context.ts';
import type { RailEvent } from '../services/rail-event.ts';
import { railEventRecordOf } from './rail-events.ts';

/** Maximum number of orders that are listed at once. */
export const ORDERS_MAX = 400;

/** Outcomes that the operator can state. */
export const SETTLED_AS = {
  DONE: 'The provider carried it out.',
  NOT_DONE: 'The provider never carried it out, and will not.',
} as const;
/** A member of SETTLED_AS. */
export type SettledAs = keyof typeof SETTLED_AS;

/** Settlement of an order, each value under the caller's own name. */
export interface OrderSettlement {
  readonly key: string;
  readonly as: SettledAs;
  /**
   * The provider's id of the executed order: EndToEndId of a payout, rtrId of a return; if the order was not executed, the
   * name of the person who reported that.
   */
  readonly evidence: Named;
}

/** Age up to which an order may still arrive: longer than any call of the provider. Unit: ms. */
const IN_TRANSIT_MS = 120_000;
const PROVIDER_ID = /^[!-~]{1,64}$/;

/** @returns orders that the provider has not decided, the oldest first; at most `ORDERS_MAX`. @throws {GatewayError} `FORBIDDEN`. */
export async function openOrders(context: Context): Promise<PixOrder[]> {
  requirePlatform(context);
  return listOpenPixOrders(context.database, context.mode, { limit: ORDERS_MAX });
}

/**
 * Settles an order by hand, after the provider was asked: its transaction, or the entry in suspense, continues as if the
 * provider had reported it.
 *
 * @returns the order after it.
 * @throws {GatewayError} `FORBIDDEN`; `NOT_FOUND`; `INVALID_PARAMETER`; `UNAVAILABLE` when the provider is unreachable;
 *   `STEP_CONFLICT` when the order is decided, when the provider reports otherwise, and within two minutes after the order was sent.
 */
export async function settleOrder(
  context: Context,
  { key, as, evidence }: OrderSettlement,
  checks: CreationChecks,
  attempt: Attempt = UNKEYED,
): Promise<PixOrder> {
  requirePermission(context, 'order.settle');
  const checked = checks.reference(evidence);
  checks.refuse();
  const order = await findOrder(context, key);
  if (attempt.made !== null) return order;
  const proof = {
    name: evidence.name,
    value: proofOf(order, as, { ...evidence, value: known(checked, 'evidence') }),
  };
  const requestedAtMs = context.database.nowMs();
  await refuseUnlessUnknown(context, order, as);
  const event = eventOf(order, as === 'DONE', proof.value);
  await decide(context, order, { as, proof, event, requestedAtMs }, attempt);
  // A failure now is retried like that of any other event.
  await context.receive(event).catch(() => {});
  return findOrder(context, key);
}

/** @returns an order of the caller's mode. @throws {GatewayError} `NOT_FOUND`. */
export async function findOrder({ database, mode }: Context, key: string): Promise<PixOrder> {
  // PostgreSQL has no text with NUL. A key may be longer than an id: it contains that of its transaction.
  const order = key.includes('\0') ? undefined : await readPixOrder(database, mode, key);
  if (!order) throw notFound();
  return order;
}

function proofOf({ kind }: PixOrder, as: SettledAs, { name, value }: Named): string {
  if (as === 'NOT_DONE') return value;
  if (kind === 'payout' && !isEndToEndId(value))
    throw invalidParameters([
      { parameter: name, message: 'must be the EndToEndId of the payout, E… of 32 characters' },
    ]);
  if (!PROVIDER_ID.test(value))
    throw invalidParameters([{ parameter: name, message: 'must be the rtrId of the return' }]);
  return value;
}

/** The provider is queried once more: its answer outweighs a person's information. */
async function refuseUnlessUnknown(
  { rails }: Pick<Context, 'rails'>,
  { key }: PixOrder,
  as: SettledAs,
): Promise<void> {
  switch (await rails.pix.queryOrder?.(key)) {
    case 'unknown':
      return;
    case 'differs':
      if (as === 'DONE') return;
      throw new GatewayError('STEP_CONFLICT', `the provider reports that money of ${key} was returned`);
    case 'open':
      throw new GatewayError('STEP_CONFLICT', `the provider is still processing order ${key}`);
    case 'decided':
      throw new GatewayError('STEP_CONFLICT', `the provider has decided ${key}`);
    default:
      throw new GatewayError('UNAVAILABLE', 'the PIX provider is unreachable: try again');
  }
}

/** Once this is stored, the order is not sent any more, and the event of its end is retried until it is settled. */
async function decide(
  context: Context,
  order: PixOrder,
  settlement: {
    readonly as: SettledAs;
    readonly proof: Named;
    readonly event: RailEvent;
    readonly requestedAtMs: number;
  },
  attempt: Attempt,
): Promise<void> {
  const { mode } = context;
  const { key, kind, accountId, amount, pspId } = order;
  const { as, proof, event, requestedAtMs } = settlement;
  await audited(onAccount(context, accountId), async (tx, writeDown) => {
    const now = known(await readPixOrder(tx, mode, key), 'an order');
    if (now.isDone !== null) throw new GatewayError('STEP_CONFLICT', `${key} is decided`);
    const end = {
      isDone: as === 'DONE',
      endToEndId: as === 'DONE' && kind === 'payout' ? proof.value : null,
      endedAtMs: context.database.nowMs(),
      sentBeforeMs: requestedAtMs - IN_TRANSIT_MS,
    };
    if (!(await decidePixOrder(tx, now, end)))
      throw new GatewayError(
        'STEP_CONFLICT',
        `${key} was sent less than ${IN_TRANSIT_MS / 1_000} seconds ago: the provider may receive it soon`,
      );
    const dueMs = context.database.nowMs();
    const waiting = { outcome: 'pending', dueMs, error: 'settled by hand', isUntaken: false } as const;
    const record = railEventRecordOf(context, event);
    await postponeRailEvent(tx, record, { ...waiting, target: undefined });
    // A payout is reported by its EndToEndId: under the id of another payout, its end would never be reported.
    if ((await findReportedOrder(tx, record)) !== key)
      throw invalidParameters([{ parameter: proof.name, message: 'must not be the id of another order' }]);
    await attempt.bind(tx, key);
    const before = { kind, amount, pspId, state: 'open' };
    const after = { state: as, evidence: proof.value };
    writeDown('order.settle', { kind: 'pix_order', id: key }, { before, after });
  });
}

function eventOf({ key, kind, endToEndId }: PixOrder, isDone: boolean, proof: string): RailEvent {
  if (kind === 'payout')
    return { kind: 'payout_ended', order: key, isDone, endToEndId: isDone ? proof : null };
  return {
    kind: 'refund_ended',
    rail: 'pix',
    order: key,
    endToEndId,
    isDone,
    networkFee: null,
    gas: null,
    txHash: null,
  };
}
