/**
 * The statements of the auditor (verify.ts). Each reads one slice, in one pass over an index, and is short. Numbers are
 * returned as text, because they may be larger than any type of the driver.
 */
import type { Statement } from '../connection/database.ts';

/** Number of journals in a bucket, whose sums are compared together. */
export const JOURNALS_PER_BUCKET = 10_000;

/** End of an account at one time: the check covers everything before it. */
export const BOUNDS: Statement = {
  name: 'verify_bounds',
  text: `with recursive held (id) as (
      select (select min(ledger_account_id) from ledger_line where account_id = $1)
      union all
      select (select min(ledger_account_id) from ledger_line where account_id = $1 and ledger_account_id > h.id) from held h where h.id is not null
    ), family (name) as (
      select (select min(family) from transaction where account_id = $1)
      union all
      select (select min(family) from transaction where account_id = $1 and family > f.name) from family f where f.name is not null
    ), every (id) as (
      select id from held where id is not null union select id from ledger_account where account_id = $1
    )
    select
      (select jsonb_build_object('journal', journal_id::text, 'event', event_seq::text)
         from account_head where account_id = $1) as head,
      (select coalesce(jsonb_agg(jsonb_build_object('id', e.id::text, 'currency', a.currency, 'isPublic', coalesce(a.sub_account > 0, false),
          'max', (select max(seq)::text from ledger_line l where l.account_id = $1 and l.ledger_account_id = e.id),
          'balance', b.balance::text, 'lastSeq', b.last_seq::text)), '[]')
         from every e left join ledger_account a on a.account_id = $1 and a.id = e.id
         left join ledger_balance b on b.account_id = $1 and b.ledger_account_id = e.id) as sheets,
      (select coalesce(jsonb_agg(jsonb_build_object('family', f.name, 'lastSeq', h.last_seq::text, 'max', m.max::text,
          'isDayOutside', exists (select from list_day d where d.account_id = $1 and d.family = f.name and d.first_seq not between 1 and m.max),
          'outcomes', (select count(*)::text from list_outcome o where o.account_id = $1 and o.family = f.name),
          'isPixOff', exists (select from list_pix x where x.account_id = $1 and x.family = f.name and not exists (
             select from transaction t where t.account_id = $1 and t.family = f.name and t.list_seq = x.list_seq and t.pix_e2e = x.pix_e2e)))), '[]')
         from (select name from family where name is not null union select family from list_head where account_id = $1
               union select family from list_day where account_id = $1) f
         cross join lateral (select coalesce(max(list_seq), 0) as max from transaction t where t.account_id = $1 and t.family = f.name) m
         left join list_head h on h.account_id = $1 and h.family = f.name) as lists,
      (select coalesce(jsonb_agg(jsonb_build_object('id', d.ledger_account_id::text, 'day', d.day, 'at', d.first_seq::text)), '[]')
         from ledger_day d where d.account_id = $1 and d.first_seq not between 1 and coalesce((
           select max(seq) from ledger_line l where l.account_id = $1 and l.ledger_account_id = d.ledger_account_id), 0)) as days`,
};

/**
 * Lines of a ledger account ($2) after a position ($3) up to another ($4), at most $5. The preceding line is a
 * parameter: its position, balance, id and day ($6 to $9). $10: whether it is a sub-account; $11: whether it is known;
 * $12: the seed of the weights of journals.
 */
