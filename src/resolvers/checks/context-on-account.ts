/** Actions of the gateway's operator on an account: a key of the platform names the account (C-40). */
import type { ActionName } from '../../base/access/actions.ts';
import { invalidParameters } from '../../base/errors/errors.ts';
import { readHolder } from '../../store/account/accounts.ts';
import { type Context, onAccount, requirePermission } from '../services/context.ts';

const ID = /^[1-9]\d{0,17}$/;

/**
 * @param accountId - in the caller's form.
 * @returns the context of the action: the caller's request, on that account.
 * @throws {GatewayError} `FORBIDDEN`; `NOT_FOUND` unless it is an account of the key's mode.
 */
export async function contextOnAccount<RequestContext extends Context>(
  context: RequestContext,
  action: ActionName,
  accountId: string,
): Promise<RequestContext> {
  requirePermission(context, action);
  const holderId = await holderMeant(context, accountId);
  return onAccount(context, holderId);
}

/**
 * @param accountId - in the operator's form, as `account`.
 * @throws {GatewayError} `NOT_FOUND`, which names the argument, unless it is an account of the key's mode.
 */
export async function holderMeant({ database, mode }: Context, accountId: string): Promise<bigint> {
  const id = ID.test(accountId) ? BigInt(accountId) : undefined;
  const holder = id === undefined ? undefined : await readHolder(database, id);
  if (id !== undefined && holder?.mode === mode && !holder.isPlatform) return id;
  const message = 'there is no account of this number';
  throw invalidParameters([{ parameter: 'account', message, code: 'NOT_FOUND' }]);
}
