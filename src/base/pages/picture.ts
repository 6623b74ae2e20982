/**
 * Pictures without any other content. A file can be a picture and also something else: a script in its metadata, an
 * archive after its end. The stored picture has only the parts that are needed to draw it, in the form of its format.
 * Colours can still encode anything, and so can bytes that only a decoder distinguishes from pixels (see
 * `strip-jpeg.ts` and `strip-webp.ts`).
 */
import { stripJpeg } from './strip-jpeg.ts';
import { stripPng } from './strip-png.ts';
import { stripWebp } from './strip-webp.ts';

/** A picture in one of the accepted formats. */
export interface Picture {
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp';
  readonly image: Buffer;
}

/**
 * @param bytes - a file of any content.
 * @returns the picture without metadata and without bytes after its end; undefined if the file is not a whole PNG, JPEG or
 * WebP picture.
 */
export function stripMetadata(bytes: Buffer): Picture | undefined {
  const png = stripPng(bytes);
  if (png) return { type: 'image/png', image: png };
  const jpeg = stripJpeg(bytes);
  if (jpeg) return { type: 'image/jpeg', image: jpeg };
  const webp = stripWebp(bytes);
  return webp && { type: 'image/webp', image: webp };
}
