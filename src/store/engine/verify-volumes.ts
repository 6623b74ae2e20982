/**
 * The auditor of volumes, which limits of customers use (C-21). It checks that the amount counted for each transaction
 * follows from its step, and that the volumes of each day are the sum of these amounts. Each statement reads both from
 * one snapshot, so the account may be in use meanwhile.
 */

import { BRL } from '../../base/money/currency.ts';
import { toMinor } from '../../base/money/money.ts';
import { maskTaxId } from '../../base/text/mask.ts';
import { brasiliaDay } from '../../base/time/brasilia-day.ts';
import { millisOf } from '../../base/time/instant.ts';
import type { Counted } from '../../templates/facts.ts';
import { REGISTRY } from '../../templates/index.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { type ClaimFacts, claimOf, countedOf, HISTORY } from './volumes.ts';

/** A volume that differs from the transactions. */
export interface VolumeDefect {
  readonly defect: string;
  /** Internal id of the transaction; null for a day. */
  readonly at: bigint | null;
  readonly detail: string;
}

interface Row extends ClaimFacts {
  readonly id: bigint;
  readonly end2end: string;
  readonly template: string;
  /** Whether the day on which it was counted has volumes. */
  readonly hasVolume: boolean;
}

interface Sums {
  readonly open: string;
  readonly paid: string;
}

interface WrongDay {
  readonly subject: string;
  readonly day: string;
  readonly held: Sums;
  readonly said: Sums;
}

const ROWS_MAX = 5_000;
const SUBJECTS_MAX = 500;

const SINCE: Statement = {
  name: 'verify_volumes_since',
  text: `select volumes_from::text as since from account where id = $1`,
};
/** Transactions after $2, at most $3. Imported transactions do not record their counted amounts. */
const ROWS: Statement = {
  name: 'verify_volume_rows',
  text: `select t.id, t.end2end, t.template, t.component, t.state, nullif(t.process, '{}') as process, t.created_at as "createdAt",
      t.source_currency as "sourceCurrency", t.source_amount as "sourceAmount", t.target_currency as "targetCurrency",
      t.target_amount as "targetAmount", t.fees, t.network_fee as "networkFee", t.client_tax_id as "clientTaxId", v.day is not null as "hasVolume"
    from transaction t left join volume_day v on v.account_id = t.account_id and v.subject = t.process #>> '{counted,subject}'
      and v.day = (t.process #>> '{counted,day}')::date
    where t.account_id = $1 and t.id > $2 order by t.id limit $3`,
};
/**
 * Subjects after $2, at most $3, with the days from $4 on whose volumes differ from the sum of the transactions of the
 * families $5.
 */
const SUBJECTS: Statement = {
  name: 'verify_volume_subjects',
  text: `with subject as materialized (
      select subject from volume_day where account_id = $1 and subject > $2 group by subject order by subject limit $3::int
    ), moved as (
      select s.subject, t.* from subject s join transaction t on t.account_id = $1 and t.family = any ($5::text[])
          and t.client_tax_id_key = s.subject
    ), counted as (
      select subject, (process #>> '{counted,day}')::date as day, (process #>> '{counted,brl}')::numeric as brl,
          (process #>> '{counted,isPaid}')::boolean as is_paid
        from moved where process #>> '{counted,subject}' = subject
      union all
      select subject, ${HISTORY.day}, ${HISTORY.brl}, true from moved where process = '{}' and ${HISTORY.isCounted}
    ), said as (
      select subject, day, coalesce(sum(brl) filter (where not is_paid), 0) as open, coalesce(sum(brl) filter (where is_paid), 0) as paid
        from counted group by subject, day
    ), held as (
      select subject, day, open, paid from volume_day join subject using (subject) where account_id = $1
    ), wrong as (
      select subject, day, jsonb_build_object('open', coalesce(h.open, 0)::text, 'paid', coalesce(h.paid, 0)::text) as held,
          jsonb_build_object('open', coalesce(s.open, 0)::text, 'paid', coalesce(s.paid, 0)::text) as said
        from held h full join said s using (subject, day)
       where ($4::date is null or day >= $4)
         and (coalesce(h.open, 0) <> coalesce(s.open, 0) or coalesce(h.paid, 0) <> coalesce(s.paid, 0))
    )
    select (select max(subject) from subject) as last,
      (select coalesce(jsonb_agg(to_jsonb(wrong) order by subject, day), '[]') from wrong) as wrong`,
};

