/** Goal: what is kept of a file is a picture and nothing else. Method: pictures with something hidden in and behind them, and broken ones. */
import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { stripMetadata } from '../../../src/base/pages/picture.ts';

const SCRIPT = Buffer.from('<script>alert(1)</script>');
const chunk = (type: string, data: Buffer = Buffer.alloc(0)) => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, crc]);
};
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** The head of a picture: its size, the depth of its samples, its colour type, and whether it is interlaced. */
const head = (width: number, height: number, depth = 8, colour = 0, interlaced = 0) => {
  const data = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, depth, colour, 0, 0, interlaced]);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  return chunk('IHDR', data);
};
const pixels = (length: number) => deflateSync(Buffer.alloc(length));
/** One grey pixel, with the byte of its row's filter. */
const PNG = [SIGNATURE, head(1, 1), chunk('IDAT', pixels(2))];
const frame = (place: number, width = 1) => {
  const data = Buffer.alloc(26);
  data.writeUInt32BE(place, 0);
  data.writeUInt32BE(width, 4);
  data.writeUInt32BE(1, 8);
  return chunk('fcTL', data);
};
const frameData = (data: Buffer) => chunk('fdAT', Buffer.concat([Buffer.alloc(4), data]));
const segment = (marker: number, data: Buffer) => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
};
const SOI = Buffer.from([0xff, 0xd8]);
const EOI = Buffer.from([0xff, 0xd9]);
const ADOBE = segment(0xee, Buffer.concat([Buffer.from('Adobe'), Buffer.from([0, 100, 0, 0, 0, 0, 1])]));
/** The head of a frame and of a scan with one component, a quantization table and a Huffman table. */
const FRAME = segment(0xc0, Buffer.from([8, 0, 1, 0, 1, 1, 1, 0x11, 0]));
const SCAN = segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0]));
const QUANTIZATION = segment(0xdb, Buffer.alloc(65));
const HUFFMAN = segment(0xc4, Buffer.from([0, 2, ...Array.from({ length: 15 }, () => 0), 0, 1]));
/** Two scans, with an escaped 0xff and a restart marker in the first. */
const SCANS = [
  QUANTIZATION,
  FRAME,
  HUFFMAN,
  SCAN,
  Buffer.from([1, 0xff, 0, 2, 0xff, 0xd0, 3]),
  segment(0xdd, Buffer.alloc(2)),
  SCAN,
  Buffer.from([4]),
];
const riff = (chunks: readonly Buffer[]) => {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
};
const part = (type: string, data: Buffer) => {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
};
/** A frame of an animation, with what is in it. */
const animated = (...parts: readonly Buffer[]) => part('ANMF', Buffer.concat([Buffer.alloc(16), ...parts]));
/** The head of a lossless picture of one pixel, and a byte of it. */
const LOSSLESS = Buffer.from('2f000000000088', 'hex');
const PIXELS = part('VP8L', LOSSLESS);
const extended = (flags: number) => part('VP8X', Buffer.from([flags, 0, 0, 0, 0, 0, 0, 0, 0, 0]));

describe('a picture loses hidden data', () => {
  test.each([
    [
      'PNG',
      'image/png',
      Buffer.concat([...PNG, chunk('IEND')]),
      Buffer.concat([...PNG, chunk('tEXt', SCRIPT), chunk('zzZz', SCRIPT), chunk('IEND'), SCRIPT]),
    ],
    [
      'JPEG',
      'image/jpeg',
      Buffer.concat([SOI, ...SCANS, EOI]),
      Buffer.concat([
        ...[SOI, ...[0xe1, 0xee, 0xc8, 0xf0, 0xfd, 0xfe].map((marker) => segment(marker, SCRIPT))],
        ...[...SCANS, EOI, SCRIPT],
      ]),
    ],
    [
      'JPEG with the colour transform of Adobe',
      'image/jpeg',
      Buffer.concat([SOI, ADOBE, ...SCANS, EOI]),
      Buffer.concat([
        SOI,
        ADOBE,
        segment(0xee, Buffer.concat([Buffer.from('Adobe'), SCRIPT])),
        ...SCANS,
        EOI,
      ]),
    ],
    [
      'WebP',
      'image/webp',
      riff([extended(0x10), PIXELS]),
      Buffer.concat([riff([extended(0x3c), PIXELS, part('XMP ', SCRIPT)]), SCRIPT]),
    ],
    [
      'PNG with a palette that it has no use for',
      'image/png',
      Buffer.concat([...PNG, chunk('IEND')]),
      Buffer.concat([SIGNATURE, head(1, 1), chunk('PLTE', SCRIPT), ...PNG.slice(2), chunk('IEND')]),
    ],
    [
      'WebP that is animated',
      'image/webp',
      riff([extended(2), part('ANIM', Buffer.alloc(6)), animated(part('ALPH', Buffer.from([0, 1])), PIXELS)]),
      riff([
        ...[extended(2), part('ANIM', Buffer.alloc(6))],
        animated(part('ALPH', Buffer.from([0, 1])), part('XMP ', SCRIPT), PIXELS, part('zzZz', SCRIPT)),
      ]),
    ],
  ])('%s', (_name, type, plain, hidden) => {
    expect(stripMetadata(hidden)).toEqual({ type, image: plain });
    expect(stripMetadata(plain)).toEqual({ type, image: plain });
  });
});

