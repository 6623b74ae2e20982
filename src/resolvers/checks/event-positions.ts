/** Checks a cursor against the log of its account. */
import { GatewayError, invalidParameters } from '../../base/errors/errors.ts';
import { decodeEventCursor, type EventPosition, encodeEventCursor } from '../../events/cursor.ts';
import type { Database } from '../../store/connection/database.ts';
import { type AccountMark, readTokenAt } from '../../store/events/events.ts';

/** Position of a cursor whose event the log lost when it was restored from a backup: no stored event follows it. */
const LOST: EventPosition = { seq: -2n, token: '' };

/** @returns whether the log lost the event at this position. */
export function isLost(position: EventPosition): boolean {
  return position === LOST;
}

/** @returns whether events after this position were dropped, or lost. */
export function isExpired({ seq }: Pick<EventPosition, 'seq'>, mark: AccountMark): boolean {
  return seq + 1n < mark.floor;
}

/** @returns the position before the oldest stored event. */
export function earliestPosition({ floor, floorToken }: AccountMark): EventPosition {
  return { seq: floor - 1n, token: floorToken ?? '' };
}

/** @returns the cursor before the oldest stored event. */
export function earliestCursor(mark: AccountMark): string {
  return encodeEventCursor(mark.accountId, earliestPosition(mark));
}

/** @returns the error for a cursor whose next events were dropped or lost; it names the cursor to continue from. */
export function cursorExpired(mark: AccountMark): GatewayError {
  return new GatewayError('CURSOR_EXPIRED', 'events after this cursor are no longer kept', {
    members: { earliest: earliestCursor(mark), latest: encodeEventCursor(mark.accountId, mark) },
  });
}

/**
 * @param parameter - the caller's name of the cursor.
 * @returns the position of a cursor; that of an expired cursor if the log does not have its event.
 * @throws {GatewayError} `INVALID_PARAMETER` when it is not one of this account's log.
 */
export async function positionOfCursor(
  database: Pick<Database, 'query'>,
  cursor: string,
  parameter: string,
  mark: AccountMark,
): Promise<EventPosition> {
  const position = decodeEventCursor(cursor, mark.accountId);
  if (!position) throw invalidParameters([{ parameter, message: 'must be a cursor of this event log' }]);
  if (isExpired(position, mark)) return position;
  // The log has dropped the event of this one, and its token: no later event is missing.
  if (position.seq + 1n === mark.floor && mark.floorToken === null) return position;
  return (await tokenAt(database, position.seq, mark)) === position.token ? position : LOST;
}

/** @returns the position of this number; without a token when the log does not have it. */
export async function positionAt(
  database: Pick<Database, 'query'>,
  seq: bigint,
  mark: AccountMark,
): Promise<EventPosition> {
  return { seq, token: (await tokenAt(database, seq, mark)) ?? '' };
}

async function tokenAt(
  database: Pick<Database, 'query'>,
  seq: bigint,
  mark: AccountMark,
): Promise<string | undefined> {
  if (seq === mark.seq) return mark.token;
  if (seq + 1n === mark.floor) return mark.floorToken ?? '';
  return readTokenAt(database, mark.accountId, seq);
}
