/**
 * A PNG reduced to the parts that are needed to draw it (PNG third edition, section 11). Every stored chunk has the
 * form of the specification, and the pixels inflate to exactly the picture: no data can be hidden after them.
 */
import { crc32, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const FRAME = { head: 12, data: 8 } as const;
/** Largest size of a picture that is inflated: 4096 × 4096 pixels of four bytes. Unit: bytes. */
const RAW_MAX = 67_108_864;
/** Samples of a pixel and the depths they may have, by colour type. */
const COLOURS: Readonly<Record<number, { readonly samples: number; readonly depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};
const PALETTE = 3;
/** Column and row of the first pixel of each pass of an interlaced picture, and the steps to the next. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;
/** A coordinate of `cHRM` is at most 1. */
const CHROMATICITY_MAX = 100_000;

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Head extends Size {
  readonly depth: number;
  readonly colour: number;
  readonly isInterlaced: boolean;
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
  readonly bytes: Buffer;
}

/** Result of Node with `info`. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** @returns only the picture; undefined if the bytes do not begin with a whole PNG. */
export function stripPng(bytes: Buffer): Buffer | undefined {
  const chunks = chunksOf(bytes);
  const head = chunks?.[0]?.type === 'IHDR' ? headOf(chunks[0].data) : undefined;
  if (!chunks || !head) return undefined;
  const stored = chunks.filter(({ type }) => isDrawn(type, head));
  const isSound = stored.every(({ type, data }) => isFormed(type, data, head));
  const once = stored.map(({ type }) => type).filter((type) => !REPEATED.includes(type));
  if (!isSound || new Set(once).size < once.length || !hasPixels(stored, head)) return undefined;
  return Buffer.concat([SIGNATURE, ...stored.map((chunk) => chunk.bytes)]);
}

/** @returns the chunks up to `IEND`; undefined when one is cut or its checksum is wrong. */
function chunksOf(bytes: Buffer): readonly Chunk[] | undefined {
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined;
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at + FRAME.head <= bytes.length; ) {
    const end = at + FRAME.head + bytes.readUInt32BE(at);
    if (end > bytes.length || crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4))
      return undefined;
    const type = bytes.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: bytes.subarray(at + FRAME.data, end - 4), bytes: bytes.subarray(at, end) });
    if (type === 'IEND') return chunks;
    at = end;
  }
  return undefined;
}

function headOf(data: Buffer): Head | undefined {
  if (data.length !== 13) return undefined;
  const [depth = 0, colour = 0, compression, filter, interlace = 0] = data.subarray(8);
  const isKnown =
    COLOURS[colour]?.depths.includes(depth) && compression === 0 && filter === 0 && interlace <= 1;
  return isKnown ? { ...sizeAt(data, 0), depth, colour, isInterlaced: interlace === 1 } : undefined;
}

const sizeAt = (data: Buffer, at: number): Size => ({
  width: data.readUInt32BE(at),
  height: data.readUInt32BE(at + 4),
});

/** Chunks that may occur several times. */
const REPEATED = ['IDAT', 'fcTL', 'fdAT'];

/** The form of each copied chunk: pixels, palette, transparency, colour space, size, animation. */
const FORMS: Readonly<Record<string, (data: Buffer, head: Head) => boolean>> = {
  IHDR: () => true,
  IDAT: () => true,
  IEND: ({ length }) => length === 0,
  PLTE: ({ length }, { depth }) => length > 0 && length <= 3 * 2 ** depth && length % 3 === 0,
  tRNS: ({ length }, { colour, depth }) =>
    colour === PALETTE ? length <= 2 ** depth : length === (colour === 0 ? 2 : 6),
  gAMA: ({ length }) => length === 4,
  cHRM: (data) =>
    data.length === 32 &&
    [0, 4, 8, 12, 16, 20, 24, 28].every((at) => data.readUInt32BE(at) <= CHROMATICITY_MAX),
  sRGB: ({ length }) => length === 1,
  pHYs: ({ length }) => length === 9,
  acTL: ({ length }) => length === 8,
  fcTL: (data, head) => data.length === 26 && isWithin(data, head),
  fdAT: ({ length }) => length >= 4,
};

/**
 * A palette is only a proposal if colours are not indexes into it, and there is no transparency next to an alpha
 * channel.
 */
function isDrawn(type: string, { colour }: Head): boolean {
  if (type === 'PLTE') return colour === PALETTE;
  if (type === 'tRNS') return colour <= PALETTE;
  return Object.hasOwn(FORMS, type);
}

function isFormed(type: string, data: Buffer, head: Head): boolean {
  return FORMS[type]?.(data, head) ?? false;
}

/** Whether the frame that a `fcTL` announces is a part of the picture. */
function isWithin(data: Buffer, head: Head): boolean {
  const { width, height } = sizeAt(data, 4);
  const [left, top] = [data.readUInt32BE(12), data.readUInt32BE(16)];
  return left + width <= head.width && top + height <= head.height;
}

/** Whether the file has a picture, and each frame of an animation has one, too. */
function hasPixels(chunks: readonly Chunk[], head: Head): boolean {
  const pixels: Buffer[] = [];
  const frames: { readonly size: Size; readonly parts: Buffer[] }[] = [];
  for (const { type, data } of chunks) {
    if (type === 'IDAT') pixels.push(data);
    if (type === 'fcTL') frames.push({ size: sizeAt(data, 4), parts: [] });
    // Data after the position in the animation. A chunk without a frame is discarded.
    if (type === 'fdAT' && frames.at(-1)?.parts.push(data.subarray(4)) === undefined) return false;
  }
  // The first frame may be the picture itself, and is announced before it.
  const order = chunks.map(({ type }) => type);
  const announced = order.indexOf('fcTL');
  const own = announced >= 0 && announced < order.indexOf('IDAT') ? frames.slice(1) : frames;
  const isWhole = own.length === frames.length || frames[0]?.parts.length === 0;
  return (
    isWhole && isPixels(pixels, head, head) && own.every(({ size, parts }) => isPixels(parts, size, head))
  );
}

/**
 * Whether the parts are one stream that inflates to the pixels of this size, with nothing after the stream or the
 * pixels.
 */
function isPixels(parts: readonly Buffer[], size: Size, head: Head): boolean {
  const deflated = Buffer.concat(parts);
  const expected = rawLength(size, head);
  if (expected === 0 || expected > RAW_MAX) return false;
  try {
    const options = { maxOutputLength: expected, info: true };
    const { buffer, engine } = inflateSync(deflated, options) as unknown as Inflated;
    return buffer.length === expected && engine.bytesWritten === deflated.length;
  } catch {
    return false;
  }
}

/** @returns the length of the pixels before compression: each row has a byte for its filter. */
function rawLength({ width, height }: Size, { depth, colour, isInterlaced }: Head): number {
  const bits = depth * (COLOURS[colour]?.samples ?? 0);
  const lengthOf = (columns: number, rows: number) =>
    columns === 0 ? 0 : rows * (1 + Math.ceil((columns * bits) / 8));
  if (!isInterlaced) return lengthOf(width, height);
  return PASSES.reduce(
    (sum, [left, top, right, down]) =>
      sum +
      lengthOf(Math.ceil(Math.max(0, width - left) / right), Math.ceil(Math.max(0, height - top) / down)),
    0,
  );
}
