/**
 * Cases of a customer over the accounts of a mode: identity checks, hits of screening (the first of those that one decision
 * ends), cases of MED, and transactions that a person decided or wrote notes about.
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { LISTS } from '../engine/related.ts';

/** Searched customer, and the cases that the reader sees. */
export interface CustomerCasesFilter {
  readonly mode: AccountMode;
  /** Null: of all accounts. */
  readonly accountId: bigint | null;
  /** Without punctuation. */
  readonly taxId: string;
  readonly kinds: readonly string[];
  /** Account whose people wrote the notes that are counted. */
  readonly desk: bigint;
  /** Actions that decide a transaction, and the kind of case that each decides. */
  readonly decisions: readonly (readonly [action: string, kind: string])[];
  /** Kind of a transaction that has notes, and no decision. */
  readonly otherwise: string;
  /** Subject that is left out. */
  readonly without: string;
}

/** A case of the customer. */
export interface CaseOfCustomer {
  readonly kind: string;
  readonly accountId: bigint;
  /** `end2end` of its transaction, or the id of its record. */
  readonly reference: string;
  readonly title: string | null;
  /** Time of the decision, or else of the beginning. */
  readonly at: Instant;
  /** State, or name of the action that decided a transaction; null for one that has notes only. */
  readonly decision: string | null;
  readonly notes: number;
  readonly files: number;
}

/** Most cases that are read: the newest. */
export const OTHER_CASES_MAX = 20;
/** Newest transactions of the customer that are looked through, of each list and in all. */
const OF_LIST_MAX = 50;
const OF_ALL_MAX = 100;

const CASES: Statement = {
  name: 'cases_of_customer_elsewhere',
  text: `with same as (
      select t.account_id, t.id, t.end2end, t.created_at from ${LISTS}
        cross join lateral (select * from transaction x where x.account_id = h.account_id and x.family = h.family
          and x.client_tax_id_key = tax_id_key($3) order by x.list_seq desc limit ${OF_LIST_MAX}) t
      order by t.created_at desc, t.account_id, t.id desc limit ${OF_ALL_MAX}
    ), decided as (
      select s.*, 'transaction:' || s.account_id || ':' || s.end2end as subject, d.at, d.act, d.kind from same s
        left join lateral (select e.at, e.act, k.kind from audit_entry e join unnest($6::text[], $7::text[]) k(act, kind) on k.act = e.act
          where e.account_id = s.account_id and e.object_id = s.end2end order by e.seq desc limit 1) d on true
    ), found as (
      select 'customer_case' as kind, c.account_id, c.id::text as reference, c.name as title, coalesce(c.decided_at, c.opened_at) as at,
          upper(c.state) as decision, 'customer_case:' || c.account_id || ':' || c.id as subject, 0 as files
        from account a cross join lateral (select * from customer_case x where x.account_id = a.id and x.tax_id = $3 order by x.level limit 9) c
        where a.mode = $1 and ($2::bigint is null or a.id = $2)
      union all
      (select distinct on (h.subject, h.list, h.entry, h.state) 'screening_hit', h.account_id, h.id::text, h.entry_name,
          coalesce(h.decided_at, h.raised_at), upper(h.state), 'screening_hit:' || h.account_id || ':' || h.id, 0
        from screening_hit h where h.mode = $1 and h.tax_id = $3 and ($2::bigint is null or h.account_id = $2)
        order by h.subject, h.list, h.entry, h.state, h.id)
      union all
      select 'med_case', m.account_id, m.id::text, coalesce(m.reason, m.pix_e2e), coalesce(m.closed_at, m.opened_at), upper(m.state),
          d.subject, (select count(*)::int from med_file f where f.case_id = m.id)
        from decided d join med_case m on m.account_id = d.account_id and m.transaction_id = d.id
      union all
      select coalesce(d.kind, $8), d.account_id, d.end2end, d.end2end, coalesce(d.at, d.created_at), d.act, d.subject, 0
        from decided d where d.act is not null
          or exists (select from review_note n where n.account_id = $5 and n.subject = d.subject)
    )
    select f.kind, f.account_id as "accountId", f.reference, f.title, f.at, f.decision, f.files,
      (select count(*)::int from review_note n where n.account_id = $5 and n.subject = f.subject) as notes
    from found f where f.kind = any ($4::text[]) and f.subject <> $9
    order by f.at desc, f.kind, f.account_id, f.reference limit ${OTHER_CASES_MAX}`,
};

/** @returns cases of the customer, the newest first. */
export function readCasesOfCustomer(tx: Tx, filter: CustomerCasesFilter): Promise<CaseOfCustomer[]> {
  const { mode, accountId, taxId, kinds, desk, decisions, otherwise, without } = filter;
  const [actions, kindsOf] = [decisions.map(([action]) => action), decisions.map(([, kind]) => kind)];
  const values = [mode, accountId, taxId, kinds, desk, actions, kindsOf, otherwise, without];
  return tx.query<CaseOfCustomer>(CASES, values);
}
