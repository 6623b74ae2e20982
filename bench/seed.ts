/**
 * Fills a database with accounts of chosen sizes. Run by itself it makes the data that the other programs read:
 * `npm run seed -- --transactions 100000` makes the large account smaller.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { currencyOf } from '../src/base/currency.ts';
import {
  type AccountSheet,
  houseSheet,
  SUB_ACCOUNTS,
  type SubAccount,
  subAccountSheet,
} from '../src/ledger/chart.ts';
import { createAccount } from '../src/store/account/accounts.ts';
import { type Database, openDatabase } from '../src/store/database.ts';
import { verifyLedger } from '../src/store/ledger/verify.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { withBenchServer } from './environment.ts';
import {
  INSERT_JOURNALS,
  INSERT_LEDGER_DAYS,
  INSERT_LINES,
  INSERT_LIST_DAYS,
  INSERT_TRANSACTIONS,
  SEED_CURRENCIES,
  STAGE_LINES,
  UPDATE_BALANCES,
  UPDATE_COUNTERS,
  UPDATE_LIST_HEADS,
} from './seed-sql.ts';

/** An account of the seed. */
export interface SeededAccount {
  readonly id: bigint;
  readonly transactions: number;
  readonly handle: string;
}

/** Transactions of the account that the large one is compared with. */
export const SMALL_SIZE = 10_000;
/** Transactions of the large account. */
export const LARGE_SIZE = 1_000_000;
/** Accounts around them: the indexes hold more than two accounts. */
const NEIGHBOURS = 20;
const NEIGHBOUR_SIZE = 500;

const TRANSACTION_CHUNK = 100_000;
/** Journals per statement: the trigger sorts and joins what each statement inserts. */
const JOURNAL_CHUNK = 50_000;
const HOUSES = ['E.fx', 'R.fee', 'E.capital'] as const;

/**
 * Makes the accounts that are missing.
 *
 * @param url - of the migrated database, as its owner.
 * @param largeSize - transactions of the large account.
 * @param smallSize - of the one that it is compared with.
 * @returns both.
 */
export async function seed(
  url: string,
  largeSize: number,
  smallSize: number = SMALL_SIZE,
): Promise<{ small: SeededAccount; large: SeededAccount }> {
  const owner = new pg.Client({ connectionString: url, application_name: 'bench seed' });
  const database = openDatabase(url);
  await owner.connect();
  try {
    await owner.query(`set timezone = 'UTC'; set work_mem = '768MB'; set maintenance_work_mem = '768MB'`);
    const made: boolean[] = [];
    const account = async (handle: string, transactions: number): Promise<SeededAccount> => {
      const id = await findSeeded(owner, handle, transactions);
      made.push(id === undefined);
      return { handle, transactions, id: id ?? (await fillAccount(owner, database, handle, transactions)) };
    };
    for (let i = 1; i <= NEIGHBOURS / 2; i++) await account(`bench-neighbour-${i}`, NEIGHBOUR_SIZE);
    const small = await account(`bench-${smallSize}`, smallSize);
    const large = await account(`bench-${largeSize}`, largeSize);
    for (let i = NEIGHBOURS / 2 + 1; i <= NEIGHBOURS; i++)
      await account(`bench-neighbour-${i}`, NEIGHBOUR_SIZE);
    if (made.includes(true)) await settle(owner, database, small);
    return { small, large };
  } finally {
    await database.close();
    await owner.end();
  }
}

/** @throws {Error} when the account was begun and not finished. */
async function findSeeded(
  owner: pg.Client,
  handle: string,
  transactions: number,
): Promise<bigint | undefined> {
  const { rows } = await owner.query(
    `select a.id, h.transaction_id::int as transactions from account a join account_head h on h.account_id = a.id where handle = $1`,
    [handle],
  );
  if (rows.length === 0) return undefined;
  if (rows[0].transactions !== transactions)
    throw new Error(`${handle} was left half seeded: delete BENCH_HOME and start again`);
  return BigInt(rows[0].id);
}

async function fillAccount(
  owner: pg.Client,
  database: Database,
  handle: string,
  size: number,
): Promise<bigint> {
  const started = performance.now();
  const templates = REGISTRY.templates.map((template) => template.name);
  const id = await createAccount(database, handle, { templates, handle });
  await openLedgerAccounts(owner, id);
  await insertTransactions(owner, id, size);
  await insertLedger(owner, id, size);
  if (size > NEIGHBOUR_SIZE)
    console.log(`seeded ${handle} in ${Math.round((performance.now() - started) / 1000)} s`);
  return id;
}

