/** Where a reader of the log begins: its cursor checked against the log. */
import { GatewayError, invalidParameters } from '../../base/errors.ts';
import { decodeEventCursor, encodeEventCursor } from '../../events/cursor.ts';
import type { AccountMark } from '../../store/events/events.ts';
import type { StreamMode } from './frame-stream.ts';

/** @returns whether events after this place were dropped. */
export function isExpired(position: bigint, mark: AccountMark): boolean {
  return position + 1n < mark.floor;
}

/** @returns the cursor before the oldest event that is kept. */
export function earliestCursor({ accountId, floor }: AccountMark): string {
  return encodeEventCursor(accountId, floor - 1n);
}

/** @returns the error for a cursor whose next events were dropped; it says where one can go on. */
export function cursorExpired(mark: AccountMark): GatewayError {
  return new GatewayError('CURSOR_EXPIRED', 'events after this cursor are no longer kept', {
    members: { earliest: earliestCursor(mark), latest: encodeEventCursor(mark.accountId, mark.seq) },
  });
}

/**
 * @param parameter - the caller's name of it.
 * @returns the place of a cursor.
 * @throws {GatewayError} `INVALID_PARAMETER` when it is not one of this account's log, or beyond its end.
 */
export function positionOf(cursor: string, parameter: string, mark: AccountMark): bigint {
  const position = decodeEventCursor(cursor, mark.accountId);
  if (position !== undefined && position <= mark.seq) return position;
  throw invalidParameters([{ parameter, message: 'must be a cursor of this event log' }]);
}

/** @returns where a stream goes on; undefined when nothing says where. @throws as `positionOf`. */
export function resumePosition(
  after: string | null | undefined,
  mode: StreamMode,
  read: (cursor: string, parameter: string) => bigint,
): bigint | undefined {
  if (mode.part === 'coming') return undefined;
  if (mode.from !== undefined) return mode.from;
  // A browser's EventSource comes back with the arguments that it began with, and with what it had last.
  if (mode.lastEventId) return read(mode.lastEventId, 'Last-Event-ID');
  if (after != null) return read(after, 'after');
  return undefined;
}
