/** Fresh accounts to post to, in the gateway's tables and in the rivals' copy of them; and the auditor of both. */
import pg from 'pg';
import { currencyOf } from '../src/base/money/currency.ts';
import { type AccountSheet, houseSheet, subAccountSheet } from '../src/ledger/chart.ts';
import type { Tx } from '../src/store/connection/database.ts';
import { type Defect, verifyLedger } from '../src/store/ledger/verify.ts';

/** Whose tables: the gateway's, or the rivals' copy. */
export type Schema = 'public' | 'rival';

const USDT = currencyOf('USDT_TRX');
if (!USDT) throw new Error('USDT_TRX is not in the catalogue');
/** The currency that is posted. */
export const CURRENCY = USDT;
/** What each posting moves, minor units. */
export const AMOUNT = 1_000_000n;
/** The ledger accounts of every account: `M.available` is credited, `A.custody` debited. */
export const AVAILABLE = 1n;
export const CUSTODY = -1n;

/**
 * The rivals' tables: the same columns, keys, indexes and checks, without foreign keys and without the trigger that
 * proves each journal balanced.
 */
const RIVAL_SCHEMA = `drop schema if exists rival cascade;
  create schema rival;
  create table rival.ledger_balance (like public.ledger_balance including all) with (fillfactor = 40);
  create table rival.journal (like public.journal including all);
  create table rival.ledger_line (like public.ledger_line including all);
  create table rival.account_head (like public.account_head including all);`;
/** What the auditor starts from. The rivals keep no counters: theirs end where what they wrote ends. */
const COPY_HEADS = `insert into rival.account_head select (jsonb_populate_record(h, jsonb_build_object(
      'journal_id', coalesce((select max(id) from rival.journal j where j.account_id = h.account_id), 0),
      'line_id', coalesce((select max(id) from rival.ledger_line l where l.account_id = h.account_id), 0)))).*
    from public.account_head h where account_id = any ($1::bigint[])`;
const ADD_ACCOUNTS = `with added as (
    insert into account (name, mode) select 'bench', 'live' from generate_series(1, $1) returning id
  ) insert into account_head (account_id) select id from added returning account_id::text as id`;
const OPEN = `select ledger_open(a, array[null, null]::bigint[], $2, $3, $4, $5, $6, $7, $8) from unnest($1::bigint[]) a`;
const COPY_BALANCES = `insert into rival.ledger_balance select * from public.ledger_balance where account_id = any ($1::bigint[])`;
const COUNT = `select count(*)::int as journals from journal where account_id = any ($1::bigint[])`;

/** As the auditor is given times elsewhere. */
const TIMES = new Set<number>([pg.types.builtins.TIMESTAMPTZ, pg.types.builtins.DATE]);
const TIMES_AS_TEXT = {
  getTypeParser: (oid: number) => (TIMES.has(oid) ? (text: string) => text : pg.types.getTypeParser(oid)),
} as pg.CustomTypesConfig;

/** Makes the rivals' tables, empty. */
export async function makeRivalTables(owner: pg.Client): Promise<void> {
  await owner.query(RIVAL_SCHEMA);
}

/** @returns the ids of new accounts, in a row; each has both ledger accounts, with nothing on them. */
export async function openBooks(owner: pg.Client, howMany: number): Promise<bigint[]> {
  const { rows } = await owner.query<{ id: string }>(ADD_ACCOUNTS, [howMany]);
  const ids = rows.map(({ id }) => BigInt(id));
  const sheets = [subAccountSheet(0n, CURRENCY, 'available'), houseSheet(0n, CURRENCY, 'A.custody')];
  const column = (name: keyof AccountSheet) => sheets.map((sheet) => sheet[name]);
  const columns = ['code', 'name', 'currency', 'prettyName', 'scale', 'subAccount', 'house'] as const;
  await owner.query(OPEN, [ids, ...columns.map(column)]);
  await owner.query(COPY_BALANCES, [ids]);
  return ids;
}

/**
 * Recomputes every balance, chain and journal of the accounts.
 *
 * @throws {Error} when anything is wrong, or when not all that was told to be posted is there, and only that.
 */
export async function audit(
  owner: pg.Client,
  schema: Schema,
  accounts: readonly bigint[],
  journals: number,
): Promise<void> {
  // The same auditor reads the rivals' tables. They keep no index of days.
  await owner.query(`set search_path = ${schema === 'rival' ? 'rival, public' : 'public'}`);
  if (schema === 'rival') await owner.query(COPY_HEADS, [accounts]);
  const tx: Tx = {
    query: async ({ text }, values) =>
      (await owner.query({ text, values: values as unknown[], types: TIMES_AS_TEXT })).rows,
  };
  const defects: Defect[] = [];
  for (const account of accounts) defects.push(...(await verifyLedger(tx, account)).defects);
  const wrong = defects.filter(({ defect }) => schema !== 'rival' || defect !== 'day index');
  const counted = await owner.query<{ journals: number }>(COUNT, [accounts]);
  await owner.query('reset search_path');
  if (wrong.length > 0) throw new Error(`the ledger is wrong: ${wrong[0]?.defect}: ${wrong[0]?.detail}`);
  const found = counted.rows[0]?.journals;
  if (found !== journals) throw new Error(`${journals} journals were posted, ${found} are there`);
}
