/** The part of DER (ITU-T X.690) that certificates need. A value is encoded as its tag, length and content. */

/** A value with the given tag. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.of(tag), lengthOf(content.length), content]);
}

/** SEQUENCE: an ordered list of values. */
export const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
/** SET: an unordered list of values. */
export const set = (...parts: readonly Uint8Array[]) => der(0x31, ...parts);
/** OCTET STRING. */
export const octets = (content: Uint8Array) => der(0x04, content);
/** BIT STRING; the last `unused` bits do not count. */
export const bits = (content: Uint8Array, unused = 0) => der(0x03, Uint8Array.of(unused), content);
/** BOOLEAN true. DER omits false where it is the default. */
export const yes = () => der(0x01, Uint8Array.of(0xff));
/** UTF8String. */
export const text = (value: string) => der(0x0c, Buffer.from(value));
/** A value with a context-specific tag number. */
export const tagged = (number: number, value: Uint8Array) => der(0xa0 | number, value);

/** INTEGER from big-endian bytes; never negative. */
export function integer(bytes: Uint8Array): Buffer {
  return der(0x02, (bytes[0] as number) & 0x80 ? Buffer.concat([Uint8Array.of(0), bytes]) : bytes);
}

/** @param dotted - such as `2.5.29.15`. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** A time: UTCTime before 2050, GeneralizedTime from 2050 on (RFC 5280, 4.1.2.5). */
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

/** Encodes seven bits per byte, big-endian; every byte except the last has its highest bit set. */
function base128(value: number): number[] {
  const rest = Math.floor(value / 128);
  const last = value % 128;
  return rest === 0 ? [last] : [...base128(rest).map((byte) => byte | 0x80), last];
}
