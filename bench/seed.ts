/**
 * Fills a database with accounts of chosen sizes. Run by itself it makes the data that the other programs read:
 * `npm run seed -- --transactions 100000` makes the large account smaller.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openDatabase } from '../src/store/connection/connection.ts';
import type { Database } from '../src/store/connection/database.ts';
import { verifyLedger } from '../src/store/ledger/verify.ts';
import { withBenchServer } from './environment.ts';
import { fillAccount } from './fill-account.ts';

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
      return {
        handle,
        transactions,
        id: id ?? (await fillAccountTimed(owner, database, handle, transactions)),
      };
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

async function fillAccountTimed(
  owner: pg.Client,
  database: Database,
  handle: string,
  size: number,
): Promise<bigint> {
  const started = performance.now();
  const id = await fillAccount(owner, database, handle, size);
  if (size > NEIGHBOUR_SIZE)
    console.log(`seeded ${handle} in ${Math.round((performance.now() - started) / 1000)} s`);
  return id;
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