export const LINES: Statement = {
  name: 'verify_lines',
  text: `with line as materialized (
      select l.*, (posted_at at time zone 'UTC')::date as day from ledger_line l
       where account_id = $1 and ledger_account_id = $2::bigint and seq > $3::bigint and seq <= $4::bigint order by seq limit $5::int
    ), chained as materialized (
      select line.*, lag(seq, 1, $6::bigint) over w as previous_seq, lag(balance_after, 1, $7::numeric) over w as previous_after,
             lag(id, 1, $8::bigint) over w as previous_id, lag(day, 1, $9::date) over w as previous_day
        from line window w as (order by seq)
    ), first_of_day as (
      select day, min(seq) as first_seq from chained where $10::boolean and seq > 0 and (previous_day is null or previous_seq = 0 or day <> previous_day) group by day
    ), defect (defect, at, detail) as (
      select 'unknown ledger account', id, 'line ' || id from chained where not $11::boolean
      union all select 'sequence gap', seq, 'seq ' || seq || ' after ' || coalesce(previous_seq::text, 'nothing')
        from chained where case when previous_seq is null then seq > 1 else seq <> previous_seq + 1 end
      union all select 'broken chain', id, 'starts from ' || balance_before || ', the line before ended at ' || coalesce(previous_after, 0)
        from chained where balance_before <> coalesce(previous_after, 0)
      union all select 'balance is not the sum', id, balance_before || ' and ' || delta || ' do not make ' || balance_after
        from chained where balance_before + delta <> balance_after
      union all select 'order of ids', id, 'after line ' || previous_id from chained
        where previous_seq > 0 and case when $10 then id <= previous_id else id >= previous_id end
      union all select 'order of days', id, 'a day before that of the previous line' from chained where $10 and day < previous_day
      union all select 'below zero', id, 'balance ' || balance_after from chained where $10 and balance_after < 0
      union all select 'line of an unknown transaction', id, 'transaction ' || transaction_id from chained
        where transaction_id is not null and (select true from transaction t where t.account_id = $1 and t.id = chained.transaction_id limit 1) is null
      union all select 'day index', coalesce(d.first_seq, f.first_seq), coalesce(d.day, f.day)::text
        from (select day, first_seq from ledger_day where account_id = $1 and ledger_account_id = $2::bigint
               and first_seq between (select min(seq) from line) and (select max(seq) from line)) d
        full join first_of_day f on f.day = d.day where d.first_seq is distinct from f.first_seq
    ), bucket as (
      select journal_id / ${JOURNALS_PER_BUCKET} as bucket, sum(delta * weight)::text as money, sum(weight)::text as lines
        from (select journal_id, delta, hashint8extended(journal_id, $12::bigint)::numeric as weight from line) weighed group by 1
    )
    select count(*)::int as lines, count(*) filter (where seq > 0)::int as counted, coalesce(sum(delta), 0)::text as sum,
      (select jsonb_build_array(seq::text, balance_after::text, id::text, day::text) from line order by seq desc limit 1) as last,
      (select coalesce(jsonb_agg(jsonb_build_array(defect, at::text, detail)), '[]') from defect) as defects,
      (select coalesce(jsonb_agg(jsonb_build_array(bucket::text, money, lines)), '[]') from bucket) as buckets
    from line`,
};

/** Expected sums of the lines of journals $2 to $3, by bucket; $4: the seed. */
export const JOURNALS: Statement = {
  name: 'verify_journals',
  text: `select (id / ${JOURNALS_PER_BUCKET})::text as bucket, sum(line_count * hashint8extended(id, $4::bigint)::numeric)::text as lines
    from journal where account_id = $1 and id between $2::bigint and $3::bigint group by id / ${JOURNALS_PER_BUCKET}`,
};

/**
 * The defects of journals $2 to $3; $4 is the last journal of all; $5 and $6 are the ledger accounts and the last
 * position of each.
 */
export const JOURNAL_DEFECTS: Statement = {
  name: 'verify_journal_defects',
  text: `with line as materialized (
      select l.ledger_account_id, l.id, l.journal_id, l.delta, a.currency
        from unnest($5::bigint[], $6::bigint[]) b(id, max)
        join ledger_line l on l.account_id = $1 and l.ledger_account_id = b.id and l.seq <= b.max
        left join ledger_account a on a.account_id = $1 and a.id = b.id
       where l.journal_id between $2::bigint and $3::bigint
    ), given as materialized (
      select id, line_count from journal where account_id = $1 and id between $2::bigint and least($3::bigint, $4::bigint)
    )
    select 'journal does not balance' as defect, null as "ledgerAccountId", journal_id::text as at, coalesce(currency, '?') || ' differs by ' || sum(delta) as detail
      from line group by journal_id, currency having sum(delta) <> 0
    union all select 'journal is not whole', null, g.id::text, coalesce(n.lines, 0) || ' of ' || g.line_count || ' lines'
      from given g left join (select journal_id, count(*) as lines from line group by 1) n on n.journal_id = g.id
     where coalesce(n.lines, 0) <> g.line_count
    union all select 'line without journal', l.ledger_account_id::text, l.id::text, 'journal ' || l.journal_id
      from line l left join given g on g.id = l.journal_id where g.id is null`,
};

