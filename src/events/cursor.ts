/**
 * Public cursors: positions in an account's event log or statement, as opaque text. Each contains a token of its event
 * or line, so that a database restored from a backup refuses the cursors of events and lines that it lost.
 */

/** Position of an event: its number in the account's log, and the first characters of its token. */
export interface EventPosition {
  /** 0 means before the first event. */
  readonly seq: bigint;
  /** Empty for 0 and for an unknown token; no event has an empty token. */
  readonly token: string;
}

/** Position before the first event. */
export const BEFORE_FIRST: EventPosition = { seq: 0n, token: '' };

/** Number of characters of an event's token in a cursor. */
export const POSITION_TOKEN_LENGTH = 8;
/** Form of cursors of statement lines. */
const LINE_FORM = /^l1:(0|[1-9]\d{0,17}):(0|[1-9]\d{0,17}):([0-9a-f]{8})?$/;
/** Form of event cursors. Cursors of the form `e1`, which earlier versions issued, have no token. */
const FORM = /^e(?:1|2):(0|[1-9]\d{0,17}):(0|[1-9]\d{0,17})(?::([0-9a-f]{8})?)?$/;
const LENGTH_MAX = 100;

/** @returns the cursor of a position. */
export function encodeEventCursor(accountId: bigint, { seq, token }: EventPosition): string {
  return Buffer.from(`e2:${accountId}:${seq}:${token}`).toString('base64url');
}

/** @returns the position; undefined if the text is no cursor of this account. */
export function decodeEventCursor(cursor: string, accountId: bigint): EventPosition | undefined {
  const found = decode(FORM, cursor, accountId);
  return found && { seq: found.number, token: found.token };
}

/** Position of a line in an account's statement: its number, and a token computed from its content. */
export interface LinePosition {
  /** 0 means before the first line. */
  readonly id: bigint;
  /** Empty for 0. */
  readonly token: string;
}

/** @returns the cursor of a position in the statement. */
export function encodeLineCursor(accountId: bigint, { id, token }: LinePosition): string {
  return Buffer.from(`l1:${accountId}:${id}:${token}`).toString('base64url');
}

/** @returns the position; undefined if the text is no cursor of this account's statement. */
export function decodeLineCursor(cursor: string, accountId: bigint): LinePosition | undefined {
  const found = decode(LINE_FORM, cursor, accountId);
  return found && { id: found.number, token: found.token };
}

function decode(
  form: RegExp,
  cursor: string,
  accountId: bigint,
): { readonly number: bigint; readonly token: string } | undefined {
  if (cursor.length > LENGTH_MAX) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  const parts = form.exec(text);
  // Only the issued spelling is accepted: base64 has other spellings of the same bytes.
  if (!parts || Buffer.from(text).toString('base64url') !== cursor) return undefined;
  const [, account = '', number = '', token = ''] = parts;
  return BigInt(account) === accountId ? { number: BigInt(number), token } : undefined;
}
