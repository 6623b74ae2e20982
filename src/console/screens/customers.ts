/** Customers: whom the transactions of the account name, how well each is known, and the limits of each. */
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { empty } from '../../ui/parts.ts';
import { type Desk, pathTo, screenOf } from '../desk.ts';
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
  variables: (desk) => {
    const taxId = askedOf(desk);
    return { taxId: taxId || NOBODY, isOne: taxId !== '', isList: taxId === '', ...pageVariables(desk) };
  },
  view: ({ customer, customers }, desk) => {
    const { say } = desk;
    const rows = customers?.nodes ?? (customer ? [customer] : []);
    const pages = customers && pager(desk, customers.pageInfo, rows.length, customers.totalCount);
    const isMissed = rows.length === 0 && askedOf(desk) !== '';
    const found = customerTable(desk, rows, { href: transactionsOf, acts: (each) => limitForm(desk, each) });
    const list = isMissed ? empty('search', say('nothingFound')) : found;
    const shown = customers ? pageOf(desk, rows.length, customers.totalCount, list) : list;
    const main = html`<div class="top"><h1>${say('customers')}</h1><p class="soft">${say('customersWhy')}</p></div>
<form method="get" role="search" class="row"><input type="search" name="q" value="${askedOf(desk)}" aria-label="${say('clientTaxId')}" placeholder="${say('clientTaxId')}" maxlength="20"><button>${icon('search')} ${say('search')}</button>${askedOf(desk) && html`<a class="btn quiet" href="${pathTo('/customers')}">${say('clear')}</a>`}</form>
${section('customers', say('customers'), shown)}<div class="row">${pages}</div>`;
    return { title: say('customers'), main };
  },
});

function askedOf({ query }: Desk): string {
  return (query.get('q') ?? '').trim();
}

function transactionsOf({ taxId }: CustomerRowFragment): string {
  return pathTo('/transactions', { clientTaxId: taxId });
}

function limitForm(desk: Desk, { taxId }: CustomerRowFragment): Html | null {
  const { say } = desk;
  const act = 'UpdateCustomer';
  const given = { taxId };
  return askedForm(desk, {
    act,
    given,
    open: say('changeSettings'),
    what: say('ownLimitsWhat'),
    button: say('changeSettingsYes'),
    fields: html`${limitFields(desk, act, given)}`,
  });
}
