/**
 * Orders that unexpected money may be for, over all accounts of a mode. Orders with its payer or its address are found by the
 * indexes of these; those with its amount among the newest open and lately ended orders of the lists that are in use. A
 * ceiling bounds how many are compared by amount, however many lists there are.
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Family } from '../../templates/define.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { PROCESS_SELECT } from './processes.ts';

/** Reason for which an order may be meant, the strongest first, with its weight: a stronger one counts more than all weaker ones. */
export const CANDIDATE_REASONS = {
  same_payer: 32,
  same_address: 16,
  same_name: 8,
  same_amount: 4,
  near_amount: 2,
  same_bank: 1,
} as const;
/** One of CANDIDATE_REASONS. */
export type CandidateReason = keyof typeof CANDIDATE_REASONS;

/** Facts of the money; null when unknown. */
export interface CandidateFilter {
  readonly mode: AccountMode;
  readonly families: readonly Family[];
  /** Account that the money is booked for: its lists are compared first. */
  readonly accountId: bigint;
  /** Orders of before are not compared. */
  readonly since: Date;
  /** Raw ledger code and decimal text. */
  readonly currency: string;
  readonly amount: string;
  readonly taxId: string | null;
  readonly name: string | null;
  readonly address: string | null;
  /** ISPB of the payer's bank. */
  readonly ispb: string | null;
}

/** An order that the money may be for. */
export interface CandidateRow extends ProcessRow {
  readonly isOpen: boolean;
  readonly reasons: readonly CandidateReason[];
}

/** Most candidates that are read. */
export const CANDIDATES_MAX = 20;
/** Largest difference of a near amount, as a share of the money. */
const NEAR = 0.05;
/** Lists whose amounts are compared: those of the account, then those with the newest orders. */
const LISTS_MAX = 500;
/** Open and ended orders that are compared by amount, over all lists. */
const OPEN_MAX = 10_000;
const ENDED_MAX = 5_000;
/** Orders of a list with the payer, the address or the name. */
const PERSON_MAX = 20;
/** Orders of which earlier payments are compared by bank, and payments that are. */
const RANKED_MAX = 100;
const BANK_MAX = 20;

const each = (max: number, floor: number) =>
  `(select greatest(${floor}, ${max} / greatest(count(*), 1)) from lists)`;
const byKey = (condition: string) =>
  `select f.account_id, f.family, f.list_seq, false from active l cross join lateral (select x.account_id, x.family, x.list_seq
        from transaction x where x.account_id = l.account_id and x.family = l.family and ${condition}
        order by x.list_seq desc limit ${PERSON_MAX}) f`;
const byOutcome = (outcomes: string, limit: string) =>
  `select l.account_id, l.family, o.list_seq, false from lists l cross join unnest(${outcomes}) w(outcome)
      cross join lateral (select o.list_seq from list_outcome o
        where o.account_id = l.account_id and o.family = l.family and o.outcome = w.outcome order by o.list_seq desc limit ${limit}) o`;
/** Words of the index begin with the account. The sum keeps the planner from reading all transactions of the account instead. */
const BY_NAME = `select n.account_id, n.family, n.list_seq, true from (select distinct account_id from active) l
      cross join lateral (select x.account_id, x.family, x.list_seq from transaction x
        where x.account_id + 0 = l.account_id and x.client_name is not null
          and name_words(x.account_id, x.client_name) @@ name_query(l.account_id, $9) and x.created_at >= $4 limit ${PERSON_MAX}) n`;
/** Amount to deposit, which names an order among those of one address; a text, as it was published. */
const DUE = `case when t.exact_deposit_amount ~ '^[0-9]+([.][0-9]+)?$' then t.exact_deposit_amount::numeric end`;
const WEIGHT = Object.entries(CANDIDATE_REASONS)
  .map(([reason, weight]) => `${weight} * coalesce(${reason}, false)::int`)
  .join(' + ');
