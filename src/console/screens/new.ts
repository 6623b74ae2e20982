/**
 * New: forms for a payment, a conversion, a withdrawal and a payment link. A form acts once, however often it is
 * sent.
 */
import { invalidParameters } from '../../base/errors/errors.ts';
import { fromMinor, toMinor } from '../../base/money/money.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { type Asked, mayAct, mayDo, type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { Variables } from '../execute.ts';
import type { NewQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { PIX_KEY_TYPES } from '../parts/choices.ts';
import { type ConfirmedOrder, confirmation } from '../parts/confirmation.ts';
import { inBrl, money } from '../parts/figures.ts';
import { actForm, askedForm, type Field, field } from '../parts/form.ts';
import { handOver } from '../parts/hand-over.ts';
import { section, unseen } from '../parts/lists.ts';
import {
  availableOptions,
  orderVariables,
  type Priced,
  priceButton,
  priceFacts,
  pricePlace,
  priceSides,
  priceVariables,
  rangeHint,
} from '../parts/price.ts';
import type { Word } from '../words.ts';

/** A kind of what can be made: its act, its words, its fields. */
export interface Kind {
  readonly name: string;
  readonly act: string;
  readonly mutation: string;
  readonly word: Word;
  readonly what: Word;
  readonly given?: Readonly<Record<string, string>>;
  /** Missing where it has no price. */
  readonly priced?: Priced;
  /** Sentence of its confirmation; missing where nothing is confirmed. */
  readonly sentence?: (values: URLSearchParams) => Word;
  readonly fields: (context: ScreenContext, data: NewQuery) => readonly Field[];
}

/** Creatable things. */
export const KINDS: readonly Kind[] = [
  {
    name: 'checkout',
    act: 'CreateCheckout',
    mutation: 'createCheckout',
    word: 'newCheckout',
    what: 'newCheckoutWhat',
    given: { accept: 'true' },
    priced: { amount: 'brl', type: () => 'CrossrampCheckout' },
    sentence: () => 'confirmToBalance',
    fields: ({ say }, data) => [
      { name: 'brl', label: say('amountBrl'), inputmode: 'decimal', isRequired: true },
      cryptoField(say('crypto'), data),
      ...customerFields(say),
    ],
  },
  {
    name: 'onramp-order',
    act: 'CreateOnramp',
    mutation: 'createOnramp',
    word: 'newOnramp',
    what: 'newOnrampWhat',
    given: { accept: 'true' },
    priced: {
      amount: 'brl',
      type: (values) => (values.get('wallet')?.trim() ? 'OnrampInstant' : 'Onramp'),
    },
    sentence: (values) => (values.get('wallet')?.trim() ? 'confirmToWallet' : 'confirmToBalance'),
    fields: ({ say }, data) => [
      { name: 'brl', label: say('amountBrl'), inputmode: 'decimal', isRequired: true },
      cryptoField(say('crypto'), data),
      { name: 'wallet', label: say('walletOptional') },
      ...customerFields(say),
    ],
  },
  {
    name: 'offramp-order',
    act: 'CreateOfframp',
    mutation: 'createOfframp',
    word: 'newOfframp',
    what: 'newOfframpWhat',
    given: { accept: 'true' },
    priced: {
      amount: 'brl',
      type: (values) => (values.get('from') === 'EXTERNAL' ? 'OfframpInstant' : 'Offramp'),
      isPayout: true,
    },
    sentence: (values) => (values.get('from') === 'EXTERNAL' ? 'confirmFromDeposit' : 'confirmFromBalance'),
    fields: (context, data) => {
      const { say } = context;
      return [
        { name: 'brl', label: say('amountPayee'), inputmode: 'decimal', isRequired: true },
        cryptoField(say('crypto'), data),
        { name: 'from', label: say('source'), options: offrampSources(context) },
        pixTypeField(say('pixKeyType'), say('none')),
        { name: 'pixKey', label: say('pixKey') },
        ...customerFields(say),
      ];
    },
  },
  {
    name: 'withdrawal',
    act: 'CreateWithdrawal',
    mutation: 'createWithdrawal',
    word: 'newWithdrawal',
    what: 'newWithdrawalWhat',
    sentence: () => 'confirmWithdrawal',
    fields: (context, data) => {
      const { say } = context;
      return [
        {
          name: 'amountReceived',
          label: say('amountOut'),
          hint: say('amountOutHint'),
          inputmode: 'decimal',
          isRequired: true,
        },
        {
          name: 'currency',
          label: say('currency'),
          options: availableOptions(context, data),
        },
        {
          name: 'groupId',
          label: say('group'),
          options: data.viewer.account.whitelistGroups.map(({ groupId: id, name }) => [id, name]),
        },
        destinationField(say('destination'), data),
        { name: 'notes', label: say('notes') },
      ];
    },
  },
  {
    name: 'link',
    act: 'CreateStaticLink',
    mutation: 'createStaticLink',
    word: 'newLink',
    what: 'newLinkWhat',
    priced: { amount: 'amount', type: () => 'CrossrampCheckout' },
    fields: ({ say }, data) => [
      { name: 'name', label: say('name'), isRequired: true },
      { name: 'amount', label: say('amountOpen'), inputmode: 'decimal' },
      cryptoField(say('crypto'), data),
      { name: 'externalCode', label: say('orderOptional') },
    ],
  },
];

/** The screen. */
export const NEW = screenOf<NewQuery>({
  path: '/new',
  operation: operationNamed('New'),
  variables: (context) =>
    context.asked?.confirms
      ? feeVariables(context.asked)
      : priceVariables(context, chosenKind(context).priced),
  view: (data, context) => {
    const { say } = context;
    const kind = chosenKind(context);
    const views = KINDS.filter(({ mutation }) => mayDo(context, mutation)).map(({ name, word }) => ({
      href: sameWith(context, { kind: name, done: null, link: null }),
      word: say(word),
      isCurrent: name === kind.name,
    }));
    const confirmed = orderToConfirm(context, kind, data);
    if (confirmed)
      return {
        title: say('confirmOrder'),
        main: html`<div class="top"><h1>${say('newTitle')}</h1></div>${confirmation(context, confirmed)}`,
      };
    const create = kind.sentence
      ? html`<button class="primary" name="ask" value="confirm">${say('review')}</button>`
      : html`<button class="primary">${say('create')}</button>`;
    const form = actForm(context, {
      act: kind.act,
      ...(kind.given && { given: kind.given }),
      button: html`<div class="row">${create}${kind.priced && priceButton(context)}</div>`,
      fields: html`${fieldsOf(context, kind, data)}${kind.priced && pricePlace(context, kind.priced, data.quote)}`,
    });
    if (views.length === 0) return { title: say('newTitle'), main: nothingToMake(context) };
    const main = html`<div class="top"><h1>${say('newTitle')}</h1></div>${segments(say('whichKind'), views)}
<section class="card in stack form"><h2>${say(kind.word)}</h2><p class="soft">${say(kind.what)}</p>${form}</section>
${kind.name === 'link' && links(context, data)}`;
    return { title: `${say('newTitle')}: ${say(kind.word)}`, main };
  },
});

/** The order to confirm, as the form describes it; null without one. */
function orderToConfirm(context: ScreenContext, kind: Kind, data: NewQuery): ConfirmedOrder | null {
  const { say, asked } = context;
  const { act, given = {}, priced, fields, sentence } = kind;
  if (!asked?.confirms || !sentence) return null;
  const order = { act, sentence: sentence(asked.values) };
  const rest = fields(context, data).filter(({ name }) => name !== 'currency');
  const { price } = asked.confirms;
  if (price && priced)
    return {
      ...order,
      ...priceSides(priced, price),
      given: { ...given, quoteId: price.quoteId ?? '' },
      price: priceFacts(context, price),
      fields: rest.filter(({ name }) => name !== priced.amount),
      expiresAt: price.expiresAt,
    };
  const currency = data.currencies.find(({ code }) => code === asked.values.get('currency'));
  const fee = data.withdrawalFee;
  if (!currency || fee === undefined) return null;
  const amount = String(asked.variables.amountReceived);
  if ((amount.split('.')[1] ?? '').length > currency.decimals)
    throw invalidParameters([{ parameter: 'amountReceived', message: say('mustBeNumber') }]);
  return {
    ...order,
    source: { amount, currency },
    target: { amount: lessFee(amount, fee, currency.decimals), currency },
    given: { networkFeeMax: fee },
    price: [[say('networkFee'), money({ amount: fee, currency }, context.language)]],
    fields: rest.filter(({ name }) => name !== 'amountReceived'),
  };
}

/** The amount that arrives; an amount that the fee uses up is refused at its creation. */
function lessFee(amount: string, fee: string, decimals: number): string {
  const left = toMinor(amount, decimals) - toMinor(fee, decimals);
  return fromMinor(left > 0n ? left : 0n, decimals);
}

/** @returns the variables of the document for a withdrawal that is to be confirmed. */
function feeVariables({ values, confirms }: NonNullable<ScreenContext['asked']>): Variables {
  return confirms?.price ? {} : { hasFee: true, feeOf: values.get('currency') };
}

/** @returns the order of a form that has a price; undefined for other forms. */
export function orderOf(act: string, { values, variables }: Asked): Variables | undefined {
  const priced = KINDS.find((kind) => kind.act === act && kind.sentence)?.priced;
  return priced && orderVariables(priced, { values, variables });
}

/** @returns the form's values: a reserved price determines the amounts. */
export function orderForm(act: string, form: URLSearchParams): URLSearchParams {
  const priced = KINDS.find((kind) => kind.act === act)?.priced;
  if (!priced || !form.get('quoteId')) return form;
  return new URLSearchParams([...form].filter(([name]) => name !== priced.amount));
}

function nothingToMake({ say }: ScreenContext): Html {
  const why = empty('lock', say('makesNothing'), say('forbidden'));
  return html`<div class="top"><h1>${say('newTitle')}</h1></div><div class="card phone-full">${why}</div>`;
}

/** The fields of a kind; the amount says how little and how much may be entered. */
function fieldsOf(context: ScreenContext, { act, priced, fields }: Kind, data: NewQuery): readonly Html[] {
  return fields(context, data).map((each) =>
    field(context, act, {
      // A link can fill the form in; its reader sends it.
      value: context.query.get(each.name),
      ...each,
      ...(priced?.amount === each.name && { hint: rangeHint(context, data, priced) }),
    }),
  );
}

function chosenKind(context: ScreenContext): Kind {
  const allowed = KINDS.filter(({ mutation }) => mayDo(context, mutation));
  const asked = allowed.find(({ name }) => name === context.query.get('kind'));
  return asked ?? allowed[0] ?? (KINDS[0] as Kind);
}

function customerFields(say: ScreenContext['say']): readonly Field[] {
  return [
    { name: 'externalCode', label: say('orderOptional') },
    { name: 'clientName', label: say('nameOptional') },
    { name: 'clientTaxId', label: say('taxIdOptional') },
  ];
}

function cryptoField(label: string, { currencies }: NewQuery): Field {
  const crypto = currencies.filter(({ network }) => network);
  return {
    name: 'currency',
    label,
    options: crypto.map(({ code, displayName }) => [code, displayName]),
  };
}

function pixTypeField(label: string, none: string): Field {
  return {
    name: 'pixKeyType',
    label,
    options: [['', none], ...PIX_KEY_TYPES.map((each) => [each, each] as const)],
  };
}

/** Sources of an offramp that the session may use: each is an act with a scope of its own. */
function offrampSources(context: ScreenContext): NonNullable<Field['options']> {
  const { say } = context;
  return [
    ...(mayAct(context, 'balance.pay_out') ? [['BALANCE', say('fromBalance')] as const] : []),
    ...(mayAct(context, 'offramp.create') ? [['EXTERNAL', say('fromDeposit')] as const] : []),
  ];
}

/** Destinations of the whitelist that can be used now. */
function destinationField(label: string, { viewer }: NewQuery): Field {
  const options = viewer.account.whitelistGroups.flatMap(({ name, entries }) =>
    entries
      .filter(
        ({ removedAt, usableAt }) => !removedAt && Date.parse(usableAt) <= Date.parse(viewer.account.now),
      )
      .map((entry) => [entry.target, `${name}: ${entry.label ?? ''} ${entry.target}`] as const),
  );
  return { name: 'address', label, options };
}

type Link = NewQuery['viewer']['account']['staticLinks'][number];

function links(context: ScreenContext, { viewer }: NewQuery): Html {
  const { say, language } = context;
  const { staticLinks } = viewer.account;
  const end = ({ slug }: Link) =>
    askedForm(context, {
      act: 'DisableStaticLink',
      given: { slug },
      open: say('endLink'),
      what: say('endLinkWhat'),
      button: say('endLinkYes'),
      kind: 'danger',
    });
  const chosen = staticLinks.find(({ slug }) => slug === context.query.get('link'));
  const columns: readonly Column<Link>[] = [
    { name: say('name'), isRowHead: true, cell: ({ name }) => name },
    { name: say('url'), look: 'mono', cell: ({ url }) => html`<a href="${url}" rel="noreferrer">${url}</a>` },
    {
      name: say('amount'),
      isFigure: true,
      cell: ({ amount }) => amount && inBrl(amount, language),
    },
    {
      name: say('status'),
      cell: ({ disabledAt }) => (disabledAt ? badge('idle', say('ended')) : badge('good', say('open'))),
    },
    {
      name: unseen(say('actsHere')),
      isActs: true,
      cell: (link) =>
        !link.disabledAt &&
        html`<div class="row"><a class="btn pill" href="${sameWith(context, { link: link.slug, done: null })}">${say('qr')}</a>${end(link)}</div>`,
    },
  ];
  const caption = say('links');
  const shown = table({ caption, isCaptionUnseen: true, rows: staticLinks, columns });
  const list = section(
    'links',
    caption,
    staticLinks.length > 0
      ? scrolled(say('tableOf', { name: caption }), shown)
      : empty('open', say('noLinks')),
  );
  return html`${chosen && handOver(context, chosen.url, chosen.name)}${list}`;
}
