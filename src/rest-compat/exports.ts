/** Parameters of `/export/…`: the filters of the lists under the names of `/v2`, and the format. */

import { type Named, Violations } from '../base/errors/violations.ts';
import { parseDay } from '../base/time/instant.ts';
import { PERIODS, type Period } from '../base/time/period.ts';
import { BRASILIA, ZONES, type Zone } from '../base/time/zone.ts';
import { exportBooks } from '../resolvers/exports/export-books.ts';
import { exportRecords } from '../resolvers/exports/export-records.ts';
import { exportStatement, type StatementFormat } from '../resolvers/exports/export-statement.ts';
import { exportTransactions, type TransactionFormat } from '../resolvers/exports/export-transactions.ts';
import type { PeriodInput } from '../resolvers/ledger/read-books.ts';
import type { StatementFilterInput } from '../resolvers/ledger/read-statement.ts';
import type { Context } from '../resolvers/services/context.ts';
import { WAITS } from '../resolvers/transactions/awaiting.ts';
import { LISTED, type MergedFilterInput, type NamedList } from '../resolvers/transactions/filter-input.ts';
import { FILTERS, type FilterKind, type FilterName } from '../store/engine/transaction-filters.ts';
import type { Registry } from '../templates/registry.ts';
import { STATUS_CODES } from '../templates/status.ts';
import type { CsvLanguage } from '../wire/csv.ts';
import { exportOfPeriod, readPeriod } from './export-period.ts';
import { parseQuery, type Query, type QueryPolicy } from './input.ts';

/** A requested export. */
export interface Export {
  /** @throws the refusal of the filters, before the first part. */
  readonly parts: (context: Context) => AsyncGenerator<string>;
  readonly contentType: string;
  /** Name of the file without the day. */
  readonly name: string;
  readonly extension: string;
}

interface Format<Name> {
  readonly format: Name;
  readonly language: CsvLanguage;
  /** Zone of days and times, if the caller names none. */
  readonly zone: Zone;
  readonly contentType: string;
  readonly extension: string;
}

const CSV = {
  format: 'csv',
  language: 'en',
  zone: 'UTC',
  contentType: 'text/csv; charset=utf-8',
  extension: 'csv',
} as const;
const JSON_LINES = {
  format: 'jsonl',
  language: 'en',
  zone: 'UTC',
  contentType: 'application/x-ndjson; charset=utf-8',
  extension: 'jsonl',
} as const;
const TRANSACTION_FORMATS = {
  csv: CSV,
  'csv-pt': { ...CSV, language: 'pt', zone: BRASILIA },
  jsonl: JSON_LINES,
} as const satisfies Readonly<Record<string, Format<TransactionFormat>>>;
const STATEMENT_FORMATS = {
  ...TRANSACTION_FORMATS,
  ofx: {
    ...CSV,
    format: 'ofx',
    zone: BRASILIA,
    contentType: 'application/x-ofx; charset=utf-8',
    extension: 'ofx',
  },
  hledger: {
    ...CSV,
    format: 'hledger',
    zone: BRASILIA,
    contentType: 'text/plain; charset=utf-8',
    extension: 'journal',
  },
} as const satisfies Readonly<Record<string, Format<StatementFormat>>>;

const STATEMENT = {
  currency: 'currency',
  sub_account: 'subAccount',
  date_from: 'dateFrom',
  date_to: 'dateTo',
} as const satisfies Readonly<Record<string, keyof StatementFilterInput>>;
const FORM = ['format', 'zone', 'period'] as const;
const RECORD_FORM = ['format', 'zone', 'month'] as const;
/** Days of the books are always those of Brasília. */
const BOOKS = {
  date_from: 'from',
  date_to: 'to',
  account: 'account',
} as const satisfies Readonly<Record<string, keyof PeriodInput>>;
const BOOK_FORMATS = {
  csv: TRANSACTION_FORMATS.csv,
  'csv-pt': TRANSACTION_FORMATS['csv-pt'],
} as const;

/** Paths of exports. */
export const EXPORT_PATHS = [
  '/export/transactions',
  '/export/statement',
  '/export/records',
  '/export/books',
] as const;
/** A member of EXPORT_PATHS. */
export type ExportPath = (typeof EXPORT_PATHS)[number];

/**
 * @returns the request.
 * @throws {GatewayError} `INVALID_PARAMETER`, naming every bad value and every unknown parameter.
 */