const REASONS = Object.keys(CANDIDATE_REASONS)
  .map((reason) => `case when ${reason} then '${reason}' end`)
  .join(', ');

/** Orders that are paid already wait for no money. */
const CANDIDATES: Statement = {
  name: 'payment_candidates',
  text: `with active as (
      select h.account_id, h.family, h.last_created_at from list_head h join account a on a.id = h.account_id and a.mode = $1
      where h.family = any ($2::text[]) and h.last_created_at >= $4
    ), lists as (
      select account_id, family from active order by account_id = $3 desc, last_created_at desc, account_id, family limit ${LISTS_MAX}
    ), found as (
      select account_id, family, list_seq, bool_or(by_name) as by_name from (
        ${byKey('x.client_tax_id_key = tax_id_key($7)')}
        union all ${byKey('x.address_key = address_key($8)')}
        union all ${BY_NAME}
        union all ${byOutcome(`array['OPEN']`, each(OPEN_MAX, 20))}
        union all ${byOutcome(`array['EXPIRED', 'CANCELLED']`, each(ENDED_MAX / 2, 5))}
      ) u(account_id, family, list_seq, by_name) group by account_id, family, list_seq
    ), marked as materialized (
      select t.account_id, t.id, t.family, t.client_tax_id_key, t.created_at, t.outcome = 'OPEN' as is_open,
        t.client_tax_id_key = tax_id_key($7) as same_payer,
        t.address_key = address_key($8) as same_address,
        case when f.by_name then name_words(0, t.client_name) = name_words(0, $9) end as same_name,
        coalesce(${DUE}, t.source_amount) = $6::numeric as same_amount,
        coalesce(${DUE}, t.source_amount) <> $6::numeric and abs(t.source_amount - $6::numeric) <= $6::numeric * ${NEAR} as near_amount
      from found f join transaction t on t.account_id = f.account_id and t.family = f.family and t.list_seq = f.list_seq
      where t.source_currency = $5 and t.created_at >= $4 and t.outcome = any (array['OPEN', 'EXPIRED', 'CANCELLED'])
        and t.process ->> 'paid' is null and t.process ->> 'deposit' is null
    ), ranked as (
      select *, false as same_bank from marked where same_payer or same_address or same_name or same_amount or near_amount
    ), first as (
      select * from ranked order by ${WEIGHT} desc, is_open desc, created_at desc, account_id, id limit ${RANKED_MAX}
    ), banked as (
      select f.account_id, f.id, f.created_at, f.is_open, f.same_payer, f.same_address, f.same_name, f.same_amount, f.near_amount, b.same_bank
      from first f cross join lateral (select bool_or(p.pix_e2e like 'E' || $10::text || '%') as same_bank
        from (select p.pix_e2e from transaction p where p.account_id = f.account_id and p.family = f.family
            and p.client_tax_id_key = f.client_tax_id_key order by p.list_seq desc limit ${BANK_MAX}) p) b
    ), best as (
      select *, ${WEIGHT} as weight from banked order by weight desc, is_open desc, created_at desc, account_id, id limit ${CANDIDATES_MAX}
    )
    select ${PROCESS_SELECT}, b.is_open as "isOpen", array_remove(array[${REASONS}], null) as reasons
    from best b join transaction t on t.account_id = b.account_id and t.id = b.id
    order by b.weight desc, b.is_open desc, b.created_at desc, b.account_id, b.id`,
};

/** @returns candidates, the best first: by their reasons, then open ones, then the newest. */
export function readPaymentCandidates(tx: Tx, filter: CandidateFilter): Promise<CandidateRow[]> {
  const { mode, families, accountId, since, currency, amount, taxId, name, address, ispb } = filter;
  const values = [mode, families, accountId, since, currency, amount, taxId, address, name, ispb];
  return tx.query<CandidateRow>(CANDIDATES, values);
}
