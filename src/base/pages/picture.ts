/**
 * Pictures that are nothing but pictures. A file can be a picture and something else at once: a script in its metadata, an
 * archive behind its end. The stored picture has only the parts that draw it, in the form of its format. Colours can
 * still spell anything, and so can bytes that only a decoder tells from pixels (see `bare-jpeg.ts` and `bare-webp.ts`).
 */
import { bareJpeg } from './bare-jpeg.ts';
import { barePng } from './bare-png.ts';
import { bareWebp } from './bare-webp.ts';

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
export function barePicture(bytes: Buffer): Picture | undefined {
  const png = barePng(bytes);
  if (png) return { type: 'image/png', image: png };
  const jpeg = bareJpeg(bytes);
  if (jpeg) return { type: 'image/jpeg', image: jpeg };
  const webp = bareWebp(bytes);
  return webp && { type: 'image/webp', image: webp };
}
