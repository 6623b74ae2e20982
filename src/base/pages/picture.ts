/**
 * Pictures that are nothing but pictures. A file can be a picture and something else at once: a script in its metadata, an
 * archive behind its end. The stored picture has only the parts that draw it, in the form of its format. Colours can
 * still spell anything, and so can bytes that only a decoder tells from pixels (see `strip-jpeg.ts` and `strip-webp.ts`).
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
 * @returns the picture without metadata and without what stands behind its end; undefined when the file is not a whole PNG,
 *   JPEG or WebP picture.
 */
export function stripMetadata(bytes: Buffer): Picture | undefined {
  const png = stripPng(bytes);
  if (png) return { type: 'image/png', image: png };
  const jpeg = stripJpeg(bytes);
  if (jpeg) return { type: 'image/jpeg', image: jpeg };
  const webp = stripWebp(bytes);
  return webp && { type: 'image/webp', image: webp };
}