export function readExport(
  registry: Registry,
  path: ExportPath,
  search: string,
  supplied: QueryPolicy,
): Export {
  const violations = new Violations();
  // A misspelt filter would export everything, in a file that looks like the requested one.
  const policy = { ...supplied, strictQuery: true };
  if (path === '/export/statement') {
    const query = parseQuery(search, [...FORM, ...Object.keys(STATEMENT)], policy, violations);
    const { format, language, zone, ...rest } = formatOf(STATEMENT_FORMATS, query, violations);
    const period = periodOf(query, violations);
    violations.refuse();
    const input = textsOf<StatementFilterInput>(query, STATEMENT);
    const parts = (context: Context) =>
      exportOfPeriod(context, { period, zone }, (days) =>
        exportStatement(context, within(input, days), { format, language, zone }),
      );
    return { ...rest, parts, name: 'statement' };
  }
  if (path === '/export/records') {
    const query = parseQuery(search, RECORD_FORM, policy, violations);
    const { format, language, zone: _zone, ...rest } = formatOf(TRANSACTION_FORMATS, query, violations);
    // Authorities count in their own days, in every format.
    const zone = zoneOf(query, violations) ?? BRASILIA;
    const supplied = query.get('month');
    const month = supplied && parseDay(`${supplied.value}-01`)?.slice(0, 7);
    if (month === undefined)
      violations.add({ parameter: 'month', message: 'is required: a month, YYYY-MM, such as 2026-11' });
    violations.refuse();
    const parts = (context: Context) =>
      exportRecords(context, { month: month ?? '', format, language, zone });
    return { ...rest, parts, name: `records-${month}` };
  }
  if (path === '/export/books') {
    const query = parseQuery(search, ['format', 'period', ...Object.keys(BOOKS)], policy, violations);
    const { language, ...rest } = formatOf(BOOK_FORMATS, query, violations);
    const period = periodOf(query, violations);
    violations.refuse();
    const input = textsOf<PeriodInput>(query, BOOKS);
    const parts = (context: Context) =>
      exportOfPeriod(context, { period, zone: BRASILIA }, (days) =>
        exportBooks(context, { ...input, ...days }, language),
      );
    return { ...rest, parts, name: 'books' };
  }
  const query = parseQuery(
    search,
    [...FORM, ...FILTERS.map(([, filter]) => filter.export)],
    policy,
    violations,
  );
  const { format, language, zone, ...rest } = formatOf(TRANSACTION_FORMATS, query, violations);
  const input = filtersOf(registry, query, violations);
  const period = periodOf(query, violations);
  violations.refuse();
  const parts = (context: Context) =>
    exportOfPeriod(context, { period, zone }, (days) =>
      exportTransactions(context, within(input, days), { format, language, zone }),
    );
  return { ...rest, parts, name: 'transactions' };
}

function periodOf(query: Query, violations: Violations): Period | undefined {
  return readPeriod(query, (supplied) => oneOf(supplied, PERIODS, violations), violations);
}

/** @returns the filters, with the days of a period if there is one. */
function within<Input extends { readonly dateFrom?: Named | undefined; readonly dateTo?: Named | undefined }>(
  input: Input,
  days: { readonly from: Named; readonly to: Named } | undefined,
): Input {
  return days ? { ...input, dateFrom: days.from, dateTo: days.to } : input;
}

/** @returns the filters of a query; bad values are collected in `violations`. */
function filtersOf(registry: Registry, query: Query, violations: Violations): MergedFilterInput {
  const accepted: { readonly [Kind in FilterKind]?: readonly string[] } = {
    families: [...new Set(registry.templates.map(({ family }) => family))],
    templates: registry.templates.map(({ name }) => name),
    statuses: Object.keys(STATUS_CODES),
    direction: ['in', 'out'],
    wait: Object.keys(WAITS),
    flag: ['true', 'false'],
  };
  const isListed = (kind: FilterKind) => LISTED.some((each) => each === kind);
  const found = FILTERS.flatMap(([name, filter]): (readonly [FilterName, unknown])[] => {
    const supplied = query.get(filter.export);
    const values = accepted[filter.kind];
    if (!supplied) return [];
    if (!values) return [[name, supplied]];
    if (isListed(filter.kind)) return [[name, listOf(supplied, values, violations)]];
    const value = oneOf(supplied, values, violations);
    return [[name, filter.kind === 'flag' ? value === 'true' : value]];
  });
  // The kind of each filter defines the type of its value.
  return Object.fromEntries(found) as MergedFilterInput;
}

/** @returns the format, with the zone of the caller if there is one. */
function formatOf<Name, Formats extends Readonly<Record<string, Format<Name>>>>(
  formats: Formats,
  query: Query,
  violations: Violations,
): Omit<Formats[keyof Formats], 'zone'> & { readonly zone: Zone } {
  const names = Object.keys(formats) as (keyof Formats & string)[];
  const name = oneOf(query.get('format'), names, violations) ?? (names[0] as keyof Formats & string);
  const format = formats[name] as Formats[keyof Formats];
  return { ...format, zone: zoneOf(query, violations) ?? format.zone };
}

function zoneOf(query: Query, violations: Violations): Zone | undefined {
  return oneOf(query.get('zone'), ZONES, violations);
}

function textsOf<Input>(query: Query, names: Readonly<Record<string, keyof Input>>): Input {
  return Object.fromEntries(
    Object.entries(names).flatMap(([parameter, member]) => {
      const supplied = query.get(parameter);
      return supplied ? [[member, supplied]] : [];
    }),
  ) as Input;
}

function oneOf<Value extends string>(
  supplied: Named | undefined,
  accepted: readonly Value[],
  violations: Violations,
): Value | undefined {
  if (!supplied) return undefined;
  const found = accepted.find((each) => each === supplied.value);
  return (
    found ?? violations.add({ parameter: supplied.name, message: `must be one of ${accepted.join(', ')}` })
  );
}

function listOf(
  { name, value }: Named,
  accepted: readonly string[],
  violations: Violations,
): NamedList<string> | undefined {
  const values = value.split(',');
  if (values.every((each) => accepted.includes(each))) return { name, values };
  return violations.add({
    parameter: name,
    message: `must be one or more of ${accepted.join(', ')}, separated by commas`,
  });
}
