/** The statement: lines of a period with running balances, the balances at both ends, and a form for paper. */
import { GatewayError } from '../../base/errors/errors.ts';
import { brasiliaDay } from '../../base/time/brasilia-day.ts';
import { parseDay } from '../../base/time/instant.ts';
import { BRASILIA, boundsIn } from '../../base/time/zone.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { empty, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { dayText, timeText } from '../../ui/times.ts';
import { pathTo, type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { StatementQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { exportMenu } from '../parts/exports.ts';
import { figure, fullTime, inBrl } from '../parts/figures.ts';
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
import { periodLinks } from '../parts/periods.ts';
import { whoOf } from '../parts/transaction-table.ts';
import { viewMenu } from '../parts/views.ts';
import { translateName } from '../words.ts';

const SUB_ACCOUNTS = ['available', 'in_transit', 'to_receive', 'blocked'] as const;
const FILTERS = ['currency', 'subAccount', 'dateFrom', 'dateTo'] as const;
/** Choice of all parts of the balance; without a choice, the available balance is shown. */
const ALL = 'all';
const PARTS = [...SUB_ACCOUNTS, ALL] as const;
/** More than a page of paper: a print should be whole. */
const LINES = 50;

/** The screen. */
export const STATEMENT = screenOf<StatementQuery>({
  path: '/statement',
  operation: operationNamed('Statement'),
  variables: (context) => {
    const filter = filterOf(context);
    const { from = 1, to } = boundsIn(BRASILIA, daysOf(filter));
    return {
      filter: { ...filter, zone: 'BRASILIA' },
      ...pageVariables(context, LINES),
      // A period starts with the balance before its first instant; an open end means now.
      openingAt: new Date(from - 1).toISOString(),
      ...(to !== undefined && { closingAt: new Date(to - 1).toISOString() }),
    };
  },
  view: (data, context) => {
    const { translate } = context;
    const { nodes, totalCount, pageInfo } = data.statement;
    const paper = translate('onPaper', {
      account: data.viewer.account.name,
      person: data.viewer.person?.name ?? '',
    });
    const isWhole = !pageInfo.hasPreviousPage && !pageInfo.hasNextPage;
    const rows =
      nodes.length > 0
        ? html`<div data-whole>${lines(context, nodes)}</div><p class="on-paper in" data-cut${isWhole && html` hidden`}>${translate('paperCut')}</p>`
        : empty('receipt', translate('noLines'));
    const main = html`<div class="top"><h1>${translate('statement')}</h1><p class="on-paper">${paper}, ${timeText(Date.parse(data.viewer.account.now), context.language, 'full')}</p><div class="row push no-print">${exportMenu(context, 'statement', { ...filterOf(context), zone: BRASILIA })}<button class="btn" type="button" data-print hidden>${translate('print')}</button></div></div>
${filterRow(context, data)}
${section('ends', translate('openingClosing'), ends(context, data))}
${section('lines', translate('statement'), pageOf(context, nodes.length, totalCount, rows), count(totalCount, context.language), 'rows')}
<div class="row no-print">${pager(context, pageInfo, nodes.length, totalCount, LINES)}</div>`;
    return { title: translate('statement'), main };
  },
});

type Filter = { readonly [Name in (typeof FILTERS)[number]]?: string };

function filterOf(context: ScreenContext): Filter {
  const { subAccount: _choice, ...filter } = suppliedOf(context);
  const part = partOf(context);
  return { ...filter, ...(part !== ALL && { subAccount: part }) };
}

function partOf(context: ScreenContext): (typeof PARTS)[number] {
  return chosen(context, 'subAccount', PARTS) ?? 'available';
}

/** Filters in the address. */
function suppliedOf({ query }: ScreenContext): Filter {
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = query.get(name)?.trim();
      return value ? [[name, value]] : [];
    }),
  );
}

