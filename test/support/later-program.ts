/**
 * A later version of the program: this one with another version and with more migrations, which add what a migration may add while older
 * programs work: columns to the tables that payments write most, with a value and without, a table, an index of it, and a function.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSION } from '../../src/base/process/version.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LEFT_OUT = ['node_modules', '.git', 'bench', 'test', 'packages', 'dist', '.crossramp'];

/** Tables that every payment writes. Each has a migration of its own: one that waits for a second table would make all wait for the first. */
const WRITTEN = [
  ...[
    'account',
    'account_head',
    'transaction',
    'list_head',
    'list_outcome',
    'journal',
    'ledger_line',
    'ledger_balance',
  ],
  ...[
    'event',
    'job',
    'relay_queue',
    'webhook_delivery',
    'webhook_turn',
    'idempotency_key',
    'request_batch',
    'sandbox_order',
  ],
];
const COLUMNS = WRITTEN.map((table) => ({
  name: `20990101000000_later_${table}`,
  sql: `-- Adds what a later version needs, and nothing that an older program would miss.
alter table ${table} add column later_note text, add column later_kind text not null default 'none';
`,
}));
const TABLE = {
  name: '20990101000001_later_thing',
  sql: `-- Things of a later version.
create table later_thing (id bigint generated always as identity primary key, account_id bigint not null references account);
create index later_thing_of on later_thing (account_id);
create function later_count() returns bigint language sql stable as $$ select count(*) from later_thing $$;
`,
};

/** The names of its migrations. */
export const LATER_MIGRATIONS = [...COLUMNS, TABLE].map(({ name }) => name);

/** A version in a folder of its own. */
export interface LaterProgram {
  readonly folder: string;
  readonly version: string;
  readonly remove: () => void;
}

/** Makes it; its migrations say that this version works with them. */
export function makeLaterProgram(): LaterProgram {
  const folder = mkdtempSync(join(tmpdir(), 'crossramp-later-'));
  for (const name of readdirSync(ROOT))
    if (!LEFT_OUT.includes(name)) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const [major, minor] = VERSION.split('.').map(Number) as [number, number];
  const version = `${major}.${minor + 1}.0`;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version }));
  for (const { name, sql } of [...COLUMNS, TABLE]) {
    const migration = join(folder, 'prisma/migrations', name);
    mkdirSync(migration);
    const reach = `insert into migration_reach values ('${name}', '${VERSION}');\n`;
    writeFileSync(join(migration, 'migration.sql'), sql + reach);
  }
  return { folder, version, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
