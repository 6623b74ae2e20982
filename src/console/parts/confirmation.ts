/** Confirmation of an order: both exact amounts before anything is created. */
import { type Html, html } from '../../ui/html.ts';
import { keyValues, pair } from '../../ui/parts.ts';
import { timeText } from '../../ui/times.ts';
import { actionPath } from '../action.ts';
import type { ScreenContext } from '../context.ts';
import { operationNamed } from '../operations.ts';
import type { Word } from '../words.ts';
import { type AmountShown, money } from './figures.ts';
import { actionForm, type Field, hidden } from './form.ts';

/** An order as its form describes it, with its amounts. */
export interface ConfirmedOrder {
  readonly action: string;
  readonly preset: Readonly<Record<string, string>>;
  /** Sentence with `{source}` and `{target}`. */
  readonly sentence: Word;
  /** Heading; that of a creation by default. */
  readonly title?: Word;
  /** Label of the button; *Create* by default. */
  readonly button?: Word;
  readonly source: AmountShown;
  readonly target: AmountShown;
  /** Rate and fees, as names and values. */
  readonly price: readonly (readonly [name: string, value: string | Html | false])[];
  readonly fields: readonly Field[];
  /** End of the reserved price, ISO 8601. */
  readonly expiresAt?: string | null;
}

/**
 * @returns the confirmation of a form's input, with the button that creates the order and the button that leads back to
 * the form.
 */
export function confirmation(context: ScreenContext, order: ConfirmedOrder): Html {
  const { translate, language, pending } = context;
  const [source, target] = [money(order.source, language), money(order.target, language)];
  const typed = typedValues(pending?.values);
  const pairs = [
    ...order.price.map(([name, value]) => pair(name, value)),
    ...order.fields.map((each) => pair(each.label, wordOf(each, typed[each.name]))),
  ];
  const { action, preset, title = 'confirmOrder', button = 'create' } = order;
  const create = actionForm(context, {
    action,
    preset: { ...typed, ...preset },
    button: translate(button),
    kind: 'primary',
  });
  const edit = html`<form method="post" action="${actionPath(operationNamed(action))}">${hidden(context, operationNamed(action), typed)}<button name="ask" value="price">${translate('edit')}</button></form>`;
  const until =
    order.expiresAt &&
    html`<p class="small soft">${translate('reservedUntil', { time: timeText(Date.parse(order.expiresAt), language, 'full') })}</p>`;
  return html`<section class="card in stack form" id="confirm"><h2>${translate(title)}</h2><p data-sentence><b>${translate(order.sentence, { source, target })}</b></p>${keyValues(pairs)}${until}<div class="row">${create}${edit}</div></section>`;
}

/** Fields whose value is new in every form. */
const OWN = ['csrf', 'shownIn', 'back', 'idempotencyKey', 'ask'];

/** Entered and chosen values, by the name of the field. */
function typedValues(values = new URLSearchParams()): Readonly<Record<string, string>> {
  return Object.fromEntries([...values].filter(([name, value]) => value.trim() && !OWN.includes(name)));
}

/** The value of a field as the form showed it. */
function wordOf({ options }: Field, value: string | undefined): string | undefined {
  return options?.find(([each]) => each === value)?.[1] ?? value;
}
