/** Writes about MED cases under the lock of their account, together with the step of the transaction that they are about. */
import type { Instant } from '../../base/time/instant.ts';
import { instantOf } from '../../base/time/instant.ts';
import type { Tx } from '../../store/connection/database.ts';
import type { MedCase, MedKey } from '../../store/rails/med-cases.ts';
import type { Trigger } from '../../templates/triggers.ts';
import type { Services } from '../services/context.ts';
import { withAccounts } from '../services/lock-accounts.ts';

/** A write about a case. */
export interface CaseStep {
  readonly place: Pick<MedCase, 'accountId' | 'transactionId'>;
  /** Told to the transaction, if there is one; a transaction that does not take it is left as it is. */
  readonly trigger: Trigger<'med_opened' | 'med_due' | 'med_closed'>;
  /** Read under the lock: whether the write is still due. */
  readonly holds: (tx: Tx) => Promise<boolean>;
  /** @param at - now, on the clock of the mode. */
  readonly write: (tx: Tx, at: Instant) => Promise<void>;
}

/** @returns the case by kind and the rail's name, as its transaction knows it. */
export function medNameOf({ kind, reference }: Pick<MedKey, 'kind' | 'reference'>): string {
  return `${kind}:${reference}`;
}

/** @returns whether a case is still with this account and transaction. */
export function isAt(now: CaseStep['place'], { accountId, transactionId }: CaseStep['place']): boolean {
  return now.accountId === accountId && now.transactionId === transactionId;
}

/** @returns whether it was written; it is not where it was not due any more. */
export async function stepCase(
  services: Services,
  { place: position, trigger, holds, write }: CaseStep,
): Promise<boolean> {
  const { accountId, transactionId } = position;
  const { clock } = services;
  const writeNow = async (tx: Tx) => write(tx, instantOf(new Date(await clock.nowMs(tx))));
  if (transactionId === null)
    return withAccounts(services, [accountId], async (tx) => {
      const isDue = await holds(tx);
      if (isDue) await writeNow(tx);
      return isDue;
    });
  const { code } = await services.advance({
    target: { accountId, transactionId },
    trigger,
    holds,
    atomically: writeNow,
    otherwise: writeNow,
  });
  return code !== 'OUTDATED';
}
