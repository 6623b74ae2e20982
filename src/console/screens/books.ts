/** The books of the house: present balances, movements of a period, its result, and closed days. */
import { sum } from '../../base/money/money.ts';
import { brasiliaDay } from '../../base/time/brasilia-day.ts';
import { CLASS_ORDER } from '../../ui/account-labels.ts';
import { type Html, type HtmlValue, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { dayText, timeText } from '../../ui/times.ts';
import { pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { BooksQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { closeChecklist } from '../parts/close-checklist.ts';
import { exportMenu } from '../parts/exports.ts';
import { BRL, figure, listTime, money } from '../parts/figures.ts';
import { addForm, field, queryForm } from '../parts/form.ts';
import { section } from '../parts/lists.ts';
import { manualSection } from '../parts/manual-journals.ts';
import { cellSection, hasCells } from '../parts/over-cells.ts';
import { bookPeriodLinks } from '../parts/periods.ts';
import { translateName } from '../words.ts';

const FILTERS = ['from', 'to', 'account'] as const;

/** The screen. */
export const BOOKS = screenOf<BooksQuery>({
  path: '/books',
  operation: operationNamed('Books'),
  scope: 'platform:books',
  variables: (context) => ({
    ...Object.fromEntries(
      FILTERS.flatMap((name) => (context.query.get(name) ? [[name, context.query.get(name)?.trim()]] : [])),
    ),
    ...(hasCells(context) && { hasCells: true }),
  }),
  view: (data, context) => {
    const { treasury, trialBalance, profitAndLoss, manualJournals, bookCloses } = data;
    const { translate } = context;
    const period = periodText(context, trialBalance);
    const main = html`${top(context, data)}
<div data-live="checklist">${closeChecklist(context, data.closeChecklist, bookCloses.nodes.length === 0)}</div>
${periodForm(context, data)}
${section('treasury', translate('treasury'), tableOf(context, 'treasury', treasury, treasuryColumns(context)))}
${section('trial', translate('trialBalance'), tableOf(context, 'trialBalance', trialBalance.lines, trialColumns(context, trialBalance), trialTotals(context, trialBalance.lines)), period)}
${section('classes', translate('byClass'), html`${classTable(context, trialBalance.lines)}<p class="in small">${translate('bookRate')}</p>`, period)}
${section('result', translate('profitAndLoss'), html`${tableOf(context, 'profitAndLoss', profitAndLoss.lines, resultColumns(context, trialBalance), netInBrl(context, profitAndLoss.lines))}${sums(context, profitAndLoss)}`, period)}
${cellSection(context, 'treasury', data.treasuryOverCells)}${cellSection(context, 'trialBalance', data.trialOverCells)}${cellSection(context, 'profitAndLoss', data.resultOverCells)}
${manualSection(context, manualJournals)}${closes(context, bookCloses.nodes)}`;
    return { title: translate('books'), main };
  },
});

/** Title, files of the period, and a form for paper. */
function top(context: ScreenContext, { viewer, trialBalance: { from, to } }: BooksQuery): Html {
  const { translate, language, query } = context;
  const paper = translate('onPaper', { account: viewer.account.name, person: viewer.person?.name ?? '' });
  const filters = { dateFrom: from, dateTo: to, account: query.get('account')?.trim() };
  return html`<div class="top"><h1>${translate('books')}</h1><p class="on-paper">${paper}, ${timeText(Date.parse(viewer.account.now), language, 'full')}</p><div class="row push no-print">${exportMenu(context, 'books', filters)}<button class="btn" type="button" data-print hidden>${translate('print')}</button></div></div>`;
}

type Trial = BooksQuery['trialBalance'];
type TrialLine = Trial['lines'][number];
type Line = Pick<TrialLine, 'account' | 'currency'>;
type Close = BooksQuery['bookCloses']['nodes'][number];

function periodText(
  { translate, language }: ScreenContext,
  { from, to }: Pick<Trial, 'from' | 'to'>,
): string {
  return translate('bookPeriod', { from: dayText(from, language), to: dayText(to, language) });
}

function periodForm(context: ScreenContext, { viewer, trialBalance: { from, to } }: BooksQuery): Html {
  const { translate, query } = context;
  const days = html`${field(context, 'period', { name: 'from', label: translate('fromBrasilia'), type: 'date', value: from })}${field(context, 'period', { name: 'to', label: translate('toBrasilia'), type: 'date', value: to })}`;
  const account = { name: 'account', label: translate('bookAccount'), value: query.get('account') };
  const dropped = [...FILTERS, 'done'];
  const form = queryForm(
    context,
    html`${days}${field(context, 'period', account)}`,
    translate('apply'),
    dropped,
  );
  const today = brasiliaDay(Date.parse(viewer.account.now));
  return html`<div class="row no-print">${bookPeriodLinks(context, today, { from, to })}</div><div class="row" role="group" aria-label="${translate('filters')}"><button class="btn pill quiet no-print" type="button" popovertarget="filter" data-key="f">${icon('plus')} ${periodText(context, { from, to })}</button>
<div id="filter" class="menu sheet" popover>${form}</div></div>`;
}

function tableOf<Row>(
  { translate }: ScreenContext,
  word: 'treasury' | 'trialBalance' | 'profitAndLoss',
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  foot?: readonly (readonly HtmlValue[])[],
): Html {
  const caption = translate(word);
  if (rows.length === 0) return empty('receipt', translate('emptyBooks'));
  return scrolled(
    translate('tableOf', { name: caption }),
    table({ caption, isCaptionUnseen: true, rows, columns, ...(foot && { foot }) }),
  );
}

/** Name of a line, with a link to its journals in a period, and its currency. */
function heads<Row extends Line>(
  { translate }: ScreenContext,
  journals?: Readonly<Record<string, string>>,
): readonly Column<Row>[] {
  return [
    {
      name: translate('ledgerAccount'),
      isRowHead: true,
      cell: ({ account, currency }) => {
        const name = translateName(translate, `book_${account ?? 'holders'}`);
        const line = { ledgerAccount: account, currency: currency.code, ...journals };
        const shown =
          account && journals ? html`<a href="${pathTo('/books/entries', line)}">${name}</a>` : name;
        return html`${shown}${account && html` <small class="mono">${account}</small>`}`;
      },
    },
    { name: translate('currency'), cell: ({ currency }) => currency.displayName },
  ];
}

/** Period and account of the journals of a line. */
function journalsOf({ query }: ScreenContext, { from, to }: Trial): Readonly<Record<string, string>> {
  return { from, to, account: query.get('account')?.trim() ?? '' };
}

function amountColumn<Row extends Line>(
  { language }: ScreenContext,
  name: string,
  amountOf: (row: Row) => string,
): Column<Row> {
  return { name, isFigure: true, cell: (row) => figure(amountOf(row), row.currency, language) };
}

function treasuryColumns(context: ScreenContext): readonly Column<BooksQuery['treasury'][number]>[] {
  const { translate } = context;
  return [
    ...heads<BooksQuery['treasury'][number]>(context),
    amountColumn(context, translate('balance'), ({ balance }) => balance),
    valueColumn(context),
  ];
}

/** Worth of an amount; unknown for a currency without a rate. */
function valueColumn<Row extends { readonly calculatedBrl: string | null }>({
  translate,
  language,
}: ScreenContext): Column<Row> {
  return {
    name: translate('inBrl'),
    isFigure: true,
    cell: ({ calculatedBrl }) =>
      calculatedBrl === null ? translate('notValued') : figure(calculatedBrl, BRL, language),
  };
}

function trialColumns(context: ScreenContext, trial: Trial): readonly Column<TrialLine>[] {
  const { translate } = context;
  return [
    ...heads<TrialLine>(context, journalsOf(context, trial)),
    amountColumn(context, translate('opening'), ({ opening }) => opening),
    amountColumn(context, translate('debits'), ({ debits }) => debits),
    amountColumn(context, translate('credits'), ({ credits }) => credits),
    amountColumn(context, translate('closing'), ({ closing }) => closing),
    valueColumn<TrialLine>(context),
  ];
}

/** The sums of each currency: debits equal credits, and the balances of all accounts add up to zero. */
function trialTotals(
  { translate, language }: ScreenContext,
  lines: readonly TrialLine[],
): readonly (readonly HtmlValue[])[] {
  const currencies = new Map(lines.map(({ currency }) => [currency.code, currency]));
  return [...currencies.values()].map((currency) => {
    const own = lines.filter((line) => line.currency.code === currency.code);
    const total = (amountOf: (line: TrialLine) => string) =>
      figure(sum(own.map(amountOf)), currency, language);
    const totals = [
      total((line) => signed(line, line.opening)),
      total(({ debits }) => debits),
      total(({ credits }) => credits),
      total((line) => signed(line, line.closing)),
      '',
    ];
    return [translate('total'), currency.displayName, ...totals];
  });
}

/** Closing balances of each class in BRL; a class that includes a balance without a rate has no sum. */
function classTable(context: ScreenContext, lines: readonly TrialLine[]): Html {
  const { translate, language } = context;
  const rows = CLASS_ORDER.flatMap((each) => {
    const values = lines.filter((line) => line.class === each).map(({ calculatedBrl }) => calculatedBrl);
    const known = values.filter((value) => value !== null);
    return values.length === 0 ? [] : [{ each, value: known.length === values.length ? sum(known) : null }];
  });
  if (rows.length === 0) return empty('receipt', translate('emptyBooks'));
  const caption = translate('byClass');
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { name: translate('accountClass'), isRowHead: true, cell: ({ each }) => translate(`class_${each}`) },
    {
      name: translate('inBrl'),
      isFigure: true,
      cell: ({ value }) => (value === null ? translate('notValued') : figure(value, BRL, language)),
    },
  ];
  return scrolled(
    translate('tableOf', { name: caption }),
    table({ caption, isCaptionUnseen: true, rows, columns, foot: classTotals(context, rows) }),
  );
}

/** Classes whose balances are debits. */
const DEBIT_CLASSES: readonly TrialLine['class'][] = ['HOUSE_ASSET', 'HOUSE_EXPENSE'];

/** Sums of the classes of each side, which are equal. */
function classTotals(
  { translate, language }: ScreenContext,
  rows: readonly { readonly each: TrialLine['class']; readonly value: string | null }[],
): readonly (readonly HtmlValue[])[] {
  return (['debitClasses', 'creditClasses'] as const).map((word) => {
    const own = rows.filter(({ each }) => DEBIT_CLASSES.includes(each) === (word === 'debitClasses'));
    const known = own.flatMap(({ value }) => value ?? []);
    const total = known.length === own.length ? figure(sum(known), BRL, language) : translate('notValued');
    return [translate(word), total];
  });
}

/** Assets and expenses, by their names in the chart. */
const DEBIT_ACCOUNTS = /^[AX]\./;

/** A balance on the side of its class is shown above zero; here a debit is below. */
function signed({ account }: TrialLine, balance: string): string {
  if (!DEBIT_ACCOUNTS.test(account ?? '')) return balance;
  return balance.startsWith('-') ? balance.slice(1) : `-${balance}`;
}

function resultColumns(
  context: ScreenContext,
  trial: Trial,
): readonly Column<BooksQuery['profitAndLoss']['lines'][number]>[] {
  return [
    ...heads<BooksQuery['profitAndLoss']['lines'][number]>(context, journalsOf(context, trial)),
    amountColumn(context, context.translate('amount'), ({ amount }) => amount),
    valueColumn(context),
  ];
}

/** The result of all currencies together; unknown if one of them has no rate. */
function netInBrl(
  { translate, language }: ScreenContext,
  lines: BooksQuery['profitAndLoss']['lines'],
): readonly (readonly HtmlValue[])[] {
  const known = lines.flatMap(({ calculatedBrl }) => calculatedBrl ?? []);
  const net = known.length < lines.length ? translate('notValued') : figure(sum(known), BRL, language);
  return [[translate('netInBrl'), '', '', net]];
}

function sums({ translate, language }: ScreenContext, { net, position }: BooksQuery['profitAndLoss']): Html {
  const listed = (all: typeof net) => all.map((each) => money(each, language)).join(' · ') || '–';
  return html`<p class="in small">${translate('netByCurrency')}: ${listed(net)}<br>${translate('positionChange')}: ${listed(position)}</p>`;
}

function closes(context: ScreenContext, rows: readonly Close[]): Html {
  const { translate, language } = context;
  const caption = translate('bookCloses');
  const columns: readonly Column<Close>[] = [
    { name: translate('day'), isRowHead: true, cell: ({ day }) => dayText(day, language) },
    { name: translate('closedAt'), cell: ({ closedAt }) => listTime(closedAt, language) },
    { name: translate('who'), style: 'wide', cell: ({ closedBy, closedByName }) => closedByName ?? closedBy },
    {
      name: translate('movedAccounts'),
      isFigure: true,
      style: 'wide',
      cell: ({ ledgerAccounts }) => ledgerAccounts,
    },
    { name: translate('hash'), style: 'mono cut', cell: ({ hash }) => hash },
  ];
  const shown =
    rows.length > 0
      ? scrolled(
          translate('tableOf', { name: caption }),
          table({ caption, isCaptionUnseen: true, rows, columns }),
        )
      : empty('receipt', translate('noCloses'));
  const day = {
    name: 'day',
    label: translate('dayToClose'),
    hint: translate('dayToCloseWhat'),
    type: 'date',
    isRequired: true,
  } as const;
  // The checklist closes the days after the first one.
  const isFirst = rows.length === 0;
  const form =
    isFirst &&
    addForm(context, {
      action: 'CloseBooks',
      open: translate('closeBooks'),
      button: translate('closeBooksYes'),
      fields: field(context, 'CloseBooks', day),
    });
  return section('closes', caption, html`${shown}${form}`);
}
