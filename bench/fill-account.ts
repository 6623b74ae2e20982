/** Makes an account of a chosen size, whole: its transactions, its ledger, and what the service counts of both. */
import type pg from 'pg';
import { currencyOf } from '../src/base/money/currency.ts';
import {
  type AccountSheet,
  houseSheet,
  SUB_ACCOUNTS,
  type SubAccount,
  subAccountSheet,
} from '../src/ledger/chart.ts';
import { createAccount } from '../src/store/account/accounts.ts';
import type { Database } from '../src/store/connection/database.ts';
import { REGISTRY } from '../src/templates/index.ts';
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

const TRANSACTION_CHUNK = 100_000;
/** Journals per statement: the trigger sorts and joins what each statement inserts. */
const JOURNAL_CHUNK = 50_000;
const HOUSES = ['E.fx', 'R.fee', 'E.capital'] as const;

/**
 * Makes an account with transactions, numbered from 1 in the order of their creation, and their ledger lines.
 *
 * @param owner - one connection of the owner of the tables, in UTC.
 * @returns its id.
 */
export async function fillAccount(
  owner: pg.ClientBase,
  database: Database,
  handle: string,
  size: number,
): Promise<bigint> {
  const templates = REGISTRY.templates.map((template) => template.name);
  const id = await createAccount(database, handle, { templates, handle });
  await openLedgerAccounts(owner, id);
  await insertTransactions(owner, id, size);
  await insertLedger(owner, id, size);
  return id;
}

async function openLedgerAccounts(owner: pg.ClientBase, id: bigint): Promise<void> {
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

async function insertTransactions(owner: pg.ClientBase, id: bigint, size: number): Promise<void> {
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

async function insertLedger(owner: pg.ClientBase, id: bigint, size: number): Promise<void> {
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
