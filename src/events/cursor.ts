/** The public cursor: a position in an account's event log, as opaque text. */

const FORM = /^e1:(0|[1-9]\d{0,17}):(0|[1-9]\d{0,17})$/;
const LENGTH_MAX = 100;

/** @returns the cursor of the event that is the account's `seq`-th; 0 stands before the first. */
export function encodeEventCursor(accountId: bigint, seq: bigint): string {
  return Buffer.from(`e1:${accountId}:${seq}`).toString('base64url');
}

/** @returns the position; undefined when the text is not a cursor of this account. */
export function decodeEventCursor(cursor: string, accountId: bigint): bigint | undefined {
  if (cursor.length > LENGTH_MAX) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  const parts = FORM.exec(text);
  // Only the one spelling that was given out: base64 has others for the same bytes.
  if (!parts || Buffer.from(text).toString('base64url') !== cursor) return undefined;
  return BigInt(parts[1] as string) === accountId ? BigInt(parts[2] as string) : undefined;
}
