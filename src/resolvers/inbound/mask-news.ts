/** News of rails as it is shown to those who do not have to know who paid. */
import { maskTaxId } from '../../base/mask.ts';

/** @returns the news with the CPF or CNPJ of whoever paid as far as it serves to recognise it. */
export function maskNews(news: unknown): unknown {
  const { payerTaxId } = news as { readonly payerTaxId?: unknown };
  return typeof payerTaxId === 'string' ? { ...(news as object), payerTaxId: maskTaxId(payerTaxId) } : news;
}
