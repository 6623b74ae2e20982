/** Forged reports, derived from true ones: as a sender with a certificate would make them to be credited. */
import { newEndToEndId } from '../base/pix/end-to-end-id.ts';

/** Way in which a report is forged. */
export type Forgery = 'forged' | 'altered' | 'misaddressed';

/** No bank has it. */
const ISPB = '99999998';
const FORGERIES: Readonly<Record<Forgery, (pix: object) => object>> = {
  forged: (pix) => ({ ...pix, endToEndId: newEndToEndId({ ispb: ISPB, at: new Date() }) }),
  altered: (pix) => ({ ...pix, valor: '999999.99' }),
  misaddressed: (pix) => ({ ...pix, chave: 'somebody.else@example.com' }),
};

/** @returns the body of a callback with each PIX forged; unchanged without PIX. */
export function forge(body: unknown, forgery: Forgery): unknown {
  const { pix } = body as { readonly pix?: readonly object[] };
  return pix ? { pix: pix.map(FORGERIES[forgery]) } : body;
}
