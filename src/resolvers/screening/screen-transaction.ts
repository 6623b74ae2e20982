/** Screens the persons and addresses of a transaction, and raises a hit for each match that nobody has dismissed. */
import { type NewHit, raiseHits, withoutDismissed } from '../../store/rails/screening-hits.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Services } from '../services/context.ts';
import { hitOf, type ScreeningStage, subjectsOf } from './subjects.ts';

/** Outcome of screening: the strictest answer of all matches. */
export type ScreeningOutcome = 'cleared' | 'held' | 'frozen';

/**
 * @returns the strictest answer; `cleared` where nobody is compared. Money goes back to anybody but those on a list of sanctions, so
 *   only these matches count then, and after a person has released the transaction.
 * @throws {ScreenerAway} when a screener cannot answer: the transaction stays where it is, and is screened again.
 */
export async function screenTransaction(
  { database, mode, rails }: Pick<Services, 'database' | 'mode' | 'rails'>,
  row: ProcessRow,
  stage: ScreeningStage,
): Promise<ScreeningOutcome> {
  const isCompared = rails.screening.match !== undefined && row.process?.released !== 'frozen';
  const subjects = isCompared ? subjectsOf(row, stage) : [];
  if (subjects.length === 0) return 'cleared';
  const matches = (await rails.screening.match?.(subjects)) ?? [];
  const isReviewed = stage === 'return' || row.process?.released === 'held';
  const counted = isReviewed ? matches.filter(({ answer }) => answer === 'frozen') : matches;
  if (counted.length === 0) return 'cleared';
  return database.withTx(async (tx) => {
    const hits = await withoutDismissed(tx, mode, counted.map(hitOf));
    const place = { mode, accountId: row.accountId, transactionId: row.id };
    await raiseHits(tx, place, hits, new Date(database.nowMs()));
    if (hits.some((hit) => isFreezing(hit, stage))) return 'frozen';
    return hits.length > 0 ? 'held' : 'cleared';
  });
}

/** Before anything is paid, a name alone is reviewed by a person: it may be somebody else's. */
function isFreezing({ answer, strength }: NewHit, stage: ScreeningStage): boolean {
  return answer === 'frozen' && (strength === 'exact' || stage !== 'creation');
}
