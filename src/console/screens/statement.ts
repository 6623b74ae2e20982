/** The statement: lines of a period with running balances, the balances at both ends, and a form for paper. */
import { GatewayError } from '../../base/errors/errors.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { timeText } from '../../ui/moments.ts';
import { empty, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { pathTo, type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { StatementQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { exportMenu } from '../parts/exports.ts';
import { figure, wholeMoment } from '../parts/figures.ts';
import { field, queryForm } from '../parts/form.ts';
import {
  chips,
  chosen,
  count,
  NO_PAGE,
  PAGE_NAMES,
  pageOf,
  pager,
  pageVariables,
  section,
} from '../parts/lists.ts';
import { whoOf } from '../parts/transaction-table.ts';
import { viewMenu } from '../parts/views.ts';
import { sayNamed } from '../words.ts';

const SUB_ACCOUNTS = ['available', 'in_transit', 'to_receive', 'blocked'] as const;
const FILTERS = ['currency', 'subAccount', 'dateFrom', 'dateTo'] as const;
/** More than a page of paper: a print should be whole. */
const LINES = 50;
const DAY_MS = 86_400_000;

/** The screen. */
export const STATEMENT = screenOf<StatementQuery>({
  path: '/statement',
  operation: operationNamed('Statement'),
  variables: (context) => {
    const { dateFrom, dateTo } = filterOf(context);
    return {
      filter: filterOf(context),
      ...pageVariables(context, LINES),
      // A period is opened by the balance at its first moment; an open end is now.
      openingAt: dateFrom === undefined ? new Date(0).toISOString() : dayStart(dateFrom, 0),
      ...(dateTo !== undefined && { closingAt: dayStart(dateTo, 1) }),
    };
  },
  view: (data, context) => {
    const { say } = context;
    const { nodes, totalCount, pageInfo } = data.statement;
    const paper = say('onPaper', {
      account: data.viewer.account.name,
      person: data.viewer.person?.name ?? '',
    });
    const rows =
      nodes.length > 0
        ? html`<div data-whole>${lines(context, nodes)}</div><p class="on-paper" data-cut hidden>${say('paperCut')}</p>`
        : empty('receipt', say('noLines'));
    const main = html`<div class="top"><h1>${say('statement')}</h1><p class="on-paper">${paper}, ${timeText(Date.parse(data.viewer.account.now), context.language, 'full')}</p><div class="row push no-print">${exportMenu(context, 'statement', filterOf(context))}<button class="btn" type="button" data-print hidden>${say('print')}</button></div></div>
${filterRow(context, data)}
${section('ends', say('openingClosing'), ends(context, data))}
${section('lines', say('statement'), pageOf(context, nodes.length, totalCount, rows), count(totalCount, context.language), 'rows')}
<div class="row no-print">${pager(context, pageInfo, nodes.length, totalCount, LINES)}</div>`;
    return { title: say('statement'), main };
  },
});

type Filter = { readonly [Name in (typeof FILTERS)[number]]?: string };

function filterOf(context: ScreenContext): Filter {
  const filter = Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = context.query.get(name)?.trim();
      return value ? [[name, value]] : [];
    }),
  ) as Filter;
  const subAccount = chosen(context, 'subAccount', SUB_ACCOUNTS);
  return { ...filter, ...(subAccount && { subAccount }) };
}

function dayStart(day: string, later: number): string {
  const start = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(start))
    throw new GatewayError('INVALID_PARAMETER', 'dateFrom, dateTo: must be days, such as 2026-11-22');
  return new Date(start + later * DAY_MS).toISOString();
}

function filterRow(context: ScreenContext, { viewer, closing }: StatementQuery): Html {
  const { say } = context;
  const filter = filterOf(context);
  const labels = {
    currency: say('currency'),
    subAccount: say('subAccount'),
    dateFrom: `${say('from')} (UTC)`,
    dateTo: `${say('to')} (UTC)`,
  };
  const given = FILTERS.flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [{ name, label: labels[name], value: sayNamed(say, value) }];
  });
  const options = [['', say('all')], ...SUB_ACCOUNTS.map((each) => [each, say(each)])] as const;
  const fields = FILTERS.map((name) =>
    field(context, 'filter', {
      name,
      label: labels[name],
      value: filter[name] ?? null,
      type: name.startsWith('date') ? 'date' : 'text',
      ...(name === 'subAccount' && { options: options as readonly (readonly [string, string])[] }),
    }),
  );
  const dropped = [...FILTERS, ...PAGE_NAMES, 'done'];
  return html`<div class="row">${links(context, closing)}<div class="row" role="group" aria-label="${say('filters')}">${chips(context, given)}<button class="btn pill quiet no-print" type="button" popovertarget="filter" data-key="f">${icon('plus')} ${say('filter')}</button>
<div id="filter" class="menu sheet" popover>${queryForm(context, html`${fields}`, say('apply'), dropped)}</div>
${given.length > 0 && html`<a class="btn pill quiet no-print" href="${sameWith(context, Object.fromEntries(dropped.map((name) => [name, null])))}">${say('clear')}</a>`}${viewMenu(context, viewer)}</div></div>`;
}

