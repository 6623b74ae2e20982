/** Advances a transaction by an action of a caller; refuses an action that its step does not allow. */
import { ACTIONS, type ActionName } from '../../base/access/actions.ts';
import { GatewayError, overLimit } from '../../base/errors/errors.ts';
import { stepNameOf } from '../../base/ids/step-name.ts';
import type { Family } from '../../templates/define.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Trigger } from '../../templates/triggers.ts';
import { requireAccess } from '../checks/access.ts';
import type { Attempt } from '../checks/once.ts';
import type { AdvanceRequest, AtomicWork } from '../services/advance.ts';
import { authorOf, type Context, homeOf } from '../services/context.ts';
import { possibleActions } from './possible-actions.ts';

/** Identity of a transaction: its id, and the family that it must be of, if any. */
export interface Target {
  readonly end2end: string;
  readonly family?: Family;
  /** The attempt under an idempotency key: it repeats nothing that an earlier attempt did. */
  readonly attempt?: Attempt;
}

/**
 * @param action - name of the action in the audit log.
 * @param atomically - checks in the same database transaction, which has the caller's own account locked too.
 * @returns the transaction after the trigger; unchanged when an earlier attempt under the key sent it already.
 * @throws {GatewayError} `STEP_CONFLICT`; `LIMIT_EXCEEDED` above the customer's limit of the day;
 *   `INSUFFICIENT_BALANCE` when the balance does not cover it.
 */
export async function advanceTransaction(
  context: Context,
  { attempt }: Pick<Target, 'attempt'>,
  row: ProcessRow,
  trigger: Trigger,
  action: ActionName,
  { atomically }: { readonly atomically?: AtomicWork } = {},
): Promise<ProcessRow> {
  if (isDone(attempt)) return row;
  const result = await context.advance({
    target: { accountId: row.accountId, transactionId: row.id },
    trigger,
    ...asCaller(context, action, async (tx, moved, before) => {
      await atomically?.(tx, moved, before);
      await attempt?.bind(tx, moved.end2end);
    }),
  });
  if (result.code === 'LIMIT_EXCEEDED') throw overDailyLimit();
  if (result.code === 'INSUFFICIENT_BALANCE')
    throw new GatewayError(
      'INSUFFICIENT_BALANCE',
      'the available balance does not cover this: nothing was changed',
      { facts: { limit: { kind: 'balance' } } },
    );
  if (result.code !== 'ADVANCED') throw await conflict(context, result.row);
  return result.row;
}

/**
 * @returns the parts of a request to the engine that name its author, and check under the lock of the caller's own account that
 *   their access lasts (C-40).
 */
export function asCaller(
  context: Context,
  action: ActionName,
  atomically: AtomicWork,
): Pick<AdvanceRequest, 'author' | 'alsoLocked' | 'atomically'> {
  return {
    author: authorOf(context, action),
    alsoLocked: [homeOf(context.caller)],
    atomically: async (tx, moved, before) => {
      await requireAccess(context, tx, [ACTIONS[action].scope]);
      await atomically(tx, moved, before);
    },
  };
}

/** @returns whether an earlier attempt under the key did it already. */
export function isDone(attempt: Attempt | undefined): boolean {
  return attempt !== undefined && attempt.made !== null;
}

/**
 * @returns the refusal of an action that the transaction's step does not allow; the message names the mutations that the
 * caller can use now.
 */
export async function conflict(context: Context, row: ProcessRow): Promise<GatewayError> {
  if (row.process === null) return historyConflict(row);
  const [actions = []] = await possibleActions(context, [row]);
  const mutations = new Set(actions.map(({ mutation }) => mutation));
  return new GatewayError(
    'STEP_CONFLICT',
    `the transaction is at step ${stepNameOf(row)}, which does not allow this; ${possible('possible now', [...mutations])}`,
    { facts: { actions: actions.map(({ name }) => name) } },
  );
}

/** @returns the refusal of anything about imported history. */
export function historyConflict(row: ProcessRow): GatewayError {
  return new GatewayError(
    'STEP_CONFLICT',
    `the transaction was imported as history, so it stays at step ${stepNameOf(row)} and accepts no action`,
  );
}

/** @returns the names as text; a phrase of its own for an empty list. */
export function possible(what: string, names: readonly string[]): string {
  return `${what}: ${names.join(', ') || 'nothing'}`;
}

/** @returns the refusal of an order that would exceed the customer's limit of the day. */
export function overDailyLimit(): GatewayError {
  return overLimit('the amount takes this customer over the daily limit', { kind: 'customer_day' });
}