function daysOf({ dateFrom, dateTo }: Filter): Filter {
  if ([dateFrom, dateTo].some((day) => day !== undefined && parseDay(day) === undefined))
    throw new GatewayError('INVALID_PARAMETER', 'dateFrom, dateTo: must be days, such as 2026-11-22');
  return { ...(dateFrom && { dateFrom }), ...(dateTo && { dateTo }) };
}

function filterRow(context: ScreenContext, { viewer, closing }: StatementQuery): Html {
  const { translate } = context;
  const filter = suppliedOf(context);
  const labels = {
    currency: translate('currency'),
    subAccount: translate('subAccount'),
    dateFrom: translate('fromBrasilia'),
    dateTo: translate('toBrasilia'),
  };
  const active = FILTERS.flatMap((name) => {
    const value = filter[name];
    return value === undefined
      ? []
      : [
          {
            name,
            label: labels[name],
            value: name.startsWith('date')
              ? dayText(value, context.language)
              : translateName(translate, value),
          },
        ];
  });
  const options = PARTS.map((each) => [each, translate(each)] as const);
  const fields = FILTERS.map((name) =>
    field(context, 'filter', {
      name,
      label: labels[name],
      value: name === 'subAccount' ? partOf(context) : (filter[name] ?? null),
      type: name.startsWith('date') ? 'date' : 'text',
      ...(name === 'subAccount' && { options }),
    }),
  );
  const dropped = [...FILTERS, ...PAGE_NAMES, 'done'];
  const today = brasiliaDay(Date.parse(viewer.account.now));
  return html`<div class="row no-print">${links(context, closing)}${periodLinks(context, today)}</div><div class="row"><div class="row" role="group" aria-label="${translate('filters')}">${chips(context, active)}<button class="btn pill quiet no-print" type="button" popovertarget="filter" data-key="f">${icon('plus')} ${translate('filter')}</button>
<div id="filter" class="menu sheet" popover>${queryForm(context, html`${fields}`, translate('apply'), dropped)}</div>
${active.length > 0 && html`<a class="btn pill quiet no-print" href="${sameWith(context, Object.fromEntries(dropped.map((name) => [name, null])))}">${translate('clear')}</a>`}${viewMenu(context, viewer)}</div></div>`;
}

/** The parts of the balance, and the currencies if there are several, each in one click. */
function links(context: ScreenContext, balances: readonly Balance[]): Html {
  const { translate } = context;
  const now = filterOf(context);
  const parts = PARTS.map((each) => ({
    href: sameWith(context, { ...NO_PAGE, subAccount: each === 'available' ? null : each }),
    word: translate(each),
    isCurrent: partOf(context) === each,
  }));
  const currencies = [null, ...balances.map(({ currency }) => currency)].map((each) => ({
    href: sameWith(context, { ...NO_PAGE, currency: each?.code ?? null }),
    word: each?.displayName ?? translate('all'),
    isCurrent: (now.currency?.toUpperCase() ?? null) === (each?.code ?? null),
  }));
  return html`${balances.length > 1 && segments(translate('currency'), currencies)}${segments(translate('subAccount'), parts)}`;
}

const MEMBERS = {
  available: 'available',
  in_transit: 'inTransit',
  to_receive: 'toReceive',
  blocked: 'blocked',
} as const;

type Balance = StatementQuery['closing'][number];
type Part = (typeof SUB_ACCOUNTS)[number];

