/** Transactions that have the customer or the wallet of a case: of one account, or of all accounts of a mode. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { PROCESS_SELECT } from './processes.ts';

/** Value that related transactions have in common. */
export type RelatedBy = 'payer' | 'wallet';

/** Searched value, and the lists that are searched. */
export interface RelatedFilter {
  readonly mode: AccountMode;
  /** Null for all accounts. */
  readonly accountId: bigint | null;
  /** Id of the given transaction, which is left out; null for none. */
  readonly without: Pick<ProcessRow, 'accountId' | 'id'> | null;
  /** Tax id or address; null if unknown: then nothing is related. */
  readonly value: string | null;
}

/** Number and BRL of related transactions of an account that have the same outcome. */
export interface RelatedSum {
  readonly accountId: bigint;
  /** Status that they have ended with; `OPEN` while they can go on. */
  readonly outcome: string;
  readonly count: number;
  /** Decimal text; transactions without BRL add nothing. */
  readonly brl: string;
}

/** Maximum number of listed transactions: the newest. */
export const RELATED_MAX = 10;
/** Maximum number of counted transactions of each list: an exchange's wallet may have sent a million. */
export const RELATED_COUNTED = 1_000;

const KEYS: Readonly<Record<RelatedBy, readonly [column: string, key: string]>> = {
  payer: ['client_tax_id_key', 'tax_id_key'],
  wallet: ['address_key', 'address_key'],
};

/** Lists of the scope, each of which the indexes of tax ids and addresses begin with. */
export const LISTS = `list_head h join account a on a.id = h.account_id and a.mode = $1 and ($2::bigint is null or a.id = $2)`;

/** The newest of each list with the value in `$3`, as `x`. */
function newestBy(by: RelatedBy, limit: number): string {
  const [column, key] = KEYS[by];
  return `${LISTS} cross join lateral (select * from transaction x where x.account_id = h.account_id and x.family = h.family
      and x.${column} = ${key}($3) and (x.account_id, x.id) is distinct from ($4::bigint, $5::bigint)
      order by x.list_seq desc limit ${limit})`;
}

const listed = (by: RelatedBy): Statement => ({
  name: `related_by_${by}`,
  text: `select ${PROCESS_SELECT} from ${newestBy(by, RELATED_MAX)} t
    order by t.created_at desc, t.account_id, t.id desc limit ${RELATED_MAX}`,
});
const summed = (by: RelatedBy): Statement => ({
  name: `related_sums_by_${by}`,
  text: `select x.account_id as "accountId", x.outcome, count(*)::int as count,
      coalesce(sum(case when x.source_currency = 'BRL' then x.source_amount when x.target_currency = 'BRL' then x.target_amount end), 0)::text as brl
    from ${newestBy(by, RELATED_COUNTED)} x group by x.account_id, x.outcome order by x.account_id, x.outcome`,
});
const LISTED = { payer: listed('payer'), wallet: listed('wallet') } as const;
const SUMMED = { payer: summed('payer'), wallet: summed('wallet') } as const;

/** @returns the newest related transactions, the newest first. */
export async function readRelated(tx: Tx, by: RelatedBy, filter: RelatedFilter): Promise<ProcessRow[]> {
  return filter.value === null ? [] : tx.query<ProcessRow>(LISTED[by], valuesOf(filter));
}

/** @returns the sums over related transactions, of each list the newest `RELATED_COUNTED`. */
export async function sumRelated(tx: Tx, by: RelatedBy, filter: RelatedFilter): Promise<RelatedSum[]> {
  return filter.value === null ? [] : tx.query<RelatedSum>(SUMMED[by], valuesOf(filter));
}

function valuesOf({ mode, accountId, value, without }: RelatedFilter): readonly unknown[] {
  return [mode, accountId, value, without?.accountId ?? null, without?.id ?? null];
}
