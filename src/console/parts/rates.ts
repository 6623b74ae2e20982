/** Checks of rails and sources of prices, as tables; null when no rails are configured. */
import { type Html, html } from '../../ui/html.ts';
import { badge } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import type { ScreenContext } from '../context.ts';
import type { RailsQuery } from '../generated/graphql.ts';
import { checkText } from '../words/checks.ts';
import { decimal, listTime } from './figures.ts';
import { section } from './lists.ts';

type Check = RailsQuery['railHealth'][number]['checks'][number];
type OperationCheck = RailsQuery['operationChecks'][number];
type Rate = RailsQuery['rateFeeds'][number];

const TONES = { IN: 'good', STALE: 'warn', OFF: 'bad', NONE: 'bad' } as const;
const NONE = html``;

function checkColumns<Row extends OperationCheck & Partial<Check>>({
  translate,
  language,
}: ScreenContext): readonly Column<Row>[] {
  const textOf = ({ check, part }: Row) => checkText(check, language, part);
  // The finding is that of `crossramp doctor`, in English; the advice is in the language of the page.
  const found = (row: Row) =>
    html`${!row.ok && textOf(row) && html`<p>${textOf(row)?.advice}</p>`}<small class="soft" lang="en">${row.detail}</small>`;
  return [
    { name: translate('check'), cell: (row) => textOf(row)?.title ?? row.check },
    {
      name: translate('status'),
      cell: ({ ok }) => (ok ? badge('good', translate('check_ok')) : badge('bad', translate('check_bad'))),
    },
    { name: translate('found'), cell: found },
  ];
}

/** @returns every check, in the order of the rails. */
export function checksSection(context: ScreenContext, rows: readonly Check[]): Html {
  const { translate } = context;
  const columns: readonly Column<Check>[] = [
    { name: translate('rail'), isRowHead: true, cell: ({ part }) => part },
    ...checkColumns<Check>(context),
  ];
  return rows.length === 0 ? NONE : listed(context, 'checks', translate('railChecks'), { rows, columns });
}

/** @returns the checks of operation, as `doctor` makes them. */
export function operationSection(context: ScreenContext, rows: readonly OperationCheck[]): Html {
  return listed(context, 'operation', context.translate('operationChecks'), {
    rows,
    columns: checkColumns<OperationCheck>(context),
  });
}

/** @returns each asset with its rate, and below it each of its feeds. */
export function ratesSection(context: ScreenContext, rates: readonly Rate[]): Html {
  const { translate, language } = context;
  type Row = Rate['feeds'][number] & { readonly rate: Rate };
  const shown = (price: string | null | undefined) => price && decimal(price, 2, language);
  const columns: readonly Column<Row>[] = [
    { name: translate('asset'), isRowHead: true, cell: ({ rate }) => rate.asset },
    { name: translate('feed'), cell: ({ feed }) => feed },
    { name: translate('price'), isFigure: true, cell: ({ price }) => shown(price) },
    {
      name: translate('observed'),
      style: 'wide',
      cell: ({ observedAt }) => observedAt && listTime(observedAt, language, 'second'),
    },
    {
      name: translate('status'),
      cell: ({ state, why }) => html`${badge(TONES[state], translate(`feed_${state}`))} ${why ?? ''}`,
    },
  ];
  const rows = rates.flatMap((rate) => rate.feeds.map((feed) => ({ ...feed, rate })));
  if (rows.length === 0) return NONE;
  const sums = rates.map(
    (rate) =>
      html`<li>${rate.asset} <b class="num">${shown(rate.mid)}</b> ${badge(rate.mid ? 'good' : 'bad', translate(`rate_${rate.state}`))}</li>`,
  );
  const head = html`<ul class="in-x stack tight">${sums}</ul>`;
  return listed(context, 'rates', translate('rateFeeds'), { rows, columns }, head);
}

function listed<Row>(
  { translate }: ScreenContext,
  id: string,
  caption: string,
  parts: { readonly rows: readonly Row[]; readonly columns: readonly Column<Row>[] },
  head: Html = NONE,
): Html {
  const content = scrolled(
    translate('tableOf', { name: caption }),
    table({ caption, isCaptionUnseen: true, ...parts }),
  );
  return section(id, caption, html`${head}${content}`);
}
