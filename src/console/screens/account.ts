/** One account for the operator: price and limits of each template, its customers, and their forms. */
import { PLATFORM_SCOPES } from '../../base/access/api-key.ts';
import { notFound } from '../../base/errors/errors.ts';
import { showPercent } from '../../ui/figures.ts';
import { type Html, html } from '../../ui/html.ts';
import { empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { may, mayDo, type ScreenContext, screenOf } from '../context.ts';
import type { AccountQuery, TemplatePriceFragment } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { companyCard } from '../parts/company-card.ts';
import { customerSearch, customerTable, limitFields, searchedTaxId } from '../parts/customer-table.ts';
import { heldAmount, inBrl } from '../parts/figures.ts';
import { disclosedForm, field } from '../parts/form.ts';
import { type Frozen, freezeForm, frozenMark, frozenTable } from '../parts/freeze-customer.ts';
import { pageOf, pager, pageVariables, section, unseen } from '../parts/lists.ts';
import { correctionOf } from '../parts/record.ts';
import { secondPersonNote } from '../parts/second-person.ts';
import { FRACTIONS, LIMITS, limitsOf, priceColumns } from '../parts/template-limits.ts';

type Holder = NonNullable<AccountQuery['accountHolder']>;
type Priced = Holder['templateSettings'][number];
type Customers = NonNullable<Holder['customers']>;
type Customer = Customers['nodes'][number];

/** Amounts that can be set of a template. */
const amountsOf = (row: TemplatePriceFragment) =>
  row.isPriced ? (['feeFixed', ...LIMITS] as const) : limitsOf(row);

/** The screen. */
export const ACCOUNT = screenOf<AccountQuery>({
  path: '/accounts/:account',
  operation: operationNamed('Account'),
  scope: PLATFORM_SCOPES,
  variables: (context) => ({
    accountId: context.named.account,
    seesCustomers: may(context, ['platform:pricing', 'platform:risk']),
    seesFrozen: mayDo(context, 'freezeCustomer'),
    ...(searchedTaxId(context) && { taxId: searchedTaxId(context) }),
    ...pageVariables(context),
  }),
  view: ({ accountHolder, frozen }, context) => {
    if (!accountHolder) throw notFound();
    const { name, accountId, templateSettings, company, customers } = accountHolder;
    const main = html`<div class="top"><h1>${name}</h1><p class="soft">${context.translate('accountNumber')} ${accountId}</p></div>
${settingTable(context, accountId, templateSettings)}${customers && companyCard(context, company, accountId)}${customers && customerList(context, accountId, { customers, frozen: frozen?.nodes ?? [] })}${correctionOf(context, accountId)}`;
    return { title: name, main };
  },
});

function settingTable(context: ScreenContext, account: string, rows: readonly Priced[]): Html {
  const { translate, language } = context;
  const columns: readonly Column<Priced>[] = [
    ...priceColumns(context),
    ...LIMITS.map((name) => ({
      name: translate(`set_${name}`),
      isFigure: true,
      cell: (row: TemplatePriceFragment) => limitsOf(row).includes(name) && inBrl(row[name], language),
    })),
    {
      name: unseen(translate('actsHere')),
      isActions: true,
      cell: (row) =>
        html`${proposal(context, account, row)}${settingForm(context, { account, template: row.template }, row)}`,
    },
  ];
  const caption = translate('templateSettings');
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  return section('settings', caption, scrolled(translate('tableOf', { name: caption }), shown));
}

/** A price that waits for another person, who approves it by setting the same. */
function proposal(context: ScreenContext, account: string, row: Priced): Html | null {
  const { proposedPrice } = row;
  if (!proposedPrice) return null;
  const { translate, language } = context;
  const { proposedBy, proposedByName, spread, feeRate, feeFixed, secondPersonBar } = proposedPrice;
  const shown = {
    who: proposedByName ?? proposedBy,
    spread: showPercent(spread, language),
    feeRate: showPercent(feeRate, language),
    feeFixed: inBrl(feeFixed, language),
  };
  const approve = disclosedForm(context, {
    action: 'UpdateTemplateSettings',
    preset: {
      ...{ account, template: row.template },
      ...{ spread: heldAmount(spread, language), feeRate: heldAmount(feeRate, language) },
      ...{ feeFixed: heldAmount(feeFixed, language) },
    },
    open: translate('approvePrice'),
    what: translate('approvePriceWhat', shown),
    button: translate('approvePriceYes'),
  });
  return html`<div class="small soft">${translate('proposedPrice', shown)}</div>${secondPersonNote(context, secondPersonBar) ?? approve}`;
}

function settingForm(
  context: ScreenContext,
  preset: { readonly account: string; readonly template: string },
  row: TemplatePriceFragment,
): Html | null {
  const { translate, language } = context;
  const action = 'UpdateTemplateSettings';
  const decimals = (
    name: keyof TemplatePriceFragment & ('feeFixed' | (typeof FRACTIONS | typeof LIMITS)[number]),
  ) => ({ inputmode: 'decimal', holds: heldAmount(row[name], language), isRequired: true }) as const;
  const fields = [
    ...(row.isPriced ? FRACTIONS : []).map((name) => ({
      name,
      label: translate(`set_${name}`),
      hint: translate('fractionHint'),
      ...decimals(name),
    })),
    ...amountsOf(row).map((name) => ({ name, label: translate(`set_${name}`), ...decimals(name) })),
  ];
  return disclosedForm(context, {
    action,
    preset,
    open: translate('changeSettings'),
    what: translate('changeSettingsWhat'),
    button: translate('changeSettingsYes'),
    fields: html`${fields.map((each) => field(context, action, each, preset))}`,
  });
}

function customerList(
  context: ScreenContext,
  account: string,
  {
    customers: { nodes, pageInfo, totalCount },
    frozen,
  }: { readonly customers: Customers; readonly frozen: readonly Frozen[] },
): Html {
  const { translate } = context;
  const rows = customerTable(context, nodes, {
    actions: (customer) => {
      const { taxId } = customer;
      const found = frozen.find((each) => each.taxId === taxId);
      return html`${grantForm(context, account, customer)}${found ? frozenMark(context, found) : freezeForm(context, { account, taxId })}`;
    },
  });
  const freeze = freezeForm(context, { account });
  const pages = pager(context, pageInfo, nodes.length, totalCount);
  const isMissed = nodes.length === 0 && searchedTaxId(context) !== '';
  const list = isMissed ? empty('search', translate('nothingFound')) : rows;
  const customers = section(
    'customers',
    translate('customers'),
    html`<div class="in-x">${customerSearch(context)}</div>${freeze && html`<div class="in-x">${freeze}</div>`}${pageOf(context, nodes.length, totalCount, list)}<div class="row in-x">${pages}</div>`,
  );
  return html`${frozenTable(context, frozen)}${customers}`;
}

function grantForm(context: ScreenContext, account: string, customer: Customer): Html | null {
  const { taxId, level } = customer;
  const { translate } = context;
  const action = 'GrantCustomerLimits';
  const preset = { account, taxId };
  const granted = {
    limitDaily: [customer.grantedLimitDaily, customer.limitDaily],
    stepUp30d: [customer.grantedStepUp30d, customer.stepUp30d],
  } as const;
  const levels = (['BASIC', 'VERIFIED'] as const).map((each) => [each, translate(`level_${each}`)] as const);
  return disclosedForm(context, {
    action,
    preset,
    open: translate('changeSettings'),
    what: translate('grantWhat'),
    button: translate('changeSettingsYes'),
    fields: html`${limitFields(context, action, preset, granted)}${field(context, action, { name: 'level', label: translate('level'), holds: level, options: levels }, preset)}`,
  });
}
