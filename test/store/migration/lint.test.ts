/**
 * Goal: a database is upgraded while others use it, and goes back to the program before (docs/upgrades.md). Method: the scripts of the migrations
 * as text. Each that came after the first tables waits for no lock longer than `migrate` lets it, rewrites no table and takes nothing away that
 * an older program uses, or says in a comment that it does.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { migrationNames } from '../../../src/store/migration/migrations.ts';

const MIGRATIONS = new URL('../../../prisma/migrations/', import.meta.url);
/** Before the tables had rows, nothing could be locked or rewritten. */
const FIRST_TABLES_UNTIL = '20261206000120_roles';
/** Migrations before this date are of the first release, which has no older program. */
const REACH_FROM = '20261208';

/** Faults on a table that has rows, unless the comment of the migration says `-- long lock: why`. */
const LOCKS: readonly (readonly [what: string, form: RegExp])[] = [
  ['rewrites a table by another type of a column', /\balter (column )?"?\w+"? (set data )?type\b/],
  [
    'rewrites a table by a default that differs for each row',
    /\badd (column )?[^,;]*\bdefault \(?(gen_random_uuid|uuidv7|random|clock_timestamp|nextval)\b/,
  ],
  [
    'adds a column that old rows have no value for',
    /\badd (column )?(?!constraint)(?![^,;]*\bdefault\b)(?![^,;]*\bgenerated\b)[^,;]*\bnot null\b/,
  ],
  [
    'rewrites a table by a generated column',
    /\badd (column )?[^,;]*\bgenerated always as \([^;]*\) stored\b/,
  ],
  [
    'reads a whole table for a constraint',
    /\badd (constraint "?\w+"? )?(check|foreign key|primary key \((?!.*using)|unique \()(?![^;]*not valid)/,
  ],
  ['reads a whole table for `not null`', /\balter (column )?"?\w+"? set not null\b/],
  [
    'writes to a table of an older migration as a whole',
    /^\s*((update|delete from)\b(?![\s\S]*\bwhere\b)|truncate\b)/,
  ],
  ['copies a table', /\b(cluster|vacuum|reindex|refresh materialized view)\b/],
  ['sets its own limit for locks', /\bset (local )?(lock_timeout|statement_timeout)\b/],
];

/** Losses for an older program, unless the comment says `-- contract: why`. */
const CONTRACTIONS: readonly (readonly [what: string, form: RegExp])[] = [
  ['drops a table or a view', /\bdrop (table|view)\b/],
  ['drops a column', /\bdrop column\b/],
  ['drops a function', /\bdrop function\b/],
  ['renames', /\brename\b/],
  ['takes a right away', /\brevoke\b/],
  ['forbids what was allowed', /\badd (constraint "?\w+"? )?(check|unique|foreign key)\b/],
];

/** @returns the statements, without the bodies of functions, comments and texts. */
function statementsOf(script: string): string {
  return script
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, '$$$$')
    .replace(/--[^\n]*/g, '')
    .replace(/'[^']*'/g, `''`)
    .toLowerCase();
}

/** @returns the statements about tables and functions that the script does not make itself: those have no rows, and nobody uses them. */
function aboutOlderTables(statements: string): string[] {
  const own = new Set(
    [...statements.matchAll(/create table (?:if not exists )?"?(\w+)/g)].map((match) => match[1]),
  );
  const functions = new Set([...statements.matchAll(/create function "?(\w+)/g)].map((match) => match[1]));
  return statements.split(';').filter((statement) => {
    const [, called] = /\brevoke\b.* on function "?(\w+)/.exec(statement) ?? [];
    if (called && functions.has(called)) return false;
    const [, table] =
      /(?:alter table (?:only |if exists )?|index (?:if not exists )?\w* ?on |update |delete from |insert into |create table )"?(\w+)/.exec(
        statement,
      ) ?? [];
    return !table || !own.has(table);
  });
}

function faultsOf(script: string): string[] {
  const older = aboutOlderTables(statementsOf(script));
  const found = (rules: typeof LOCKS) =>
    rules.flatMap(([what, form]) => (older.some((statement) => form.test(statement)) ? [what] : []));
  const indexes = older.some((each) => /create (unique )?index/.test(each))
    ? ['makes an index of a table that has rows']
    : [];
  const changed = new Set(
    older.flatMap(
      (each) => /^\s*(?:alter table|create (?:unique )?index .*? on) (?:only )?"?(\w+)/.exec(each)?.[1] ?? [],
    ),
  );
  const several = changed.size > 1 ? ['waits for a table while all wait for another'] : [];
  return [
    ...several,
    ...(/^-- long lock: \S/m.test(script) ? [] : [...found(LOCKS), ...indexes]),
    ...(/^-- contract: \S/m.test(script) ? [] : found(CONTRACTIONS)),
  ];
}

const reachOf = (name: string) => new RegExp(`insert into migration_reach [^;]*'${name}'`);
const later = migrationNames().filter((name) => name > FIRST_TABLES_UNTIL);
const script = (name: string) => readFileSync(new URL(`${name}/migration.sql`, MIGRATIONS), 'utf8');

describe('a migration after the first tables', () => {
  it.each(later)('%s holds no lock for long and takes nothing away, or says so', (name) => {
    const mend =
      'change it, or say why in a comment, `-- long lock: …` or `-- contract: …` (docs/upgrades.md)';
    expect(faultsOf(script(name)), mend).toEqual([]);
  });

  it('says which older programs work with it, or that none does', () => {
    const silent = later.filter(
      (name) =>
        name > REACH_FROM && !reachOf(name).test(script(name)) && !/^-- contract: \S/m.test(script(name)),
    );
    expect(silent, 'insert a row into migration_reach').toEqual([]);
  });
});

describe('the lint', () => {
  it('finds a migration that changes two tables with rows', () => {
    const two = 'alter table account add column a text; alter table job add column a text';
    expect(faultsOf(`-- Says why.\n-- long lock: small\n${two};`)).toEqual([
      'waits for a table while all wait for another',
    ]);
  });

  it.each([
    ['alter table account alter column name type varchar(10)', 1],
    ['alter table account alter name set data type text', 1],
    ['alter table account add column note text not null', 1],
    ['alter table account add note text not null', 1],
    [`alter table account add column token uuid not null default gen_random_uuid()`, 1],
    ['alter table account add column at timestamptz default clock_timestamp()', 1],
    ['alter table account alter column name set not null', 1],
    ['alter table account add constraint short check (length(name) < 9)', 2],
    ['alter table job add foreign key (account_id) references account', 2],
    ['create index account_name on account (name)', 1],
    ['create unique index account_name on account (name)', 1],
    ['update account set name = name', 1],
    ['delete from job', 1],
    ['cluster account', 1],
    [`set lock_timeout = '1h'`, 1],
    ['drop table quote', 1],
    ['alter table account drop column name', 1],
    ['alter table account rename name to title', 1],
    ['revoke select on account from crossramp_app', 1],
    ['revoke execute on function account_exists from crossramp_app', 1],
  ])('finds: %s', (text, faults) => {
    expect(faultsOf(`-- Says why.\n${text};`)).toHaveLength(faults);
    expect(
      faultsOf(`-- Says why.\n-- long lock: a small table\n-- contract: not used since 1.2\n${text};`),
    ).toEqual([]);
  });

  it.each([
    'alter table account add column note text',
    `alter table account add column note text not null default ''`,
    'alter table account add constraint short check (length(name) < 9) not valid -- contract is said elsewhere',
    "create table note (id bigint primary key, account_id bigint references account, body text not null check (body <> '')); create index note_of on note (account_id); insert into note values (1)",
    'create or replace function f() returns void language sql as $$ delete from job; drop table job $$',
    `update account set name = '' where id = 1`,
    'create function f() returns int language sql as $$ select 1 $$; revoke execute on function f from public',
  ])('takes: %s', (text) => {
    expect(
      faultsOf(`-- Says why.\n${text.includes('short') ? '-- contract: none is longer\n' : ''}${text};`),
    ).toEqual([]);
  });
});
