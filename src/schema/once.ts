/** Mutations under the caller's `idempotencyKey`: performed once, and answered in the same way afterwards (C-52). */
import { ACTIONS, type Action, type ActionName } from '../base/access/actions.ts';
import type { Scope } from '../base/access/api-key.ts';
import { known } from '../base/errors/assert.ts';
import { type Attempt, KEY_LENGTH_MAX, once } from '../resolvers/checks/once.ts';
import { type Context, requireOneOf } from '../resolvers/services/context.ts';
import { findProcess } from '../store/engine/processes.ts';
import type { ProcessRow } from '../templates/facts.ts';

/** The input member whose mutation is performed once. */
export const KEY_ARGUMENT = {
  description: `Your own key for this request, 1 to ${KEY_LENGTH_MAX} printable ASCII characters without spaces. For 24 hours, the same request with the same key gets the stored answer; another request with it is refused (C-52).`,
} as const;

/** A mutation, and its input. */
export interface Keyed {
  readonly mutation: string;
  /** A replay needs the scope, too; null if the transaction determines the action. */
  readonly action: ActionName | null;
  readonly args: { readonly idempotencyKey?: string | null | undefined };
}

/** A transaction that a mutation made or moved. */
export interface Done {
  readonly row: ProcessRow;
  readonly isReplayed: boolean;
}

/**
 * Makes or moves a transaction once.
 * @returns the transaction, in its current state for a replay of the mutation.
 * @throws {GatewayError} `FORBIDDEN`, `IDEMPOTENCY_MISMATCH`, `IDEMPOTENCY_RUNNING`, `INVALID_PARAMETER`, and the
 * errors of the work.
 */
export async function moveOnce(
  context: Context,
  keyed: Keyed,
  work: (attempt: Attempt) => Promise<ProcessRow>,
): Promise<Done> {
  let moved: ProcessRow | undefined;
  const { stored, isReplayed } = await performOnce(context, keyed, async (attempt) => {
    moved = await work(attempt);
    return { end2end: moved.end2end };
  });
  return { row: moved ?? (await readProcess(context, stored.end2end)), isReplayed };
}

/**
 * Creates a record once.
 * @param make - binds the key in the database transaction of the creation: if the process dies before its answer, the
 * record exists and the key names it.
 * @returns its id.
 * @throws {GatewayError} the errors of `moveOnce`.
 */
export async function makeOnce(
  context: Context,
  keyed: Keyed,
  make: (attempt: Attempt) => Promise<string>,
): Promise<string> {
  const { stored } = await performOnce(context, keyed, async (attempt) => ({
    id: attempt.made ?? (await make(attempt)),
  }));
  return stored.id;
}

/**
 * Performs work once.
 * @param work - returns the stored part of the answer: enough to answer again.
 * @throws {GatewayError} the errors of `moveOnce`.
 */
export async function performOnce<Stored extends object>(
  context: Context,
  { mutation, action, args }: Keyed,
  work: (attempt: Attempt) => Promise<Stored>,
): Promise<{ readonly stored: Stored; readonly isReplayed: boolean }> {
  // A stored answer is returned only to a caller who has the scope of the mutation.
  requireOneOf(context, action ? [ACTIONS[action].scope] : scopesOf(mutation));
  const { idempotencyKey, ...body } = args;
  const request = {
    key: idempotencyKey ?? undefined,
    parameter: 'input.idempotencyKey',
    route: `mutation ${mutation}`,
    body: JSON.stringify(body),
  };
  const { answer, isReplayed } = await once(context, request, async (attempt) => ({
    status: 200,
    answer: JSON.stringify(await work(attempt)),
  }));
  return { stored: JSON.parse(answer), isReplayed };
}

async function readProcess({ database, caller }: Context, end2end: string): Promise<ProcessRow> {
  return known(await findProcess(database, caller.accountId, end2end), 'the record of a used key');
}

/** @returns the scopes of all actions that a mutation can perform. */
function scopesOf(mutation: string): readonly Scope[] {
  return Object.values<Action>(ACTIONS).flatMap(({ scope, mutations }) =>
    mutations.includes(mutation) ? [scope] : [],
  );
}