/** The parts of the balance, and the currencies where there are several, each in one step. */
function links(context: ScreenContext, balances: readonly Balance[]): Html {
  const { say } = context;
  const now = filterOf(context);
  const parts = [null, ...SUB_ACCOUNTS].map((each) => ({
    href: sameWith(context, { ...NO_PAGE, subAccount: each }),
    word: say(each ?? 'all'),
    isCurrent: (now.subAccount ?? null) === each,
  }));
  const currencies = [null, ...balances.map(({ currency }) => currency)].map((each) => ({
    href: sameWith(context, { ...NO_PAGE, currency: each?.code ?? null }),
    word: each?.displayName ?? say('all'),
    isCurrent: (now.currency?.toUpperCase() ?? null) === (each?.code ?? null),
  }));
  return html`<div class="row no-print">${balances.length > 1 && segments(say('currency'), currencies)}${segments(say('subAccount'), parts)}</div>`;
}

const MEMBERS = {
  available: 'available',
  in_transit: 'inTransit',
  to_receive: 'toReceive',
  blocked: 'blocked',
} as const;

type Balance = StatementQuery['closing'][number];
type Part = (typeof SUB_ACCOUNTS)[number];

/** The balances at both ends of the period, of what the filter leaves. */
function ends(context: ScreenContext, { opening, closing }: StatementQuery): Html {
  const { say, language } = context;
  const { currency: code, subAccount } = filterOf(context);
  const rows = closing
    .filter(({ currency }) => !code || currency.code === code.toUpperCase())
    .flatMap((end) =>
      SUB_ACCOUNTS.filter((each) => !subAccount || each === subAccount).map((part) => ({ end, part })),
    );
  if (rows.length === 0) return empty('receipt', say('noBalances'));
  const startOf = ({ currency }: Balance) => opening.find((each) => each.currency.code === currency.code);
  const amount = (balance: Balance | undefined, part: Part) => balance?.[MEMBERS[part]] ?? '0';
  const columns: readonly Column<{ readonly end: Balance; readonly part: Part }>[] = [
    { name: say('currency'), isRowHead: true, cell: ({ end }) => end.currency.displayName },
    { name: say('subAccount'), cell: ({ part }) => say(part) },
    {
      name: say('opening'),
      isFigure: true,
      cell: ({ end, part }) => figure(amount(startOf(end), part), end.currency, language),
    },
    {
      name: say('closing'),
      isFigure: true,
      cell: ({ end, part }) => figure(amount(end, part), end.currency, language),
    },
  ];
  const caption = say('openingClosing');
  return scrolled(
    say('tableOf', { name: caption }),
    table({ caption, isCaptionUnseen: true, rows, columns }),
  );
}

type Line = StatementQuery['statement']['nodes'][number];

/** A line with what stands in several of its cells, of which a large screen, a phone and paper show some each: written once. */
interface WrittenLine {
  readonly line: Line;
  readonly when: Html;
  readonly who: string | null;
  readonly part: string;
  readonly amount: Html;
  readonly after: Html;
}

function writtenLine({ say, language }: ScreenContext, line: Line): WrittenLine {
  const { date, debit, credit, balance, ledgerAccount, transaction } = line;
  const { currency } = ledgerAccount;
  return {
    line,
    when: wholeMoment(date, language),
    who: transaction && whoOf(transaction),
    part: say(ledgerAccount.subAccount),
    amount: figure(/[1-9]/.test(debit) ? `-${debit}` : credit, currency, language),
    after: figure(balance, currency, language),
  };
}

function lines(context: ScreenContext, nodes: readonly Line[]): Html {
  const { say } = context;
  const what = ({ line, when, who }: WrittenLine) => {
    const also = html`<small class="narrow">${when}${who && html` · ${who}`}</small>`;
    if (!line.transaction) return html`${say('adjustment')}${also}`;
    const { __typename, externalCode, end2end } = line.transaction;
    return html`<a href="${pathTo(`/transactions/${end2end}`)}">${sayNamed(say, __typename)} ${externalCode}</a>${also}`;
  };
  const nameOf = ({ line }: WrittenLine) => line.ledgerAccount.currency.displayName;
  const both = (line: WrittenLine) =>
    html`${line.amount} ${nameOf(line)}<small>${line.part} ${line.after}</small>`;
  // On narrow screens and on paper, a line of the statement takes two lines.
  const columns: readonly Column<WrittenLine>[] = [
    { name: say('time'), look: 'wide', cell: ({ when }) => when },
    { name: say('what'), look: 'cut', cell: what },
    { name: say('payerOrPayee'), look: 'wide', cell: ({ who }) => who },
    { name: say('subAccount'), look: 'wide', cell: ({ part }) => part },
    { name: say('amount'), look: 'wide', isFigure: true, cell: ({ amount }) => amount },
    { name: say('balance'), look: 'wide', isFigure: true, cell: ({ after }) => after },
    { name: say('currency'), look: 'wide', cell: nameOf },
    { name: `${say('amount')} / ${say('balance')}`, look: 'narrow', isFigure: true, cell: both },
  ];
  const rows = nodes.map((line) => writtenLine(context, line));
  return scrolled(say('lines'), table({ caption: say('lines'), isCaptionUnseen: true, rows, columns }));
}
