/** Status of the rails, as a table. */
import type { Html } from '../../ui/html.ts';
import { badge } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import type { ScreenContext } from '../context.ts';
import type { HealthFragment } from '../generated/graphql.ts';
import { timeSpan } from './changes.ts';
import { ago } from './figures.ts';
import { count } from './lists.ts';

/** @returns one row for each rail; failures are marked. */
export function railTable(context: ScreenContext, rows: readonly HealthFragment[]): Html {
  const { translate, language } = context;
  const shown = (value: number) => count(value, language);
  const columns: readonly Column<HealthFragment>[] = [
    { name: translate('rail'), isRowHead: true, cell: ({ rail }) => translate(rail) },
    {
      name: translate('lastRailEvent'),
      style: 'wide',
      cell: ({ lastEventAt }) => lastEventAt && ago(lastEventAt, language),
    },
    {
      name: translate('unsettledEvents'),
      style: 'wide',
      isFigure: true,
      cell: ({ unsettledEvents }) => shown(unsettledEvents),
    },
    { name: translate('pendingOrders'), isFigure: true, cell: ({ pendingOrders }) => shown(pendingOrders) },
    {
      name: translate('failingOrders'),
      isFigure: true,
      cell: ({ failingOrders }) => (failingOrders > 0 ? badge('bad', shown(failingOrders)) : shown(0)),
    },
    {
      name: translate('lastDayDone'),
      isFigure: true,
      style: 'wide',
      cell: ({ lastDay }) => (lastDay ? shown(lastDay.done) : '–'),
    },
    {
      name: translate('lastDayFailed'),
      isFigure: true,
      style: 'wide',
      cell: ({ lastDay }) =>
        lastDay ? (lastDay.failed > 0 ? badge('bad', shown(lastDay.failed)) : shown(0)) : '–',
    },
    {
      name: translate('lastDayTime'),
      isFigure: true,
      style: 'wide',
      cell: ({ lastDay }) =>
        lastDay?.medianMs != null &&
        `${timeSpan(context, lastDay.medianMs)} / ${timeSpan(context, lastDay.p95Ms)}`,
    },
  ];
  const caption = translate('railHealth');
  return scrolled(
    translate('tableOf', { name: caption }),
    table({ caption, isCaptionUnseen: true, rows, columns }),
  );
}
