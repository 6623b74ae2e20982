/** The frame of tables: caption, heads with scopes, figures to the right, rows with one link that covers them. */
import { type Attributes, attributes, type Html, type HtmlValue, html } from './html.ts';

/** A column. */
export interface Column<Row> {
  readonly name: HtmlValue;
  readonly cell: (row: Row) => HtmlValue;
  /** Whether it has figures, which are aligned below each other. */
  readonly isFigure?: boolean;
  /** Whether its cell names the row. */
  readonly isRowHead?: boolean;
  /** Whether the column has the actions of a row: on small screens it moves below the row. */
  readonly isActions?: boolean;
  /** Further classes, such as `cut`, `wide`. */
  readonly style?: string;
}

/** A table. */
export interface TableParts<Row> {
  readonly caption: HtmlValue;
  /** Whether only screen readers get the caption, because the page has the same text above. */
  readonly isCaptionUnseen?: boolean;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Whether a row is a block on small screens, as with actions: no figure is cut at the edge. */
  readonly isStacked?: boolean;
  /** Whether the first link of a row covers the whole row. */
  readonly isOfLinks?: boolean;
  readonly rowAttributes?: (row: Row) => Attributes;
  /** Lines under the columns, such as sums: for each line the content of each column. */
  readonly foot?: readonly (readonly HtmlValue[])[];
}

/** @returns the table. */
export function table<Row>(parts: TableParts<Row>): Html {
  const { rows, foot, rowAttributes } = parts;
  const isStacked = parts.isStacked || parts.columns.some(({ isActions }) => isActions === true);
  const columns = parts.columns.map((column) => dressed(column, isStacked));
  const classes = [parts.isOfLinks && 'rows', isStacked && 'acted'].filter(Boolean).join(' ');
  return html`<table${attributes({ class: classes || null })}>
<caption${attributes({ class: parts.isCaptionUnseen === true && 'unseen' })}>${parts.caption}</caption>
<thead><tr>${columns.map(({ column, attributes: classes }) => html`<th scope="col"${classes}>${column.name}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr${rowAttributes && attributes(rowAttributes(row))}>${columns.map((each) => cellOf(each, row))}</tr>`)}</tbody>
${foot && html`<tfoot>${foot.map((line) => html`<tr>${columns.map(({ attributes: classes }, at) => html`<td${classes}>${line[at]}</td>`)}</tr>`)}</tfoot>`}
</table>`;
}

/** @returns content that scrolls by itself when it is too wide; the keyboard can reach it. */
export function scrolled(label: string, content: Html): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">${content}</div>`;
}

/** A column with the attributes of its cells, which are computed once. */
interface Dressed<Row> {
  readonly column: Column<Row>;
  readonly attributes: Html;
  /** Label of each cell, for screens that hide the heads of the columns. */
  readonly named: Html | false;
}

function dressed<Row>(column: Column<Row>, isStacked: boolean): Dressed<Row> {
  const { name, isFigure, isActions, style } = column;
  const classes = [isFigure && 'num', isActions && 'acts', style].filter(Boolean).join(' ');
  const isNamed = isStacked && !isActions && typeof name === 'string';
  const named = isNamed && attributes({ 'data-name': name });
  return { column, attributes: attributes({ class: classes || null }), named };
}

function cellOf<Row>({ column, attributes: classes, named }: Dressed<Row>, row: Row): Html {
  const content = column.cell(row);
  return column.isRowHead
    ? html`<th scope="row"${classes}>${content}</th>`
    : html`<td${classes}${named}>${content}</td>`;
}