describe('a picture with every feature of its format is stored unchanged', () => {
  const png = (...chunks: Buffer[]) => Buffer.concat([SIGNATURE, ...chunks, chunk('IEND')]);
  const chromaticities = Buffer.alloc(32);
  chromaticities.writeUInt32BE(31_270, 0);
  test.each([
    [
      'PNG in two parts',
      png(head(1, 1), ...[0, 1].map((n) => chunk('IDAT', pixels(2).subarray(n * 5, n * 5 + (n ? 99 : 5))))),
    ],
    ['PNG of 16 bits and alpha', png(head(3, 2, 16, 6), chunk('IDAT', pixels(2 * 25)))],
    ['PNG of one bit', png(head(9, 2, 1), chunk('IDAT', pixels(2 * 3)))],
    ['PNG that is interlaced', png(head(3, 3, 8, 0, 1), chunk('IDAT', pixels(15)))],
    [
      'PNG with a palette',
      png(
        head(1, 1, 8, 3),
        chunk('PLTE', Buffer.alloc(768)),
        chunk('tRNS', Buffer.alloc(256)),
        chunk('IDAT', pixels(2)),
      ),
    ],
    [
      'PNG with its colours and its size',
      png(
        head(1, 1, 8, 2),
        chunk('gAMA', Buffer.alloc(4)),
        chunk('cHRM', chromaticities),
        chunk('sRGB', Buffer.alloc(1)),
        chunk('pHYs', Buffer.alloc(9)),
        chunk('tRNS', Buffer.alloc(6)),
        chunk('IDAT', pixels(4)),
      ),
    ],
    [
      'PNG that is animated',
      png(
        head(2, 1),
        chunk('acTL', Buffer.alloc(8)),
        frame(0, 2),
        chunk('IDAT', pixels(3)),
        frame(1),
        frameData(pixels(2).subarray(0, 4)),
        frameData(pixels(2).subarray(4)),
      ),
    ],
    [
      'JPEG with tables of 16 bits',
      Buffer.concat([SOI, segment(0xdb, Buffer.alloc(129, 16).fill(0, 1)), FRAME, SCAN, EOI]),
    ],
  ])('%s', (_name, bytes) => {
    expect(stripMetadata(bytes)?.image).toEqual(bytes);
  });
});

