/**
 * Goal: statements and rows agree. Method: the server describes each statement, the compiler the row type at each call.
 *
 * Members and types are compared for every column. Null is compared for a column of a table that is nullable there: its member takes
 * `null`. The server does not say whether an expression or an outer join gives null, so those are not compared.
 */
import pg from 'pg';
import { expect, it } from 'vitest';
import { openStaging } from '../../src/store/account/staged-history.ts';
import type { Statement } from '../../src/store/connection/database.ts';
import { useDatabase } from '../support/database.ts';
import { type Member, type StatementCall, statementCalls } from '../support/statement-calls.ts';

/** Calls whose statement is passed or made within a function, so that no constant of the module holds it. */
const NOT_CONSTANT = [
  'src/cli/own-database.ts: statement',
  'src/resolvers/reconciliation/verify-continuously.ts: statement',
  'src/store/account/audit-log.ts: statement',
  'src/store/account/request-log.ts: statement',
  'src/store/account/retention.ts: STATEMENTS[kind]',
  'src/store/account/staged-history.ts: statement',
  'src/store/account/staged-history.ts: statement',
  "src/store/connection/check-server.ts: { name: '', text: 'select 1' }",
  'src/store/connection/id-list.ts: count',
  'src/store/connection/id-list.ts: slice.isBackward ? backward : forward',
  'src/store/engine/merged-lists.ts: ...new Query(accountId, filter).sums()',
  'src/store/engine/merged-lists.ts: ...query.nth(number)',
  'src/store/engine/merged-lists.ts: ...query.page(slice, options)',
  'src/store/engine/related.ts: LISTED[by]',
  'src/store/engine/related.ts: SUMMED[by]',
  'src/store/engine/transactions.ts: statement',
  'src/store/events/events.ts: page',
  'src/store/ledger/ledger.ts: sliceStatement(slice, zoneOf(filter))',
  'src/store/ledger/ledger.ts: statement',
  'src/store/ledger/ledger.ts: statement',
  'src/store/rails/restores.ts: statement',
  'src/store/webhooks/redeliveries.ts: statement',
  'src/store/webhooks/sealed-secrets.ts: after',
  'src/store/webhooks/sealed-secrets.ts: replace',
  'src/store/webhooks/sealed-secrets.ts: sealedWithOther',
  'src/store/webhooks/sealed-secrets.ts: unsealed',
];
/** Columns that are nullable in their table, of statements whose condition excludes null. */
const EXCLUDES_NULL: Readonly<Record<string, readonly string[]>> = {
  branding_logo: ['image', 'type'],
  chain_lease: ['leased_by'],
  chain_own_hashes: ['hash'],
  chain_statement_by_hash: ['hash'],
  chain_statement_ended: ['hash'],
  chain_statement_moving: ['hash'],
  house_days: ['house'],
  rail_event_by_key: ['accountId'],
  whitelist_proof: ['proof'],
};

/** A column of an answer, as the server describes it. */
interface Column {
  readonly name: string;
  readonly tableID: number;
  readonly columnID: number;
  readonly dataTypeID: number;
}

const { INT8, JSONB, BOOL, INT2, INT4, BYTEA } = pg.types.builtins;
const TEXT_ARRAY = 1009;
/** As src/store/connection/rows-query.ts reads them; all others stay text. */
const KINDS = new Map<number, Member['kind']>([
  [INT8, 'bigint'],
  [JSONB, 'any'],
  [BOOL, 'boolean'],
  [INT2, 'number'],
  [INT4, 'number'],
  [BYTEA, 'object'],
  [TEXT_ARRAY, 'object'],
]);

const test = useDatabase();

it('every statement answers with the columns that its row type names', async () => {
  const calls = await statementCalls();
  const client = new pg.Client({ connectionString: test.url });
  await client.connect();
  try {
    // The temporary tables of an import last until the end of its transaction.
    await client.query('begin');
    await openStaging({ query: async ({ text }) => (await client.query(text)).rows });
    const nullable = await nullableColumns(client);
    const findings: string[] = [];
    for (const call of calls) {
      for (const statement of call.statements) {
        findings.push(...compare(call, statement, await describe(client, statement), nullable));
      }
    }
    expect(findings).toEqual([]);
  } finally {
    await client.end();
  }
  const left = calls.filter(({ statements }) => statements.length === 0);
  expect(left.map(({ place, argument }) => `${place}: ${argument}`).toSorted()).toEqual(NOT_CONSTANT);
  expect(calls.length - left.length).toBeGreaterThan(400);
});

/** @returns the columns of a statement's answer; none where it answers with no rows. @throws when the server refuses the statement. */
async function describe(client: pg.Client, { name, text }: Statement): Promise<readonly Column[]> {
  const columns = await columnsOf(client, text).catch((error: unknown) => {
    throw new Error(`${name} is refused`, { cause: error });
  });
  // Only an open cursor tells its columns.
  if (text.startsWith('declare')) await client.query(text, text.includes('$1') ? [null] : []);
  return columns;
}

function columnsOf(client: pg.Client, text: string): Promise<readonly Column[]> {
  return new Promise((resolve, reject) => {
    let columns: readonly Column[] = [];
    client.query({
      submit: (connection: pg.Connection) => {
        connection.parse({ name: '', text, types: [] } as never, false);
        connection.describe({ type: 'S', name: '' } as never, false);
        connection.sync();
      },
      handleRowDescription: ({ fields }: { readonly fields: readonly Column[] }) => {
        columns = fields;
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(columns),
    } as never);
  });
}

/** @returns `table.column`, by their numbers, of each column of a table that may be null. */
async function nullableColumns(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ id: string }>(
    `select attrelid || '.' || attnum as id from pg_attribute join pg_class on pg_class.oid = attrelid
     where relkind in ('r', 'p') and relpersistence = 'p' and attnum > 0 and not attnotnull`,
  );
  return new Set(rows.map(({ id }) => id));
}

function compare(
  { place, row }: StatementCall,
  { name }: Statement,
  columns: readonly Column[],
  nullable: ReadonlySet<string>,
): string[] {
  if (!row) return [];
  const at = (column: string, got: string, wanted: string) =>
    `${name} (${place}): ${column}: the row type has ${got}, the statement ${wanted}`;
  const names = new Set(columns.map((column) => column.name));
  const missing = [...row]
    .filter(([each, { isOptional }]) => !isOptional && !names.has(each))
    .map(([each, { type }]) => at(each, type, 'no such column'));
  const different = columns.flatMap((column) => {
    const member = row.get(column.name);
    if (!member) return [at(column.name, 'no such member', kindOfColumn(column))];
    const kind = kindOfColumn(column);
    const wrongKind = kind === 'any' || kind === member.kind ? [] : [at(column.name, member.type, kind)];
    const isNull = nullable.has(`${column.tableID}.${column.columnID}`);
    return isNull && !member.isNullable && !EXCLUDES_NULL[name]?.includes(column.name)
      ? [...wrongKind, at(column.name, member.type, `${kind} or null`)]
      : wrongKind;
  });
  return [...missing, ...different];
}

function kindOfColumn({ dataTypeID }: Column): Member['kind'] {
  return KINDS.get(dataTypeID) ?? 'string';
}
