/** Files of a list's records: links to `/export` with the same filters. */
import { snakeCase } from '../../base/text/snake-case.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import type { ScreenContext } from '../context.ts';
import type { Word } from '../words.ts';

/** Formats with the labels of their links, in the order of the menu. */
const FORMATS = {
  'csv-pt': 'format_csvPt',
  ofx: 'format_ofx',
  csv: 'format_csv',
  jsonl: 'format_jsonl',
  hledger: 'format_hledger',
} as const satisfies Readonly<Record<string, Word>>;

/** Export formats of each list. */
const LISTS = {
  transactions: ['csv-pt', 'csv', 'jsonl'],
  statement: ['csv-pt', 'ofx', 'csv', 'jsonl', 'hledger'],
  books: ['csv-pt', 'csv'],
} as const satisfies Readonly<Record<string, readonly (keyof typeof FORMATS)[]>>;

/** Filters whose names or values in exports differ from those in the address of a screen. */
const NAMES: Readonly<Record<string, string>> = { status: 'status_codes', family: 'families' };
const LOWER = ['family', 'direction', 'waitsFor'];

/** @returns the menu; `filters` are those of the screen, under their names in its address. */
export function exportMenu(
  { translate }: ScreenContext,
  list: keyof typeof LISTS,
  filters: Readonly<Record<string, string | null | undefined>>,
): Html {
  const fields = Object.entries(filters).flatMap(([name, value]) =>
    value ? [[NAMES[name] ?? snakeCase(name), fieldValue(name, value)] as const] : [],
  );
  const links = LISTS[list].map((format) => {
    const search = new URLSearchParams({ format, ...Object.fromEntries(fields) });
    return html`<a class="btn" href="/export/${list}?${search.toString()}" download>${translate(FORMATS[format])}</a>`;
  });
  return html`<button class="btn" type="button" popovertarget="export">${icon('save')} ${translate('export')}</button><div id="export" class="menu" popover>${links}<a class="btn" href="/docs/exports#links">${translate('exportLinks')}</a></div>`;
}

function fieldValue(name: string, value: string): string {
  if (name === 'awaitingMe') return 'true';
  return LOWER.includes(name) ? value.toLowerCase() : value;
}