async function openLedgerAccounts(owner: pg.Client, id: bigint): Promise<void> {
  const sheets: AccountSheet[] = SEED_CURRENCIES.flatMap((code) => {
    const currency = currencyOf(code);
    if (!currency) throw new Error(`${code} is not in the catalogue`);
    const subAccounts = Object.keys(SUB_ACCOUNTS) as SubAccount[];
    return [
      ...subAccounts.map((name) => subAccountSheet(id, currency, name)),
      ...HOUSES.map((house) => houseSheet(id, currency, house)),
    ];
  });
  const column = (name: keyof AccountSheet) => sheets.map((sheet) => sheet[name]);
  await owner.query(`select ledger_open($1, $2, $3, $4, $5, $6, $7, $8, $9)`, [
    id,
    sheets.map(() => null),
    column('code'),
    column('name'),
    column('currency'),
    column('prettyName'),
    column('scale'),
    column('subAccount'),
    column('house'),
  ]);
}

async function insertTransactions(owner: pg.Client, id: bigint, size: number): Promise<void> {
  const steps = JSON.stringify(stepsOfTemplates());
  for (let from = 1; from <= size; from += TRANSACTION_CHUNK) {
    const to = Math.min(size, from + TRANSACTION_CHUNK - 1);
    await owner.query(INSERT_TRANSACTIONS, [id, size, from, to, steps]);
    await owner.query(UPDATE_LIST_HEADS, [id, from, to]);
    if (size > TRANSACTION_CHUNK) console.log(`  ${to} transactions`);
  }
  await owner.query(INSERT_LIST_DAYS, [id]);
  await owner.query('analyze transaction');
}

/** The steps of all templates; the one that most transactions end in comes first, those that can go on come last. */
function stepsOfTemplates() {
  return REGISTRY.templates.flatMap(({ name, steps }) => {
    const last = steps.find((step) => /^success/.test(step.component) && step.state === 'DONE');
    const rank = (step: (typeof steps)[number]) => (step === last ? 0 : step.ending === 'open' ? 2 : 1);
    const ordered = [...steps].sort((a, b) => rank(a) - rank(b));
    const ended = steps.filter(({ ending }) => ending !== 'open').length;
    return ordered.map(({ component, state, errorMessage }, place) => ({
      template: name,
      place,
      steps: steps.length,
      ended,
      component,
      state,
      error_en: errorMessage.en,
      error_pt: errorMessage.pt,
    }));
  });
}

async function insertLedger(owner: pg.Client, id: bigint, size: number): Promise<void> {
  const currencies = `'{${SEED_CURRENCIES.join(',')}}'`;
  // A statement that makes a table takes no parameters.
  const stage = STAGE_LINES.replaceAll('ACCOUNT', String(id))
    .replaceAll('CURRENCIES', currencies)
    .replaceAll('SIZE', String(size));
  await owner.query(`drop table if exists bench_line`);
  await owner.query(stage);
  await owner.query(`create index on bench_line (journal); analyze bench_line`);
  await owner.query(INSERT_JOURNALS, [id]);
  await owner.query('analyze journal');
  const journals = SEED_CURRENCIES.length + size * 2;
  for (let from = 1; from <= journals; from += JOURNAL_CHUNK) {
    const to = Math.min(journals, from + JOURNAL_CHUNK - 1);
    await owner.query(INSERT_LINES, [id, from, to]);
    if (size > TRANSACTION_CHUNK && to % 500_000 === 0) console.log(`  lines of ${to} journals`);
  }
  await owner.query(INSERT_LEDGER_DAYS, [id]);
  await owner.query(UPDATE_BALANCES, [id]);
  await owner.query(UPDATE_COUNTERS, [id, size]);
  await owner.query(`drop table bench_line`);
}

/** Leaves the database as a running service has it: audited, analysed, nothing to be cleaned or written. */
async function settle(owner: pg.Client, database: Database, audited: SeededAccount): Promise<void> {
  const { defects } = await verifyLedger(database, audited.id);
  if (defects.length > 0) throw new Error(`the seed is wrong: ${defects[0]?.detail}`);
  console.log(`audit of ${audited.handle}: no defects`);
  await owner.query('vacuum (analyze)');
  await owner.query('checkpoint');
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { transactions: { type: 'string', default: String(LARGE_SIZE) } },
  });
  await withBenchServer(async (url) => void (await seed(url, Number(values.transactions))));
}
