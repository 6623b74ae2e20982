/**
 * Facts of a transaction that its payer may see: one list for the hosted pages and for the public API. People are
 * masked.
 */

import { BRL, type Currency, currencyOfLedger, explorerUrl } from '../../base/money/currency.ts';
import { sum } from '../../base/money/money.ts';
import { depositUri, hostedPage, qrContent, qrImage } from '../../base/pages/pay-links.ts';
import { decodeBrCode } from '../../base/pix/br-code.ts';
import { maskName, maskPixKey, maskTaxId } from '../../base/text/mask.ts';
import { type Instant, instantOf } from '../../base/time/instant.ts';
import { expiryOf, GRACE_MS, lockEndOf } from '../../templates/effects.ts';
import type { PixReturn, ProcessRow, ReturnKind } from '../../templates/facts.ts';
import { returnsOf } from '../../templates/returns.ts';
import type { Services } from '../services/context.ts';

/** Money that is being or was returned to the payer. */
export interface PayerReturn {
  readonly kind: ReturnKind;
  /** Return id of PIX. */
  readonly returnId: string;
  /** BRL. */
  readonly amount: string;
  readonly isDone: boolean;
  readonly endedAt: Instant | null;
}

/** A person, masked. */
export interface MaskedPerson {
  readonly name: string | null;
  /** CPF or CNPJ. */
  readonly taxId: string | null;
}

/** The facts; null is not known, or not there. Amounts are exact decimal text. */
export interface PayerFacts {
  readonly link: string;
  /** The currency that the payer pays in, and the one that is received in exchange. */
  readonly source: Currency;
  readonly target: Currency;
  readonly amountPayment: string | null;
  readonly amountReceived: string | null;
  /** BRL for one unit of crypto. */
  readonly quote: string | null;
  /** BRL. */
  readonly fees: string | null;
  /** In the crypto that is delivered. */
  readonly networkFee: string | null;
  readonly expiresAt: Instant | null;
  /** End of the price, if before `expiresAt`; a later payment is priced when it arrives (C-21). */
  readonly priceHeldUntil: Instant | null;
  readonly pixCopyPaste: string | null;
  readonly qrSvgUrl: string | null;
  /** Content of that image. */
  readonly qrContent: string | null;
  readonly depositAddress: string | null;
  /** To be sent digit for digit (`service.md` 2.5). */
  readonly exactDepositAmount: string | null;
  readonly depositUri: string | null;
  /** Total paid or deposited, where known. */
  readonly amountPaid: string | null;
  /** BRL that was paid beyond the price. */
  readonly excess: string | null;
  readonly pixE2e: string | null;
  readonly txHash: string | null;
  readonly explorerUrl: string | null;
  /** Transfer that returned a deposit. */
  readonly refundTxHash: string | null;
  readonly refundExplorerUrl: string | null;
  readonly wallet: string | null;
  /** Sending address of a deposit, and its return address. */
  readonly depositFrom: string | null;
  readonly clientName: string | null;
  readonly clientTaxId: string | null;
  /** Person who paid, as the rail reports them; the customer if it reports none. */
  readonly payer: MaskedPerson;
  readonly pixKey: string | null;
  readonly returnUrl: string | null;
  /** Number or reference of the order at the merchant (`external_code`). */
  readonly orderReference: string | null;
  /** Receiver that a bank shows for the PIX. */
  readonly receiverName: string | null;
  readonly paidAt: Instant | null;
  /** In the order of the requests. */
  readonly returns: readonly PayerReturn[];
  /** Total of returns, BRL; null without any. */
  readonly amountReturned: string | null;
}

