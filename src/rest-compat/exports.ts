/** What `/export/…` takes: the filters of the lists under the names of `/v2`, and the format. */
import { parseDay } from '../base/instant.ts';
import { type Named, Violations } from '../base/violations.ts';
import { exportRecords } from '../resolvers/account/export-records.ts';
import { exportStatement, type StatementFormat } from '../resolvers/account/export-statement.ts';
import { exportTransactions, type TransactionFormat } from '../resolvers/account/export-transactions.ts';
import type { StatementFilterInput } from '../resolvers/ledger/read-statement.ts';
import type { Context } from '../resolvers/services/context.ts';
import { WAITS, type Wait } from '../resolvers/transactions/awaiting.ts';
import type { MergedFilterInput, NamedList } from '../resolvers/transactions/filter-transactions.ts';
import type { Registry } from '../templates/registry.ts';
import { STATUS_CODES } from '../templates/status.ts';
import type { CsvLanguage } from '../wire/csv.ts';
import { parseQuery, type Query, type QueryPolicy } from './input.ts';

/** An export that was asked for. */
export interface Export {
  /** @throws what the filters are refused with, before the first part. */
  readonly parts: (context: Context) => AsyncGenerator<string>;
  readonly contentType: string;
  /** Name of the file without the day. */
  readonly name: string;
  readonly extension: string;
}

interface Format<Name> {
  readonly format: Name;
  readonly language: CsvLanguage;
  readonly contentType: string;
  readonly extension: string;
}

const CSV = {
  format: 'csv',
  language: 'en',
  contentType: 'text/csv; charset=utf-8',
  extension: 'csv',
} as const;
const JSON_LINES = {
  format: 'jsonl',
  language: 'en',
  contentType: 'application/x-ndjson; charset=utf-8',
  extension: 'jsonl',
} as const;
const TRANSACTION_FORMATS = {
  csv: CSV,
  'csv-pt': { ...CSV, language: 'pt' },
  jsonl: JSON_LINES,
} as const satisfies Readonly<Record<string, Format<TransactionFormat>>>;
const STATEMENT_FORMATS = {
  ...TRANSACTION_FORMATS,
  ofx: { ...CSV, format: 'ofx', contentType: 'application/x-ofx; charset=utf-8', extension: 'ofx' },
  hledger: {
    ...CSV,
    format: 'hledger',
    contentType: 'text/plain; charset=utf-8',
    extension: 'journal',
  },
} as const satisfies Readonly<Record<string, Format<StatementFormat>>>;

const TEXTS = {
  pix_e2e: 'pixE2e',
  client_tax_id: 'clientTaxId',
  address: 'address',
  group_id: 'groupId',
  external_code: 'externalCode',
  target_currency: 'targetCurrency',
  date_from: 'dateFrom',
  date_to: 'dateTo',
  component: 'component',
  state: 'state',
  currency: 'currency',
  amount_min: 'amountMin',
  amount_max: 'amountMax',
  text: 'text',
} as const satisfies Readonly<Record<string, keyof MergedFilterInput>>;
const STATEMENT = {
  currency: 'currency',
  sub_account: 'subAccount',
  date_from: 'dateFrom',
  date_to: 'dateTo',
} as const satisfies Readonly<Record<string, keyof StatementFilterInput>>;
const LISTS = ['families', 'templates', 'status_codes', 'direction', 'awaiting_me', 'waits_for'] as const;

/** Paths of exports. */
export const EXPORT_PATHS = ['/export/transactions', '/export/statement', '/export/records'] as const;
/** One of EXPORT_PATHS. */
export type ExportPath = (typeof EXPORT_PATHS)[number];

