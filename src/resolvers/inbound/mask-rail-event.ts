/** Masks tax ids in rail events, for readers who do not need to know who paid. */
import { maskTaxId } from '../../base/text/mask.ts';

/** @returns the event with the CPF or CNPJ of the payer masked. */
export function maskRailEvent(event: unknown): unknown {
  const { payerTaxId } = event as { readonly payerTaxId?: unknown };
  return typeof payerTaxId === 'string' ? { ...(event as object), payerTaxId: maskTaxId(payerTaxId) } : event;
}
