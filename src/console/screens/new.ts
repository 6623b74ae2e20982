/** New: what a payment, a conversion, a withdrawal or a payment link is made with. A form is done once, however often it is sent. */
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { type Desk, mayDo, sameWith, screenOf } from '../desk.ts';
import type { NewQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { PIX_KEY_TYPES } from '../parts/choices.ts';
import { money } from '../parts/figures.ts';
import { actForm, askedForm, type Field, field } from '../parts/form.ts';
import { handOver } from '../parts/hand-over.ts';
import { section, unseen } from '../parts/lists.ts';
import {
  type Priced,
  priceButton,
  pricePlace,
  priceVariables,
  rangeHint,
  withAvailable,
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
  readonly fields: (desk: Desk, data: NewQuery) => readonly Field[];
}

/** What can be made. */
export const KINDS: readonly Kind[] = [
  {
    name: 'checkout',
    act: 'CreateCheckout',
    mutation: 'createCheckout',
    word: 'newCheckout',
    what: 'newCheckoutWhat',
    given: { accept: 'true' },
    priced: { amount: 'amountPayment', type: () => 'CrossrampCheckout' },
    fields: ({ say }, data) => [
      { name: 'amountPayment', label: say('amountBrl'), inputmode: 'decimal', isRequired: true },
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
      amount: 'amountPayment',
      type: (values) => (values.get('wallet')?.trim() ? 'OnrampInstant' : 'Onramp'),
    },
    fields: ({ say }, data) => [
      { name: 'amountPayment', label: say('amountBrl'), inputmode: 'decimal', isRequired: true },
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
      amount: 'amountPaid',
      type: (values) => (values.get('from') === 'EXTERNAL' ? 'OfframpInstant' : 'Offramp'),
      isPayout: true,
    },
    fields: ({ say }, data) => [
      { name: 'amountPaid', label: say('amountBrl'), inputmode: 'decimal', isRequired: true },
      cryptoField(say('crypto'), data),
      {
        name: 'from',
        label: say('source'),
        options: [
          ['BALANCE', say('fromBalance')],
          ['EXTERNAL', say('fromDeposit')],
        ],
      },
      pixTypeField(say('pixKeyType'), say('none')),
      { name: 'pixKey', label: say('pixKey') },
      ...customerFields(say),
    ],
  },
  {
    name: 'withdrawal',
    act: 'CreateWithdrawal',
    mutation: 'createWithdrawal',
    word: 'newWithdrawal',
    what: 'newWithdrawalWhat',
    fields: (desk, data) => {
      const { say } = desk;
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
          options: data.currencies.map((each) => [each.code, withAvailable(desk, data, each)]),
        },
        {
          name: 'groupId',
          label: say('group'),
          options: data.viewer.account.whitelistGroups.map(({ id, name }) => [id, name]),
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
  variables: (desk) => priceVariables(desk, kindOf(desk).priced),
  view: (data, desk) => {
    const { say } = desk;
    const kind = kindOf(desk);
    const views = KINDS.filter(({ mutation }) => mayDo(desk, mutation)).map(({ name, word }) => ({
      href: sameWith(desk, { kind: name, done: null, link: null }),
      word: say(word),
      isCurrent: name === kind.name,
    }));
    const form = actForm(desk, {
      act: kind.act,
      ...(kind.given && { given: kind.given }),
      button: html`<div class="row"><button class="primary">${say('create')}</button>${kind.priced && priceButton(desk)}</div>`,
      fields: html`${fieldsOf(desk, kind, data)}${kind.priced && pricePlace(desk, kind.priced, data.quote)}`,
    });
    if (views.length === 0) return { title: say('newTitle'), main: nothingToMake(desk) };
    const main = html`<div class="top"><h1>${say('newTitle')}</h1></div>${segments(say('whichKind'), views)}
<section class="card in stack form"><h2>${say(kind.word)}</h2><p class="soft">${say(kind.what)}</p>${form}</section>
${kind.name === 'link' && links(desk, data)}`;
    return { title: `${say('newTitle')}: ${say(kind.word)}`, main };
  },
});

function nothingToMake({ say }: Desk): Html {
  const why = empty('lock', say('makesNothing'), say('forbidden'));
  return html`<div class="top"><h1>${say('newTitle')}</h1></div><div class="card phone-full">${why}</div>`;
}

/** The fields of a kind; the amount says how little and how much may be entered. */
function fieldsOf(desk: Desk, { act, priced, fields }: Kind, data: NewQuery): readonly Html[] {
  return fields(desk, data).map((each) =>
    field(desk, act, priced?.amount === each.name ? { ...each, hint: rangeHint(desk, data, priced) } : each),
  );
}

function kindOf(desk: Desk): Kind {
  const allowed = KINDS.filter(({ mutation }) => mayDo(desk, mutation));
  const asked = allowed.find(({ name }) => name === desk.query.get('kind'));
  return asked ?? allowed[0] ?? (KINDS[0] as Kind);
}

function customerFields(say: Desk['say']): readonly Field[] {
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

/** Destinations of the whitelist that can be used now. */
function destinationField(label: string, { viewer }: NewQuery): Field {
  const options = viewer.account.whitelistGroups.flatMap(({ name, entries }) =>
    entries
      .filter(({ removedAt, usableAt }) => !removedAt && Date.parse(usableAt) <= Date.now())
      .map((entry) => [entry.target, `${name}: ${entry.label ?? ''} ${entry.target}`] as const),
  );
  return { name: 'address', label, options };
}

type Link = NewQuery['viewer']['account']['staticLinks'][number];

function links(desk: Desk, { viewer }: NewQuery): Html {
  const { say, language } = desk;
  const { staticLinks } = viewer.account;
  const end = ({ slug }: Link) =>
    askedForm(desk, {
      act: 'DisableStaticLink',
      given: { slug },
      open: say('endLink'),
      what: say('endLinkWhat'),
      button: say('endLinkYes'),
      kind: 'danger',
    });
  const chosen = staticLinks.find(({ slug }) => slug === desk.query.get('link'));
  const brl = { code: 'BRL', displayName: 'BRL', decimals: 2 };
  const columns: readonly Column<Link>[] = [
    { name: say('name'), isRowHead: true, cell: ({ name }) => name },
    { name: say('url'), look: 'mono', cell: ({ url }) => html`<a href="${url}" rel="noreferrer">${url}</a>` },
    {
      name: say('amount'),
      isFigure: true,
      cell: ({ amount }) => amount && money({ amount, currency: brl }, language),
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
        html`<div class="row"><a class="btn pill" href="${sameWith(desk, { link: link.slug, done: null })}">${say('qr')}</a>${end(link)}</div>`,
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
  return html`${chosen && handOver(desk, chosen.url, chosen.name)}${list}`;
}
