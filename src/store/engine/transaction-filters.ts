/**
 * The filters of lists of transactions, each declared once: `/v2` and OpenAPI, the input of GraphQL, exports and their document follow from
 * this table. A filter of an existing kind needs a row here, and a migration for its index.
 */
import type { Family } from '../../templates/define.ts';

/** Form of the value: its check, its type in GraphQL, and its text in an export. */
export type FilterKind =
  | 'text'
  | 'currency'
  | 'day'
  | 'step'
  | 'amount'
  | 'families'
  | 'templates'
  | 'statuses'
  | 'direction'
  | 'wait'
  | 'flag';

/** A query parameter of some lists of `/v2`. */
interface ListParameter {
  readonly name: string;
  readonly families: readonly Family[];
  /** Description for OpenAPI; a currency has its accepted forms instead. */
  readonly doc: string;
}

/** A filter. Its key in the table is its name in GraphQL. */
export interface TransactionFilter {
  readonly kind: FilterKind;
  /** Its name in an export. */
  readonly export: string;
  /** Description for GraphQL; bounds and accepted forms of the kind are added. */
  readonly doc: string;
  /** Columns of the conditions that leave a list in its order, by which `/v2` counts; other filters have none. */
  readonly parameters?: readonly ListParameter[];
  /**
   * Access path to the records: their position in the list; an index that leaves few, or many; or a scan. It determines
   * the limits and the cost of a statement.
   */
  readonly reads: 'places' | 'few' | 'many' | 'scan';
  /** The indexes that find the records; none for a scan. */
  readonly indexes: readonly string[];
  /** SQL about table alias `t`, whose account is `$1`; missing if the use case builds it from several filters. */
  readonly condition?: (value: string, family: string) => string;
  /**
   * Whether the value depends on the caller's rights or on jobs; then the version of the account proves no response
   * with it.
   */
  readonly isRendered?: true;
}

const PAYMENTS = ['checkouts', 'onramps', 'offramps'] as const;
const POSITION_INDEXES = ['transaction_account_id_family_list_seq_key', 'list_day_pkey'] as const;
const UTC_DAY = 'UTC day, inclusive (C-11).';
const EITHER_AMOUNT = 'With `currency`, the amount in it; otherwise either amount may match.';

/**
 * @returns SQL for the condition that a record of table alias `t`, of account `$1` and this family, has this PIX: by
 * its position in the list.
 */
export function hasPix(value: string, family: string): string {
  return `t.list_seq = any (array(select x.list_seq from list_pix x
      where x.account_id = $1 and x.family = ${family} and x.pix_e2e = ${value}))`;
}

/** SQL of the searched texts. */
const TEXTS = `concat_ws(e'\\n', t.end2end, t.client_name, t.external_code, t.notes, t.pix_e2e, t.tx_hash)`;

