/** False reports, made from true ones: as of somebody who has a certificate and wants to be credited. */
import { newEndToEndId } from '../base/pix/end-to-end-id.ts';

/** How a report is made false. */
export type Forgery = 'forged' | 'altered' | 'misaddressed';

/** No bank has it. */
const ISPB = '99999998';
const FORGERIES: Readonly<Record<Forgery, (pix: object) => object>> = {
  forged: (pix) => ({ ...pix, endToEndId: newEndToEndId({ ispb: ISPB, at: new Date() }) }),
  altered: (pix) => ({ ...pix, valor: '999999.99' }),
  misaddressed: (pix) => ({ ...pix, chave: 'somebody.else@example.com' }),
};

/** @returns the body of a callback with each PIX made false; one without PIX as it is. */
export function forge(body: unknown, forgery: Forgery): unknown {
  const { pix } = body as { readonly pix?: readonly object[] };
  return pix ? { pix: pix.map(FORGERIES[forgery]) } : body;
}
