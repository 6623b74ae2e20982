/** Acts of the gateway's operator on an account: a key of the platform names the account (C-40). */
import type { ActName } from '../../base/acts.ts';
import { notFound } from '../../base/errors.ts';
import { readHolder } from '../../store/account/accounts.ts';
import { type Context, requireAct } from '../services/context.ts';

const ID = /^[1-9]\d{0,17}$/;

/**
 * @param accountId - as the caller gave it.
 * @returns what the act is done with: everything as the caller asked, on that account.
 * @throws {GatewayError} `FORBIDDEN`; `NOT_FOUND` unless it is an account of the key's mode.
 */
export async function actOnAccount<Given extends Context>(
  context: Given,
  act: ActName,
  accountId: string,
): Promise<Given> {
  requireAct(context, act);
  const holder = ID.test(accountId) ? await readHolder(context.database, BigInt(accountId)) : undefined;
  if (holder?.mode !== context.mode || holder.isPlatform) throw notFound();
  return { ...context, caller: { ...context.caller, accountId: BigInt(accountId) } };
}