/** @returns the facts of a transaction. */
export function payerFacts(services: Services, row: ProcessRow): PayerFacts {
  const { process, txHash } = row;
  const refundTxHash = process?.refundTxHash ?? null;
  const source = currencyOfLedger(row.sourceCurrency ?? BRL.code);
  const target = currencyOfLedger(row.targetCurrency ?? BRL.code);
  const end = expiryOf(row);
  const lockEnd = lockEndOf(row) ?? Number.POSITIVE_INFINITY;
  const crypto = source === BRL ? target : source;
  // Corrections are published once they are confirmed (C-9); the confirming person sees them before.
  const { clientName, clientTaxId } = process?.correction ?? row;
  const code = process?.brCode === undefined ? undefined : decodeBrCode(process.brCode);
  const returns = returnsOf(process ?? {})
    .filter(({ state }) => !VOID.includes(state))
    .map(payerReturn);
  return {
    link: hostedPage(services, row),
    source,
    target,
    amountPayment: row.sourceAmount,
    amountReceived: row.targetAmount,
    quote: row.quote,
    fees: row.fees,
    networkFee: row.networkFee,
    expiresAt: end === undefined ? null : instantOf(new Date(end)),
    priceHeldUntil: lockEnd + GRACE_MS < (end ?? 0) ? instantOf(new Date(lockEnd)) : null,
    pixCopyPaste: process?.brCode ?? null,
    qrSvgUrl: qrImage(services, row),
    qrContent: qrContent(row) ?? null,
    depositAddress: row.depositAddress,
    exactDepositAmount: row.exactDepositAmount,
    depositUri: depositUri(row) ?? null,
    amountPaid: paidAmount(row),
    excess: process?.excess ?? null,
    pixE2e: row.pixE2e,
    txHash,
    explorerUrl: (txHash && explorerUrl(crypto.code, txHash)) ?? null,
    refundTxHash,
    refundExplorerUrl: (refundTxHash && explorerUrl(crypto.code, refundTxHash)) ?? null,
    wallet: row.wallet,
    depositFrom: row.depositFrom,
    clientName: clientName && maskName(clientName),
    clientTaxId: clientTaxId && maskTaxId(clientTaxId),
    payer: payerOf({ clientName, clientTaxId, process }),
    pixKey: row.pixKey && maskPixKey(row.pixKey),
    returnUrl: row.returnUrl,
    orderReference: row.externalCode,
    receiverName: code?.merchantName ?? null,
    paidAt: process?.paidAt === undefined ? null : instantOf(new Date(process.paidAt)),
    returns,
    amountReturned: returns.length === 0 ? null : sum(returns.map(({ amount }) => amount)),
  };
}

/**
 * @returns the person who paid. The rail's name is stored only if it differs from the customer's (`payerName`), so with another tax
 * id and without a name, the name is not known.
 */
export function payerOf({
  clientName,
  clientTaxId,
  process,
}: Pick<ProcessRow, 'clientName' | 'clientTaxId' | 'process'>): MaskedPerson {
  const { payerName = null, payerTaxId = null } = process ?? {};
  const isCustomer = payerTaxId === clientTaxId || (payerTaxId === null && payerName === null);
  const name = payerName ?? (isCustomer ? clientName : null);
  const taxId = isCustomer ? clientTaxId : payerTaxId;
  return { name: name && maskName(name), taxId: taxId && maskTaxId(taxId) };
}

/** @returns the total that the payer paid or deposited; null while nothing is known to have come. */
export function paidAmount({ process }: Pick<ProcessRow, 'process'>): string | null {
  if (process?.deposit) return process.deposit.amount;
  return process?.paid ? sum([process.paid, process.excess ?? '0']) : null;
}

/** Ordered again under another id, or not returned to the payer in the end. */
const VOID: readonly PixReturn['state'][] = ['retried', 'credited_back'];

function payerReturn({ kind, returnId, amount, state, endedAt }: PixReturn): PayerReturn {
  const isDone = state === 'done' || state === 'paid_by_hand';
  return { kind, returnId, amount, isDone, endedAt: endedAt ? instantOf(new Date(endedAt)) : null };
}
