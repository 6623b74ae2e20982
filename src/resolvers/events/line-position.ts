/** Checks a cursor of the statement against the lines of its account. */
import { createHash } from 'node:crypto';
import { GatewayError, invalidParameters } from '../../base/errors/errors.ts';
import {
  decodeLineCursor,
  encodeLineCursor,
  type LinePosition,
  POSITION_TOKEN_LENGTH,
} from '../../events/cursor.ts';
import type { Database } from '../../store/connection/database.ts';
import { readLinesAfter } from '../../store/events/events.ts';
import type { LedgerLineRow } from '../../store/ledger/ledger.ts';

type Reader = Pick<Database, 'query'>;

const BEFORE_FIRST: LinePosition = { id: 0n, token: '' };

/** @returns the position of a line. Another line that gets the same number after a restore has another token. */
export function positionOfLine(line: LedgerLineRow): LinePosition {
  const { id, ledgerAccountId, transactionId, postedAt, delta } = line;
  const facts = [id, ledgerAccountId, transactionId, postedAt, delta].join(' ');
  const token = createHash('sha256').update(facts).digest('hex').slice(0, POSITION_TOKEN_LENGTH);
  return { id, token };
}

/** @returns the position of the line with this number; 0 is before the first. */
export async function positionOfLineId(
  database: Reader,
  accountId: bigint,
  id: bigint,
): Promise<LinePosition> {
  const [line] = id === 0n ? [] : await readLinesAfter(database, accountId, id - 1n, 1);
  return line?.id === id ? positionOfLine(line) : BEFORE_FIRST;
}

/**
 * @param parameter - the caller's name of the cursor.
 * @param newest - number of the newest line.
 * @returns the number of the line of the cursor.
 * @throws {GatewayError} `INVALID_PARAMETER` for text that is no cursor of the account's statement; `CURSOR_EXPIRED` where the
 *   statement lost the line.
 */
export async function lineIdOf(
  database: Reader,
  { accountId, lineId: newest }: { readonly accountId: bigint; readonly lineId: bigint },
  { cursor, parameter }: { readonly cursor: string; readonly parameter: string },
): Promise<bigint> {
  const position = decodeLineCursor(cursor, accountId);
  if (!position) throw invalidParameters([{ parameter, message: 'must be a cursor of statementEntryAdded' }]);
  const stored = await positionOfLineId(database, accountId, position.id);
  if (stored.id === position.id && stored.token === position.token) return position.id;
  const latest = await positionOfLineId(database, accountId, newest);
  throw new GatewayError('CURSOR_EXPIRED', 'the statement no longer has the line of this cursor', {
    members: {
      earliest: encodeLineCursor(accountId, BEFORE_FIRST),
      latest: encodeLineCursor(accountId, latest),
    },
  });
}
