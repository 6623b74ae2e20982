/** Commands with `--idempotency-key`: performed once; a repetition gets the same answer (C-52). */
import type { ActionName } from '../base/access/actions.ts';
import { type CreationChecks, checksOf } from '../resolvers/checks/check-creation.ts';
import { type Attempt, once } from '../resolvers/checks/once.ts';
import { type Context, requirePermission } from '../resolvers/services/context.ts';

/** Option of the idempotency key of a command. */
export interface Keyed {
  readonly live?: boolean;
  readonly idempotencyKey?: string | undefined;
}

/**
 * Performs an action once under the key of the command, if it has one.
 *
 * @param body - must be equal for the same key.
 * @returns the result of the work, as JSON stores it.
 */
export async function onceAs<Result>(
  context: Context,
  action: ActionName,
  { idempotencyKey: key, body }: Keyed & { readonly body: object },
  work: (attempt: Attempt, checks: CreationChecks) => Promise<Result>,
): Promise<Result> {
  requirePermission(context, action);
  const request = {
    key,
    parameter: '--idempotency-key',
    route: `crossramp ${action}`,
    body: JSON.stringify(body),
  };
  const done = await once(context, request, async (attempt) => ({
    status: 200,
    answer: JSON.stringify(await work(attempt, checksOf(context))),
  }));
  return JSON.parse(done.answer);
}

/** @returns each option under its name on the command line. */
export function named<Name extends string>(
  options: Readonly<Record<Name, string>>,
  ...names: readonly Name[]
): Record<Name, { readonly name: string; readonly value: string }> {
  const entries = names.map((name) => [name, { name: `--${name}`, value: options[name] }]);
  return Object.fromEntries(entries);
}
