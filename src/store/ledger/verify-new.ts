/**
 * The auditor of new postings: checks each journal with its lines, and their continuation of the lines checked before.
 * One statement reads an account in one snapshot, so that parallel postings never look like a defect.
 */
import type { Statement, Tx } from '../connection/database.ts';

/** An account with unchecked journals. */
export interface UncheckedAccount {
  readonly accountId: bigint;
  readonly journals: bigint;
}

/** Result of the check of an account. */
export interface CheckedAccount {
  readonly accountId: bigint;
  readonly lines: number;
  /** Each defect with its name, location and details. */
  readonly defects: readonly (readonly [defect: string, at: string | null, detail: string])[];
}

/**
 * Maximum number of journals of one account in a check; the rest, such as after an import, is left to the next round.
 */
export const NEW_JOURNALS_MAX = 10_000;
/** Maximum number of accounts in a check. */
export const ACCOUNTS_MAX = 200;
/** Maximum number of stored defects of an account. */
export const DEFECTS_MAX = 20;

/** An account without a row gets a first row, even if nothing was posted, because rounds find accounts by it. */
const FIND: Statement = {
  name: 'verify_new_find',
  text: `select h.account_id as "accountId", h.journal_id - coalesce(v.journal_id, 0) as journals
    from account_head h left join verify_place v on v.account_id = h.account_id
    where h.account_id > $1 and (v.account_id is null or h.journal_id > v.journal_id) order by h.account_id limit $2`,
};

/**
 * SQL of the check of accounts $1, to which a CTE may be added. A ledger account that was not checked before begins at position -1: the opening
 * balance of an imported one is at 0.
 *
 * @param checked - positions of what was checked before: a table with the columns of `verify_place`.
 */
const checkSql = (checked: string, more = '') => `with head as materialized (
      select h.account_id, h.journal_id as last, coalesce(v.journal_id, 0) as first, coalesce(v.lines, '{}') as places,
          h.journal_id - coalesce(v.journal_id, 0) > ${NEW_JOURNALS_MAX} as is_left
        from account_head h left join ${checked} v on v.account_id = h.account_id where h.account_id = any ($1::bigint[])
    ), sheet as materialized (
      select h.account_id, h.is_left, b.ledger_account_id, b.balance, b.last_seq, a.currency, coalesce(a.sub_account > 0, false) as is_public,
          coalesce((h.places -> b.ledger_account_id::text ->> 0)::bigint, -1) as after, (h.places -> b.ledger_account_id::text ->> 1)::numeric as there
        from head h join ledger_balance b on b.account_id = h.account_id
        left join ledger_account a on a.account_id = b.account_id and a.id = b.ledger_account_id
    ), line as materialized (
      select s.account_id, s.ledger_account_id, s.currency, s.is_public, l.seq, l.id, l.journal_id, l.delta, l.balance_before, l.balance_after,
          lag(l.seq, 1, nullif(s.after, -1)) over w as previous_seq, coalesce(lag(l.balance_after, 1, s.there) over w, 0) as previous_after
        from sheet s join ledger_line l on l.account_id = s.account_id and l.ledger_account_id = s.ledger_account_id
         and l.seq > s.after where s.after < s.last_seq and not s.is_left
      window w as (partition by s.account_id, s.ledger_account_id order by l.seq)
    ), sheet_end as materialized (
      select s.*, e.seq as end_seq, e.balance_after as end_balance from sheet s left join (
          select distinct on (account_id, ledger_account_id) account_id, ledger_account_id, seq, balance_after from line
           order by account_id, ledger_account_id, seq desc) e using (account_id, ledger_account_id)
    ), posted as materialized (
      select account_id, journal_id, count(*) as lines from line group by 1, 2
    ), defect (account_id, defect, at, detail) as (
      select account_id, 'sequence gap', seq, 'ledger account ' || ledger_account_id || ', seq ' || seq || ' after ' || coalesce(previous_seq::text, 'nothing')
        from line where case when previous_seq is null then seq > 1 else seq <> previous_seq + 1 end
      union all select account_id, 'broken chain', id, 'starts from ' || balance_before || ', the line before ended at ' || previous_after
        from line where balance_before <> previous_after
      union all select account_id, 'balance is not the sum', id, balance_before || ' and ' || delta || ' do not make ' || balance_after
        from line where balance_before + delta <> balance_after
      union all select account_id, 'below zero', id, 'balance ' || balance_after from line where is_public and balance_after < 0
      union all select account_id, 'balance differs from its lines', last_seq, 'ledger account ' || ledger_account_id || ', balance ' || balance || ' over ' || last_seq
          || ' lines, the lines say ' || coalesce(end_balance, there, 0) || ' over ' || coalesce(end_seq, greatest(after, 0))
        from sheet_end where not is_left and (balance <> coalesce(end_balance, there, 0) or last_seq <> coalesce(end_seq, greatest(after, 0)))
      union all select account_id, 'journal does not balance', journal_id, coalesce(currency, '?') || ' differs by ' || sum(delta)
        from line group by account_id, journal_id, currency having sum(delta) <> 0
      union all select h.account_id, 'journal is not whole', j.id, coalesce(p.lines, 0) || ' of ' || j.line_count || ' lines'
        from head h join journal j on j.account_id = h.account_id and j.id > h.first and j.id <= h.last
        left join posted p on p.account_id = j.account_id and p.journal_id = j.id where not h.is_left and coalesce(p.lines, 0) <> j.line_count
      union all select p.account_id, 'line without journal', p.journal_id, 'journal ' || p.journal_id
        from posted p left join journal j on j.account_id = p.account_id and j.id = p.journal_id where j.id is null
    ), places as (
      select account_id, jsonb_object_agg(ledger_account_id, jsonb_build_array(
          case when is_left then last_seq else coalesce(end_seq, after) end, case when is_left then balance else coalesce(end_balance, there, 0) end)) as places
        from sheet_end group by account_id
    ), counted as (
      select account_id, count(*)::int as lines from line group by account_id
    ), defects as (
      select account_id, jsonb_agg(jsonb_build_array(defect, at::text, detail)) as defects
        from (select *, row_number() over (partition by account_id) as n from defect) d where n <= ${DEFECTS_MAX} group by account_id
    ), found as materialized (
      select h.account_id, h.last, h.is_left, coalesce(p.places, '{}') as places, coalesce(c.lines, 0) as lines, coalesce(d.defects, '[]') as defects
        from head h left join places p using (account_id) left join counted c using (account_id) left join defects d using (account_id)
    )${more}
    select account_id as "accountId", lines, defects from found order by account_id`;

