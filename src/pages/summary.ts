/** Facts of a payment: the amount in the head, its lines next to the payment, and the full list on request. */
import { BRL, networkName } from '../base/money/currency.ts';
import { trimDecimal } from '../base/money/money.ts';
import type { MaskedPerson } from '../resolvers/payer/payer-facts.ts';
import { showAmount, showAsset, showDecimal, showRate } from '../ui/figures.ts';
import { attributes, type Html, type HtmlValue, html } from '../ui/html.ts';
import { address, idPair, keyValues, type Pair, pair } from '../ui/parts.ts';
import { type PaymentFacts, type SessionPage, showsPrice } from './page.ts';
import { backOf } from './payer-message.ts';
import type { Word } from './words.ts';

/** @returns the amount of the page with its description, and the lines that belong to it on a wide screen. */
export function sum(page: SessionPage): Html {
  const head = headOf(page);
  return html`<div id="sum"${attributes({ class: head === null && 'unseen' })}>${head && html`<p class="sum"><span class="soft">${page.translate(head.word)}</span><strong class="amount">${head.amount}</strong></p>`}
${keyValues(lines(page))}</div>`;
}

/** @returns the paid amount, the amount received for it, and the price, as far as they are shown. */
export function summary(page: SessionPage): (Pair | null)[] {
  const { translate, facts, session } = page;
  const { source, target } = facts;
  const isPayee = target === BRL;
  return [
    pair(translate(source === BRL ? 'youPay' : 'youSend'), paidAmount(page)),
    ...(showsPrice(page) ? received(page) : []),
    idPair(translate('wallet'), facts.wallet && address(facts.wallet)),
    pair(translate(isPayee ? 'payee' : 'customer'), person(page)),
    pair(translate('pixKey'), facts.pixKey),
    idPair(translate('reference'), session.row.end2end),
  ];
}

/** @returns the amount received, and its price. */
export function received(page: PaymentFacts): (Pair | null)[] {
  const { translate, facts, language } = page;
  const { target, amountReceived } = facts;
  const isPayee = target === BRL;
  const amount = (text: string | null) => text && showAmount(text, target, language);
  return [
    pair(
      translate(isPayee ? 'payeeGets' : 'credited'),
      amount(amountReceived) ?? (isPayee ? null : target.displayName),
    ),
    ...terms(page),
  ];
}

/** @returns rate and all fees. */
export function terms(page: PaymentFacts): (Pair | null)[] {
  const { translate, facts, language } = page;
  const { target, networkFee } = facts;
  return [
    ...price(page),
    pair(translate('quoteBefore'), priceBefore(page)),
    pair(translate('networkFee'), networkFee && showAmount(networkFee, target, language)),
  ];
}

/** @returns name and masked number of customer or payee. */
export function person({ facts: { clientName: name, clientTaxId: taxId } }: SessionPage): string | null {
  return personText({ name, taxId });
}

/** @returns name and number of a person, as far as they are known. */
export function personText({ name, taxId }: MaskedPerson): string | null {
  return [name, taxId].filter(Boolean).join(', ') || null;
}

/** @returns rate and fees. */
export function price({ translate, facts, language }: PaymentFacts): (Pair | null)[] {
  const { source, target, quote, fees } = facts;
  const crypto = source === BRL ? target : source;
  return [
    pair(translate('rate'), quote && showRate(trimDecimal(quote), crypto, language)),
    pair(translate('fees'), fees && showAmount(fees, BRL, language)),
  ];
}

/** The amount to deposit, digit for digit; a requote changes it. */
function paidAmount({ facts, session, language }: SessionPage): string | null {
  const { source, exactDepositAmount, amountPayment } = facts;
  const exact = session.row.process?.isRequoted ? null : exactDepositAmount;
  if (exact) return `${showDecimal(exact, language)} ${source.asset}`;
  return amountPayment && showAmount(amountPayment, source, language);
}

/** The result of the preceding session. */
function priceBefore({ session, facts, language }: PaymentFacts): string | null {
  const before = session.row.process?.renews?.targetAmount;
  return before == null || before === facts.amountReceived
    ? null
    : showAmount(before, facts.target, language);
}

interface Head {
  readonly word: Word;
  readonly amount: Html;
}

/** Content of the largest figure of the page. */
function headOf(page: SessionPage): Head | null {
  const { session, facts, language } = page;
  const { step, ask: prompt, isPaidByPayer } = session;
  const { source, target, amountPayment, amountPaid, amountReceived, exactDepositAmount } = facts;
  const of = (word: Word, text: string | null, currency = source): Head | null =>
    text === null ? null : { word, amount: figure(text) ?? html`${showAsset(text, currency, language)}` };
  const figure = (text: string): Html | null =>
    source === BRL ? null : html`${showDecimal(text, language)} <small>${source.asset}</small>`;
  if (prompt === 'deposit') return of('sendExactly', exactDepositAmount);
  if (prompt === 'resolution') return of('arrivedSum', amountPaid);
  if (!isPaidByPayer) {
    const amount = amountReceived && html`${showAsset(amountReceived, target, language)}`;
    return amount ? { word: 'amountSum', amount } : null;
  }
  const isReturned = step.statusCode === 'REFUNDED';
  if (step.isReturn || isReturned) return of(isReturned ? 'returnedSum' : 'returningSum', backOf(facts));
  if (amountPaid) return of(source === BRL ? 'paidSum' : 'arrivedSum', amountPaid);
  return of(prompt === null && step.ending !== 'open' ? 'amountSum' : 'due', amountPayment);
}

/** The lines next to a payment on a wide screen; on a phone one click opens them. */
function lines(page: SessionPage): (Pair | null)[] {
  const { translate, facts, session, language } = page;
  const { source, target, orderReference, amountReceived } = facts;
  const receives: HtmlValue = target === BRL && amountReceived && showAmount(amountReceived, BRL, language);
  return [
    pair(translate('to'), target === BRL ? facts.clientName : session.branding.displayName),
    pair(translate('for'), session.linkName),
    pair(translate('order'), orderReference),
    pair(translate('network'), source === BRL ? null : networkName(source)),
    pair(translate('payeeGets'), receives),
    ...(showsPrice(page) ? price(page) : []),
  ];
}
