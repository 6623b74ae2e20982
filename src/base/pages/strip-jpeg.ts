/**
 * A JPEG reduced to the parts that are needed to draw it (ITU T.81, annex B). Every copied segment has the form that
 * the standard defines. Bytes of a scan after its last pixel are copied, because only a decoder knows where the pixels
 * end.
 */

const START = Buffer.from('ffd8', 'hex');
const END = Buffer.from('ffd9', 'hex');
const MARKER = { huffman: 0xc4, end: 0xd9, scan: 0xda, quantization: 0xdb, adobe: 0xee } as const;
/** Prefix of the segment with Adobe's colour transform. */
const ADOBE = Buffer.from('Adobe', 'latin1');
const COMPONENTS_MAX = 4;
const TABLES_MAX = 4;

interface Segment {
  readonly marker: number;
  /** Content after the length. */
  readonly data: Buffer;
  /** The whole segment; for a scan including its pixels. */
  readonly bytes: Buffer;
}

/** @returns only the picture; undefined if the bytes do not begin with a whole JPEG. */
export function stripJpeg(bytes: Buffer): Buffer | undefined {
  const drawn = segmentsOf(bytes)?.filter(isDrawn);
  if (!drawn?.every(isFormed)) return undefined;
  const markers = drawn.map(({ marker }) => marker);
  const isPicture = markers.includes(MARKER.scan) && markers.filter(isFrame).length === 1;
  if (!isPicture || markers.findIndex(isFrame) > markers.indexOf(MARKER.scan)) return undefined;
  // A table that replaces an earlier one could hold any data.
  const tables = drawn
    .filter(({ marker }) => marker === MARKER.quantization)
    .flatMap(({ data }) => quantized(data) ?? []);
  if (new Set(tables).size < tables.length) return undefined;
  return Buffer.concat([START, ...drawn.map((segment) => segment.bytes), END]);
}

/** @returns the segments between the first two bytes and the end of the picture; undefined if it is truncated. */
function segmentsOf(bytes: Buffer): readonly Segment[] | undefined {
  if (!bytes.subarray(0, 2).equals(START)) return undefined;
  const segments: Segment[] = [];
  for (let at = 2; at + 2 <= bytes.length; ) {
    const marker = bytes[at + 1] as number;
    if (bytes[at] !== 0xff || marker < 0xc0) return undefined;
    if (marker === MARKER.end) return segments;
    if (at + 4 > bytes.length || bytes.readUInt16BE(at + 2) < 2) return undefined;
    const behind = at + 2 + bytes.readUInt16BE(at + 2);
    if (behind > bytes.length) return undefined;
    const end = marker === MARKER.scan ? endOfScan(bytes, behind) : behind;
    segments.push({ marker, data: bytes.subarray(at + 4, behind), bytes: bytes.subarray(at, end) });
    at = end;
  }
  return undefined;
}

/** Within a scan 0xff precedes a zero or a restart marker; any other marker ends it. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = start; at + 1 < bytes.length; at++) {
    const next = bytes[at + 1] as number;
    if (bytes[at] === 0xff && next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return bytes.length;
}

/** The form of the data of each copied segment, except frames. */
const FORMS: Readonly<Record<number, (data: Buffer) => boolean>> = {
  [MARKER.huffman]: isHuffman,
  // Conditions of arithmetic coding: two bytes for each table of both classes.
  204: ({ length }) => length % 2 === 0 && length <= 2 * 2 * TABLES_MAX,
  [MARKER.scan]: (data) => isCounted(data, { countAt: 0, each: 2, beside: 4 }),
  [MARKER.quantization]: (data) => quantized(data) !== undefined,
  // Forms of the number of lines and the interval of restarts.
  220: ({ length }) => length === 2,
  221: ({ length }) => length === 2,
  // Of the application segments, only Adobe's colour transform changes the picture.
  [MARKER.adobe]: ({ length }) => length === ADOBE.length + 7,
};

function isDrawn({ marker, data }: Segment): boolean {
  if (marker === MARKER.adobe) return data.length === ADOBE.length + 7 && data.indexOf(ADOBE) === 0;
  return isFrame(marker) || Object.hasOwn(FORMS, marker);
}

function isFormed({ marker, data }: Segment): boolean {
  if (isFrame(marker)) return isCounted(data, { countAt: 5, each: 3, beside: 6 });
  return FORMS[marker]?.(data) ?? false;
}

/** Whether it is the head of a frame: size and components. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![MARKER.huffman, 0xc8, 0xcc].includes(marker);
}

/** Whether the data consist of a count, a fixed number of bytes per component, and a fixed number of other bytes. */
function isCounted(
  data: Buffer,
  { countAt, each, beside: extra }: Record<'countAt' | 'each' | 'beside', number>,
): boolean {
  const count = data[countAt] ?? 0;
  return count >= 1 && count <= COMPONENTS_MAX && data.length === count * each + extra;
}

/** @returns the numbers of the quantization tables, of 64 values each; undefined if the data are anything else. */
function quantized(data: Buffer): readonly number[] | undefined {
  const numbers: number[] = [];
  let at = 0;
  while (at < data.length) {
    const head = data[at] as number;
    const [precision, number] = [head >> 4, head & 15];
    if (precision > 1 || number >= TABLES_MAX) return undefined;
    numbers.push(number);
    at += 1 + 64 * (precision + 1);
  }
  return at === data.length ? numbers : undefined;
}

/** Whether the data are Huffman tables: for each the number of codes by length, and their values, each at most once. */
function isHuffman(data: Buffer): boolean {
  let at = 0;
  while (at < data.length) {
    const head = data[at] as number;
    const count = data.subarray(at + 1, at + 17).reduce((sum, each) => sum + each, 0);
    const values = data.subarray(at + 17, at + 17 + count);
    if (head >> 4 > 1 || (head & 15) >= TABLES_MAX || new Set(values).size < count) return false;
    at += 17 + count;
  }
  return at === data.length;
}