describe('a file with room for other data is no picture', () => {
  const png = (...chunks: Buffer[]) => Buffer.concat([SIGNATURE, ...chunks, chunk('IEND')]);
  const withChunk = (type: string, data: Buffer, colour = 0) =>
    png(head(1, 1, 8, colour), chunk(type, data), chunk('IDAT', pixels(colour === 2 ? 4 : 2)));
  const long = Buffer.concat([
    Buffer.from('000000010000000108000000', 'hex'),
    Buffer.alloc(1),
    SCRIPT,
  ]).subarray(0, 29);
  const IDAT = PNG[2] as Buffer;
  test.each<readonly [string, Buffer]>([
    ...['gAMA', 'cHRM', 'sRGB', 'pHYs', 'acTL', 'fcTL', 'tRNS'].map(
      (type) => [type, withChunk(type, SCRIPT)] as const,
    ),
    ['32 bytes of cHRM that are no coordinates', withChunk('cHRM', Buffer.alloc(32, SCRIPT))],
    ['a palette that is too long', withChunk('PLTE', Buffer.alloc(771), 3)],
    [
      'two of one chunk',
      png(head(1, 1), chunk('gAMA', Buffer.alloc(4)), chunk('gAMA', Buffer.alloc(4)), IDAT),
    ],
    ['a head of 29 bytes', png(chunk('IHDR', long), IDAT)],
    ['an end with something in it', Buffer.concat([...PNG, chunk('IEND', SCRIPT)])],
    ['no pixels', png(head(1, 1))],
    ['a second IDAT behind the stream', png(head(1, 1), IDAT, chunk('IDAT', SCRIPT))],
    ['pixels behind the picture', png(head(1, 1), chunk('IDAT', pixels(60)))],
    ['fewer pixels than the picture has', png(head(2, 2), IDAT)],
    ['pixels that are no stream', png(head(1, 1), chunk('IDAT', SCRIPT))],
    ['a picture of a size that nobody draws', png(head(2 ** 31 - 1, 2 ** 31 - 1), IDAT)],
    ['data of a frame that nobody announced', png(head(1, 1), IDAT, frameData(pixels(2)))],
    [
      'a frame with something behind it',
      png(head(1, 1), IDAT, frame(0), frameData(pixels(2)), frameData(SCRIPT)),
    ],
    ['a frame beside the picture', png(head(1, 1), IDAT, frame(0, 2), frameData(pixels(3)))],
    ...[0xdb, 0xc4, 0xdc, 0xdd, 0xcc, 0xc1].map(
      (marker) =>
        [
          `segment ${marker.toString(16)}`,
          Buffer.concat([SOI, segment(marker, SCRIPT), ...SCANS, EOI]),
        ] as const,
    ),
    ['a quantization table in place of another', Buffer.concat([SOI, QUANTIZATION, ...SCANS, EOI])],
    ['a second frame of a JPEG', Buffer.concat([SOI, FRAME, ...SCANS, EOI])],
    ['the head of a scan with a script', Buffer.concat([SOI, FRAME, segment(0xda, SCRIPT), EOI])],
    ['a JPEG without a frame', Buffer.concat([SOI, QUANTIZATION, SCAN, EOI])],
    ['a frame of a WebP that draws nothing', riff([extended(2), animated(part('XMP ', SCRIPT))])],
    ['a WebP of two pictures', riff([PIXELS, part('VP8 ', SCRIPT)])],
    ['a VP8X that is too long', riff([part('VP8X', SCRIPT), PIXELS])],
    ['pixels beside an animation', riff([extended(2), animated(PIXELS), PIXELS])],
  ])('%s', (_name, bytes) => {
    expect(stripMetadata(bytes)).toBeUndefined();
  });
});

describe('a truncated or damaged file is none', () => {
  const whole = {
    png: Buffer.concat([...PNG, chunk('IEND')]),
    jpeg: Buffer.concat([SOI, ...SCANS, EOI]),
    webp: riff([PIXELS]),
  };
  test.each(Object.entries(whole))('%s that is cut anywhere', (_name, bytes) => {
    const cut = Array.from({ length: bytes.length }, (_, length) => stripMetadata(bytes.subarray(0, length)));
    expect(cut.filter((picture) => picture !== undefined)).toEqual([]);
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a page', SCRIPT],
    ['a signature and a page', Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), SCRIPT])],
    ['the start of a JPEG and a page', Buffer.concat([SOI, SCRIPT])],
    [
      'a PNG whose checksum is wrong',
      Buffer.concat([...PNG.slice(0, 2), chunk('IDAT').fill(0, 8), chunk('IEND')]),
    ],
    ['a PNG without a header', Buffer.concat([PNG[0] as Buffer, chunk('IDAT'), chunk('IEND')])],
    ['a JPEG without a scan', Buffer.concat([SOI, EOI])],
    ['a WebP whose lossless pixels are a script', riff([part('VP8L', SCRIPT)])],
    ['a WebP whose lossy pixels are a script', riff([part('VP8 ', SCRIPT)])],
    ['a WebP whose transparency is a script', riff([extended(0x10), part('ALPH', SCRIPT), PIXELS])],
    ['a WebP without pixels', riff([part('XMP ', SCRIPT)])],
    ['a WebP with a part that is longer than it', riff([part('VP8L', LOSSLESS).fill(0xff, 4, 8)])],
  ])('%s', (_name, bytes) => {
    expect(stripMetadata(bytes)).toBeUndefined();
  });
});