/**
 * Line ids of parts of ledger accounts: accounts $2, after positions $3 up to positions $4, at most $5 of each part.
 * Returns duplicates, and the positions from which to continue. In each part the absolute ids rise with the positions;
 * those of the house are negative.
 */
export const IDS: Statement = {
  name: 'verify_ids',
  text: `with taken as materialized (
      select b.part, l.seq, l.id from unnest($2::bigint[], $3::bigint[], $4::bigint[]) with ordinality b(id, after, max, part) cross join lateral (
        select seq, id from ledger_line l where l.account_id = $1 and l.ledger_account_id = b.id and l.seq > b.after and l.seq <= b.max
         order by l.seq limit $5::int) l
    ), cut as (
      select min(last) as id from (select max(abs(id)) as last from taken group by part having count(*) = $5::int) full_slices
    ), seen as materialized (
      select * from taken where abs(id) <= coalesce((select id from cut), abs(id))
    )
    select (select jsonb_agg(greatest(after, (select max(seq) from seen where seen.part = b.part))::text order by part)
              from unnest($3::bigint[]) with ordinality b(after, part) where (select id from cut) is not null) as "goOn",
      (select coalesce(jsonb_agg(jsonb_build_array('repeated line id', id::text, n || ' lines')), '[]') from (
        select id, count(*) as n from seen group by id having count(*) > 1) twice) as defects`,
};

/**
 * Defects of the order of list $2 after position $3, at most $4 records; the preceding record is a parameter ($5 and
 * $6).
 */
export const LIST: Statement = {
  name: 'verify_list',
  text: `with record as materialized (
      select list_seq, created_at, end2end, outcome, pix_e2e from transaction
       where account_id = $1 and family = $2 and list_seq > $3::bigint and list_seq <= $7::bigint
       order by list_seq limit $4::int
    ), ordered as (
      select record.*, lag(created_at, 1, $5::timestamptz) over w as previous_at, lag(end2end, 1, $6::text) over w as previous
        from record window w as (order by list_seq)
    ), first_of_day as (
      select (created_at at time zone 'UTC')::date as day, list_seq as first_seq from ordered
       where previous_at is null or (created_at at time zone 'UTC')::date <> (previous_at at time zone 'UTC')::date
    )
    select count(*)::int as records, (max(list_seq))::text as last,
      (select jsonb_build_array(created_at, end2end) from record order by list_seq desc limit 1) as tail,
      coalesce(max(list_seq) <> $3::bigint + count(*), false)
        or exists (select from ordered where created_at < previous_at or (created_at = previous_at and end2end collate "C" < previous collate "C"))
        or exists (select from (select day, first_seq from list_day where account_id = $1 and family = $2
                                 and first_seq between (select min(list_seq) from record) and (select max(list_seq) from record)) d
                     full join first_of_day f on f.day = d.day where d.first_seq is distinct from f.first_seq)
        or exists (select from record r where not exists (select from list_outcome o
                     where o.account_id = $1 and o.family = $2 and o.outcome = r.outcome and o.list_seq = r.list_seq))
        or exists (select from record r where r.pix_e2e is not null and not exists (select from list_pix x
                     where x.account_id = $1 and x.family = $2 and x.pix_e2e = r.pix_e2e and x.list_seq = r.list_seq)) as "isOff"
    from record`,
};