/** @returns what is asked for. @throws {GatewayError} `INVALID_PARAMETER`, naming every bad value and every unknown parameter. */
export function readExport(registry: Registry, path: ExportPath, search: string, given: QueryPolicy): Export {
  const violations = new Violations();
  // A filter that is misspelt would make a file of everything that looks like a file of what was asked for.
  const policy = { ...given, strictQuery: true };
  if (path === '/export/statement') {
    const query = parseQuery(search, ['format', ...Object.keys(STATEMENT)], policy, violations);
    const { format, language, ...rest } = formatOf(STATEMENT_FORMATS, query, violations);
    violations.refuse();
    const input = textsOf<StatementFilterInput>(query, STATEMENT);
    const parts = (context: Context) => exportStatement(context, input, format, language);
    return { ...rest, parts, name: 'statement' };
  }
  if (path === '/export/records') {
    const query = parseQuery(search, ['format', 'month'], policy, violations);
    const { format, language, ...rest } = formatOf(TRANSACTION_FORMATS, query, violations);
    const given = query.get('month');
    const month = given && parseDay(`${given.value}-01`)?.slice(0, 7);
    if (month === undefined)
      violations.add({ parameter: 'month', message: 'is required: a month, YYYY-MM, such as 2026-11' });
    violations.refuse();
    const parts = (context: Context) => exportRecords(context, month ?? '', format, language);
    return { ...rest, parts, name: `records-${month}` };
  }
  const query = parseQuery(search, ['format', ...LISTS, ...Object.keys(TEXTS)], policy, violations);
  const { format, language, ...rest } = formatOf(TRANSACTION_FORMATS, query, violations);
  const input = {
    ...textsOf<MergedFilterInput>(query, TEXTS),
    families: listOf(
      query,
      'families',
      [...new Set(registry.templates.map(({ family }) => family))],
      violations,
    ),
    templates: listOf(
      query,
      'templates',
      registry.templates.map(({ name }) => name),
      violations,
    ),
    statusCodes: listOf(
      query,
      'status_codes',
      Object.keys(STATUS_CODES) as (keyof typeof STATUS_CODES)[],
      violations,
    ),
    direction: oneOf(query.get('direction'), ['in', 'out'] as const, violations),
    waitsFor: oneOf(query.get('waits_for'), Object.keys(WAITS) as Wait[], violations),
    awaitingMe: oneOf(query.get('awaiting_me'), ['true', 'false'] as const, violations) === 'true',
  };
  violations.refuse();
  const parts = (context: Context) => exportTransactions(context, input, format, language);
  return { ...rest, parts, name: 'transactions' };
}

function formatOf<Formats extends object>(
  formats: Formats,
  query: Query,
  violations: Violations,
): Formats[keyof Formats] {
  const names = Object.keys(formats) as (keyof Formats & string)[];
  const name = oneOf(query.get('format'), names, violations) ?? (names[0] as keyof Formats & string);
  return formats[name];
}

function textsOf<Input>(query: Query, names: Readonly<Record<string, keyof Input>>): Input {
  return Object.fromEntries(
    Object.entries(names).flatMap(([parameter, member]) => {
      const given = query.get(parameter);
      return given ? [[member, given]] : [];
    }),
  ) as Input;
}

function oneOf<Value extends string>(
  given: Named | undefined,
  accepted: readonly Value[],
  violations: Violations,
): Value | undefined {
  if (!given) return undefined;
  const found = accepted.find((each) => each === given.value);
  return found ?? violations.add({ parameter: given.name, message: `must be one of ${accepted.join(', ')}` });
}

function listOf<Value extends string>(
  query: Query,
  name: string,
  accepted: readonly Value[],
  violations: Violations,
): NamedList<Value> | undefined {
  const given = query.get(name);
  if (!given) return undefined;
  const values = given.value.split(',').map((value) => accepted.find((each) => each === value));
  const known = values.filter((value) => value !== undefined);
  if (known.length === values.length) return { name, values: known };
  return violations.add({
    parameter: name,
    message: `must be one or more of ${accepted.join(', ')}, separated by commas`,
  });
}
