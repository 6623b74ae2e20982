/** Facts and numbers of a transaction, for its screen and its case. */
import { sum } from '../../base/money/money.ts';
import { formatTaxId } from '../../base/pix/tax-id.ts';
import { showDecimal } from '../../ui/figures.ts';
import { type Html, html } from '../../ui/html.ts';
import { idPair, keyValues, pair } from '../../ui/parts.ts';
import type { ScreenContext } from '../context.ts';
import type { WholeTransactionFragment as Found } from '../generated/graphql.ts';
import { type AmountShown, inBrl, listTime, money } from './figures.ts';

/** @returns whether it pays money out of the balance, without money in. */
export function leaves({ __typename }: Pick<Found, '__typename'>): boolean {
  return __typename === 'Withdrawal';
}

/** @returns the facts of a transaction: amounts, fees, customer, times. */
export function transactionFacts({ translate, language }: ScreenContext, found: Found): Html {
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
      pair(translate('fees'), fees && inBrl(fees, language)),
      pair(
        translate('networkFee'),
        networkFee && target && money({ ...target, amount: networkFee }, language),
      ),
      pair(translate('rate'), rate && showDecimal(rate, language)),
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

/** @returns its references and addresses, which are copied letter by letter. */
export function transactionNumbers({ translate }: ScreenContext, found: Found): Html {
  const pairs = NUMBERS.map((name) =>
    idPair(translate(name), member(found, name === 'depositExact' ? 'exactDepositAmount' : name)),
  );
  return html`<section class="card in" aria-label="${translate('numbers')}" data-live="numbers">${keyValues([idPair(translate('reference'), found.end2end), ...pairs], true)}</section>`;
}

/** A member that only some kinds have. */
function member(found: Found, name: string): string | null {
  const value = (found as unknown as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : null;
}
