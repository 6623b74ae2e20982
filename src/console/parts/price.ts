/** Price of an order, requested by its form before it is created. */
import { isMore } from '../../base/money/money.ts';
import { type Html, html } from '../../ui/html.ts';
import { keyValues, pair } from '../../ui/parts.ts';
import type { PendingForm, ScreenContext } from '../context.ts';
import type { Variables } from '../execute.ts';
import type { NewQuery, PriceFragment } from '../generated/graphql.ts';
import { type AmountShown, BRL, decimal, inBrl, money } from './figures.ts';

/** Pricing of an order's form. */
export interface Priced {
  /** Name of the field with its amount in BRL. */
  readonly amount: string;
  /** Type of the order in GraphQL, by the form's current values. */
  readonly type: (values: URLSearchParams) => string;
  /** Whether the order converts crypto to BRL. */
  readonly isPayout?: boolean;
}

const NOTHING = new URLSearchParams();

/** @returns the variables that request the price of the form; none when it is not requested. */
export function priceVariables({ pending }: ScreenContext, priced: Priced | undefined) {
  const order = pending && priced && orderVariables(priced, pending);
  return order ? { isPriced: true, order } : {};
}

/** @returns the order that a form describes; undefined without an amount. */
export function orderVariables(priced: Priced, { values, variables }: PendingForm): Variables | undefined {
  const { amount, currency } = variables;
  const brl = typeof amount === 'object' ? (amount as { readonly brl?: string } | null)?.brl : amount;
  return brl === undefined ? undefined : { template: templateOf(priced, values), currency, amount: { brl } };
}

/** @returns both amounts of a price. */
export function priceSides(
  { isPayout }: Priced,
  { brlAmount, cryptoAmount, currency }: PriceFragment,
): Readonly<Record<'source' | 'target', AmountShown>> {
  const brl = { amount: brlAmount, currency: BRL };
  const crypto = { amount: cryptoAmount, currency };
  return isPayout ? { source: crypto, target: brl } : { source: brl, target: crypto };
}

/** @returns rate and fees of a price, as names and values. */
export function priceFacts(
  { translate, language }: Pick<ScreenContext, 'translate' | 'language'>,
  { currency, rate, fees, networkFee }: PriceFragment,
): readonly (readonly [name: string, value: string | false])[] {
  return [
    [translate('rate'), `1 ${currency.displayName} = ${inBrl(rate, language)}`],
    [translate('fees'), inBrl(fees, language)],
    [translate('networkFee'), /[1-9]/.test(networkFee) && money({ amount: networkFee, currency }, language)],
  ];
}

/** The enum of templates has the names of their types, in lower case with underscores. */
function templateOf({ type }: Priced, values: URLSearchParams): string {
  return type(values)
    .replace(/(?<=[a-z])[A-Z]/g, '_$&')
    .toLowerCase();
}

/** @returns the button that requests the price, and the element that shows it. */
export function priceButton({ translate }: ScreenContext): Html {
  return html`<button name="ask" value="price">${translate('askPrice')}</button>`;
}

/** @returns the price; an empty element if none is requested, which a script fills while the person types. */
export function priceCard(context: ScreenContext, priced: Priced, quote: NewQuery['quote']): Html {
  if (!quote) return html`<div id="price" role="status"></div>`;
  const { translate, language } = context;
  const { source, target } = priceSides(priced, quote);
  const shown = keyValues([
    pair(translate('goesIn'), money(source, language)),
    ...priceFacts(context, quote).map(([name, value]) => pair(name, value)),
    pair(translate('comesOut'), html`<b>${money(target, language)}</b>`),
  ]);
  return html`<div id="price" role="status">${shown}<p class="small soft">${translate('priceNow')}</p></div>`;
}

/** @returns the minimum and maximum of an order: the tighter ones of the platform's and the account's own limits. */
export function rangeHint(
  { translate, language, pending, refused }: ScreenContext,
  { viewer }: NewQuery,
  priced: Priced,
): string | null {
  const template = templateOf(priced, (pending ?? refused)?.values ?? NOTHING);
  const { templateSettings, templateLimits } = viewer.account;
  const ours = templateSettings.find((each) => each.template === template);
  const own = templateLimits.find((each) => each.template === template);
  if (!ours) return null;
  const { amountMin, amountMax } = ours;
  const min = own?.amountMin && isMore(own.amountMin, amountMin) ? own.amountMin : amountMin;
  const max = own?.amountMax && isMore(amountMax, own.amountMax) ? own.amountMax : amountMax;
  const written = (amount: string) => inBrl(amount, language);
  return translate('between', { min: written(min), max: written(max) });
}

/** @returns the currencies with an available balance, for the choice of a currency to withdraw. */
export function availableOptions(
  { translate, language }: ScreenContext,
  { balances, currencies }: NewQuery,
): readonly (readonly [code: string, word: string])[] {
  const options = currencies.flatMap(({ code, displayName, decimals }) => {
    const available = balances.find(({ currency }) => currency.code === code)?.available ?? '0';
    if (!isMore(available, '0')) return [];
    const amount = decimal(available, decimals, language);
    return [[code, translate('availableOf', { currency: displayName, amount })] as const];
  });
  return options.length > 0 ? options : [['', translate('nothingAvailable')]];
}
