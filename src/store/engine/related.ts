/** Transactions of an account that have something in common with one that is looked at. */
import type { Family } from '../../templates/define.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { PROCESS_SELECT } from './processes.ts';

/** Searched values; null when unknown. */
export interface RelatedFilter {
  readonly accountId: bigint;
  readonly families: readonly Family[];
  /** Id of the transaction that is looked at, which is left out; null for none. */
  readonly id: bigint | null;
  readonly taxId: string | null;
  readonly wallet: string | null;
}

/** Open orders that a payment may be for. */
export interface CandidateFilter {
  readonly accountId: bigint;
  readonly families: readonly Family[];
  /** Raw ledger code and decimal text. */
  readonly currency: string;
  readonly amount: string;
}

/** Most transactions of each list: the newest. */
export const RELATED_MAX = 10;
/** Open transactions of each list that are looked through. */
const OPEN_MAX = 2_000;

const sameBy = (name: string, key: string): Statement => ({
  name,
  text: `select ${PROCESS_SELECT} from unnest($2::text[]) f(family)
    cross join lateral (select * from transaction x where x.account_id = $1 and x.family = f.family and x.${key} = ${key === 'address_key' ? 'address_key' : 'tax_id_key'}($4)
      and ($3::bigint is null or x.id <> $3) order by x.list_seq desc limit ${RELATED_MAX}) t
    order by t.created_at desc, t.id desc limit ${RELATED_MAX}`,
});
const SAME_PAYER = sameBy('related_payer', 'client_tax_id_key');
const SAME_WALLET = sameBy('related_wallet', 'address_key');
const CANDIDATES: Statement = {
  name: 'related_candidates',
  text: `select ${PROCESS_SELECT} from unnest($2::text[]) f(family)
    cross join lateral (select o.list_seq from list_outcome o
      where o.account_id = $1 and o.family = f.family and o.outcome = 'OPEN' order by o.list_seq desc limit ${OPEN_MAX}) o
    join transaction t on t.account_id = $1 and t.family = f.family and t.list_seq = o.list_seq
    where t.source_currency = $3 and t.source_amount = $4::numeric
    order by t.created_at desc, t.id desc limit ${RELATED_MAX}`,
};

/** @returns transactions of the same customer, newest first; none where its tax id is not known. */
export async function readOfSamePayer(
  tx: Tx,
  { accountId, families, id, taxId }: RelatedFilter,
): Promise<ProcessRow[]> {
  return taxId === null ? [] : tx.query<ProcessRow>(SAME_PAYER, [accountId, families, id, taxId]);
}

/** @returns transactions with the same wallet, newest first; none where none is known. */
export async function readOfSameWallet(
  tx: Tx,
  { accountId, families, id, wallet }: RelatedFilter,
): Promise<ProcessRow[]> {
  return wallet === null ? [] : tx.query<ProcessRow>(SAME_WALLET, [accountId, families, id, wallet]);
}

/** @returns open transactions that wait for exactly this amount, newest first. */
export function readCandidates(
  tx: Tx,
  { accountId, families, currency, amount }: CandidateFilter,
): Promise<ProcessRow[]> {
  return tx.query<ProcessRow>(CANDIDATES, [accountId, families, currency, amount]);
}
