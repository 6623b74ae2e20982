/** Ends a session with the lock of its price, where its account wants that (C-21). */
import { instantOf } from '../../base/instant.ts';
import { readAccountSettings } from '../../store/account/settings.ts';
import { GRACE_MS } from '../../templates/effects.ts';
import { expiryOf, lockEndOf } from '../../templates/ends.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Services } from '../services/context.ts';

/** What the end of a session follows from. */
type Priced = Parameters<typeof expiryOf>[0] &
  Parameters<typeof lockEndOf>[0] &
  Pick<ProcessRow, 'accountId'>;

/** @returns when a session ends that was just priced; settings are read only where the lock ends first. */
export async function endOfPriced(
  { database, sandbox }: Services,
  priced: Priced,
): Promise<ProcessRow['expiresAt']> {
  const [end, lockEnd] = [expiryOf(priced), lockEndOf(priced)];
  // Price and session begin a moment apart: a session as long as the lock keeps its end.
  if (end === undefined || lockEnd === undefined || end <= lockEnd + GRACE_MS) return priced.expiresAt;
  const { afterLock } = await readAccountSettings(database, priced.accountId, {
    isSandbox: sandbox !== null,
  });
  return afterLock === 'END' ? instantOf(new Date(lockEnd)) : priced.expiresAt;
}
