/** Reads the event log in pages, for those who poll. */
import { encodeEventCursor } from '../events/cursor.ts';
import { type AccountMark, type EventRow, readEvents } from '../store/events.ts';
import { type Context, requireScope } from './context.ts';
import { cursorExpired, isExpired, positionOf } from './event-position.ts';

/** What is asked for. */
export interface EventPageInput {
  /** The oldest event that is kept is the first when not given. */
  readonly after?: string | null | undefined;
  readonly limit: number;
  /** How long to wait for an event when there is none. */
  readonly waitMs: number;
}

/** Events in their order, each under its cursor, and the cursor to go on with. */
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
  const { events, streamLimit, caller } = context;
  const leave = input.waitMs > 0 ? streamLimit.take(caller) : () => {};
  const watch = events.watch(caller.accountId);
  try {
    const mark = await watch.fresh();
    const after = input.after == null ? mark.floor - 1n : positionOf(input.after, 'after', mark);
    if (isExpired(after, mark)) throw cursorExpired(mark);
    const until = Date.now() + input.waitMs;
    while (watch.mark().seq <= after && !watch.isEnded()) {
      const left = until - Date.now();
      if (left <= 0) break;
      await watch.wait(left);
    }
    return await readPage(context, mark, after, input.limit);
  } finally {
    watch.end();
    leave();
  }
}

async function readPage(
  { database }: Context,
  mark: AccountMark,
  after: bigint,
  limit: number,
): Promise<EventPage> {
  const { accountId } = mark;
  const rows = await readEvents(database, accountId, after, limit + 1);
  // The months that come next were dropped since the mark was read.
  if (rows[0] && rows[0].seq !== after + 1n) throw cursorExpired({ ...mark, floor: rows[0].seq });
  const events = rows
    .slice(0, limit)
    .map((event) => ({ cursor: encodeEventCursor(accountId, event.seq), event }));
  return {
    events,
    next: events.at(-1)?.cursor ?? encodeEventCursor(accountId, after),
    hasMore: rows.length > limit,
  };
}
