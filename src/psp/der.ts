/** DER (ITU-T X.690), as far as a certificate needs it: every value is its tag, its length and its content. */

/** A value with this tag. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.of(tag), lengthOf(content.length), content]);
}

/** Concatenation of values of different kinds. */
export const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
/** Values without an order. */
export const set = (...parts: readonly Uint8Array[]) => der(0x31, ...parts);
/** Bytes. */
export const octets = (content: Uint8Array) => der(0x04, content);
/** Bits; `unused` of the last byte do not count. */
export const bits = (content: Uint8Array, unused = 0) => der(0x03, Uint8Array.of(unused), content);
/** True; false is left out everywhere. */
export const yes = () => der(0x01, Uint8Array.of(0xff));
/** Text. */
export const text = (value: string) => der(0x0c, Buffer.from(value));
/** A value that stands under a number of its own. */
export const tagged = (number: number, value: Uint8Array) => der(0xa0 | number, value);

/** A number from its bytes, the highest first; never below zero. */
export function integer(bytes: Uint8Array): Buffer {
  return der(0x02, (bytes[0] as number) & 0x80 ? Buffer.concat([Uint8Array.of(0), bytes]) : bytes);
}

/** @param dotted - such as `2.5.29.15`. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** A time; from 2050 on it has another form (RFC 5280, 4.1.2.5). */
export function time(at: Date): Buffer {
  const digits = `${at.toISOString().slice(0, 19).replace(/\D/g, '')}Z`;
  return at.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(digits.slice(2)))
    : der(0x18, Buffer.from(digits));
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Uint8Array.of(0x80 | bytes.length), bytes]);
}

/** Seven bits per byte, the highest first; all but the last have the eighth set. */
function base128(value: number): number[] {
  const rest = Math.floor(value / 128);
  const last = value % 128;
  return rest === 0 ? [last] : [...base128(rest).map((byte) => byte | 0x80), last];
}
