/** Goal: what is kept of a file is a picture and nothing else. Method: pictures with something hidden in and behind them, and broken ones. */
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { barePicture } from '../../src/base/picture.ts';

const SCRIPT = Buffer.from('<script>alert(1)</script>');
const chunk = (type: string, data: Buffer = Buffer.alloc(0)) => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, crc]);
};
const PNG = [
  Buffer.from('89504e470d0a1a0a', 'hex'),
  chunk('IHDR', Buffer.alloc(13)),
  chunk('IDAT', Buffer.from('xx')),
];
const segment = (marker: number, data: Buffer) => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
};
const SOI = Buffer.from([0xff, 0xd8]);
const EOI = Buffer.from([0xff, 0xd9]);
const ADOBE = segment(0xee, Buffer.concat([Buffer.from('Adobe'), Buffer.from([0, 100, 0, 0, 0, 0, 1])]));
/** Two scans, with an escaped 0xff and a restart marker in the first. */
const SCANS = [
  segment(0xdb, Buffer.alloc(65)),
  segment(0xda, Buffer.alloc(10)),
  Buffer.from([1, 0xff, 0, 2, 0xff, 0xd0, 3]),
  segment(0xda, Buffer.alloc(10)),
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
const extended = (flags: number) => part('VP8X', Buffer.from([flags, 0, 0, 0, 0, 0, 0, 0, 0, 0]));

describe('a picture with something hidden in it is kept without that', () => {
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
      riff([extended(0x10), part('VP8L', Buffer.from('abc'))]),
      Buffer.concat([riff([extended(0x3c), part('VP8L', Buffer.from('abc')), part('XMP ', SCRIPT)]), SCRIPT]),
    ],
  ])('%s', (_name, type, plain, hidden) => {
    expect(barePicture(hidden)).toEqual({ type, image: plain });
    expect(barePicture(plain)).toEqual({ type, image: plain });
  });
});

describe('what is not a whole picture is none', () => {
  const whole = {
    png: Buffer.concat([...PNG, chunk('IEND')]),
    jpeg: Buffer.concat([SOI, ...SCANS, EOI]),
    webp: riff([part('VP8L', Buffer.from('abcd'))]),
  };
  test.each(Object.entries(whole))('%s that is cut anywhere', (_name, bytes) => {
    const cut = Array.from({ length: bytes.length }, (_, length) => barePicture(bytes.subarray(0, length)));
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
    ['a WebP without pixels', riff([part('XMP ', SCRIPT)])],
    ['a WebP with a part that is longer than it', riff([part('VP8L', Buffer.from('ab')).fill(0xff, 4, 8)])],
  ])('%s', (_name, bytes) => {
    expect(barePicture(bytes)).toBeUndefined();
  });
});