/** Checks accounts $1 and notes how far, at time $2. */
const CHECK: Statement = {
  name: 'verify_new_check',
  text: checkSql(
    'verify_place',
    `, noted as (
      insert into verify_place as v (account_id, journal_id, lines, new_defects, new_defects_at, since)
        select account_id, last, places, defects, case when defects <> '[]' then $2::timestamptz end, $2::timestamptz from found order by account_id
      on conflict (account_id) do update set journal_id = greatest(v.journal_id, excluded.journal_id), lines = excluded.lines,
          new_defects = case when jsonb_array_length(v.new_defects) < ${DEFECTS_MAX} then v.new_defects || excluded.new_defects else v.new_defects end,
          new_defects_at = coalesce(excluded.new_defects_at, v.new_defects_at),
          round_ended_at = case when (select f.is_left from found f where f.account_id = v.account_id) then null else v.round_ended_at end
    )`,
  ),
};

/** Positions up to which everything was posted. Lines come as text: their balances have more digits than a number. */
const POSITIONS: Statement = {
  name: 'verify_positions',
  text: `select h.account_id as "accountId", h.journal_id as "journalId",
      (select coalesce(jsonb_object_agg(b.ledger_account_id, jsonb_build_array(b.last_seq, b.balance)), '{}')::text
         from ledger_balance b where b.account_id = h.account_id) as lines
    from account_head h order by h.account_id`,
};
/** Accounts with journals after the positions of accounts $1 with last journals $2. */
const SINCE: Statement = {
  name: 'verify_since',
  text: `select h.account_id as "accountId", h.journal_id - coalesce(p.journal_id, 0) as journals
    from account_head h left join unnest($1::bigint[], $2::bigint[]) p(account_id, journal_id) on p.account_id = h.account_id
    where h.journal_id > coalesce(p.journal_id, 0) order by h.account_id`,
};
/** Checks accounts $1 after the positions of accounts $2, with last journals $3 and lines $4; notes nothing. */
const CHECK_SINCE: Statement = {
  name: 'verify_since_check',
  text: checkSql(
    '(select * from unnest($2::bigint[], $3::bigint[], $4::jsonb[]) p(account_id, journal_id, lines))',
  ),
};

/** @returns groups of accounts for one check each, with as many journals together as one account may have. */
export function groupAccounts(accounts: readonly UncheckedAccount[]): bigint[][] {
  const groups: bigint[][] = [];
  let journals = 0n;
  for (const account of accounts) {
    journals += account.journals;
    const group = groups.at(-1);
    if (group && journals <= NEW_JOURNALS_MAX && group.length < ACCOUNTS_MAX) group.push(account.accountId);
    else {
      groups.push([account.accountId]);
      journals = account.journals;
    }
  }
  return groups;
}

/** @returns the next accounts after this one, in order of id, with unchecked journals. */
export function findUnchecked(tx: Tx, after: bigint, limit: number): Promise<UncheckedAccount[]> {
  return tx.query<UncheckedAccount>(FIND, [after, limit]);
}

/**
 * Checks postings since the last check, and stores the position.
 *
 * @param nowMs - by the clock of the database.
 */
export function checkNew(tx: Tx, accountIds: readonly bigint[], nowMs: number): Promise<CheckedAccount[]> {
  return tx.query<CheckedAccount>(CHECK, [accountIds, new Date(nowMs).toISOString()]);
}

/** Position up to which an account is checked. */
export interface CheckedPosition {
  readonly accountId: bigint;
  readonly journalId: bigint;
  /** JSON: of each ledger account the position of its last line, and its balance. */
  readonly lines: string;
}

/** @returns the present end of the ledger of each account. */
export function readPositions(tx: Tx): Promise<CheckedPosition[]> {
  return tx.query<CheckedPosition>(POSITIONS, []);
}

/** @returns accounts with journals after these positions. */
export function findSince(tx: Tx, positions: readonly CheckedPosition[]): Promise<UncheckedAccount[]> {
  return tx.query<UncheckedAccount>(SINCE, columnsOf(positions).slice(0, 2));
}

/** Checks postings after these positions, of accounts with at most `NEW_JOURNALS_MAX` journals there. Stores nothing. */
export function checkSince(
  tx: Tx,
  accountIds: readonly bigint[],
  positions: ReadonlyMap<bigint, CheckedPosition>,
): Promise<CheckedAccount[]> {
  const used = accountIds.flatMap((accountId) => positions.get(accountId) ?? []);
  return tx.query<CheckedAccount>(CHECK_SINCE, [accountIds, ...columnsOf(used)]);
}

function columnsOf(positions: readonly CheckedPosition[]): unknown[] {
  return [
    positions.map(({ accountId }) => accountId),
    positions.map(({ journalId }) => journalId),
    positions.map(({ lines }) => lines),
  ];
}
