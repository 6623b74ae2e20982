/** Facts and numbers of a transaction, as its screen and its case show them. */
import { sum } from '../../base/money/money.ts';
import { formatTaxId } from '../../base/pix/tax-id.ts';
import { showDecimal } from '../../ui/figures.ts';
import { type Html, html } from '../../ui/html.ts';
import { idPair, keyValues, pair } from '../../ui/parts.ts';
import type { ScreenContext } from '../context.ts';
import type { WholeTransactionFragment as Found } from '../generated/graphql.ts';
import { type AmountShown, inBrl, moment, money } from './figures.ts';

/** @returns whether it pays money out of the balance: nothing comes in. */
export function leaves({ __typename }: Pick<Found, '__typename'>): boolean {
  return __typename === 'Withdrawal';
}

/** @returns the facts of a transaction: amounts, fees, customer, times. */
export function transactionFacts({ say, language }: ScreenContext, found: Found): Html {
  const { source, target, fees } = found;
  const [taxId, networkFee, rate] = ['clientTaxId', 'networkFee', 'quote'].map((name) => member(found, name));
  const back = sentBack(found);
  const seconds = (iso: string | null | undefined) => iso && moment(iso, language, 'second');
  const shown = keyValues(
    [
      pair(
        say(leaves(found) ? 'leavesBalance' : 'goesIn'),
        source && html`<b>${money(source, language)}</b>`,
      ),
      pair(say('fees'), fees && inBrl(fees, language)),
      pair(say('networkFee'), networkFee && target && money({ ...target, amount: networkFee }, language)),
      pair(say('rate'), rate && showDecimal(rate, language)),
      pair(say(leaves(found) ? 'arrives' : 'comesOut'), target && html`<b>${money(target, language)}</b>`),
      pair(say('sentBack'), back && html`<b>${money(back, language)}</b>`),
      pair(say('customer'), found.clientName),
      pair(say('clientTaxId'), taxId && formatTaxId(taxId)),
      pair(say('created'), seconds(found.createdAt)),
      pair(say('updated'), seconds(found.updatedAt)),
      pair(say('expires'), seconds(found.expiration)),
      pair(say('notes'), member(found, 'notes')),
    ],
    true,
  );
  return html`<section class="card in" aria-label="${say('facts')}" data-live="facts">${shown}</section>`;
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
export function transactionNumbers({ say }: ScreenContext, found: Found): Html {
  const pairs = NUMBERS.map((name) =>
    idPair(say(name), member(found, name === 'depositExact' ? 'exactDepositAmount' : name)),
  );
  return html`<section class="card in" aria-label="${say('numbers')}" data-live="numbers">${keyValues([idPair(say('reference'), found.end2end), ...pairs], true)}</section>`;
}

/** A member that only some kinds have. */
function member(found: Found, name: string): string | null {
  const value = (found as unknown as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : null;
}
