/**
 * Closes the books of a day: no further journal enters it, its movements are stored, and its hash, which includes that of the
 * day before, is written to the audit log of the platform.
 */
import { assert } from '../../base/errors/assert.ts';
import { GatewayError, invalidParameters } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { brasiliaDay, dayAfter } from '../../base/time/brasilia-day.ts';
import { instantOf, parseDay } from '../../base/time/instant.ts';
import type { IdPart, IdSlice } from '../../store/connection/id-list.ts';
import {
  addBookClose,
  type BookClose,
  type ListedClose,
  listBookCloses,
  readBookCloses,
  readLastClose,
  sealBooks,
} from '../../store/ledger/book-closes.ts';
import { audited } from '../checks/audited.ts';
import type { Attempt } from '../checks/once.ts';
import { authorOf, type Context, requirePermission, requireScope } from '../services/context.ts';
import { boundsOf } from './read-books.ts';

/** The chain of closes begins within the last `n` days, unless the caller says that it is to begin earlier. */
export const FIRST_CLOSE_DAYS = 31;

const DAY_MS = 86_400_000;

/** The first day that is closed may be long past. */
export interface EarlyBeginning {
  readonly name: string;
  readonly value: boolean;
}

/**
 * Closes a day in Brasília: the day after the last that is closed; when it is the first, one of the last 31, or any past day
 * with `begin`.
 *
 * @param begin - the chain of closes begins with this day, however long ago it is.
 *
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER`; `STEP_CONFLICT` for a day that is not over, that is closed, or
 *   that is not the next.
 */
export async function closeBooks(
  context: Context,
  input: Named,
  begin: EarlyBeginning,
  attempt: Attempt,
): Promise<BookClose> {
  requirePermission(context, 'books.close');
  const day = parseDay(input.value);
  if (!day)
    throw invalidParameters([{ parameter: input.name, message: 'must be an existing day, YYYY-MM-DD' }]);
  const { database, mode, clock, notifier } = context;
  const nowMs = await clock.nowMs();
  if (attempt.made === null) {
    const before = await readLastClose(database, mode);
    refuseUnlessNext(day, brasiliaDay(nowMs), before);
    if (!before && !begin.value) refuseEarly({ ...input, value: day }, begin.name, nowMs);
    const bounds = boundsOf(day);
    await sealBooks(database.withTx, mode, bounds.to);
    await audited(context, async (tx, writeDown, closedMs) => {
      // Another one may have closed it meanwhile: the lock of the platform's account orders them.
      const last = await readLastClose(tx, mode);
      refuseUnlessNext(day, brasiliaDay(closedMs), last);
      const closedBy = authorOf(context, 'books.close').actorId;
      const closedAt = instantOf(new Date(closedMs));
      const previous = last?.hash ?? null;
      const hash = await addBookClose(tx, mode, { day, closedAt, closedBy, previous, bounds });
      await attempt.bind(tx, day);
      writeDown('books.close', { kind: 'book_day', id: day }, { after: { hash } });
    });
    notifier.notify([context.caller.accountId]);
  }
  const [close] = await readBookCloses(database, mode, { limit: 1, before: dayAfter(day) });
  assert(close?.day === day, 'a closed day stays closed');
  return close;
}

/** @returns a part of the closed days, newest first. @throws {GatewayError} `FORBIDDEN`. */
export function readCloses(context: Context, slice: IdSlice): Promise<IdPart<ListedClose>> {
  requireScope(context, 'platform:books');
  return listBookCloses(context.database, [context.mode], slice);
}

function refuseUnlessNext(day: string, today: string, last: BookClose | undefined): void {
  if (day >= today) throw new GatewayError('STEP_CONFLICT', `${day} is not over yet in Brasília`);
  if (last && day <= last.day)
    throw new GatewayError('STEP_CONFLICT', `the books are closed up to ${last.day}`);
  const next = last && dayAfter(last.day);
  if (next && day !== next) throw new GatewayError('STEP_CONFLICT', `the next day to close is ${next}`);
}

/** With a mistyped year, nothing of use would be closed, and every day since would have to be closed one by one. */
function refuseEarly({ name, value: day }: Named, begin: string, nowMs: number): void {
  const earliest = brasiliaDay(nowMs - FIRST_CLOSE_DAYS * DAY_MS);
  if (day >= earliest) return;
  const message = `must be ${earliest} or later, as no day is closed yet; with ${begin} the closes begin earlier`;
  throw invalidParameters([{ parameter: name, message }]);
}
