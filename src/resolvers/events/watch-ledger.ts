/** Follows the ledger of the account: its balances, and lines as they are posted. */
import { encodeEventCursor, encodeLineCursor, type LinePosition } from '../../events/cursor.ts';
import { readLinesAfter } from '../../store/events/events.ts';
import type { LedgerLineRow } from '../../store/ledger/ledger.ts';
import { type Balance, readBalances } from '../ledger/read-balances.ts';
import { type Context, requireScope } from '../services/context.ts';
import { positionIn, resumeCursor } from './event-position.ts';
import { type Frame, type FrameStream, frameStream, type StreamMode } from './frame-stream.ts';
import { lineIdOf, positionOfLine, positionOfLineId } from './line-position.ts';
import { ALL, begin } from './watch-events.ts';

/** The balances as they were read. */
export interface BalanceFrame extends Frame {
  readonly balances: readonly Balance[];
}

/** A line of the statement; null for the position at which a stream begins now. */
export interface LineFrame extends Frame {
  readonly line: LedgerLineRow | null;
}

const PAGE_SIZE = 100;

/** Follows the balances: as they are, then whenever the ledger of the account moved. @throws `FORBIDDEN`. */
export function watchBalances(context: Context, mode: StreamMode = ALL): Promise<FrameStream<BalanceFrame>> {
  requireScope(context, 'read');
  return begin(context, async (watch, { journalId }) => {
    const frame = async (): Promise<BalanceFrame> => {
      // Read after the mark: the shown state is at least as new as its position.
      const { accountId, journalId: position, ...index } = watch.mark();
      const { balances } = await readBalances(context);
      return { cursor: encodeEventCursor(accountId, index), position, isPresent: true, balances };
    };
    const reader = {
      position: positionIn(mode) ?? journalId,
      read: async () => {
        if (watch.mark().journalId <= reader.position) return [];
        const moved = await frame();
        reader.position = moved.position;
        return [moved];
      },
    };
    const isFirst = mode.part !== 'coming' && mode.from === undefined;
    return frameStream(watch, reader, mode, isFirst ? [await frame()] : []);
  });
}

/**
 * Follows the statement: every line after a cursor, or the newest line's cursor and then every line after it.
 *
 * @throws {GatewayError} `FORBIDDEN`, and as `lineIdOf`.
 */
export function watchStatement(
  context: Context,
  { after }: { readonly after?: string | null | undefined },
  mode: StreamMode = ALL,
): Promise<FrameStream<LineFrame>> {
  requireScope(context, 'read');
  const { database } = context;
  return begin(context, async (watch, mark) => {
    const { accountId, lineId } = mark;
    const resumed = resumeCursor(after, mode);
    const from = positionIn(mode) ?? (resumed && (await lineIdOf(database, mark, resumed)));
    const frameAt = (index: LinePosition, line: LedgerLineRow | null): LineFrame => {
      return { cursor: encodeLineCursor(accountId, index), position: index.id, line };
    };
    let last = await positionOfLineId(database, accountId, from ?? lineId);
    const reader = {
      position: from ?? lineId,
      read: async (): Promise<readonly LineFrame[]> => {
        if (watch.mark().lineId <= reader.position) return [];
        const lines = await readLinesFrom(database, accountId, { last, position: reader.position });
        // The client reconnects, and gets the error that its cursor has expired.
        if (!lines) watch.end();
        const newest = lines?.at(-1);
        if (newest) last = positionOfLine(newest);
        reader.position = newest?.id ?? watch.mark().lineId;
        return lines?.map((line) => frameAt(positionOfLine(line), line)) ?? [];
      },
    };
    if (from !== undefined || mode.part === 'coming') return frameStream(watch, reader, mode);
    const newest = last;
    return frameStream(watch, reader, mode, [{ ...frameAt(newest, null), isPresent: true }]);
  });
}

/**
 * @param last - the last line that was read; the one before the first where the line at the position is not known.
 * @returns the lines after a position; undefined if the statement has another line at the last position, because it was
 * restored.
 */
async function readLinesFrom(
  database: Context['database'],
  accountId: bigint,
  { last, position }: { readonly last: LinePosition; readonly position: bigint },
): Promise<LedgerLineRow[] | undefined> {
  const isKnown = position > 0n && last.id === position;
  if (!isKnown) return readLinesAfter(database, accountId, position, PAGE_SIZE);
  const [known, ...lines] = await readLinesAfter(database, accountId, position - 1n, PAGE_SIZE + 1);
  return known && positionOfLine(known).token === last.token && known.id === position ? lines : undefined;
}
