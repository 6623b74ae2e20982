/** Finds transactions by any known identifier, each kind by its own index. */
import type { Family } from '../../templates/define.ts';
import type { TransactionRow } from '../../templates/facts.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { hasPix } from './transaction-filters.ts';
import { TRANSACTION_SELECT } from './transactions.ts';

/** Kinds of matches, best first. */
export const SEARCH_MATCHES = [
  'end2end',
  'pix_e2e',
  'txid',
  'hash',
  'external_code',
  'address',
  'tax_id',
  'name',
] as const;
/** A member of SEARCH_MATCHES. */
export type SearchMatch = (typeof SEARCH_MATCHES)[number];

/** A text in the forms that are compared. */
export interface SearchText {
  readonly text: string;
  /** Text as written, and in upper case. */
  readonly ids: readonly string[];
  /** Text with and without its prefix, as written and in lower case. */
  readonly hashes: readonly string[];
  /** Null if the text has another form. */
  readonly taxId: string | null;
  /** Beginnings of words of a name; null if too short. */
  readonly name: string | null;
}

/** A found transaction. */
export interface FoundTransaction {
  readonly match: SearchMatch;
  readonly row: TransactionRow;
}

/** Maximum number of names that are compared, so that a common name costs no more than a page. */
const NAMES_MAX = 1_000;

/** Each kind of match returns the newest `$7`. */
const ofFamilies = (match: SearchMatch, condition: string) =>
  `(select '${match}' as match, t.id from unnest($2::text[]) f(family) cross join lateral (
      select t.id from transaction t where t.account_id = $1 and t.family = f.family and ${condition}
       order by t.list_seq desc limit $7) t)`;
const ofAccount = (match: SearchMatch, condition: string) =>
  `(select '${match}' as match, t.id from transaction t where t.account_id = $1 and ${condition} limit ${NAMES_MAX})`;

/** The words contain the account. A plain condition would use an index of accounts, and read each name. */
const ofWords = `(select 'name' as match, t.id from transaction t where t.account_id + 0 = $1 and t.client_name is not null
      and name_words(t.account_id, t.client_name) @@ name_query($1, $8::text) limit ${NAMES_MAX})`;

const SEARCH: Statement = {
  name: 'transaction_search',
  text: `with found as (${[
    ofAccount('end2end', 't.end2end = any ($4::text[])'),
    ofFamilies('pix_e2e', hasPix('$3', 'f.family')),
    ofAccount('txid', 't.txid = $3'),
    ofAccount('hash', 't.tx_hash = any ($5::text[])'),
    ofFamilies('external_code', 'left(t.external_code, 200) = $3'),
    ofFamilies('address', 't.address_key = address_key($3)'),
    `(select 'address' as match, t.id from transaction t where t.account_id = $1 and t.deposit_address = $3 order by t.id desc limit $7)`,
    ofFamilies('tax_id', 't.client_tax_id_key = tax_id_key($6)'),
    ofWords,
  ].join(' union all ')}), ranked as (
      select id, min(array_position($9::text[], match)) as place from found group by id)
    select ($9::text[])[r.place] as match, ${TRANSACTION_SELECT} from ranked r
      join transaction t on t.account_id = $1 and t.id = r.id
     order by r.place, t.created_at desc, t.end2end collate "C" desc limit $7`,
};

/** @returns the account's transactions that match, exact matches first, then newest first. */
export async function searchTransactions(
  tx: Tx,
  accountId: bigint,
  families: readonly Family[],
  search: SearchText,
  limit: number,
): Promise<FoundTransaction[]> {
  const { text, ids, hashes, taxId, name } = search;
  const rows = await tx.query<TransactionRow & { match: SearchMatch }>(SEARCH, [
    accountId,
    families,
    text,
    ids,
    hashes,
    taxId,
    limit,
    name,
    SEARCH_MATCHES,
  ]);
  return rows.map(({ match, ...row }) => ({ match, row }));
}
