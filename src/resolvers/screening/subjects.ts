/** Persons and addresses of a transaction that are screened. */
import { createHash } from 'node:crypto';
import { BRL } from '../../base/money/currency.ts';
import { isMaskedTaxId } from '../../base/pix/tax-id.ts';
import type { NewHit } from '../../store/rails/screening-hits.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { ScreeningMatch, ScreeningSubject } from '../services/rails.ts';

/**
 * Times of a screening: before its payer sees payment instructions, when money has arrived or is about to leave, and before
 * money is returned.
 */
export type ScreeningStage = 'creation' | 'arrival' | 'return';

/** @returns the known subjects of a transaction at a stage. Returned money does not reach the destination. */
export function subjectsOf(row: ProcessRow, stage: ScreeningStage): readonly ScreeningSubject[] {
  const process = row.process ?? undefined;
  const sender = row.depositFrom ?? process?.deposit?.from;
  const isReturn = stage === 'return';
  const found: (ScreeningSubject | undefined)[] = [
    personOf(row),
    payerOf(row),
    isReturn ? undefined : destinationOf(row),
    sender ? { role: 'sender', address: sender } : undefined,
    isReturn && process?.refundAddress !== undefined && process.refundAddress !== sender
      ? { role: 'destination', address: process.refundAddress }
      : undefined,
  ];
  return found.filter((subject) => subject !== undefined);
}

/** The customer who pays, or the payee who is paid by PIX. */
function personOf({ clientName, clientTaxId, targetCurrency }: ProcessRow): ScreeningSubject | undefined {
  if (clientName === null && clientTaxId === null) return undefined;
  return {
    role: targetCurrency === BRL.code ? 'payee' : 'customer',
    name: clientName ?? undefined,
    taxId: clientTaxId ?? undefined,
  };
}

/** The wallet, or the person whom a PIX key that is a tax id names; for a withdrawal, its destination. */
function destinationOf({
  wallet,
  pixKey,
  pixKeyType,
  clientTaxId,
}: ProcessRow): ScreeningSubject | undefined {
  if (pixKeyType === null) return wallet === null ? undefined : { role: 'wallet', address: wallet };
  const isTaxId = pixKeyType === 'cpf' || pixKeyType === 'cnpj';
  return isTaxId && pixKey !== null && pixKey !== clientTaxId ? { role: 'payee', taxId: pixKey } : undefined;
}

/** A person other than the customer paid, or the bank names the customer in another way than the customer did. */
function payerOf({ clientTaxId, process }: ProcessRow): ScreeningSubject | undefined {
  const { payerTaxId, payerName } = process ?? {};
  const isCustomer = payerTaxId === clientTaxId && payerName === undefined;
  return isCustomer ? undefined : payerSubject(payerTaxId, payerName);
}

/**
 * @returns the payer as a rail reports it; undefined without a name and a tax id. A masked tax id is left out, because no list
 * can be searched for it.
 */
export function payerSubject(
  taxId: string | null | undefined,
  name?: string | null,
): ScreeningSubject | undefined {
  const whole = taxId && !isMaskedTaxId(taxId) ? { taxId } : {};
  const subject = { role: 'payer' as const, ...(name && { name }), ...whole };
  return 'name' in subject || 'taxId' in subject ? subject : undefined;
}

const KEY_LENGTH = 40;

/**
 * @returns a match as a hit. The subject is a hash of the matched data: the same tax id, address, or tax id and name have the
 * same subject, in any role.
 */
export function hitOf(match: ScreeningMatch): NewHit {
  const { subject, list, entry, entryName, score, strength, answer, version } = match;
  const { role, name = null, taxId = null, address = null } = subject;
  const isNamed = strength !== 'exact' || (taxId === null && address === null);
  const text = JSON.stringify([taxId, isNamed ? (name?.toUpperCase() ?? null) : null, address]);
  return {
    ...{ role, list, entry, entryName, score, strength, answer, version, taxId, address },
    subjectName: name,
    subject: createHash('sha256').update(text).digest('hex').slice(0, KEY_LENGTH),
  };
}
