/** Forged reports derived from true ones, as a fraudulent sender with a certificate would make them to be credited. */
import { newEndToEndId } from '../base/pix/end-to-end-id.ts';

/** Kind of forgery. */
export type Forgery = 'forged' | 'altered' | 'misaddressed';

/** ISPB that no bank has. */
const ISPB = '99999998';
const FORGERIES: Readonly<Record<Forgery, (pix: object) => object>> = {
  forged: (pix) => ({ ...pix, endToEndId: newEndToEndId({ ispb: ISPB, at: new Date() }) }),
  altered: (pix) => ({ ...pix, valor: '999999.99' }),
  misaddressed: (pix) => ({ ...pix, chave: 'somebody.else@example.com' }),
};

/** @returns the body of a callback with every PIX forged; a body without PIX is unchanged. */
export function forge(body: unknown, forgery: Forgery): unknown {
  const { pix } = body as { readonly pix?: readonly object[] };
  return pix ? { pix: pix.map(FORGERIES[forgery]) } : body;
}
