/** Reads the event log in pages, for polling clients. */
import { assert } from '../../base/errors/assert.ts';
import { type EventPosition, encodeEventCursor } from '../../events/cursor.ts';
import {
  type AccountMark,
  type EventRow,
  readEvents,
  readEventsBefore,
  readMarks,
} from '../../store/events/events.ts';
import {
  cursorExpired,
  earliestPosition,
  isExpired,
  positionAt,
  positionOfCursor,
} from '../checks/event-positions.ts';
import { type Context, requireScope } from '../services/context.ts';

/** Parameters of a page. */
export interface EventPageInput {
  /** The oldest stored event is the first if omitted. */
  readonly after?: string | null | undefined;
  readonly limit: number;
  /** Maximum wait for an event when there is none. */
  readonly waitMs: number;
  /** Aborts when the caller no longer waits. */
  readonly gone?: AbortSignal | undefined;
}

/** Events in their order, each under its cursor, and the cursor to continue with. */
export interface EventPage {
  readonly events: readonly { readonly cursor: string; readonly event: EventRow }[];
  readonly next: string;
  /** Whether there were more already. */
  readonly hasMore: boolean;
}

/**
 * @throws {GatewayError} `FORBIDDEN`, `INVALID_PARAMETER`, `CURSOR_EXPIRED`, and `RATE_LIMITED` when too many requests of
 *   the key wait already.
 */
export async function readEventPage(context: Context, input: EventPageInput): Promise<EventPage> {
  requireScope(context, 'read');
  const { database, events, streamLimit, caller } = context;
  const { gone } = input;
  const leave = input.waitMs > 0 ? streamLimit.acquire(caller) : () => {};
  const watch = events.watch(caller.accountId);
  try {
    const mark = await watch.fresh();
    const after =
      input.after == null
        ? earliestPosition(mark)
        : await positionOfCursor(database, input.after, 'after', mark);
    if (isExpired(after, mark)) throw cursorExpired(mark);
    const until = performance.now() + input.waitMs;
    gone?.addEventListener('abort', watch.end);
    while (watch.mark().seq <= after.seq && !watch.isEnded() && !gone?.aborted) {
      const left = until - performance.now();
      if (left <= 0) break;
      await watch.wait(left);
    }
    return await readPage(context, mark, after, input.limit);
  } finally {
    watch.end();
    leave();
  }
}

/** A part of the log between two positions, read from either end. */
export interface EventSliceInput {
  readonly limit: number;
  /** Cursors: only events after this one, and before that one. */
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  /** Newest first. */
  readonly isBackward: boolean;
  /** Number of events skipped at the end from which is read; only without a cursor. */
  readonly skip: number;
}

/** Events of a slice, in the order in which they were read, and whether others precede or follow. */
export interface EventSlice {
  readonly events: readonly EventRow[];
  /** Total number of stored events. */
  readonly total: bigint;
  /** Whether stored events are older or newer than the bounds of the slice. */
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  /** Start of the slice: the cursor for the next request when it is empty. */
  readonly start: string;
}

/**
 * Reads a part of the log. Reading backward ends at the oldest stored event.
 *
 * @throws {GatewayError} `FORBIDDEN`, `INVALID_PARAMETER`, and `CURSOR_EXPIRED` if events after `after` are gone.
 */
export async function readEventSlice(context: Context, input: EventSliceInput): Promise<EventSlice> {
  requireScope(context, 'read');
  const { database, caller } = context;
  const [mark] = await readMarks(database, [caller.accountId]);
  assert(mark, 'the account of a key exists');
  // Events are numbered without gaps, so that a position is a number.
  const skip = BigInt(input.skip);
  const [oldest, newest] = input.isBackward ? [0n, skip] : [skip, 0n];
  const start = mark.floor - 1n + oldest;
  const first = start > mark.seq ? mark.seq : start;
  const after =
    input.after === undefined
      ? await positionAt(database, first, mark)
      : await positionOfCursor(database, input.after, 'after', mark);
  if (isExpired(after, mark)) throw cursorExpired(mark);
  const end = newest > 0n ? mark.seq + 1n - newest : END;
  const last =
    input.before === undefined ? undefined : await positionOfCursor(database, input.before, 'before', mark);
  if (last && isExpired(last, mark)) throw cursorExpired(mark);
  const before = last?.seq ?? end;
  const rows = input.isBackward
    ? await readEventsBefore(database, mark.accountId, before, input.limit)
    : await readRising(database, mark, after.seq, input.limit);
  return {
    events: rows.filter(({ seq }) => seq > after.seq && seq < before),
    total: mark.seq - mark.floor + 1n,
    hasOlder: after.seq >= mark.floor,
    hasNewer: before <= mark.seq,
    start: encodeEventCursor(mark.accountId, after),
  };
}

/** After every place. */
const END = 2n ** 62n;

async function readRising(
  database: Context['database'],
  mark: AccountMark,
  after: bigint,
  limit: number,
): Promise<EventRow[]> {
  const rows = await readEvents(database, mark.accountId, after, limit);
  // The next months were dropped since the mark was read.
  if (rows[0] && rows[0].seq !== after + 1n) throw cursorExpired({ ...mark, floor: rows[0].seq });
  return rows;
}

async function readPage(
  { database }: Context,
  mark: AccountMark,
  after: EventPosition,
  limit: number,
): Promise<EventPage> {
  const { accountId } = mark;
  const rows = await readRising(database, mark, after.seq, limit + 1);
  const events = rows
    .slice(0, limit)
    .map((event) => ({ cursor: encodeEventCursor(accountId, event), event }));
  return {
    events,
    next: events.at(-1)?.cursor ?? encodeEventCursor(accountId, after),
    hasMore: rows.length > limit,
  };
}
