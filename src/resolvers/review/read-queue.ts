/** The review queue: everything that waits for a person, of an account or over all accounts, the earliest due first. */
import { notFound } from '../../base/errors/errors.ts';
import { BRL, currencyOfLedger } from '../../base/money/currency.ts';
import { multiply, roundHalfUp } from '../../base/money/money.ts';
import { readAssignments } from '../../store/account/review.ts';
import { readRates } from '../../store/engine/pricing.ts';
import { readAccountNames } from '../../store/engine/review-sources.ts';
import { type Context, requireScope } from '../services/context.ts';
import type { CaseReader, FoundCase } from './found-case.ts';
import { REVIEW_KINDS, type ReviewKind } from './queue-sources.ts';

/** A case of the queue. */
export interface ReviewCase extends FoundCase {
  /** `KIND:account:reference`. */
  readonly id: string;
  readonly kind: ReviewKind;
  readonly accountName: string | null;
  /** Worth in BRL, decimal text; null if it has no amount, or no rate. */
  readonly brl: string | null;
  /** Id of the assigned key or person; null for no one. */
  readonly assignee: string | null;
}

/** Filter of cases; all by default. */
export interface QueueFilter {
  readonly kinds?: readonly ReviewKind[] | undefined;
  readonly assignee?: 'me' | 'no_one' | undefined;
  /** Minimum age in hours. */
  readonly waitingHours?: number | undefined;
}

/** Number of waiting cases of a kind. */
export interface KindCount {
  readonly kind: ReviewKind;
  readonly count: number;
}

const HOUR_MS = 3_600_000;
const NAMES = Object.keys(REVIEW_KINDS) as ReviewKind[];

/**
 * @returns every case that the caller sees: of all accounts of the mode by scopes of the platform, else of the caller's
 * account. Sorted by due
 *   time, then by age; of each kind at most `CASES_MAX`.
 * @throws {GatewayError} `FORBIDDEN` without `read`.
 */
export async function readReviewQueue(
  context: Context,
  filter: QueueFilter = {},
): Promise<readonly ReviewCase[]> {
  requireScope(context, 'read');
  const found = await readKinds(context, filter.kinds ?? NAMES);
  const cases = await completed(context, found);
  const nowMs = await context.clock.nowMs();
  return cases.filter((each) => isWanted(each, filter, context.caller.id, nowMs)).toSorted(byUrgency);
}

/**
 * @returns the number of waiting cases of each kind that the caller may see.
 * @throws {GatewayError} as `readReviewQueue`.
 */
export async function countReviewQueue(context: Context): Promise<readonly KindCount[]> {
  requireScope(context, 'read');
  const visible = NAMES.filter((kind) => isVisible(context, kind));
  const lists = await Promise.all(visible.map((kind) => REVIEW_KINDS[kind].read(readerOf(context))));
  return visible.map((kind, at) => ({ kind, count: lists[at]?.length ?? 0 }));
}

/** @returns a case that waits now and that the caller sees. @throws {GatewayError} `FORBIDDEN`; `NOT_FOUND`. */
export async function findReviewCase(context: Context, id: string): Promise<ReviewCase> {
  requireScope(context, 'read');
  const kind = NAMES.find((each) => id.startsWith(`${each.toUpperCase()}:`));
  const found = kind ? await readReviewQueue(context, { kinds: [kind] }) : [];
  const one = found.find((each) => each.id === id);
  if (!one) throw notFound();
  return one;
}

/** @returns whether the caller sees cases of all accounts. */
export function isOfPlatform({ caller }: Pick<Context, 'caller'>): boolean {
  return caller.scopes.some((scope) => scope.startsWith('platform:'));
}

function readerOf(context: Context): CaseReader {
  return { context, accountId: isOfPlatform(context) ? null : context.caller.accountId };
}

/** @returns whether the caller sees cases of the kind. */
export function isVisible(context: Context, kind: ReviewKind): boolean {
  const { platform, isOfAccounts } = REVIEW_KINDS[kind];
  if (!isOfPlatform(context)) return isOfAccounts;
  return platform.some((scope) => context.caller.scopes.includes(scope));
}

type Named = FoundCase & Pick<ReviewCase, 'kind' | 'id'>;

async function readKinds(context: Context, kinds: readonly ReviewKind[]): Promise<readonly Named[]> {
  const visible = kinds.filter((kind) => isVisible(context, kind));
  const reader = readerOf(context);
  const lists = await Promise.all(
    visible.map(async (kind) => (await REVIEW_KINDS[kind].read(reader)).map((each) => named(kind, each))),
  );
  return lists.flat();
}

function named(kind: ReviewKind, found: FoundCase): Named {
  return { ...found, kind, id: caseKeyOf(kind, found) };
}

/** @returns the key of a case. */
export function caseKeyOf(
  kind: ReviewKind,
  { accountId, reference }: Pick<FoundCase, 'accountId' | 'reference'>,
): string {
  return `${kind.toUpperCase()}:${accountId ?? 0}:${reference}`;
}

/** Adds names of accounts, worth and assignees. */
async function completed(context: Context, found: readonly Named[]): Promise<readonly ReviewCase[]> {
  const { database, mode, caller } = context;
  const accounts = [...new Set(found.flatMap(({ accountId }) => accountId ?? []))];
  const [names, rates, assigned] = await Promise.all([
    readAccountNames(database, accounts),
    readRates(database, mode),
    readAssignments(
      database,
      caller.accountId,
      found.map(({ id }) => id),
    ),
  ]);
  const assignees = new Map(assigned.map(({ caseId, assignee }) => [caseId, assignee]));
  return found.map((each) => ({
    ...each,
    accountName: each.accountId === null ? null : (names.get(each.accountId) ?? null),
    brl: worthOf(each, rates),
    assignee: assignees.get(each.id) ?? null,
  }));
}

/** A transaction is worth its BRL side; any other amount is converted at the newest rate. */
function worthOf({ money, row }: FoundCase, rates: ReadonlyMap<string, string>): string | null {
  const sides = row
    ? [
        { currency: row.sourceCurrency, amount: row.sourceAmount },
        { currency: row.targetCurrency, amount: row.targetAmount },
      ]
    : [];
  const known = [money, ...sides].flatMap((side) =>
    side?.currency && side.amount !== null ? [{ currency: side.currency, amount: side.amount }] : [],
  );
  const side = known.find(({ currency }) => currency === BRL.code) ?? known[0];
  const rate = side && rates.get(currencyOfLedger(side.currency).asset);
  return side && rate !== undefined ? roundHalfUp(multiply(side.amount, rate), BRL.decimals) : null;
}

function isWanted(
  { assignee, since }: ReviewCase,
  filter: QueueFilter,
  callerId: string,
  nowMs: number,
): boolean {
  if (filter.assignee === 'me' && assignee !== callerId) return false;
  if (filter.assignee === 'no_one' && assignee !== null) return false;
  const { waitingHours } = filter;
  return waitingHours === undefined || nowMs - Date.parse(since) >= waitingHours * HOUR_MS;
}

function byUrgency(left: ReviewCase, right: ReviewCase): number {
  const [first, second] = [sortKeyOf(left), sortKeyOf(right)];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** The alphabetical order of this text is the order of the queue: `~` comes after every digit. */
export function sortKeyOf({ dueAt, since, id }: Pick<ReviewCase, 'dueAt' | 'since' | 'id'>): string {
  return `${dueAt ?? '~'} ${since} ${id}`;
}
