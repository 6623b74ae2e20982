/** Holdings of the house, and the trades to its targets, as a table; null without an inventory. */
import { type Html, html } from '../../ui/html.ts';
import { badge } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import type { ScreenContext } from '../context.ts';
import type { PositionFragment as Position } from '../generated/graphql.ts';
import { decimal, inBrl } from './figures.ts';
import { section } from './lists.ts';

/** @returns a row for each currency; amounts beyond their limit are marked. */
export function positionList(context: ScreenContext, rows: readonly Position[]): Html | null {
  if (rows.length === 0) return null;
  const { translate, language } = context;
  const shown = ({ currency }: Position, amount: string | null | undefined) =>
    amount && decimal(amount, currency.decimals, language);
  const columns: readonly Column<Position>[] = [
    { name: translate('currency'), isRowHead: true, cell: ({ currency }) => currency.displayName },
    { name: translate('owned'), isFigure: true, cell: (row) => shown(row, row.owned) },
    {
      name: translate('targetPosition'),
      isFigure: true,
      style: 'wide',
      cell: (row) => shown(row, row.target),
    },
    {
      name: translate('exposureLimit'),
      isFigure: true,
      style: 'wider',
      cell: (row) => html`−${shown(row, row.short)} … ${shown(row, row.long)}`,
    },
    { name: translate('toBuy'), isFigure: true, cell: (row) => shown(row, row.buy) },
    { name: translate('toSell'), isFigure: true, cell: (row) => shown(row, row.sell) },
    {
      name: translate('worth'),
      isFigure: true,
      style: 'wide',
      cell: ({ worth }) => worth && inBrl(worth, language),
    },
    {
      name: translate('status'),
      cell: ({ isWithin }) =>
        isWithin ? badge('good', translate('withinLimits')) : badge('bad', translate('beyondLimits')),
    },
  ];
  const caption = translate('positions');
  const list = table({ caption, isCaptionUnseen: true, rows, columns });
  return section('positions', caption, scrolled(translate('tableOf', { name: caption }), list));
}
