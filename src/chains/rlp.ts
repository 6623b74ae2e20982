/** RLP (Ethereum yellow paper, appendix B): byte strings and lists of them, in canonical form only. */

/** A byte string, or a list. */
export type RlpItem = Uint8Array | readonly RlpItem[];

const STRING = 0x80;
const LIST = 0xc0;
/** Maximum length that the first byte alone can express. */
const SHORT_MAX = 55;

/** @returns the item as bytes. */
export function encodeRlp(item: RlpItem): Uint8Array {
  if (!(item instanceof Uint8Array)) return headed(LIST, joined(item.map(encodeRlp)));
  const [first] = item;
  return item.length === 1 && first !== undefined && first < STRING ? item : headed(STRING, item);
}

/** @throws {RangeError} when the bytes are not exactly one item in canonical form. */
export function decodeRlp(bytes: Uint8Array): RlpItem {
  const { item, end } = readItem(bytes, 0);
  const again = encodeRlp(item);
  if (end !== bytes.length || Buffer.compare(again, bytes) !== 0)
    throw new RangeError('expected one item of RLP in its canonical form');
  return item;
}

/** @returns the number in RLP's form: big-endian, without leading zeros. */
export function bytesOfInteger(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array();
  const digits = value.toString(16);
  return Uint8Array.from(Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex'));
}

/** @returns the number. @throws {RangeError} for leading zeros. */
export function integerOfBytes(bytes: Uint8Array): bigint {
  if (bytes[0] === 0) throw new RangeError('expected an integer without leading zeros');
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

/** @returns the concatenation of the byte strings. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

function headed(kind: number, content: Uint8Array): Uint8Array {
  if (content.length <= SHORT_MAX) return joined([Uint8Array.of(kind + content.length), content]);
  const length = bytesOfInteger(BigInt(content.length));
  return joined([Uint8Array.of(kind + SHORT_MAX + length.length), length, content]);
}

function readItem(bytes: Uint8Array, at: number): { readonly item: RlpItem; readonly end: number } {
  const first = bytes[at];
  if (first === undefined) throw cutShort();
  if (first < STRING) return { item: bytes.subarray(at, at + 1), end: at + 1 };
  const kind = first < LIST ? STRING : LIST;
  const { start, end } = spanOf(bytes, at, first - kind);
  if (kind === STRING) return { item: bytes.subarray(start, end), end };
  const items: RlpItem[] = [];
  let next = start;
  while (next < end) {
    const read = readItem(bytes.subarray(0, end), next);
    items.push(read.item);
    next = read.end;
  }
  return { item: items, end };
}

function spanOf(
  bytes: Uint8Array,
  at: number,
  size: number,
): { readonly start: number; readonly end: number } {
  const lengthBytes = Math.max(size - SHORT_MAX, 0);
  const start = at + 1 + lengthBytes;
  const length = lengthBytes === 0 ? size : Number(integerOfBytes(bytes.subarray(at + 1, start)));
  const end = start + length;
  if (end > bytes.length) throw cutShort();
  return { start, end };
}

const cutShort = () => new RangeError('the RLP ends before its item does');
