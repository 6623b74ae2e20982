/** Facts and numbers of a transaction, for its screen and its case. */

import { BRL } from '../../base/money/currency.ts';
import { sum } from '../../base/money/money.ts';
import { formatTaxId } from '../../base/pix/tax-id.ts';
import { showDecimal } from '../../ui/figures.ts';
import { type Html, html } from '../../ui/html.ts';
import type { Language } from '../../ui/language.ts';
import { idPair, keyValues, type Pair, pair } from '../../ui/parts.ts';
import type { ScreenContext } from '../context.ts';
import type { WholeTransactionFragment as Found } from '../generated/graphql.ts';
import { type AmountShown, inBrl, listTime, money } from './figures.ts';

/** @returns whether it pays money out of the balance, without money in. */
export function leaves({ __typename }: Pick<Found, '__typename'>): boolean {
  return __typename === 'Withdrawal';
}

/** @returns the facts of a transaction: amounts, fees, customer, times. */
export function transactionFacts(context: ScreenContext, found: Found): Html {
  const { translate, language } = context;
  const { source, target, fees } = found;
  const [taxId, networkFee, rate] = ['clientTaxId', 'networkFee', 'quote'].map((name) => member(found, name));
  const back = sentBack(found);
  const seconds = (iso: string | null | undefined) => iso && listTime(iso, language, 'second');
  const shown = keyValues(
    [
      pair(
        translate(leaves(found) ? 'leavesBalance' : 'goesIn'),
        source && html`<b>${money(source, language)}</b>`,
      ),
      ...arrived(context, found),
      pair(translate('fees'), fees && inBrl(fees, language)),
      pair(
        translate('networkFee'),
        networkFee && target && money({ ...target, amount: networkFee }, language),
      ),
      pair(translate('rate'), rate && rateOf(found, rate, language)),
      pair(
        translate(leaves(found) ? 'arrives' : 'comesOut'),
        target && html`<b>${money(target, language)}</b>`,
      ),
      pair(translate('sentBack'), back && html`<b>${money(back, language)}</b>`),
      pair(translate('customer'), found.clientName),
      pair(translate('clientTaxId'), taxId && formatTaxId(taxId)),
      pair(translate('created'), seconds(found.createdAt)),
      pair(translate('updated'), seconds(found.updatedAt)),
      pair(translate('expires'), seconds(found.expiration)),
      pair(translate('notes'), member(found, 'notes')),
    ],
    true,
  );
  return html`<section class="card in" aria-label="${translate('facts')}" data-live="facts">${shown}</section>`;
}

/** The price of one unit of the crypto; the number alone if the transaction does not name its crypto yet. */
function rateOf(
  { source, target }: Pick<Found, 'source' | 'target'>,
  rate: string,
  language: Language,
): string {
  const crypto = [source, target].find((side) => side && side.currency.code !== BRL.code);
  return crypto ? `1 ${crypto.currency.displayName} = ${inBrl(rate, language)}` : showDecimal(rate, language);
}

/** The received amount next to the expected one, and the payout of a conversion at the current price. */
function arrived({ translate, language }: ScreenContext, found: Found): readonly (Pair | null)[] {
  const paid = found.payment?.paid;
  const expected = member(found, 'exactDepositAmount') ?? found.source?.amount;
  if (!paid || !expected) return [];
  const difference = sum([paid.amount, `-${expected}`]);
  const shown = (amount: string) => money({ ...paid, amount }, language);
  const isOther = /[1-9]/.test(difference);
  const effects = found.possibleActions.flatMap(({ effects: each }) => each);
  const converted = effects.find(({ quote }) => quote !== null);
  return [
    pair(translate('amountExpected'), shown(expected)),
    pair(translate('amountArrived'), html`<b>${shown(paid.amount)}</b>`),
    pair(translate('amountDifference'), isOther && shown(difference)),
    pair(translate('rateNow'), converted?.quote && rateOf(found, converted.quote, language)),
    pair(translate('convertedNow'), converted?.money && money(converted.money, language)),
  ];
}

/** Total of all returns to the payer; null when none has arrived. */
function sentBack({ refunds }: Found): AmountShown | null {
  const amounts = refunds.filter(({ state }) => ARRIVED.has(state)).map(({ amount }) => amount);
  const [first] = amounts;
  return first ? { ...first, amount: sum(amounts.map(({ amount }) => amount)) } : null;
}

const ARRIVED: ReadonlySet<string> = new Set(['DONE', 'PAID_BY_HAND']);

const NUMBERS = [
  'pixE2e',
  'txHash',
  'wallet',
  'address',
  'pixKey',
  'depositAddress',
  'depositExact',
] as const;

/** @returns references and addresses, which people copy character by character. */
export function transactionNumbers({ translate }: ScreenContext, found: Found): Html {
  const pairs = NUMBERS.map((name) =>
    idPair(translate(name), member(found, name === 'depositExact' ? 'exactDepositAmount' : name)),
  );
  return html`<section class="card in" aria-label="${translate('numbers')}" data-live="numbers">${keyValues([idPair(translate('reference'), found.end2end), ...pairs], true)}</section>`;
}

/** A member that only some templates have. */
function member(found: Found, name: string): string | null {
  const value = (found as unknown as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : null;
}