/**
 * Compares volumes and transactions of an account, slice by slice.
 * @param slice - number of transactions of one statement; at most 5,000.
 * @returns all defects.
 */
export async function verifyVolumes(
  database: Tx,
  accountId: bigint,
  slice: number = ROWS_MAX,
): Promise<readonly VolumeDefect[]> {
  const [account] = await database.query<{ since: string | null }>(SINCE, [accountId]);
  const since = account?.since ?? null;
  return [
    ...(await wrongTransactions(database, accountId, since, Math.min(slice, ROWS_MAX))),
    ...(await wrongDays(database, accountId, since, Math.min(slice, SUBJECTS_MAX))),
  ];
}

async function wrongTransactions(
  database: Tx,
  accountId: bigint,
  since: string | null,
  slice: number,
): Promise<VolumeDefect[]> {
  const defects: VolumeDefect[] = [];
  for (let after = 0n, isMore = true; isMore; ) {
    const rows = await database.query<Row>(ROWS, [accountId, after, slice]);
    for (const row of rows) {
      const detail = row.process && whatIsWrong(row, since);
      if (detail) defects.push({ defect: 'counted amount', at: row.id, detail: `${row.end2end} ${detail}` });
    }
    after = rows.at(-1)?.id ?? after;
    isMore = rows.length === slice;
  }
  return defects;
}

function whatIsWrong(row: Row, since: string | null): string | undefined {
  const createdMs = millisOf(row.createdAt);
  const counted = row.process?.counted;
  if (!counted && since !== null && brasiliaDay(createdMs) < since) return undefined;
  const claim = claimOf(REGISTRY.of(row.template), row);
  // An unpaid transaction counts on the day of its request, which only the transaction itself records.
  const expected = claim && countedOf(claim, counted ? Date.parse(`${counted.day}T12:00:00Z`) : createdMs);
  if (!isSame(counted, expected)) return `counts ${textOf(counted)}, its step says ${textOf(expected)}`;
  return counted && !row.hasVolume ? `counts ${textOf(counted)}, and the day has no volume` : undefined;
}

function isSame(one: Counted | undefined, other: Counted | undefined): boolean {
  if (!one || !other) return one === other;
  const centsOf = ({ brl }: Counted) => toMinor(brl, BRL.decimals);
  const isSameDay = one.subject === other.subject && one.day === other.day;
  return isSameDay && one.isPaid === other.isPaid && centsOf(one) === centsOf(other);
}

function textOf(counted: Counted | undefined): string {
  return counted ? `${counted.brl} BRL ${counted.isPaid ? 'paid' : 'open'} on ${counted.day}` : 'nothing';
}

async function wrongDays(
  database: Tx,
  accountId: bigint,
  since: string | null,
  slice: number,
): Promise<VolumeDefect[]> {
  const families = [...new Set(REGISTRY.templates.map(({ family }) => family))];
  const defects: VolumeDefect[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const values: unknown[] = [accountId, after, slice, since, families];
    const [found]: { last: string | null; wrong: readonly WrongDay[] }[] = await database.query(
      SUBJECTS,
      values,
    );
    for (const { subject, day, held, said: counted } of found?.wrong ?? []) {
      const detail = `${maskTaxId(subject)} on ${day}: ${sumsOf(held)}, the transactions say ${sumsOf(counted)}`;
      defects.push({ defect: 'volume of a day', at: null, detail });
    }
    after = found?.last ?? null;
  }
  return defects;
}

function sumsOf({ open, paid }: Sums): string {
  return `${open} BRL open and ${paid} paid`;
}
