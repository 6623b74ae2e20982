/** Facts by which the payer or the wallet of a case is found in other records. */
import { isMaskedTaxId } from '../../base/pix/tax-id.ts';
import type { Context } from '../services/context.ts';
import type { ArrivalEvent } from '../services/rail-event.ts';
import { type Subject, taxIdOf } from './read-subject.ts';

/** Facts of a payer; null when unknown. */
export interface PayerFacts {
  readonly taxId: string | null;
  readonly name: string | null;
  readonly address: string | null;
  /** ISPB of the bank that a PIX came from. */
  readonly ispb: string | null;
}

/** Position of the ISPB in an EndToEndId. */
const ISPB = [1, 9] as const;

/** @returns the facts of the subject: of its customer and wallet, or of the money in suspense as its rail reported it. */
export function payerOf(subject: Subject): PayerFacts {
  const { row, hit, suspense } = subject;
  const reported = suspense ? payerOfEvent(suspense.railEvent as ArrivalEvent) : UNKNOWN;
  return {
    ...reported,
    taxId: taxIdOf(subject) ?? reported.taxId,
    address: row?.wallet ?? row?.depositFrom ?? hit?.address ?? reported.address,
  };
}

const UNKNOWN: PayerFacts = { taxId: null, name: null, address: null, ispb: null };

function payerOfEvent(event: ArrivalEvent): PayerFacts {
  if (event.kind === 'payout_returned') return UNKNOWN;
  if (event.kind !== 'payment') return { ...UNKNOWN, address: event.from };
  const { payerTaxId, payerName = null, endToEndId } = event;
  const taxId = payerTaxId !== null && isMaskedTaxId(payerTaxId) ? null : payerTaxId;
  return { ...UNKNOWN, taxId, name: payerName, ispb: endToEndId.slice(...ISPB) };
}

/** @returns the account whose records the caller sees; null for those of all accounts of its mode. */
export function scopeOfRelated({ caller }: Pick<Context, 'caller'>): bigint | null {
  return caller.scopes.includes('platform:risk') ? null : caller.accountId;
}
