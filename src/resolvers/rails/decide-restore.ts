/** Decisions of a person after a restore of the database: its beginning, a rail that cannot list, and payments that were found. */
import { known } from '../../base/errors/assert.ts';
import { GatewayError, invalidParameters, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { parseInstant } from '../../base/time/instant.ts';
import type { Tx } from '../../store/connection/database.ts';
import { isDuplicateKey } from '../../store/connection/database-error.ts';
import {
  beginRestore,
  type RestoredRail,
  readRestoredRail,
  storeRestoredRail,
} from '../../store/rails/restores.ts';
import {
  decideUnknownPayment,
  listUnknownPayments,
  lockUnknownPayment,
  readHolding,
  type UnknownPayment,
} from '../../store/rails/unknown-payments.ts';
import { audited } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { authorOf, type Context, requirePermission, requirePlatform } from '../services/context.ts';
import { payingRails } from './restored-rails.ts';

/** Maximum number of payments that are listed at once. */
export const PAYMENTS_MAX = 400;
const ID = /^[1-9]\d{0,17}$/;

/** A rail after the last restore. */
export interface RailAfterRestore extends RestoredRail {
  readonly rail: string;
}

/** @returns the rails by which money leaves; none if the database was never restored. @throws {GatewayError} `FORBIDDEN`. */
export async function readRestoredRails(context: Context): Promise<readonly RailAfterRestore[]> {
  requirePlatform(context);
  const { database, mode } = context;
  const rails = payingRails(context).map(async ({ name: rail }) => {
    const restored = await readRestoredRail(database, { mode, rail });
    return restored ? [{ rail, ...restored }] : [];
  });
  return (await Promise.all(rails)).flat();
}

/** @returns payments that left after the restored time, undecided ones or all. @throws {GatewayError} `FORBIDDEN`. */
export async function readUnknownPayments(
  context: Context,
  { isOpen }: { readonly isOpen: boolean },
): Promise<readonly UnknownPayment[]> {
  requirePlatform(context);
  return listUnknownPayments(context.database, context.mode, { isOpen, limit: PAYMENTS_MAX });
}

/**
 * Stops all rails, of both modes, until they were scanned for payments since a time.
 *
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER`.
 */
export async function stopRails(context: Context, since: Named): Promise<void> {
  requirePermission(context, 'restore.begin');
  const at = parseInstant(since.value);
  if (!at || at.getTime() > context.database.nowMs())
    throw invalidParameters([
      { parameter: since.name, message: 'must be a past time with a zone, such as 2026-11-29T12:00:00Z' },
    ]);
  await audited(context, async (tx, writeDown) => {
    await beginRestore(tx, at);
    writeDown('restore.begin', { kind: 'rail', id: 'all' }, { after: { since: at.toISOString() } });
  });
}

/**
 * Lets a rail send again without a scan for its payments.
 *
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER`; `NOT_FOUND`; `STEP_CONFLICT` unless a restore has stopped it.
 */
export async function releaseRail(
  context: Context,
  rail: string,
  reason: Named,
  checks: CreationChecks,
): Promise<void> {
  requirePermission(context, 'restore.release');
  const checked = checks.reference(reason);
  checks.refuse();
  if (!payingRails(context).some(({ name }) => name === rail)) throw notFound();
  const key = { mode: context.mode, rail };
  await audited(context, async (tx, writeDown) => {
    const restored = await readRestoredRail(tx, key);
    if (!restored || restored.clearedAt !== null)
      throw new GatewayError('STEP_CONFLICT', `${rail} is not stopped by a restore`);
    const by = authorOf(context, 'restore.release').actorId;
    const why = known(checked, 'a reason');
    const state = { clearedAtMs: context.database.nowMs(), by, reason: why };
    if (!(await storeRestoredRail(tx, restored, key, state)))
      throw new GatewayError('STEP_CONFLICT', `the state of ${rail} has changed meanwhile`);
    writeDown('restore.release', { kind: 'rail', id: rail }, { after: { reason: why } });
  });
}

/**
 * Matches a payment with an order that it holds: the order is not sent, and ends as the payment does.
 *
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER` for an order that the payment does not hold; `NOT_FOUND`;
 *   `STEP_CONFLICT` if the payment is decided, the order is matched with another one, or the payment has the id of another order.
 */
export function matchPayment(context: Context, id: string, order: Named): Promise<void> {
  return decide(context, 'restore.match', id, async (tx, payment) => {
    const { isHeld, namesake } = await readHolding(tx, payment, context.mode, order.value);
    if (!isHeld)
      throw invalidParameters([
        { parameter: order.name, message: `must be one of the orders that payment ${id} holds` },
      ]);
    if (namesake !== null)
      throw new GatewayError('STEP_CONFLICT', `payment ${id} has the id of order ${namesake}`);
    return { orderKey: order.value, reason: null };
  });
}

/**
 * Decides that a payment is that of no order here: the orders that it holds are sent.
 *
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER`; `NOT_FOUND`; `STEP_CONFLICT` if the payment is decided.
 */
export async function dismissPayment(
  context: Context,
  id: string,
  reason: Named,
  checks: CreationChecks,
): Promise<void> {
  const checked = checks.reference(reason);
  checks.refuse();
  await decide(context, 'restore.dismiss', id, async () => ({
    orderKey: null,
    reason: known(checked, 'a reason'),
  }));
}

async function decide(
  context: Context,
  action: 'restore.match' | 'restore.dismiss',
  id: string,
  choose: (
    tx: Tx,
    payment: UnknownPayment,
  ) => Promise<{ readonly orderKey: string | null; readonly reason: string | null }>,
): Promise<void> {
  requirePermission(context, action);
  await audited(context, async (tx, writeDown) => {
    const payment = ID.test(id) ? await lockUnknownPayment(tx, context.mode, BigInt(id)) : undefined;
    if (!payment) throw notFound();
    if (payment.state !== 'open') throw new GatewayError('STEP_CONFLICT', `payment ${id} is decided`);
    const decision = await choose(tx, payment);
    await decideUnknownPayment(tx, payment, {
      ...decision,
      by: authorOf(context, action).actorId,
      atMs: context.database.nowMs(),
    }).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      throw new GatewayError('STEP_CONFLICT', `order ${decision.orderKey} is matched with another payment`);
    });
    const { rail, name, currency, amountMinor } = payment;
    writeDown(
      action,
      { kind: 'unknown_payment', id },
      { before: { rail, name, currency, amountMinor }, after: { ...decision } },
    );
  });
}
