/** Follows the ledger of the account: its balances, and lines as they are posted. */
import { invalidParameters } from '../../base/errors.ts';
import { encodeEventCursor } from '../../events/cursor.ts';
import { readLinesAfter } from '../../store/events/events.ts';
import type { LedgerLineRow } from '../../store/ledger/ledger.ts';
import { type Balance, readBalances } from '../ledger/read-balances.ts';
import { type Context, requireScope } from '../services/context.ts';
import { resumePosition } from './event-position.ts';
import { type Frame, type FrameStream, frameStream, type StreamMode } from './frame-stream.ts';
import { ALL, begin } from './watch-events.ts';

/** The balances as they were read. */
export interface BalanceFrame extends Frame {
  readonly balances: readonly Balance[];
}

/** A line of the statement, whose id is the cursor; null for the place where a stream begins now. */
export interface LineFrame extends Frame {
  readonly line: LedgerLineRow | null;
}

const PAGE_SIZE = 100;
const LINE_ID = /^(0|[1-9]\d{0,17})$/;

/** Follows the balances: as they are, then whenever the ledger of the account moved. @throws `FORBIDDEN`. */
export function watchBalances(context: Context, mode: StreamMode = ALL): Promise<FrameStream<BalanceFrame>> {
  requireScope(context, 'read');
  return begin(context, async (watch, { journalId }) => {
    const frame = async (): Promise<BalanceFrame> => {
      // Read after the mark: what is shown is at least as new as the place that it is shown for.
      const { seq, accountId, journalId: position } = watch.mark();
      const { balances } = await readBalances(context);
      return { cursor: encodeEventCursor(accountId, seq), position, isPresent: true, balances };
    };
    const reader = {
      position: resumePosition(undefined, { ...mode, lastEventId: '' }, () => journalId) ?? journalId,
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
 * Follows the statement: every line after a given one, or the newest line's number and then every line after it.
 *
 * @throws {GatewayError} `FORBIDDEN`, `INVALID_PARAMETER` for what is not an id of a line.
 */
export function watchStatement(
  context: Context,
  { after }: { readonly after?: string | null | undefined },
  mode: StreamMode = ALL,
): Promise<FrameStream<LineFrame>> {
  requireScope(context, 'read');
  const { database, caller } = context;
  return begin(context, async (watch, { lineId }) => {
    const from = resumePosition(after, mode, lineIdOf);
    const frameAt = (id: bigint, line: LedgerLineRow | null): LineFrame => {
      return { cursor: String(id), position: id, line };
    };
    const reader = {
      position: from ?? lineId,
      read: async (): Promise<readonly LineFrame[]> => {
        if (watch.mark().lineId <= reader.position) return [];
        const lines = await readLinesAfter(database, caller.accountId, reader.position, PAGE_SIZE);
        reader.position = lines.at(-1)?.id ?? watch.mark().lineId;
        return lines.map((line) => frameAt(line.id, line));
      },
    };
    const first = from === undefined ? [{ ...frameAt(lineId, null), isPresent: true }] : [];
    return frameStream(watch, reader, mode, first);
  });
}

function lineIdOf(text: string, parameter: string): bigint {
  if (LINE_ID.test(text)) return BigInt(text);
  throw invalidParameters([{ parameter, message: 'must be the number of a statement line' }]);
}
