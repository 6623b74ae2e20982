/**
 * Actions of the platform that need two people: the approver is neither the maker nor counts as one with the maker (C-25,
 * C-40).
 */
import { GatewayError } from '../../base/errors/errors.ts';
import { haveOneMaker } from '../../store/account/api-keys.ts';
import type { Tx } from '../../store/connection/database.ts';
import type { Context } from '../services/context.ts';
import { approvesFrom } from './protections.ts';

/**
 * Checks under the lock of the caller's account, which creating a key also takes.
 *
 * @param subject - the approved action, with its article.
 * @throws {GatewayError} `FORBIDDEN` for the maker and those who count as one maker with them, and for a key or
 *   person that is newer to the platform than its cooling time.
 */
export async function requireSecondPerson(
  context: Context,
  tx: Tx,
  { maker, nowMs, subject }: { readonly maker: string; readonly nowMs: number; readonly subject: string },
): Promise<void> {
  const { accountId, id } = context.caller;
  if (await haveOneMaker(tx, accountId, maker, id))
    throw new GatewayError(
      'FORBIDDEN',
      `${subject} must be approved by somebody other than its proposer, and neither may have created the other’s key`,
    );
  const fromMs = await approvesFrom(context, tx, nowMs);
  if (nowMs < fromMs)
    throw new GatewayError(
      'FORBIDDEN',
      `a key or person that is new can approve after the cooling time: from ${new Date(fromMs).toISOString()}`,
    );
}
