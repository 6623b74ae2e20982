/**
 * A WebP reduced to the parts that are needed to draw it (WebP container specification). Pixels begin with the header
 * of their format. Bytes after the last pixel in `VP8`, `VP8L` and `ALPH` are copied, because only a decoder knows
 * where the pixels end.
 */

const HEAD_LENGTH = 12;
/** Position, size and duration of a frame, before its pixels. */
const FRAME_HEAD_LENGTH = 16;
/** Chunks that draw a picture or a frame: its transparency, its pixels. */
const DRAWN = ['ALPH', 'VP8 ', 'VP8L'];
const PIXELS = ['VP8 ', 'VP8L'];
/** Start code of a key frame (RFC 6386, 9.1). */
const KEY_FRAME = Buffer.from('9d012a', 'hex');
/** Lengths of the chunks about the whole picture: size and flags; background and loops. */
const LENGTHS: Readonly<Record<string, number>> = { VP8X: 10, ANIM: 6 };
/** Flags of `VP8X` for a colour profile, EXIF and XMP, which are removed. */
const METADATA_FLAGS = 0x20 | 0x08 | 0x04;

interface Part {
  readonly type: string;
  readonly data: Buffer;
}

/** @returns only the picture; undefined if the bytes do not begin with a whole WebP. */
export function stripWebp(bytes: Buffer): Buffer | undefined {
  if (bytes.length < HEAD_LENGTH || bytes.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  const whole = 8 + bytes.readUInt32LE(4);
  if (bytes.toString('latin1', 8, HEAD_LENGTH) !== 'WEBP' || whole > bytes.length) return undefined;
  const parts = partsOf(bytes.subarray(HEAD_LENGTH, whole))?.filter(isDrawn);
  const stripped = parts?.map(stripFrame);
  if (!parts || !stripped?.every((part) => part !== undefined) || !isPicture(parts)) return undefined;
  const body = Buffer.concat(stripped.map(written));
  if (stripped[0]?.type === 'VP8X') body[8] = (body[8] as number) & ~METADATA_FLAGS;
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  head.writeUInt32LE(4 + body.length, 4);
  return Buffer.concat([head, body]);
}

/** @returns the parts in order; undefined if the last one is truncated. */
function partsOf(bytes: Buffer): readonly Part[] | undefined {
  const parts: Part[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + 8 > bytes.length) return undefined;
    const length = bytes.readUInt32LE(at + 4);
    const end = at + 8 + length;
    if (end + (length % 2) > bytes.length) return undefined;
    parts.push({ type: bytes.toString('latin1', at, at + 4), data: bytes.subarray(at + 8, end) });
    at = end + (length % 2);
  }
  return parts;
}

function isDrawn({ type }: Part): boolean {
  return type === 'ANMF' || DRAWN.includes(type) || Object.hasOwn(LENGTHS, type);
}

/** Whether these are the parts of a picture or of an animation; each part may occur once, except frames. */
function isPicture(parts: readonly Part[]): boolean {
  const types = parts.map(({ type }) => type);
  const single = types.filter((type) => type !== 'ANMF');
  const isFormed = parts.every(
    (part) => part.data.length === (LENGTHS[part.type] ?? part.data.length) && hasHead(part),
  );
  const drawn = single.filter((type) => DRAWN.includes(type));
  const isWhole = types.includes('ANMF') ? drawn.length === 0 : hasPixels(drawn);
  return isFormed && isWhole && new Set(single).size === single.length;
}

/** Whether there are pixels of one kind, and apart from them only their transparency. */
function hasPixels(types: readonly string[]): boolean {
  return types.filter((type) => PIXELS.includes(type)).length === 1 && types.length <= 2;
}

/** Whether pixels or transparency have the header of their format; other parts have no header. */
const HEADS: Readonly<Record<string, (data: Buffer) => boolean>> = {
  // A key frame: its tag with the length of the first partition, start code, two sides of 14 bits that are not zero.
  'VP8 ': (data) =>
    data.length > 10 &&
    (data.readUIntLE(0, 3) & 1) === 0 &&
    10 + (data.readUIntLE(0, 3) >> 5) <= data.length &&
    data.subarray(3, 6).equals(KEY_FRAME) &&
    [6, 8].every((at) => (data.readUInt16LE(at) & 0x3fff) > 0),
  // Signature, then two sides of 14 bits, a flag, and the version, which is 0.
  VP8L: (data) => data.length > 5 && data[0] === 0x2f && data.readUInt32LE(1) >>> 29 === 0,
  // Two reserved bits, then preprocessing, filter and compression; the latter two have only two values each.
  ALPH: (data) => data.length > 1 && ((data[0] as number) & 0b11100010) === 0,
};

function hasHead({ type, data }: Part): boolean {
  return HEADS[type]?.(data) ?? true;
}

/** @returns a frame with only its pixels; other parts unchanged; undefined for a frame that is broken or draws nothing. */
function stripFrame(part: Part): Part | undefined {
  if (part.type !== 'ANMF') return part;
  const parts = partsOf(part.data.subarray(FRAME_HEAD_LENGTH))?.filter(({ type }) => DRAWN.includes(type));
  if (!parts?.every(hasHead) || !hasPixels(parts.map(({ type }) => type))) return undefined;
  return {
    type: 'ANMF',
    data: Buffer.concat([part.data.subarray(0, FRAME_HEAD_LENGTH), ...parts.map(written)]),
  };
}

function written({ type, data }: Part): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}
