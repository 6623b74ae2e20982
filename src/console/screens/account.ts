/** One account as the operator sees it: price and limits of each template, its customers, and how both are changed. */
import { PLATFORM_SCOPES } from '../../base/api-key.ts';
import { notFound } from '../../base/errors.ts';
import { type Html, html } from '../../ui/html.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { may, type ScreenContext, screenOf } from '../context.ts';
import type { AccountQuery, TemplatePriceFragment } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { customerTable, limitFields } from '../parts/customer-table.ts';
import { inBrl } from '../parts/figures.ts';
import { askedForm, field } from '../parts/form.ts';
import { pageOf, pager, pageVariables, section, unseen } from '../parts/lists.ts';
import { correctionOf } from '../parts/record.ts';
import { FRACTIONS, LIMITS, priceColumns } from '../parts/template-limits.ts';

type Holder = NonNullable<AccountQuery['accountHolder']>;
type Customers = NonNullable<Holder['customers']>;
type Customer = Customers['nodes'][number];

/** Settings of a template that are amounts in BRL. */
const AMOUNTS = ['feeFixed', ...LIMITS] as const;

/** The screen. */
export const ACCOUNT = screenOf<AccountQuery>({
  path: '/accounts/:account',
  operation: operationNamed('Account'),
  scope: PLATFORM_SCOPES,
  variables: (context) => ({
    accountId: context.named.account,
    seesCustomers: may(context, ['platform:pricing', 'platform:risk']),
    ...pageVariables(context),
  }),
  view: ({ accountHolder }, context) => {
    if (!accountHolder) throw notFound();
    const { name, accountId, templateSettings, customers } = accountHolder;
    const main = html`<div class="top"><h1>${name}</h1><p class="soft">${context.say('accountNumber')} ${accountId}</p></div>
${settingTable(context, accountId, templateSettings)}${customers && customerList(context, accountId, customers)}${correctionOf(context, accountId)}`;
    return { title: name, main };
  },
});

function settingTable(context: ScreenContext, account: string, rows: readonly TemplatePriceFragment[]): Html {
  const { say, language } = context;
  const columns: readonly Column<TemplatePriceFragment>[] = [
    ...priceColumns(context),
    ...LIMITS.map((name) => ({
      name: say(`set_${name}`),
      isFigure: true,
      cell: (row: TemplatePriceFragment) => inBrl(row[name], language),
    })),
    {
      name: unseen(say('actsHere')),
      isActs: true,
      cell: ({ template }) => settingForm(context, { account, template }),
    },
  ];
  const caption = say('templateSettings');
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  return section('settings', caption, scrolled(say('tableOf', { name: caption }), shown));
}

function settingForm(
  context: ScreenContext,
  given: { readonly account: string; readonly template: string },
): Html | null {
  const { say } = context;
  const act = 'UpdateTemplateSettings';
  const decimals = { inputmode: 'decimal' } as const;
  const fields = [
    ...FRACTIONS.map((name) => ({ name, label: say(`set_${name}`), hint: say('fractionHint'), ...decimals })),
    ...AMOUNTS.map((name) => ({ name, label: say(`set_${name}`), ...decimals })),
  ];
  return askedForm(context, {
    act,
    given,
    open: say('changeSettings'),
    what: say('changeSettingsWhat'),
    button: say('changeSettingsYes'),
    fields: html`${fields.map((each) => field(context, act, each, given))}`,
  });
}

function customerList(
  context: ScreenContext,
  account: string,
  { nodes, pageInfo, totalCount }: Customers,
): Html {
  const list = customerTable(context, nodes, { acts: (customer) => grantForm(context, account, customer) });
  const pages = pager(context, pageInfo, nodes.length, totalCount);
  return section(
    'customers',
    context.say('customers'),
    html`${pageOf(context, nodes.length, totalCount, list)}<div class="row in-x">${pages}</div>`,
  );
}

function grantForm(context: ScreenContext, account: string, { taxId, level }: Customer): Html | null {
  const { say } = context;
  const act = 'GrantCustomerLimits';
  const given = { account, taxId };
  const levels = (['BASIC', 'VERIFIED'] as const).map((each) => [each, say(`level_${each}`)] as const);
  return askedForm(context, {
    act,
    given,
    open: say('changeSettings'),
    what: say('grantWhat'),
    button: say('changeSettingsYes'),
    fields: html`${limitFields(context, act, given)}${field(context, act, { name: 'level', label: say('level'), value: level, options: levels }, given)}`,
  });
}
