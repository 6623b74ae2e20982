/** The four REST families of `/v2`: their paths, version labels and filters (`service.md` 4.1, 4.2, 9). */
import { known } from '../base/errors/assert.ts';
import { FILTERS, type ListFilterName } from '../store/engine/transaction-filters.ts';
import type { Family } from '../templates/define.ts';

/** A family in its form for `/v2`. */
export interface RestFamily {
  readonly family: Family;
  /** Path segment of a single record, and of the list. */
  readonly single: string;
  readonly list: string;
  /** Label in the list envelope (C-17). */
  readonly version: 'v1' | 'v2';
  /** Query parameters of the list, each with its filter. */
  readonly filters: Readonly<Record<string, ListFilterName>>;
}

/** All families. */
export const FAMILIES: readonly RestFamily[] = [
  {
    family: 'checkouts',
    single: 'crossramp_checkout',
    list: 'crossramp_checkouts',
    version: 'v2',
    filters: filtersOfList('checkouts'),
  },
  {
    family: 'onramps',
    single: 'onramp',
    list: 'onramps',
    version: 'v1',
    filters: filtersOfList('onramps'),
  },
  {
    family: 'offramps',
    single: 'offramp',
    list: 'offramps',
    version: 'v1',
    filters: filtersOfList('offramps'),
  },
  {
    family: 'withdrawals',
    single: 'withdrawal',
    list: 'withdrawals',
    version: 'v2',
    filters: filtersOfList('withdrawals'),
  },
];

function filtersOfList(family: Family): RestFamily['filters'] {
  return Object.fromEntries(
    FILTERS.flatMap(([filter, { parameters = [] }]) =>
      parameters.flatMap(({ name, families }) => (families.includes(family) ? [[name, filter]] : [])),
    ),
  ) as RestFamily['filters'];
}

/** Family of sessions on a hosted page. */
export const CHECKOUTS = familyNamed('checkouts');
/** Family for BRL in, crypto out. */
export const ONRAMPS = familyNamed('onramps');
/** Family for crypto in, BRL out. */
export const OFFRAMPS = familyNamed('offramps');
/** Family for money out of the balance. */
export const WITHDRAWALS = familyNamed('withdrawals');

function familyNamed(family: RestFamily['family']): RestFamily {
  return known(
    FAMILIES.find((each) => each.family === family),
    'a family of routes',
  );
}