/** All defects of the lists of an account, in one statement. */
export const LIST_DEFECTS: Statement = {
  name: 'verify_list_defects',
  text: `with t as materialized (select end2end, family, list_seq, created_at, outcome, pix_e2e from transaction where account_id = $1)
    select 'list position' as defect, null as "ledgerAccountId", p.list_seq::text as at, p.family || ' ' || p.end2end || ' should be at ' || p.place as detail
      from (select *, row_number() over (partition by family order by created_at, end2end collate "C") as place from t) p where p.list_seq <> p.place
    union all select 'list head', null, h.last_seq::text, h.family || ' has ' || coalesce(n.records, 0)
      from list_head h left join (select family, count(*) as records from t group by 1) n on n.family = h.family
     where h.account_id = $1 and h.last_seq <> coalesce(n.records, 0)
    union all select 'list head', null, null, n.family || ' has transactions and no head' from (select distinct family from t) n
     where not exists (select from list_head h where h.account_id = $1 and h.family = n.family)
    union all select 'list day index', null, coalesce(d.first_seq, f.first_seq)::text, coalesce(d.family, f.family) || ' ' || coalesce(d.day, f.day)
      from (select * from list_day where account_id = $1) d
      full join (select family, (created_at at time zone 'UTC')::date as day, min(list_seq) as first_seq from t group by 1, 2) f
        on f.family = d.family and f.day = d.day
     where d.first_seq is distinct from f.first_seq
    union all select 'list outcome', null, coalesce(o.list_seq, t.list_seq)::text, coalesce(o.family, t.family) || ' ' || coalesce(o.outcome, t.outcome)
      from (select * from list_outcome where account_id = $1) o
      full join t on t.family = o.family and t.list_seq = o.list_seq and t.outcome = o.outcome where o.list_seq is null or t.list_seq is null
    union all select 'list pix', null, coalesce(x.list_seq, t.list_seq)::text, coalesce(x.family, t.family) || ' ' || coalesce(x.pix_e2e, t.pix_e2e)
      from (select * from list_pix where account_id = $1) x
      full join (select * from t where pix_e2e is not null) t on t.family = x.family and t.list_seq = x.list_seq and t.pix_e2e = x.pix_e2e
     where x.list_seq is null or t.list_seq is null`,
};

/** Id of a form by its text, as `recordEvents` makes it. */
const FORM_ID = `('x' || encode(substring(sha256(convert_to(f.text, 'UTF8')) for 8), 'hex'))::bit(64)::bigint`;

/**
 * Events after $2 up to $3, at most $4, and duplicates at the end: gaps, duplicate numbers, bodies with a missing or
 * changed form, and the position from which to continue.
 */
export const EVENTS: Statement = {
  name: 'verify_events',
  text: `with floor as (
      select greatest($2::bigint, coalesce((select seq - 1 from event_floor where account_id = $1), 0)) as seq
    ), e as materialized (
      select seq, form from event where account_id = $1 and seq > (select seq from floor) and seq <= $3::bigint order by seq fetch first ($4::int) rows with ties
    ), numbered as (select seq, lag(seq, 1, (select seq from floor)) over (order by seq) as previous from e),
    defect as (
      select case when seq = previous then 'repeated event' else 'event gap' end as name, seq, 'event ' || seq || ' after ' || previous as detail
        from numbered where seq <> previous + 1
      union all
      select 'event without form', u.seq, 'form ' || u.form || ' is missing or was changed'
        from (select form, min(seq) as seq from e where form is not null group by form) u left join event_form f on f.id = u.form
       where f.id is null or f.id <> ${FORM_ID}
    )
    select count(*)::int as events, max(seq)::text as last, (select seq from floor)::text as floor,
      (select coalesce(jsonb_agg(jsonb_build_array(name, seq::text, detail)), '[]') from defect) as defects
    from e`,
};

/** Clearing accounts by currency that are not zero over all account holders. */
export const CLEARING: Statement = {
  name: 'verify_clearing',
  text: `select a.currency, sum(b.balance)::text as sum from ledger_account a
    join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
    where a.house = 'C.clearing' group by a.currency having sum(b.balance) <> 0`,
};