/** Every filter, in the order of the parameters of `/v2`. */
export const TRANSACTION_FILTERS = {
  pixE2e: {
    kind: 'text',
    export: 'pix_e2e',
    doc: 'PIX end-to-end id, exactly as published.',
    parameters: [{ name: 'pix_e2e', families: PAYMENTS, doc: 'PIX end-to-end id.' }],
    reads: 'few',
    indexes: ['list_pix_pkey'],
    condition: hasPix,
  },
  clientTaxId: {
    kind: 'text',
    export: 'client_tax_id',
    doc: 'CPF or CNPJ of the customer or payee, with or without punctuation.',
    parameters: [
      {
        name: 'client_tax_id',
        families: PAYMENTS,
        doc: 'CPF or CNPJ, with or without punctuation.',
      },
    ],
    reads: 'few',
    indexes: ['transaction_by_tax_id'],
    condition: (value) => `t.client_tax_id_key = tax_id_key(${value})`,
  },
  externalCode: {
    kind: 'text',
    export: 'external_code',
    doc: 'Your own reference, as you gave it; withdrawals have none.',
    parameters: [
      {
        name: 'external_code',
        families: PAYMENTS,
        doc: 'The merchant’s own reference, exactly as given.',
      },
    ],
    reads: 'few',
    indexes: ['transaction_by_external_code'],
    condition: (value) => `left(t.external_code, 200) = ${value} and t.external_code = ${value}`,
  },
  groupId: {
    kind: 'text',
    export: 'group_id',
    doc: 'Whitelist group of a withdrawal, `grp_…`.',
    parameters: [{ name: 'group_id', families: ['withdrawals'], doc: 'Whitelist group.' }],
    reads: 'few',
    indexes: ['transaction_by_group'],
    condition: (value) => `t.group_id = ${value}`,
  },
  address: {
    kind: 'text',
    export: 'address',
    doc: 'Destination wallet, or for an offramp the address that the deposit came from. EVM and bech32 addresses match in any case (C-14).',
    parameters: [
      {
        name: 'wallet',
        families: ['onramps', 'offramps'],
        doc: 'Destination wallet of an onramp, or the address that a deposit came from (C-14).',
      },
      { name: 'address', families: ['withdrawals'], doc: 'Destination address.' },
    ],
    reads: 'few',
    indexes: ['transaction_by_address'],
    condition: (value) => `t.address_key = address_key(${value})`,
  },
  targetCurrency: {
    kind: 'currency',
    export: 'target_currency',
    doc: 'Currency that comes out.',
    parameters: [{ name: 'receive_currency_code', families: ['withdrawals'], doc: '' }],
    reads: 'many',
    indexes: ['transaction_by_currency'],
    condition: (value) => `t.target_currency = ${value}`,
  },
  dateFrom: {
    kind: 'day',
    export: 'date_from',
    doc: 'First day of creation, `YYYY-MM-DD`, in `zone`, inclusive.',
    parameters: [{ name: 'date_from', families: PAYMENTS, doc: UTC_DAY }],
    reads: 'places',
    indexes: POSITION_INDEXES,
  },
  dateTo: {
    kind: 'day',
    export: 'date_to',
    doc: 'Last day of creation, `YYYY-MM-DD`, in `zone`, inclusive.',
    parameters: [{ name: 'date_to', families: PAYMENTS, doc: UTC_DAY }],
    reads: 'places',
    indexes: POSITION_INDEXES,
  },
  families: {
    kind: 'families',
    export: 'families',
    doc: 'Only these lists, at most 100; default: all.',
    reads: 'places',
    indexes: POSITION_INDEXES,
  },
  templates: {
    kind: 'templates',
    export: 'templates',
    doc: 'Only these templates, at most 100.',
    reads: 'scan',
    indexes: [],
    condition: (value) => `t.template = any (${value}::text[])`,
  },
  statusCodes: {
    kind: 'statuses',
    export: 'status_codes',
    doc: 'Only these broad statuses, at most 100.',
    reads: 'many',
    indexes: ['list_outcome_pkey'],
  },
  component: {
    kind: 'step',
    export: 'component',
    doc: 'Step of the process, as `component` has it.',
    reads: 'many',
    indexes: ['list_outcome_pkey'],
  },
  state: {
    kind: 'step',
    export: 'state',
    doc: 'State of the step, as `state` has it.',
    reads: 'many',
    indexes: ['list_outcome_pkey'],
  },
  currency: {
    kind: 'currency',
    export: 'currency',
    doc: 'Currency that goes in or comes out.',
    reads: 'scan',
    indexes: [],
  },
  amountMin: {
    kind: 'amount',
    export: 'amount_min',
    doc: `Smallest amount, inclusive. ${EITHER_AMOUNT}`,
    reads: 'scan',
    indexes: [],
  },
  amountMax: {
    kind: 'amount',
    export: 'amount_max',
    doc: `Largest amount, inclusive. ${EITHER_AMOUNT}`,
    reads: 'scan',
    indexes: [],
  },
  text: {
    kind: 'text',
    export: 'text',
    doc: 'Text that is contained in `end2end`, `pixE2e`, the hash, the name, your reference or your note, in any case. To find one transaction, `search` is faster.',
    reads: 'scan',
    indexes: [],
    condition: (value) => `strpos(fold_text(${TEXTS}), fold_text(${value}::text)) > 0`,
  },
  direction: {
    kind: 'direction',
    export: 'direction',
    doc: 'Only transactions in this direction.',
    reads: 'places',
    indexes: POSITION_INDEXES,
  },
  waitsFor: {
    kind: 'wait',
    export: 'waits_for',
    doc: 'Only transactions that wait for this, whoever decides.',
    reads: 'many',
    indexes: ['list_outcome_pkey', 'transaction_by_open_refund'],
    isRendered: true,
  },
  awaitingMe: {
    kind: 'flag',
    export: 'awaiting_me',
    doc: 'If true, only transactions about which your key can decide now: withdrawals that you may approve, held deposits. Default: false.',
    reads: 'many',
    indexes: ['list_outcome_pkey'],
    isRendered: true,
  },
} as const satisfies Readonly<Record<string, TransactionFilter>>;

type Table = typeof TRANSACTION_FILTERS;
/** Name of a filter. */
export type FilterName = keyof Table;
/** Names of the filters whose rows have these members. */
type Like<Row> = { [Name in FilterName]: Table[Name] extends Row ? Name : never }[FilterName];
/** Names of the filters of a kind. */
export type FilterOf<Kind extends FilterKind> = Like<{ readonly kind: Kind }>;
/** Names of the filters that lists of `/v2` have. */
export type ListFilterName = Like<{ readonly parameters: readonly unknown[] }>;
/** Names of the filters with a condition of their own. */
export type ConditionName = Like<{ readonly condition: unknown }>;

/** Every filter with its name. */
export const FILTERS = Object.entries(TRANSACTION_FILTERS) as readonly (readonly [
  FilterName,
  TransactionFilter,
])[];

/** @returns the names of the filters that satisfy a test, in the order of the table. */
export function filtersWhere<Name extends FilterName = FilterName>(
  isSo: (filter: TransactionFilter) => boolean,
): readonly Name[] {
  return FILTERS.filter(([, filter]) => isSo(filter)).map(([name]) => name as Name);
}

/** @returns the names of the filters of a kind. */
export function filtersOf<Kind extends FilterKind>(kind: Kind): readonly FilterOf<Kind>[] {
  return filtersWhere<FilterOf<Kind>>((filter) => filter.kind === kind);
}
