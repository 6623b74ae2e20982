/** Sign-ins under the e-mail address of a person that may be those of somebody else, such as a sender of an invitation. */
import type { Tx } from '../../store/connection/database.ts';
import { removePasskeys } from '../../store/people/passkeys.ts';
import { joinAccount, readOwnAccounts } from '../../store/people/people.ts';
import { endSessions } from '../../store/people/person-sessions.ts';

/**
 * Removes the passkeys of a person, and ends all their sessions, in this order: the removal waits for a sign-in by one of the passkeys
 * under the lock of another account, whose session then ends, too.
 *
 * @returns the number of passkeys.
 */
export async function endEarlierSignIns(tx: Tx, personId: string, at: Date): Promise<number> {
  const removed = await removePasskeys(tx, personId);
  await endSessions(tx, personId, at);
  return removed;
}

/**
 * Accepts an invitation. Sessions and passkeys of a person without a role open nothing; they would open the account if they outlived this.
 *
 * @returns whether the person had a role before.
 */
export async function acceptInvitation(
  tx: Tx,
  { accountId, personId, at }: { readonly accountId: bigint; readonly personId: string; readonly at: Date },
): Promise<boolean> {
  const hadRole = (await readOwnAccounts(tx, personId)).length > 0;
  if (!hadRole) await endEarlierSignIns(tx, personId, at);
  await joinAccount(tx, accountId, personId, at);
  return hadRole;
}