/** The balances at both ends of the period, of the filtered lines. */
function ends(context: ScreenContext, { opening, closing }: StatementQuery): Html {
  const { translate, language } = context;
  const { currency: code, subAccount } = filterOf(context);
  const rows = closing
    .filter(({ currency }) => !code || currency.code === code.toUpperCase())
    .flatMap((end) =>
      SUB_ACCOUNTS.filter((each) => !subAccount || each === subAccount).map((part) => ({ end, part })),
    );
  if (rows.length === 0) return empty('receipt', translate('noBalances'));
  const startOf = ({ currency }: Balance) => opening.find((each) => each.currency.code === currency.code);
  const amount = (balance: Balance | undefined, part: Part) => balance?.[MEMBERS[part]] ?? '0';
  const columns: readonly Column<{ readonly end: Balance; readonly part: Part }>[] = [
    {
      name: translate('currency'),
      isRowHead: true,
      cell: ({ end, part }) =>
        html`${end.currency.displayName}<small class="narrow">${translate(part)}</small>`,
    },
    { name: translate('subAccount'), style: 'wide', cell: ({ part }) => translate(part) },
    {
      name: translate('opening'),
      isFigure: true,
      cell: ({ end, part }) => figure(amount(startOf(end), part), end.currency, language),
    },
    {
      name: translate('closing'),
      isFigure: true,
      cell: ({ end, part }) => figure(amount(end, part), end.currency, language),
    },
  ];
  const caption = translate('openingClosing');
  return scrolled(
    translate('tableOf', { name: caption }),
    table({ caption, isCaptionUnseen: true, rows, columns }),
  );
}

type Line = StatementQuery['statement']['nodes'][number];

/** A line with content for several of its cells, some of which only a large screen, a phone or paper shows: written once. */
interface WrittenLine {
  readonly line: Line;
  readonly when: Html;
  readonly who: string | null;
  readonly part: string;
  readonly amount: Html;
  readonly after: Html;
  /** Fees of the whole transaction. */
  readonly fees: string | null;
}

function writtenLine({ translate, language }: ScreenContext, line: Line): WrittenLine {
  const { date, debit, credit, balance, ledgerAccount, transaction } = line;
  const { currency } = ledgerAccount;
  return {
    line,
    when: fullTime(date, language),
    who: transaction && whoOf(transaction),
    part: translate(ledgerAccount.subAccount),
    amount: figure(/[1-9]/.test(debit) ? `-${debit}` : credit, currency, language),
    after: figure(balance, currency, language),
    fees: transaction?.fees ? inBrl(transaction.fees, language) : null,
  };
}

function lines(context: ScreenContext, nodes: readonly Line[]): Html {
  const { translate } = context;
  const what = ({ line, when, who, fees }: WrittenLine) => {
    const also = html`<small class="narrow">${when}${who && html` · ${who}`}${fees && html` · ${translate('fees')} ${fees}`}</small>`;
    if (!line.transaction) return html`${translate('adjustment')}${also}`;
    const { __typename, externalCode, end2end } = line.transaction;
    return html`<a href="${pathTo(`/transactions/${end2end}`)}">${translateName(translate, __typename)} ${externalCode}</a>${also}`;
  };
  const nameOf = ({ line }: WrittenLine) => line.ledgerAccount.currency.displayName;
  const both = (line: WrittenLine) =>
    html`${line.amount} ${nameOf(line)}<small>${line.part} ${line.after}</small>`;
  // On narrow screens and on paper, a line of the statement takes two lines.
  const columns: readonly Column<WrittenLine>[] = [
    { name: translate('time'), style: 'wide', cell: ({ when }) => when },
    { name: translate('what'), style: 'cut', cell: what },
    { name: translate('payerOrPayee'), style: 'wide', cell: ({ who }) => who },
    { name: translate('subAccount'), style: 'wide', cell: ({ part }) => part },
    { name: translate('amount'), style: 'wide', isFigure: true, cell: ({ amount }) => amount },
    { name: translate('balance'), style: 'wide', isFigure: true, cell: ({ after }) => after },
    { name: translate('feesOfTransaction'), style: 'wide', isFigure: true, cell: ({ fees }) => fees },
    { name: translate('currency'), style: 'wide', cell: nameOf },
    { name: `${translate('amount')} / ${translate('balance')}`, style: 'narrow', isFigure: true, cell: both },
  ];
  const rows = nodes.map((line) => writtenLine(context, line));
  return scrolled(
    translate('lines'),
    table({ caption: translate('lines'), isCaptionUnseen: true, rows, columns }),
  );
}
