/**
 * Stores a provider's answer about a case: the case, its evidence, and the transactions that continue, in one
 * database transaction.
 */
import type { Instant } from '../../base/time/instant.ts';
import { addEvidence } from '../../store/account/case-evidence.ts';
import { hastenCase } from '../../store/account/case-queue.ts';
import {
  type CustomerCase,
  findCaseAtProvider,
  readCasesOf,
  saveCase,
} from '../../store/account/customer-cases.ts';
import type { Tx } from '../../store/connection/database.ts';
import { type Locking, withAccounts } from '../services/lock-accounts.ts';
import { answered, type CaseAnswer, type CaseChange, expiredCase, stateBelow } from './case-state.ts';
import { evidenceOf, storeChange } from './store-case.ts';

/** Additional data of an answer. */
export interface AnswerMore {
  /** Time for which an approval is valid. Unit: ms. */
  readonly validMs: number;
  /** @returns the time of the next poll of the provider; null: no automatic poll. */
  readonly askAt: (row: CustomerCase) => Instant | null;
  /** Link of the payer to the provider's page, sealed; undefined keeps the stored one. */
  readonly sealedLink?: string | undefined;
}

/**
 * Stores an answer of the provider about the present attempt of a case.
 *
 * @returns the change; undefined without one, or when the case was started again since then.
 */
export function answerCase(
  locking: Locking,
  requested: CustomerCase,
  answer: CaseAnswer,
  { validMs, askAt, sealedLink }: AnswerMore,
): Promise<CaseChange | undefined> {
  return changing(locking, requested, async (tx, row, nowMs) => {
    const change = answered(row, answer, { nowMs, validMs });
    const after = change?.row ?? { ...row, failures: 0, failure: null };
    const linked = { ...after, ...(sealedLink !== undefined && { sealedLink }) };
    const full = { ...linked, askAt: askAt(linked) };
    if (change) await storeChange(tx, { ...change, row: full }, nowMs);
    else await saveCase(tx, full);
    return change;
  });
}

/** Gives up a case that the provider has not decided in time. */
export function giveUpCase(locking: Locking, requested: CustomerCase): Promise<CaseChange | undefined> {
  return changing(locking, requested, async (tx, row, nowMs) => {
    if (!['open', 'pending', 'retry', 'review'].includes(stateBelow(row))) return undefined;
    const change = expiredCase(row, nowMs);
    await storeChange(tx, change, nowMs);
    return change;
  });
}

/**
 * Stores that the provider sent a notification, so that the case is polled immediately: the answer to the poll counts, not
 * the message.
 *
 * @param hash - of the message, hex.
 * @returns whether the case exists.
 */
export async function noteCallback(locking: Locking, externalId: string, hash: string): Promise<boolean> {
  const found = await findCaseAtProvider(locking.database, locking.mode, externalId);
  if (!found) return false;
  await changing(locking, found, async (tx, row, nowMs) => {
    await addEvidence(tx, { ...evidenceOf(row, 'callback', nowMs), answerHash: hash });
    await hastenCase(tx, row.id, new Date(nowMs));
    return undefined;
  });
  return true;
}

/** Reads the case under the lock of its account; nothing happens if another attempt has begun. */
function changing(
  locking: Locking,
  { accountId, taxId, level, externalId }: CustomerCase,
  work: (tx: Tx, row: CustomerCase, nowMs: number) => Promise<CaseChange | undefined>,
): Promise<CaseChange | undefined> {
  return withAccounts(locking, [accountId], async (tx) => {
    const row = (await readCasesOf(tx, accountId, taxId)).find((each) => each.level === level);
    if (row?.externalId !== externalId) return undefined;
    return work(tx, row, locking.database.nowMs());
  });
}
