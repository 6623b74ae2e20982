/** Writes the table of docs/exports.md: every filter of transactions with its names on each edge. */
import { readFileSync, writeFileSync } from 'node:fs';
import { WAITS } from '../src/resolvers/transactions/awaiting.ts';
import { FILTERS, type FilterKind, type TransactionFilter } from '../src/store/engine/transaction-filters.ts';

/** The document of the table. */
const DOCUMENT = new URL('../docs/exports.md', import.meta.url);
const FILTERS_SECTION = /(<!-- filters, written by npm run filters -->\n)[\s\S]*?(<!-- end of filters -->)/;
const HEAD =
  '| Parameter | Accepted | Selects | GraphQL | Lists of `/v2` | Found by |\n|---|---|---|---|---|---|\n';
const ACCEPTED: Readonly<Record<FilterKind, string>> = {
  text: 'a text',
  currency: 'a currency, in any spelling (C-6)',
  day: '`YYYY-MM-DD` in `zone`; UTC in `/v2`',
  step: 'a name of the [catalogue](catalogue.md)',
  amount: 'a decimal number',
  families: 'one or more, separated by commas: `onramps,offramps`',
  templates: 'one or more names, separated by commas',
  statuses: 'one or more, separated by commas: `SUCCESS,FAILED`',
  direction: '`in`, `out`',
  wait: Object.keys(WAITS)
    .map((name) => `\`${name}\``)
    .join(', '),
  flag: '`true`, `false`',
};
const FOUND_BY: Readonly<Record<TransactionFilter['reads'], string>> = {
  places: 'place',
  few: 'index',
  many: 'index',
  scan: 'scan',
};

/** @returns the document with the table as the filters are declared. */
export function withFilters(document: string): string {
  const rows = FILTERS.map(([name, { export: parameter, kind, doc, parameters = [], reads }]) => {
    const lists = parameters.map((each) => `\`${each.name}\` (${each.families.join(', ')})`).join(', ');
    const path = kind === 'families' ? name : `filter.${name}`;
    return `| \`${parameter}\` | ${ACCEPTED[kind]} | ${kind === 'day' ? doc.replace(' in `zone`,', '') : doc} | \`${path}\` | ${lists || '–'} | ${FOUND_BY[reads]} |\n`;
  });
  return document.replace(
    FILTERS_SECTION,
    (_all, begin: string, end: string) => begin + HEAD + rows.join('') + end,
  );
}

if (process.argv.includes('--write')) writeFileSync(DOCUMENT, withFilters(readFileSync(DOCUMENT, 'utf8')));
