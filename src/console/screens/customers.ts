/** Customers: people named by the account's transactions, with the level and the limits of each. */
import { PLATFORM_SCOPES } from '../../base/access/api-key.ts';
import { type Html, html } from '../../ui/html.ts';
import { empty } from '../../ui/parts.ts';
import { may, pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { CustomerRowFragment, CustomersQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { customerSearch, customerTable, limitFields, searchedTaxId } from '../parts/customer-table.ts';
import { disclosedForm } from '../parts/form.ts';
import { pageOf, pager, pageVariables, section } from '../parts/lists.ts';

/** A tax id that no one can have, for a screen without a search. */
const EXAMPLE_TAX_ID = '52998224725';

/** The screen. */
export const CUSTOMERS = screenOf<CustomersQuery>({
  path: '/customers',
  operation: operationNamed('Customers'),
  variables: (context) => {
    const taxId = searchedTaxId(context);
    return {
      taxId: taxId || EXAMPLE_TAX_ID,
      isOne: taxId !== '',
      isList: taxId === '',
      ...pageVariables(context),
    };
  },
  view: ({ customer, customers }, context) => {
    const { translate } = context;
    const rows = customers?.nodes ?? (customer ? [customer] : []);
    const pages = customers && pager(context, customers.pageInfo, rows.length, customers.totalCount);
    const isMissed = rows.length === 0 && searchedTaxId(context) !== '';
    const found = customerTable(context, rows, {
      href: transactionsOf,
      actions: (each) => limitForm(context, each),
    });
    const where = may(context, PLATFORM_SCOPES) ? translate('platformOnly') : undefined;
    const missing = empty('search', translate(isMissed ? 'nothingFound' : 'noCustomers'), where);
    const list = rows.length === 0 ? missing : found;
    const shown = customers ? pageOf(context, rows.length, customers.totalCount, list) : list;
    const main = html`<div class="top"><h1>${translate('customers')}</h1><p class="soft">${translate('customersWhy')}</p></div>
${customerSearch(context)}
${section('customers', translate('customers'), shown)}<div class="row">${pages}</div>`;
    return { title: translate('customers'), main };
  },
});

function transactionsOf({ taxId }: CustomerRowFragment): string {
  return pathTo('/transactions', { clientTaxId: taxId });
}

function limitForm(context: ScreenContext, customer: CustomerRowFragment): Html | null {
  const { taxId, limitDaily, stepUp30d, grantedLimitDaily, grantedStepUp30d } = customer;
  const { translate } = context;
  const action = 'UpdateCustomer';
  const preset = { taxId };
  const limits = {
    limitDaily: [limitDaily, grantedLimitDaily],
    stepUp30d: [stepUp30d, grantedStepUp30d],
  } as const;
  return disclosedForm(context, {
    action,
    preset,
    open: translate('changeSettings'),
    what: translate('ownLimitsWhat'),
    button: translate('changeSettingsYes'),
    fields: html`${limitFields(context, action, preset, limits)}`,
  });
}
