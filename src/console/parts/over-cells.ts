/** A figure of the house in each cell, and the sums; shown if the installation has several cells. */
import { type Html, type HtmlValue, html } from '../../ui/html.ts';
import { empty, note } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import type { ScreenContext } from '../context.ts';
import type { OverCellsFragment } from '../generated/graphql.ts';
import { translateName, type Word } from '../words.ts';
import { decimal } from './figures.ts';
import { section } from './lists.ts';

interface Row {
  readonly cell: string;
  readonly names: readonly string[];
  readonly values: readonly (string | null)[];
}

/** @returns whether there are several cells; also the variable of documents that request all of them. */
export function hasCells({ session }: Pick<ScreenContext, 'session'>): boolean {
  return session.cells.length > 1;
}

/**
 * @param word - caption of the figure. @returns its section, with a line for each cell that does not answer; nothing
 * for a single cell.
 */
export function cellSection(
  context: ScreenContext,
  word: Word,
  figures: OverCellsFragment | undefined,
): Html | false {
  if (!figures) return false;
  const { translate } = context;
  const caption = `${translate(word)}: ${translate('byCell')}`;
  const missing = figures.cells.filter(({ rows }) => rows === null);
  const rows = figures.cells.flatMap(({ cell, rows: own }) =>
    (own ?? []).map((row): Row => ({ cell, ...row })),
  );
  const cells = missing.map(({ cell }) => cell).join(', ');
  const sum = missing.length > 0 ? translate('sumWithout', { cells }) : translate('allCells');
  const lines = figures.sum.map((row) => ({ cell: sum, ...row }));
  const columns = columnsOf(context, figures);
  const foot = lines.map((line) => columns.map(({ cell }): HtmlValue => cell(line)));
  const shown = table({ caption, isCaptionUnseen: true, rows, columns, foot });
  const content =
    rows.length > 0
      ? scrolled(translate('tableOf', { name: caption }), shown)
      : empty('receipt', translate('emptyCells'));
  return section(
    `cells-${word}`,
    caption,
    html`${missing.map((each) => missingNote(context, each))}${content}`,
  );
}

function missingNote(
  { translate }: ScreenContext,
  { cell, failure }: OverCellsFragment['cells'][number],
): Html {
  return note('failed', html`<b>${translate('cellMissing', { cell })}</b> ${failure}`, true);
}

function columnsOf(context: ScreenContext, { names, values }: OverCellsFragment): readonly Column<Row>[] {
  const { translate, language } = context;
  return [
    { name: translate('cell'), isRowHead: true, cell: ({ cell }) => cell },
    ...names.map(
      (name, n): Column<Row> => ({
        name: translateName(translate, COLUMNS[name] ?? name),
        cell: (row) => nameText(context, name, row.names[n] ?? ''),
      }),
    ),
    ...values.map(
      (name, n): Column<Row> => ({
        name: translateName(translate, COLUMNS[name] ?? name),
        isFigure: true,
        cell: (row) => {
          const value = row.values[n] ?? null;
          return value === null ? translate('notValued') : decimal(value, 0, language);
        },
      }),
    ),
  ];
}

/** Words of columns that have other names here. */
const COLUMNS: Readonly<Record<string, Word>> = { account: 'ledgerAccount', brl: 'inBrl', kind: 'caseKind' };

function nameText({ translate }: ScreenContext, name: string, text: string): string {
  if (name === 'account')
    return translateName(translate, `book_${text === 'account holders' ? 'holders' : text}`);
  if (name === 'kind') return translateName(translate, `review_${text.toUpperCase()}`);
  return translateName(translate, text === 'pix' ? 'PIX' : text);
}
