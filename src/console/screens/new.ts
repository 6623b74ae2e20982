/**
 * New: forms for a payment, a conversion, a withdrawal and a payment link. A form is performed once, however often it
 * is sent.
 */
import { invalidParameters } from '../../base/errors/errors.ts';
import { fromMinor, toMinor } from '../../base/money/money.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { mayDo, mayPerform, type PendingForm, type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { Variables } from '../execute.ts';
import type { NewQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { pixKeyTypeOptions } from '../parts/choices.ts';
import { type ConfirmedOrder, confirmation } from '../parts/confirmation.ts';
import { destinationField, refuseOtherNetwork } from '../parts/destinations.ts';
import { inBrl, money } from '../parts/figures.ts';
import { actionForm, disclosedForm, type Field, field } from '../parts/form.ts';
import { section, unseen } from '../parts/lists.ts';
import {
  availableOptions,
  orderVariables,
  type Priced,
  priceButton,
  priceCard,
  priceFacts,
  priceSides,
  priceVariables,
  rangeHint,
} from '../parts/price.ts';
import { shareCard } from '../parts/share-card.ts';
import type { Word } from '../words.ts';

/** A kind of record that can be created: its action, its words, its fields. */
export interface Kind {
  readonly name: string;
  readonly action: string;
  readonly mutation: string;
  readonly word: Word;
  readonly what: Word;
  readonly preset?: Readonly<Record<string, string>>;
  /** Missing if it has no price. */
  readonly priced?: Priced;
  /** Sentence of its confirmation; missing if nothing is confirmed. */
  readonly sentence?: (values: URLSearchParams) => Word;
  readonly fields: (context: ScreenContext, data: NewQuery) => readonly Field[];
}

/** Creatable things. */
export const KINDS: readonly Kind[] = [
  {
    name: 'checkout',
    action: 'CreateCheckout',
    mutation: 'createCheckout',
    word: 'newCheckout',
    what: 'newCheckoutWhat',
    preset: { accept: 'true' },
    priced: { amount: 'brl', type: () => 'CrossrampCheckout' },
    sentence: () => 'confirmToBalance',
    fields: ({ translate }, data) => [
      { name: 'brl', label: translate('amountBrl'), inputmode: 'decimal', isRequired: true },
      cryptoField(translate('crypto'), data),
      ...customerFields(translate),
    ],
  },
  {
    name: 'onramp-order',
    action: 'CreateOnramp',
    mutation: 'createOnramp',
    word: 'newOnramp',
    what: 'newOnrampWhat',
    preset: { accept: 'true' },
    priced: {
      amount: 'brl',
      type: (values) => (values.get('wallet')?.trim() ? 'OnrampInstant' : 'Onramp'),
    },
    sentence: (values) => (values.get('wallet')?.trim() ? 'confirmToWallet' : 'confirmToBalance'),
    fields: ({ translate }, data) => [
      { name: 'brl', label: translate('amountBrl'), inputmode: 'decimal', isRequired: true },
      cryptoField(translate('crypto'), data),
      { name: 'wallet', label: translate('walletTo'), hint: translate('walletHint') },
      ...customerFields(translate),
    ],
  },
  {
    name: 'offramp-order',
    action: 'CreateOfframp',
    mutation: 'createOfframp',
    word: 'newOfframp',
    what: 'newOfframpWhat',
    preset: { accept: 'true' },
    priced: {
      amount: 'brl',
      type: (values) => (values.get('from') === 'EXTERNAL' ? 'OfframpInstant' : 'Offramp'),
      isPayout: true,
    },
    sentence: (values) => (values.get('from') === 'EXTERNAL' ? 'confirmFromDeposit' : 'confirmFromBalance'),
    fields: (context, data) => {
      const { translate } = context;
      return [
        { name: 'brl', label: translate('amountPayee'), inputmode: 'decimal', isRequired: true },
        cryptoField(translate('crypto'), data),
        { name: 'from', label: translate('source'), options: offrampSources(context) },
        pixTypeField(context),
        { name: 'pixKey', label: translate('pixKey') },
        ...payeeFields(translate),
      ];
    },
  },
  {
    name: 'withdrawal',
    action: 'CreateWithdrawal',
    mutation: 'createWithdrawal',
    word: 'newWithdrawal',
    what: 'newWithdrawalWhat',
    sentence: () => 'confirmWithdrawal',
    fields: (context, data) => {
      const { translate } = context;
      return [
        {
          name: 'amountReceived',
          label: translate('amountOut'),
          hint: translate('amountOutHint'),
          inputmode: 'decimal',
          isRequired: true,
        },
        {
          name: 'currency',
          label: translate('currency'),
          options: availableOptions(context, data),
        },
        {
          name: 'groupId',
          label: translate('group'),
          options: data.viewer.account.whitelistGroups.map(({ groupId: id, name }) => [id, name]),
        },
        destinationField(context, data.viewer.account),
        { name: 'notes', label: translate('notes') },
      ];
    },
  },
  {
    name: 'link',
    action: 'CreateStaticLink',
    mutation: 'createStaticLink',
    word: 'newLink',
    what: 'newLinkWhat',
    priced: { amount: 'amount', type: () => 'CrossrampCheckout' },
    fields: ({ translate }, data) => [
      { name: 'name', label: translate('name'), isRequired: true },
      { name: 'amount', label: translate('amountOpen'), inputmode: 'decimal' },
      cryptoField(translate('crypto'), data),
      orderField(translate),
    ],
  },
];

/** The screen. */
export const NEW = screenOf<NewQuery>({
  path: '/new',
  operation: operationNamed('New'),
  variables: (context) =>
    context.pending?.confirms
      ? feeVariables(context.pending)
      : priceVariables(context, chosenKind(context).priced),
  view: (data, context) => {
    const { translate } = context;
    const kind = chosenKind(context);
    const views = KINDS.filter(({ mutation }) => mayDo(context, mutation)).map(({ name, word }) => ({
      href: sameWith(context, { kind: name, done: null, link: null }),
      word: translate(word),
      isCurrent: name === kind.name,
    }));
    const confirmed = orderToConfirm(context, kind, data);
    if (confirmed)
      return {
        title: translate('confirmOrder'),
        main: html`<div class="top"><h1>${translate('newTitle')}</h1></div>${confirmation(context, confirmed)}`,
      };
    const create = kind.sentence
      ? html`<button class="primary" name="ask" value="confirm">${translate('review')}</button>`
      : html`<button class="primary">${translate('create')}</button>`;
    const form = actionForm(context, {
      action: kind.action,
      ...(kind.preset && { preset: kind.preset }),
      button: html`<div class="row">${create}${kind.priced && priceButton(context)}</div>`,
      fields: html`${fieldsOf(context, kind, data)}${kind.priced && priceCard(context, kind.priced, data.quote)}`,
    });
    if (views.length === 0) return { title: translate('newTitle'), main: nothingToMake(context) };
    const main = html`<div class="top"><h1>${translate('newTitle')}</h1></div>${segments(translate('whichKind'), views)}
${kind.name === 'link' && sharedLink(context, data)}<section class="card in stack form"><h2>${translate(kind.word)}</h2><p class="soft">${translate(kind.what)}</p>${form}</section>
${kind.name === 'link' && linkList(context, data)}`;
    return { title: `${translate('newTitle')}: ${translate(kind.word)}`, main };
  },
});

/** The order to confirm, as the form describes it; null without one. */
function orderToConfirm(context: ScreenContext, kind: Kind, data: NewQuery): ConfirmedOrder | null {
  const { translate, pending } = context;
  const { action, preset = {}, priced, fields, sentence } = kind;
  if (!pending?.confirms || !sentence) return null;
  const order = { action, sentence: sentence(pending.values) };
  const rest = fields(context, data).filter(({ name }) => name !== 'currency');
  const { price } = pending.confirms;
  if (price && priced)
    return {
      ...order,
      ...priceSides(priced, price),
      preset: { ...preset, quoteId: price.quoteId ?? '' },
      price: priceFacts(context, price),
      fields: rest.filter(({ name }) => name !== priced.amount),
      expiresAt: price.expiresAt,
    };
  const currency = data.currencies.find(({ code }) => code === pending.values.get('currency'));
  const fee = data.withdrawalFee;
  if (!currency || fee === undefined) return null;
  refuseOtherNetwork(context, data.viewer.account, currency);
  const amount = String(pending.variables.amountReceived);
  if ((amount.split('.')[1] ?? '').length > currency.decimals)
    throw invalidParameters([{ parameter: 'amountReceived', message: translate('mustBeNumber') }]);
  return {
    ...order,
    source: { amount, currency },
    target: { amount: lessFee(amount, fee, currency.decimals), currency },
    preset: { networkFeeMax: fee },
    price: [[translate('networkFee'), money({ amount: fee, currency }, context.language)]],
    fields: rest.filter(({ name }) => name !== 'amountReceived'),
  };
}

/** The amount that arrives; an amount that the fee uses up is refused at its creation. */
function lessFee(amount: string, fee: string, decimals: number): string {
  const left = toMinor(amount, decimals) - toMinor(fee, decimals);
  return fromMinor(left > 0n ? left : 0n, decimals);
}

/** @returns the variables of the document for a withdrawal that is to be confirmed. */
function feeVariables({ values, confirms }: NonNullable<ScreenContext['pending']>): Variables {
  return confirms?.price ? {} : { hasFee: true, feeOf: values.get('currency') };
}

/** @returns the order of a form that has a price; undefined for other forms. */
export function orderOf(action: string, { values, variables }: PendingForm): Variables | undefined {
  const priced = KINDS.find((kind) => kind.action === action && kind.sentence)?.priced;
  return priced && orderVariables(priced, { values, variables });
}

/** @returns the form's values: a reserved price determines the amounts. */
export function orderForm(action: string, form: URLSearchParams): URLSearchParams {
  const priced = KINDS.find((kind) => kind.action === action)?.priced;
  if (!priced || !form.get('quoteId')) return form;
  return new URLSearchParams([...form].filter(([name]) => name !== priced.amount));
}

function nothingToMake({ translate }: ScreenContext): Html {
  const why = empty('lock', translate('makesNothing'), translate('forbidden'));
  return html`<div class="top"><h1>${translate('newTitle')}</h1></div><div class="card phone-full">${why}</div>`;
}

/** The fields of a kind; the amount field shows its minimum and maximum. */
function fieldsOf(context: ScreenContext, { action, priced, fields }: Kind, data: NewQuery): readonly Html[] {
  return fields(context, data).map((each) =>
    field(context, action, {
      // A link can fill the form in; its reader sends it.
      value: context.query.get(each.name),
      ...each,
      ...(priced?.amount === each.name && { hint: rangeHint(context, data, priced) }),
    }),
  );
}

function chosenKind(context: ScreenContext): Kind {
  const allowed = KINDS.filter(({ mutation }) => mayDo(context, mutation));
  const pending = allowed.find(({ name }) => name === context.query.get('kind'));
  return pending ?? allowed[0] ?? (KINDS[0] as Kind);
}

function customerFields(translate: ScreenContext['translate']): readonly Field[] {
  return [
    orderField(translate),
    { name: 'clientName', label: translate('customerName'), hint: translate('optional') },
    { name: 'clientTaxId', label: translate('customerTaxId'), hint: translate('optional') },
  ];
}

function payeeFields(translate: ScreenContext['translate']): readonly Field[] {
  return [
    orderField(translate),
    { name: 'clientName', label: translate('payeeName'), hint: translate('optional') },
    { name: 'clientTaxId', label: translate('payeeTaxId'), hint: translate('optional') },
  ];
}

function orderField(translate: ScreenContext['translate']): Field {
  return { name: 'externalCode', label: translate('orderNumber'), hint: translate('optional') };
}

function cryptoField(label: string, { currencies }: NewQuery): Field {
  const crypto = currencies.filter(({ network }) => network);
  return {
    name: 'currency',
    label,
    options: crypto.map(({ code, displayName }) => [code, displayName]),
  };
}

function pixTypeField({ translate, language }: ScreenContext): Field {
  return {
    name: 'pixKeyType',
    label: translate('pixKeyType'),
    options: [['', translate('none')], ...pixKeyTypeOptions(language)],
  };
}

/** Sources of an offramp that the session may use: each is an action with a scope of its own. */
function offrampSources(context: ScreenContext): NonNullable<Field['options']> {
  const { translate } = context;
  return [
    ...(mayPerform(context, 'balance.pay_out') ? [['BALANCE', translate('fromBalance')] as const] : []),
    ...(mayPerform(context, 'offramp.create') ? [['EXTERNAL', translate('fromDeposit')] as const] : []),
  ];
}

type Link = NewQuery['viewer']['account']['staticLinks'][number];

/** The link that the address names, such as one that was just created: its QR code stands first. */
function sharedLink(context: ScreenContext, { viewer }: NewQuery): Html | null {
  const chosen = viewer.account.staticLinks.find(({ slug }) => slug === context.query.get('link'));
  return chosen ? shareCard(context, chosen.url, chosen.name) : null;
}

function linkList(context: ScreenContext, { viewer }: NewQuery): Html {
  const { translate, language } = context;
  const { staticLinks } = viewer.account;
  const end = ({ slug }: Link) =>
    disclosedForm(context, {
      action: 'DisableStaticLink',
      preset: { slug },
      open: translate('endLink'),
      what: translate('endLinkWhat'),
      button: translate('endLinkYes'),
      kind: 'danger',
    });
  const columns: readonly Column<Link>[] = [
    { name: translate('name'), isRowHead: true, cell: ({ name }) => name },
    {
      name: translate('url'),
      style: 'mono',
      cell: ({ url }) => html`<a href="${url}" rel="noreferrer">${url}</a>`,
    },
    {
      name: translate('amount'),
      isFigure: true,
      cell: ({ amount }) => amount && inBrl(amount, language),
    },
    {
      name: translate('status'),
      cell: ({ disabledAt }) =>
        disabledAt ? badge('idle', translate('ended')) : badge('good', translate('open')),
    },
    {
      name: unseen(translate('actsHere')),
      isActions: true,
      cell: (link) =>
        !link.disabledAt &&
        html`<div class="row"><a class="btn pill" href="${sameWith(context, { link: link.slug, done: null })}">${translate('qr')}</a>${end(link)}</div>`,
    },
  ];
  const caption = translate('links');
  const shown = table({ caption, isCaptionUnseen: true, rows: staticLinks, columns });
  return section(
    'links',
    caption,
    staticLinks.length > 0
      ? scrolled(translate('tableOf', { name: caption }), shown)
      : empty('open', translate('noLinks')),
  );
}
