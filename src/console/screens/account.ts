/** One account as the operator sees it: price and limits of each template, its customers, and how both are changed. */
import { PLATFORM_SCOPES } from '../../base/api-key.ts';
import { notFound } from '../../base/errors.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge, empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { type Desk, may, screenOf } from '../desk.ts';
import type { AccountQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { decimal, moment, money } from '../parts/figures.ts';
import { askedForm, field } from '../parts/form.ts';
import { pager, pageVariables, section, unseen } from '../parts/lists.ts';

type Holder = NonNullable<AccountQuery['accountHolder']>;
type Setting = Holder['templateSettings'][number];
type Customers = NonNullable<Holder['customers']>;
type Customer = Customers['nodes'][number];

/** Settings of a template: fractions, and amounts in BRL. */
const FRACTIONS = ['spread', 'feeRate'] as const;
const AMOUNTS = ['feeFixed', 'amountMin', 'amountMax', 'customerStepUp30d', 'customerLimitDaily'] as const;
const BRL = { code: 'BRL', displayName: 'BRL', decimals: 2 } as const;

/** The screen. */
export const ACCOUNT = screenOf<AccountQuery>({
  path: '/accounts/:account',
  operation: operationNamed('Account'),
  scope: PLATFORM_SCOPES,
  variables: (desk) => ({
    accountId: desk.named.account,
    seesCustomers: may(desk, ['platform:pricing', 'platform:risk']),
    ...pageVariables(desk),
  }),
  view: ({ accountHolder }, desk) => {
    if (!accountHolder) throw notFound();
    const { name, accountId, templateSettings, customers } = accountHolder;
    const main = html`<div class="top"><h1>${name}</h1><p class="soft">${desk.say('accountNumber')} ${accountId}</p></div>
${settingTable(desk, accountId, templateSettings)}${customers && customerTable(desk, accountId, customers)}`;
    return { title: name, main };
  },
});

function settingTable(desk: Desk, account: string, rows: readonly Setting[]): Html {
  const { say, language } = desk;
  const columns: readonly Column<Setting>[] = [
    { name: say('template'), isRowHead: true, cell: ({ template }) => html`<code>${template}</code>` },
    ...FRACTIONS.map((name) => ({
      name: say(`set_${name}`),
      isFigure: true,
      cell: (row: Setting) => decimal(row[name], 0, language),
    })),
    ...AMOUNTS.map((name) => ({
      name: say(`set_${name}`),
      isFigure: true,
      cell: (row: Setting) => money({ amount: row[name], currency: BRL }, language),
    })),
    { name: unseen(say('actsHere')), cell: ({ template }) => settingForm(desk, { account, template }) },
  ];
  const caption = say('templateSettings');
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  return section('settings', caption, scrolled(say('tableOf', { name: caption }), shown));
}

function settingForm(
  desk: Desk,
  given: { readonly account: string; readonly template: string },
): Html | null {
  const { say } = desk;
  const act = 'UpdateTemplateSettings';
  const decimals = { inputmode: 'decimal' } as const;
  const fields = [
    ...FRACTIONS.map((name) => ({ name, label: say(`set_${name}`), hint: say('fractionHint'), ...decimals })),
    ...AMOUNTS.map((name) => ({ name, label: say(`set_${name}`), ...decimals })),
  ];
  return askedForm(desk, {
    act,
    given,
    open: say('changeSettings'),
    what: say('changeSettingsWhat'),
    button: say('changeSettingsYes'),
    fields: html`${fields.map((each) => field(desk, act, each, given))}`,
  });
}

function customerTable(desk: Desk, account: string, { nodes, pageInfo, totalCount }: Customers): Html {
  const { say, language } = desk;
  const limit = (granted: string | null, own: string | null) => {
    const amount = granted ?? own;
    return amount === null
      ? html`<span class="soft">${say('asTemplate')}</span>`
      : money({ amount, currency: BRL }, language);
  };
  const columns: readonly Column<Customer>[] = [
    { name: say('clientTaxId'), isRowHead: true, cell: ({ taxId }) => taxId },
    { name: say('name'), look: 'wide', cell: ({ names }) => names.at(-1) },
    {
      name: say('level'),
      look: 'wide',
      cell: ({ level }) => badge(level === 'VERIFIED' ? 'good' : 'idle', say(`level_${level}`)),
    },
    { name: say('firstSeen'), look: 'wide', cell: ({ firstSeenAt }) => moment(firstSeenAt, language) },
    {
      name: say('set_customerLimitDaily'),
      isFigure: true,
      cell: ({ grantedLimitDaily, limitDaily }) => limit(grantedLimitDaily, limitDaily),
    },
    {
      name: say('set_customerStepUp30d'),
      isFigure: true,
      cell: ({ grantedStepUp30d, stepUp30d }) => limit(grantedStepUp30d, stepUp30d),
    },
    { name: unseen(say('actsHere')), cell: (customer) => grantForm(desk, account, customer) },
  ];
  const caption = say('customers');
  const shown = table({ caption, isCaptionUnseen: true, rows: nodes, columns });
  const content =
    nodes.length > 0
      ? scrolled(say('tableOf', { name: caption }), shown)
      : empty('person', say('noCustomers'));
  return section(
    'customers',
    caption,
    html`${content}<div class="row in-x">${pager(desk, pageInfo, nodes.length, totalCount)}</div>`,
  );
}

function grantForm(desk: Desk, account: string, { taxId, level }: Customer): Html | null {
  const { say } = desk;
  const act = 'GrantCustomerLimits';
  const given = { account, taxId };
  const levels = (['BASIC', 'VERIFIED'] as const).map((each) => [each, say(`level_${each}`)] as const);
  const amount = (name: string, label: string) =>
    field(desk, act, { name, label, inputmode: 'decimal' }, given);
  return askedForm(desk, {
    act,
    given,
    open: say('changeSettings'),
    what: say('grantWhat'),
    button: say('changeSettingsYes'),
    fields: html`${amount('limitDaily', say('set_customerLimitDaily'))}${amount('stepUp30d', say('set_customerStepUp30d'))}${field(desk, act, { name: 'level', label: say('level'), value: level, options: levels }, given)}`,
  });
}
