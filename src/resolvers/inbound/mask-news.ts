/** Masks tax ids in news, for readers who do not need to know who paid. */
import { maskTaxId } from '../../base/text/mask.ts';

/** @returns the news with the CPF or CNPJ of the payer masked. */
export function maskNews(news: unknown): unknown {
  const { payerTaxId } = news as { readonly payerTaxId?: unknown };
  return typeof payerTaxId === 'string' ? { ...(news as object), payerTaxId: maskTaxId(payerTaxId) } : news;
}
