/**
 * The public cursors: a place in an account's event log or statement, as opaque text. Each has a token of its event or line, so that a
 * database which was restored from a backup refuses the cursors of what it lost.
 */

/** An event by its number in the log of an account, and the first characters of its token. */
export interface EventPosition {
  /** 0 stands before the first. */
  readonly seq: bigint;
  /** Empty for 0, and where the token is not known: no event has that. */
  readonly token: string;
}

/** The place before the first event. */
export const BEFORE_FIRST: EventPosition = { seq: 0n, token: '' };

/** Characters of an event's token that a cursor has. */
export const POSITION_TOKEN_LENGTH = 8;
/** Cursors of statement lines. */
const LINE_FORM = /^l1:(0|[1-9]\d{0,17}):(0|[1-9]\d{0,17}):([0-9a-f]{8})?$/;
/** Cursors of the form `e1`, which earlier versions gave out, have no token. */
const FORM = /^e(?:1|2):(0|[1-9]\d{0,17}):(0|[1-9]\d{0,17})(?::([0-9a-f]{8})?)?$/;
const LENGTH_MAX = 100;

/** @returns the cursor of a place. */
export function encodeEventCursor(accountId: bigint, { seq, token }: EventPosition): string {
  return Buffer.from(`e2:${accountId}:${seq}:${token}`).toString('base64url');
}

/** @returns the place; undefined when the text is not a cursor of this account. */
export function decodeEventCursor(cursor: string, accountId: bigint): EventPosition | undefined {
  const found = decode(FORM, cursor, accountId);
  return found && { seq: found.number, token: found.token };
}

/** A line of an account's statement by its number, and a token made of what the line says. */
export interface LinePosition {
  /** 0 is before the first. */
  readonly id: bigint;
  /** Empty for 0. */
  readonly token: string;
}

/** @returns the cursor of a place in the statement. */
export function encodeLineCursor(accountId: bigint, { id, token }: LinePosition): string {
  return Buffer.from(`l1:${accountId}:${id}:${token}`).toString('base64url');
}

/** @returns the place; undefined when the text is not a cursor of this account's statement. */
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
  // Only the one spelling that was given out: base64 has others for the same bytes.
  if (!parts || Buffer.from(text).toString('base64url') !== cursor) return undefined;
  const [, account = '', number = '', token = ''] = parts;
  return BigInt(account) === accountId ? { number: BigInt(number), token } : undefined;
}
