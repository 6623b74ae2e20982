/** What an order would cost: asked for by the form that makes it, before it is made. */
import { isMore } from '../../base/money.ts';
import { type Html, html } from '../../ui/html.ts';
import { keyValues, pair } from '../../ui/parts.ts';
import type { ScreenContext } from '../context.ts';
import type { NewQuery } from '../generated/graphql.ts';
import { decimal, inBrl, money } from './figures.ts';

/** How the form of an order is priced. */
export interface Priced {
  /** Name of the field with its amount in BRL. */
  readonly amount: string;
  /** Type of the order in GraphQL, by what the form says so far. */
  readonly type: (values: URLSearchParams) => string;
  /** Whether crypto goes in and BRL comes out. */
  readonly isPayout?: boolean;
}

const NOTHING = new URLSearchParams();

/** @returns the variables that ask for the price of what the form says; none where nobody asks. */
export function priceVariables({ asked }: ScreenContext, priced: Priced | undefined) {
  const brlAmount = priced && asked?.variables[priced.amount];
  if (!asked || !priced || brlAmount === undefined) return {};
  const { currency } = asked.variables;
  return { isPriced: true, order: { template: templateOf(priced, asked.values), currency, brlAmount } };
}

/** The enum of templates has the names of their types, in lower case with underscores. */
function templateOf({ type }: Priced, values: URLSearchParams): string {
  return type(values)
    .replace(/(?<=[a-z])[A-Z]/g, '_$&')
    .toLowerCase();
}

/** @returns the button that asks for the price, and the place where it is shown. */
export function priceButton({ say }: ScreenContext): Html {
  return html`<button name="ask" value="price">${say('askPrice')}</button>`;
}

/** @returns the price; an empty place where nobody asked, which a script fills while somebody writes. */
export function pricePlace(
  { say, language }: ScreenContext,
  { isPayout }: Priced,
  quote: NewQuery['quote'],
): Html {
  if (!quote) return html`<div id="price" role="status"></div>`;
  const { brlAmount, cryptoAmount, currency, rate, fees, networkFee } = quote;
  const brl = (amount: string) => inBrl(amount, language);
  const crypto = (amount: string) => money({ amount, currency }, language);
  const shown = keyValues([
    pair(say('goesIn'), isPayout ? crypto(cryptoAmount) : brl(brlAmount)),
    pair(say('rate'), html`1 ${currency.displayName} = ${brl(rate)}`),
    pair(say('fees'), brl(fees)),
    pair(say('networkFee'), /[1-9]/.test(networkFee) && crypto(networkFee)),
    pair(say('comesOut'), html`<b>${isPayout ? brl(brlAmount) : crypto(cryptoAmount)}</b>`),
  ]);
  return html`<div id="price" role="status">${shown}<p class="small soft">${say('priceNow')}</p></div>`;
}

/** @returns the least and the most that an order may be of: of the platform's limits and the account's own the tighter. */
export function rangeHint(
  { say, language, asked, refused }: ScreenContext,
  { viewer }: NewQuery,
  priced: Priced,
): string | null {
  const template = templateOf(priced, (asked ?? refused)?.values ?? NOTHING);
  const { templateSettings, templateLimits } = viewer.account;
  const ours = templateSettings.find((each) => each.template === template);
  const own = templateLimits.find((each) => each.template === template);
  if (!ours) return null;
  const { amountMin, amountMax } = ours;
  const min = own?.amountMin && isMore(own.amountMin, amountMin) ? own.amountMin : amountMin;
  const max = own?.amountMax && isMore(amountMax, own.amountMax) ? own.amountMax : amountMax;
  const written = (amount: string) => inBrl(amount, language);
  return say('between', { min: written(min), max: written(max) });
}

/** @returns the currencies that there is something of, with what is available, for a choice of what to take out. */
export function availableOptions(
  { say, language }: ScreenContext,
  { balances, currencies }: NewQuery,
): readonly (readonly [code: string, word: string])[] {
  const options = currencies.flatMap(({ code, displayName, decimals }) => {
    const available = balances.find(({ currency }) => currency.code === code)?.available ?? '0';
    if (!isMore(available, '0')) return [];
    const amount = decimal(available, decimals, language);
    return [[code, say('availableOf', { currency: displayName, amount })] as const];
  });
  return options.length > 0 ? options : [['', say('nothingAvailable')]];
}
