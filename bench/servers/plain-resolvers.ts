/**
 * The gateway's schema with resolvers as they are usually written: a statement for each root field, a function for each field.
 * For GraphQL servers that others make: they answer the same documents from the same rows.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isoMillis } from '../../src/base/time/instant.ts';
import { openDatabase } from '../../src/store/connection/connection.ts';
import { findTransaction, listTransactions } from '../../src/store/engine/transactions.ts';
import { readStatementEntries, type StatementEntry } from '../../src/store/ledger/ledger.ts';
import type { TransactionRow } from '../../src/templates/facts.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { KINDS } from '../../src/templates/kinds.ts';
import { attributeReader, labelOf } from '../../src/wire/envelope.ts';
import { lineAmounts } from '../../src/wire/statement.ts';
import { CONNECTIONS, DATABASE_URL } from './ready.ts';

/** What resolvers are given besides: whose key it is. */
export interface PlainContext {
  readonly accountId: bigint;
}

const BELIEVED_MS = 500;
const KEY = {
  name: 'bench_key',
  text: 'select account_id as "accountId" from api_key where hash = $1 and revoked_at is null',
};
const keys = new Map<string, { readonly accountId: bigint; readonly until: number }>();
const database = openDatabase(DATABASE_URL, { connections: CONNECTIONS });

/** The schema that the gateway publishes. */
export const typeDefs = readFileSync(new URL('../../schema.operator.graphql', import.meta.url), 'utf8');

/** @returns whose key it is; believed for half a second, as the gateway does. @throws {Error} for a key that there is not. */
export async function contextOf(authorization: string | null | undefined): Promise<PlainContext> {
  const digest = hash('sha256', (authorization ?? '').slice(7), 'buffer');
  const name = digest.toString('base64');
  const known = keys.get(name);
  if (known && known.until > Date.now()) return known;
  const [row] = await database.query<PlainContext>(KEY, [digest]);
  if (!row) throw new Error('a valid API key is required');
  keys.set(name, { ...row, until: Date.now() + BELIEVED_MS });
  return row;
}

/** Closes the database. */
export const end = () => database.close();

const PAGE = { limit: 20, offset: 0 };
const SUB_ACCOUNTS: Readonly<Record<string, number>> = { available: 1 };

interface StatementArgs {
  readonly filter: { readonly currency: string; readonly subAccount: string };
}

const Query = {
  transaction: (_: unknown, { end2end }: { end2end: string }, { accountId }: PlainContext) =>
    findTransaction(database, accountId, end2end),
  transactions: async (_: unknown, _args: unknown, { accountId }: PlainContext) => {
    const page = await listTransactions(database, accountId, 'onramps', {}, PAGE, { counted: true });
    return connection(page?.total, page?.rows ?? []);
  },
  statement: async (_: unknown, { filter }: StatementArgs, { accountId }: PlainContext) => {
    const { currency, subAccount } = filter;
    const chosen = { currencies: [currency], subAccount: SUB_ACCOUNTS[subAccount] as number };
    const { total, lines } = await readStatementEntries(database, accountId, chosen, PAGE);
    return connection(total, lines);
  },
};

function connection(total: bigint | null | undefined, rows: readonly object[]) {
  return { totalCount: Number(total), edges: rows.map((node) => ({ node })) };
}

const TRANSACTION_FIELDS = {
  createdAt: ({ createdAt }: TransactionRow) => isoMillis(createdAt),
  updatedAt: ({ updatedAt }: TransactionRow) => isoMillis(updatedAt),
  status: (row: TransactionRow) => labelOf(REGISTRY, row, 'status'),
  substatus: (row: TransactionRow) => labelOf(REGISTRY, row, 'substatus'),
  message: (row: TransactionRow) => labelOf(REGISTRY, row, 'message'),
  errorMessage: ({ errorEn, errorPt }: TransactionRow) =>
    errorEn || errorPt ? { en: errorEn, pt: errorPt } : null,
};

function attributeFields(attributes: (typeof REGISTRY.templates)[number]['attributes']) {
  return Object.fromEntries(
    attributes
      .filter(({ fact }) => fact !== 'template')
      .map((attribute) => {
        const read = attributeReader(attribute);
        const write = writerOf(KINDS[attribute.kind].graphql);
        const name = attribute.name.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
        return [name, (row: TransactionRow) => write(read(row) || null)];
      }),
  );
}

function writerOf(type: string): (text: string | null) => string | null {
  if (type === 'DateTime') return (text) => text && isoMillis(text);
  if (type === 'PixKeyType') return (text) => text?.toUpperCase() ?? null;
  return (text) => text;
}

const amountOf = (name: keyof ReturnType<typeof lineAmounts>) => (line: StatementEntry) =>
  lineAmounts(line, line.ledgerAccount.scale)[name];

/** Resolvers by type and field. */
export const resolvers = {
  Query,
  Transaction: {
    __resolveType: ({ template }: TransactionRow) =>
      REGISTRY.templates.find(({ name }) => name === template)?.typeName,
  },
  ...Object.fromEntries(
    REGISTRY.templates.map(({ typeName, attributes }) => [
      typeName,
      { ...TRANSACTION_FIELDS, ...attributeFields(attributes) },
    ]),
  ),
  LedgerLine: {
    number: ({ id }: StatementEntry) => String(id),
    date: ({ postedAt }: StatementEntry) => isoMillis(postedAt),
    debit: amountOf('debit'),
    credit: amountOf('credit'),
    previousBalance: amountOf('previousBalance'),
    balance: amountOf('balance'),
  },
  LedgerAccount: {
    number: ({ id }: StatementEntry['ledgerAccount']) => String(id),
    currency: ({ currency }: StatementEntry['ledgerAccount']) => ({ code: currency }),
    currencyPrettyName: ({ prettyName }: StatementEntry['ledgerAccount']) => prettyName,
  },
};
