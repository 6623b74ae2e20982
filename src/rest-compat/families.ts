/** The four REST families of `/v2`: their paths, version labels and filters (`service.md` 4.1, 4.2, 9). */
import type { ListFilterInput } from '../resolvers/transactions/list-transactions.ts';
import type { Family } from '../templates/define.ts';

/** A family as `/v2` shows it. */
export interface RestFamily {
  readonly family: Family;
  /** Path segment of a single record, and of the list. */
  readonly single: string;
  readonly list: string;
  /** Label in the list envelope (C-17). */
  readonly version: 'v1' | 'v2';
  /** Query parameters of the list, each with its filter. */
  readonly filters: Readonly<Record<string, keyof ListFilterInput>>;
}

const PAYMENT_FILTERS = {
  pix_e2e: 'pixE2e',
  client_tax_id: 'clientTaxId',
  external_code: 'externalCode',
} as const;
const DATE_FILTERS = { date_from: 'dateFrom', date_to: 'dateTo' } as const;

/** All families. */
export const FAMILIES: readonly RestFamily[] = [
  {
    family: 'checkouts',
    single: 'crossramp_checkout',
    list: 'crossramp_checkouts',
    version: 'v2',
    filters: { ...PAYMENT_FILTERS, ...DATE_FILTERS },
  },
  {
    family: 'onramps',
    single: 'onramp',
    list: 'onramps',
    version: 'v1',
    filters: { ...PAYMENT_FILTERS, wallet: 'address', ...DATE_FILTERS },
  },
  {
    family: 'offramps',
    single: 'offramp',
    list: 'offramps',
    version: 'v1',
    filters: { ...PAYMENT_FILTERS, wallet: 'address', ...DATE_FILTERS },
  },
  {
    family: 'withdrawals',
    single: 'withdrawal',
    list: 'withdrawals',
    version: 'v2',
    filters: { group_id: 'groupId', address: 'address', receive_currency_code: 'targetCurrency' },
  },
];
