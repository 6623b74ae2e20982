/**
 * Pictures that are nothing but pictures. A file can be a picture and something else at once: a script in its metadata, an
 * archive behind its end. What is kept here is what it takes to draw it.
 */
import { crc32 } from 'node:zlib';

/** A picture in one of the taken formats. */
export interface Picture {
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp';
  readonly image: Buffer;
}

/**
 * @param bytes - a file of any content.
 * @returns the picture without metadata and without what stands behind its end; undefined when the file is not a whole PNG,
 *   JPEG or WebP picture.
 */
export function barePicture(bytes: Buffer): Picture | undefined {
  const png = barePng(bytes);
  if (png) return { type: 'image/png', image: png };
  const jpeg = bareJpeg(bytes);
  if (jpeg) return { type: 'image/jpeg', image: jpeg };
  const webp = bareWebp(bytes);
  return webp && { type: 'image/webp', image: webp };
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Pixels, palette, transparency, colour space, size, animation (PNG third edition, section 11). */
const PNG_CHUNKS = [
  'IHDR',
  'PLTE',
  'IDAT',
  'IEND',
  'tRNS',
  'gAMA',
  'cHRM',
  'sRGB',
  'pHYs',
  'acTL',
  'fcTL',
  'fdAT',
];

function barePng(bytes: Buffer): Buffer | undefined {
  if (!bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return undefined;
  const kept: Buffer[] = [PNG_SIGNATURE];
  let at = 8;
  while (at + 12 <= bytes.length) {
    const end = at + 12 + bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const isWhole =
      end <= bytes.length && crc32(bytes.subarray(at + 4, end - 4)) === bytes.readUInt32BE(end - 4);
    if (!isWhole || (type === 'IHDR') !== (at === 8)) return undefined;
    if (PNG_CHUNKS.includes(type)) kept.push(bytes.subarray(at, end));
    if (type === 'IEND') return Buffer.concat(kept);
    at = end;
  }
  return undefined;
}

const JPEG = { start: 0xd8, end: 0xd9, scan: 0xda, adobe: 0xee } as const;
/** Tables, restarts, lines and progressions beside the frames (ITU T.81, table B.1). */
const JPEG_TABLES = [JPEG.scan, 0xdb, 0xdc, 0xdd, 0xde, 0xdf];
/** The colour transform of Adobe: its marker, its length, its name and seven bytes. */
const ADOBE = { head: Buffer.from('ffee000e41646f6265', 'hex'), length: 16 } as const;

function bareJpeg(bytes: Buffer): Buffer | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== JPEG.start) return undefined;
  const kept: Buffer[] = [bytes.subarray(0, 2)];
  let at = 2;
  let hasScan = false;
  while (at + 4 <= bytes.length || bytes[at + 1] === JPEG.end) {
    const marker = bytes[at + 1] as number;
    if (bytes[at] !== 0xff || marker < 0xc0) return undefined;
    if (marker === JPEG.end) {
      kept.push(bytes.subarray(at, at + 2));
      return hasScan ? Buffer.concat(kept) : undefined;
    }
    let end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length) return undefined;
    if (marker === JPEG.scan) {
      hasScan = true;
      end = endOfScan(bytes, end);
    }
    if (isDrawn(marker, bytes.subarray(at, end))) kept.push(bytes.subarray(at, end));
    at = end;
  }
  return undefined;
}

/** Whether the picture is drawn by it: of what applications write, only the colour transform of Adobe changes the picture. */
function isDrawn(marker: number, segment: Buffer): boolean {
  if (marker === JPEG.adobe)
    return segment.length === ADOBE.length && segment.subarray(0, ADOBE.head.length).equals(ADOBE.head);
  return JPEG_TABLES.includes(marker) || (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8);
}

/** Within a scan 0xff stands before a zero or a restart marker; any other marker ends it. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = start; at + 1 < bytes.length; at++) {
    const next = bytes[at + 1] as number;
    if (bytes[at] === 0xff && next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return bytes.length;
}

const WEBP_CHUNKS = ['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF'];
const WEBP_PIXELS = ['VP8 ', 'VP8L', 'ANMF'];
/** Flags of `VP8X` for a colour profile, EXIF and XMP, which are not kept. */
const WEBP_METADATA_FLAGS = 0x20 | 0x08 | 0x04;

function bareWebp(bytes: Buffer): Buffer | undefined {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  const whole = 8 + bytes.readUInt32LE(4);
  if (bytes.toString('latin1', 8, 12) !== 'WEBP' || whole > bytes.length) return undefined;
  const kept: Buffer[] = [];
  let hasPixels = false;
  for (let at = 12; at < whole; ) {
    if (at + 8 > whole) return undefined;
    const size = bytes.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    if (end > whole) return undefined;
    const type = bytes.toString('latin1', at, at + 4);
    if (WEBP_CHUNKS.includes(type)) kept.push(Buffer.from(bytes.subarray(at, end)));
    if (WEBP_PIXELS.includes(type)) hasPixels = true;
    at = end;
  }
  if (!hasPixels) return undefined;
  const body = Buffer.concat(kept);
  if (body.toString('latin1', 0, 4) === 'VP8X') body[8] = (body[8] as number) & ~WEBP_METADATA_FLAGS;
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  head.writeUInt32LE(4 + body.length, 4);
  return Buffer.concat([head, body]);
}
