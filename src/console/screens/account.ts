/** One account as the operator sees it: price and limits of each template, its customers, and how both are changed. */
import { PLATFORM_SCOPES } from '../../base/api-key.ts';
import { notFound } from '../../base/errors.ts';
import { showPercent } from '../../ui/figures.ts';
import { type Html, html } from '../../ui/html.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { type Desk, may, screenOf } from '../desk.ts';
import type { AccountQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { customerTable, limitFields } from '../parts/customer-table.ts';
import { money } from '../parts/figures.ts';
import { askedForm, field } from '../parts/form.ts';
import { pageOf, pager, pageVariables, section, unseen } from '../parts/lists.ts';
import { correctionOf } from '../parts/record.ts';
import { sayNamed } from '../words.ts';

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
${settingTable(desk, accountId, templateSettings)}${customers && customerList(desk, accountId, customers)}${correctionOf(desk, accountId)}`;
    return { title: name, main };
  },
});

function settingTable(desk: Desk, account: string, rows: readonly Setting[]): Html {
  const { say, language } = desk;
  const columns: readonly Column<Setting>[] = [
    { name: say('template'), isRowHead: true, cell: ({ template }) => sayNamed(say, `template_${template}`) },
    ...FRACTIONS.map((name) => ({
      name: say(`set_${name}`),
      isFigure: true,
      cell: (row: Setting) => showPercent(row[name], language),
    })),
    ...AMOUNTS.map((name) => ({
      name: say(`set_${name}`),
      isFigure: true,
      cell: (row: Setting) => money({ amount: row[name], currency: BRL }, language),
    })),
    {
      name: unseen(say('actsHere')),
      isActs: true,
      cell: ({ template }) => settingForm(desk, { account, template }),
    },
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

function customerList(desk: Desk, account: string, { nodes, pageInfo, totalCount }: Customers): Html {
  const list = customerTable(desk, nodes, { acts: (customer) => grantForm(desk, account, customer) });
  const pages = pager(desk, pageInfo, nodes.length, totalCount);
  return section(
    'customers',
    desk.say('customers'),
    html`${pageOf(desk, nodes.length, totalCount, list)}<div class="row in-x">${pages}</div>`,
  );
}

function grantForm(desk: Desk, account: string, { taxId, level }: Customer): Html | null {
  const { say } = desk;
  const act = 'GrantCustomerLimits';
  const given = { account, taxId };
  const levels = (['BASIC', 'VERIFIED'] as const).map((each) => [each, say(`level_${each}`)] as const);
  return askedForm(desk, {
    act,
    given,
    open: say('changeSettings'),
    what: say('grantWhat'),
    button: say('changeSettingsYes'),
    fields: html`${limitFields(desk, act, given)}${field(desk, act, { name: 'level', label: say('level'), value: level, options: levels }, given)}`,
  });
}
