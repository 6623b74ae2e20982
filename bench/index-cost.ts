/**
 * What the indexes cost by which `search` and the lists of what waits find transactions: rows are inserted into copies of the
 * table `transaction`, with all of its indexes and without one or all of these, 1,000 in a statement. Each size of the log and each time is for one row.
 *
 * `npm run index-cost -- --rows 100000`
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { machine } from './cpu.ts';
import { withBenchServer } from './environment.ts';
import { publish } from './report.ts';
import { seed } from './seed.ts';
import { median } from './table.ts';

/** Indexes of `transaction` that search and attention have. */
const INDEXES = [
  'transaction_by_tx_hash',
  'transaction_by_deposit_address',
  'transaction_by_name_word',
  'transaction_waiting',
] as const;
const ROUNDS = 3;
const BATCH = 1_000;

interface Cost {
  readonly us: number;
  readonly walBytes: number;
}

/** Copies the rows into a new table with the indexes of `transaction` but for some. */
async function copy(owner: pg.Client, without: readonly string[], rows: number): Promise<Cost> {
  await owner.query('drop table if exists bench_copy');
  await owner.query(
    'create table bench_copy (like transaction including defaults including generated including constraints)',
  );
  const { rows: indexes } = await owner.query<{ name: string; text: string }>(
    `select c.relname as name, pg_get_indexdef(i.indexrelid) as text from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = 'transaction'::regclass`,
  );
  for (const { name, text } of indexes.filter((each) => !without.includes(each.name)))
    await owner.query(
      text.replace(` INDEX ${name} `, ` INDEX bench_${name} `).replace(/ ON \S+ /, ' ON bench_copy '),
    );
  const { rows: columns } = await owner.query<{ list: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as list from pg_attribute
      where attrelid = 'transaction'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
  );
  const list = columns[0]?.list ?? '';
  const before = await walOf(owner);
  const started = performance.now();
  for (let from = 1; from <= rows; from += BATCH)
    await owner.query(
      `insert into bench_copy (${list}) select ${list} from transaction
        where account_id = (select id from account where handle = $1) and id between $2 and $3`,
      [`bench-${rows}`, from, from + BATCH - 1],
    );
  const us = ((performance.now() - started) * 1_000) / rows;
  const walBytes = ((await walOf(owner)) - before) / rows;
  await owner.query('drop table bench_copy');
  return { us, walBytes };
}

async function walOf(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`);
  return Number(rows[0].bytes);
}

const { values } = parseArgs({ options: { rows: { type: 'string', default: '100000' } } });
console.log(machine());
await withBenchServer(async (url) => {
  await seed(url, Number(values.rows), 1_000);
  const owner = new pg.Client({ connectionString: url, application_name: 'bench index cost' });
  await owner.connect();
  const kinds: readonly (readonly [string, readonly string[]])[] = [
    ['all indexes', []],
    ...INDEXES.map((name) => [`without ${name}`, [name]] as const),
    ['without these four', INDEXES],
  ];
  const found = kinds.map((): Cost[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, [, without]] of kinds.entries())
      found[at]?.push(await copy(owner, without, Number(values.rows)));
  const lines = kinds.map(([name], at) => [
    name,
    '',
    median(found[at]?.map(({ us }) => us) ?? []).toFixed(1),
    median(found[at]?.map(({ walBytes }) => walBytes) ?? []).toFixed(0),
  ]);
  const headings = ['Copy of `transaction`', '', 'µs a row', 'Bytes of log a row'];
  publish(
    { goals: [], sections: [{ title: 'What the indexes of search cost', headings, rows: lines }] },
    false,
  );
  await owner.end();
});
