/** Screens the persons and addresses of a transaction, and raises a hit for each match that is not dismissed. */
import { GatewayError } from '../../base/errors/errors.ts';
import {
  type HitSubject,
  type NewHit,
  raisedBefore,
  raiseHits,
  withoutDismissed,
} from '../../store/rails/screening-hits.ts';
import { storeScreening } from '../../store/rails/screening-records.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Services } from '../services/context.ts';
import { ScreenerUnavailable, type ScreeningSubject } from '../services/rails.ts';
import { hitOf, type ScreeningStage, subjectsOf } from './subjects.ts';

/** Outcome of screening: the strictest answer of all matches. */
export type ScreeningOutcome = 'cleared' | 'held' | 'frozen';

/** Seconds after which a caller may repeat the request. */
const RETRY_SECONDS = 15;

/** Services that screening needs. */
type Screens = Pick<Services, 'database' | 'mode' | 'rails'>;

/**
 * @returns the strictest answer; `cleared` if there is no one to compare. Money is returned to anyone except those on a
 * sanctions list, so only these matches count then. Matches from before a person released the transaction, or reviewed its
 * customer, no longer count.
 * @throws {ScreenerUnavailable} when a screener cannot answer: the transaction stays at its step, and is screened again.
 */
export async function screenTransaction(
  services: Screens,
  row: ProcessRow,
  stage: ScreeningStage,
): Promise<ScreeningOutcome> {
  const subjects = services.rails.screening.match ? subjectsOf(row, stage) : [];
  const target = { accountId: row.accountId, transactionId: row.id };
  const found = await matchAndRaise(services, target, subjects, stage === 'return');
  const hits = await withoutReleased(services, row, found);
  const outcome = hits.some((hit) => isFreezing(hit, stage))
    ? 'frozen'
    : hits.length > 0
      ? 'held'
      : 'cleared';
  await recordScreening(services, target, { stage, outcome, subjects });
  return outcome;
}

/** Stores which lists and providers compared which parts of the transaction. */
async function recordScreening(
  { database, rails }: Screens,
  target: { readonly accountId: bigint; readonly transactionId: bigint },
  {
    stage,
    outcome,
    subjects,
  }: {
    readonly stage: ScreeningStage;
    readonly outcome: ScreeningOutcome;
    readonly subjects: readonly ScreeningSubject[];
  },
): Promise<void> {
  const all = subjects.length === 0 ? [] : ((await rails.screening.screeners?.()) ?? []);
  const queried = all.filter(({ screens }) => subjects.some(screens));
  if (queried.length === 0) return;
  const roles = subjects.filter((subject) => queried.some(({ screens }) => screens(subject)));
  const record = {
    ...{ stage, outcome, screeners: queried.map(({ name }) => name) },
    roles: [...new Set(roles.map(({ role }) => role))],
  };
  await storeScreening(database, target, record, new Date(database.nowMs()));
}

/**
 * Screens the sender of money that no transaction accepted, before a person decides about it.
 *
 * @throws {GatewayError} `STEP_CONFLICT` where the sender is on a list of sanctions; `UNAVAILABLE` while a screener cannot
 * answer.
 */
export async function refuseSanctionedSender(
  services: Screens,
  target: Pick<HitSubject, 'accountId' | 'transactionId'>,
  subject: ScreeningSubject | undefined,
): Promise<void> {
  const hits = await matchAndRaise(services, target, subject ? [subject] : [], true).catch(refuseUnscreened);
  if (hits.length > 0)
    throw new GatewayError(
      'STEP_CONFLICT',
      'the sender is on a list of sanctions: the money is frozen until the hit is dismissed',
    );
}

/**
 * Screens a person or company that a person is about to store: a match is raised as a hit, and stops nothing.
 *
 * @throws {GatewayError} `UNAVAILABLE` while a screener cannot answer.
 */
export async function screenSubject(
  services: Screens,
  target: Pick<HitSubject, 'accountId' | 'transactionId'>,
  subject: ScreeningSubject,
): Promise<void> {
  await matchAndRaise(services, target, [subject], false).catch(refuseUnscreened);
}

function refuseUnscreened(error: unknown): never {
  if (!(error instanceof ScreenerUnavailable)) throw error;
  throw new GatewayError('UNAVAILABLE', 'nobody can be screened now: nothing was changed', {
    retryAfter: RETRY_SECONDS,
  });
}

/** @returns raised hits that are not dismissed; only those of sanctions lists if only these count. */
async function matchAndRaise(
  { database, mode, rails }: Screens,
  target: Pick<HitSubject, 'accountId' | 'transactionId'>,
  subjects: readonly ScreeningSubject[],
  isOfSanctions: boolean,
): Promise<readonly NewHit[]> {
  const matches = subjects.length === 0 ? [] : ((await rails.screening.match?.(subjects)) ?? []);
  const counted = isOfSanctions ? matches.filter(({ answer }) => answer === 'frozen') : matches;
  if (counted.length === 0) return [];
  return database.withTx(async (tx) => {
    const hits = await withoutDismissed(tx, mode, counted.map(hitOf));
    await raiseHits(tx, { mode, ...target }, hits, new Date(database.nowMs()));
    return hits;
  });
}

/**
 * @returns the hits without those that a person knew when the transaction was released; a freezing hit needs two people for
 * that.
 */
async function withoutReleased(
  { database, mode }: Screens,
  { accountId, id: transactionId, process }: ProcessRow,
  hits: readonly NewHit[],
): Promise<readonly NewHit[]> {
  const { released } = process ?? {};
  if (!released || hits.length === 0) return hits;
  const target = { mode, accountId, transactionId };
  const before = await raisedBefore(database, target, released.at);
  return hits.filter((hit) => (released.from === 'held' && hit.answer === 'frozen') || !before(hit));
}

/** Before a payment, a match by name alone is reviewed by a person: the name may be another person's. */
function isFreezing({ answer, strength }: NewHit, stage: ScreeningStage): boolean {
  return answer === 'frozen' && (strength === 'exact' || stage !== 'creation');
}
