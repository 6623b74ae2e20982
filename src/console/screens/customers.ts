/** Customers: people named by the account's transactions, with the level and the limits of each. */
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { empty } from '../../ui/parts.ts';
import { pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { CustomerRowFragment, CustomersQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { customerTable, limitFields } from '../parts/customer-table.ts';
import { askedForm } from '../parts/form.ts';
import { pageOf, pager, pageVariables, section } from '../parts/lists.ts';

/** A tax id that can be of nobody, for who asks for none. */
const NOBODY = '52998224725';

/** The screen. */
export const CUSTOMERS = screenOf<CustomersQuery>({
  path: '/customers',
  operation: operationNamed('Customers'),
  variables: (context) => {
    const taxId = askedOf(context);
    return { taxId: taxId || NOBODY, isOne: taxId !== '', isList: taxId === '', ...pageVariables(context) };
  },
  view: ({ customer, customers }, context) => {
    const { say } = context;
    const rows = customers?.nodes ?? (customer ? [customer] : []);
    const pages = customers && pager(context, customers.pageInfo, rows.length, customers.totalCount);
    const isMissed = rows.length === 0 && askedOf(context) !== '';
    const found = customerTable(context, rows, {
      href: transactionsOf,
      acts: (each) => limitForm(context, each),
    });
    const list = isMissed ? empty('search', say('nothingFound')) : found;
    const shown = customers ? pageOf(context, rows.length, customers.totalCount, list) : list;
    const main = html`<div class="top"><h1>${say('customers')}</h1><p class="soft">${say('customersWhy')}</p></div>
<form method="get" role="search" class="row"><input type="search" name="q" value="${askedOf(context)}" aria-label="${say('clientTaxId')}" placeholder="${say('clientTaxId')}" maxlength="20"><button>${icon('search')} ${say('search')}</button>${askedOf(context) && html`<a class="btn quiet" href="${pathTo('/customers')}">${say('clear')}</a>`}</form>
${section('customers', say('customers'), shown)}<div class="row">${pages}</div>`;
    return { title: say('customers'), main };
  },
});

function askedOf({ query }: ScreenContext): string {
  return (query.get('q') ?? '').trim();
}

function transactionsOf({ taxId }: CustomerRowFragment): string {
  return pathTo('/transactions', { clientTaxId: taxId });
}

function limitForm(context: ScreenContext, { taxId }: CustomerRowFragment): Html | null {
  const { say } = context;
  const act = 'UpdateCustomer';
  const given = { taxId };
  return askedForm(context, {
    act,
    given,
    open: say('changeSettings'),
    what: say('ownLimitsWhat'),
    button: say('changeSettingsYes'),
    fields: html`${limitFields(context, act, given)}`,
  });
}
