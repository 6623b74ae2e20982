/** Hides the payer in rail events, for readers who do not need to know who paid. */
import { maskTaxId } from '../../base/text/mask.ts';

/** @returns the event with the CPF or CNPJ of the payer masked, and without the payer's name. */
export function maskRailEvent(event: unknown): unknown {
  const { payerName: _payerName, ...shown } = event as {
    readonly payerName?: unknown;
    readonly payerTaxId?: unknown;
  };
  const { payerTaxId } = shown;
  return typeof payerTaxId === 'string' ? { ...shown, payerTaxId: maskTaxId(payerTaxId) } : shown;
}
