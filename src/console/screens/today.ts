/**
 * Home of an account: waiting work, takings in BRL, balances as of now or of an earlier time, the latest transactions,
 * webhooks.
 */
import { GatewayError } from '../../base/errors/errors.ts';
import { sum } from '../../base/money/money.ts';
import { parseBrasiliaInstant } from '../../base/time/instant.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { empty, how } from '../../ui/parts.ts';
import { scrolled, table } from '../../ui/table.ts';
import { nearText, timeText } from '../../ui/times.ts';
import { may, mayDo, pathTo, type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { SubAccountsFragment, TodayQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { deliveryFigures } from '../parts/delivery-figures.ts';
import { figure, inBrl } from '../parts/figures.ts';
import { field, queryForm } from '../parts/form.ts';
import { count, section } from '../parts/lists.ts';
import { takingsCard } from '../parts/takings.ts';
import { taskList } from '../parts/tasks.ts';
import { transactionTable } from '../parts/transaction-table.ts';
import type { Word } from '../words.ts';

/** The screen. */
export const TODAY = screenOf<TodayQuery>({
  path: '',
  operation: operationNamed('Today'),
  variables: (context) => {
    const at = timeOf(context);
    const isNow = at === null;
    return { ...(!isNow && { at }), isNow, isAdmin: isNow && may(context, 'admin') };
  },
  view: (data, context) => {
    const { translate, language } = context;
    const at = timeOf(context);
    const shown = timeText(Date.parse(at ?? data.viewer.account.now), language, 'full');
    const main = html`<div class="top"><h1>${translate(at === null ? 'today' : 'balances')}</h1><p class="soft">${translate(at === null ? 'inBrasilia' : 'asOfShown', { time: shown })}</p>
<div class="row push"><button class="btn" type="button" popovertarget="as-of">${translate('asOf')}</button>${mayDo(context, 'createCheckout') && html`<a class="btn primary" href="${pathTo('/new')}">${icon('plus')} ${translate('newPayment')}</a>`}</div></div>
<div id="as-of" class="menu sheet" popover>${queryForm(context, field(context, 'as-of', { name: 'at', label: translate('asOf'), type: 'datetime-local', value: context.query.get('at') }), translate('apply'), ['at', 'done'])}</div>
${at !== null && html`<p><a class="btn pill" href="${sameWith(context, { at: null })}">${translate('now')}</a></p>`}
${at === null && html`<div class="two">${section('takings', translate('takings'), html`<div data-live="takings">${takingsCard(context, data.takings)}</div>`)}${section('needs', translate('needsSomebody'), html`<div data-live="needs">${data.attention && needs(context, data.attention, data.reviewCounts ?? [])}</div>`, reviewLink(context, data))}</div>`}
${section('balances', translate('balances'), balanceTable(context, data), html`<a class="go" href="${pathTo('/statement')}">${translate('statement')}</a>`)}
${at === null && later(context, data)}`;
    return { title: translate('today'), main };
  },
});

/** Content below the balances: the latest transactions, money in and out, webhooks. */
function later(context: ScreenContext, data: TodayQuery): Html {
  const { translate } = context;
  const latest = data.transactions?.nodes ?? [];
  const rows =
    latest.length > 0 ? transactionTable(context, latest, translate('latestCaption')) : firstSteps(context);
  const all = html`<a class="go" href="${pathTo('/transactions')}">${translate('allTransactions')}</a>`;
  const report = data.deliveryReport;
  const webhooks =
    report &&
    section(
      'webhooks',
      translate('deliveries24'),
      deliveryFigures(context, report),
      html`<a class="go" href="${pathTo('/developers')}">${translate('deliveries')}</a>`,
    );
  return html`${section('latest', translate('latest'), html`<div data-live="rows">${rows}</div>`, all, 'rows')}
${section('flows', translate('inAndOut'), html`<div data-live="flows">${flows(context, data)}</div>`)}${webhooks}`;
}

/** First steps of a new account: the same four that the start of a gateway prints. */
function firstSteps(context: ScreenContext): Html {
  const { translate } = context;
  if (!mayDo(context, 'createCheckout'))
    return empty('convert', translate('nothing'), translate('nothingHow'));
  const step = (href: string, name: Word, why: Word) =>
    html`<a href="${href}">${translate(name)}</a> <small class="soft">${translate(why)}</small>`;
  const list = how([
    step(pathTo('/new'), 'firstPay', 'firstPayHow'),
    step(pathTo('/events'), 'firstWatch', 'firstWatchHow'),
    step(pathTo('/developers'), 'firstWebhook', 'firstWebhookHow'),
    step(pathTo('/transactions'), 'firstConsole', 'firstConsoleHow'),
  ]);
  return html`${empty('convert', translate('nothing'))}${list}`;
}

/** The time that the query names, in the form of a browser's field: a minute in Brasília time. */
function timeOf({ query, translate }: ScreenContext): string | null {
  const text = query.get('at');
  if (!text) return null;
  const at = parseBrasiliaInstant(/T\d\d:\d\d$/.test(text) ? `${text}:00` : text);
  if (at === undefined) throw new GatewayError('INVALID_PARAMETER', `at: ${translate('mustBeMoment')}`);
  return at.toISOString();
}

/** @returns balances by currency and sub-account; each leads to the lines that made it. */
function balanceTable(context: ScreenContext, { balances, balanceWorth: worth }: TodayQuery): Html {
  const { translate, language } = context;
  if (balances.length === 0) return empty('receipt', translate('noBalances'));
  const part = (name: Word, member: 'available' | 'inTransit' | 'toReceive' | 'blocked') => ({
    name: translate(name),
    isFigure: true,
    cell: (balance: SubAccountsFragment) => figure(balance[member], balance.currency, language),
  });
  const shown = table({
    caption: translate('balancesCaption'),
    isCaptionUnseen: true,
    isStacked: true,
    rows: balances,
    columns: [
      {
        name: translate('currency'),
        isRowHead: true,
        cell: ({ currency: { code, displayName } }) =>
          html`<a href="${pathTo('/statement', { currency: code })}">${displayName}</a>`,
      },
      part('available', 'available'),
      part('in_transit', 'inTransit'),
      part('to_receive', 'toReceive'),
      part('blocked', 'blocked'),
      {
        name: translate('total'),
        isFigure: true,
        cell: ({ available, inTransit, toReceive, blocked, currency }: SubAccountsFragment) =>
          figure(sum([available, inTransit, toReceive, blocked]), currency, language),
      },
    ],
  });
  return html`<div data-live="balances">${worth && worthLine(context, worth)}${scrolled(translate('tableOf', { name: translate('balances') }), shown)}</div>`;
}

/** Worth of all balances together, and the time of its rates. */
function worthLine(
  { translate, language }: ScreenContext,
  { total, ratesAt, unpriced }: NonNullable<TodayQuery['balanceWorth']>,
): Html {
  const rates =
    ratesAt && translate('worthRates', { time: nearText(Date.parse(ratesAt), language, 'minute') });
  const currencies = unpriced.map(({ displayName }) => displayName).join(', ');
  const missing = currencies !== '' && translate('worthUnpriced', { currencies });
  return html`<p class="in-x row"><span class="soft">${translate('worthTotal')}</span> <b class="figure num">${inBrl(total, language)}</b><small>${[rates, missing].filter(Boolean).join('. ')}</small></p>`;
}

/** Link to the queue that has all of this work, with its number. */
function reviewLink({ translate, language }: ScreenContext, { reviewCounts = [] }: TodayQuery): Html {
  const all = reviewCounts.reduce((sum, { count: number }) => sum + number, 0);
  return html`<a class="go" href="${pathTo('/review')}">${translate('reviewQueue')}${all > 0 && ` (${count(all, language)})`}</a>`;
}

/** Screen of each kind of waiting work. */
const QUERY_OF = {
  approvals: pathTo('/approvals'),
  failedRefunds: pathTo('/transactions', { waitsFor: 'FAILED_REFUND' }),
  heldDeposits: pathTo('/transactions', { waitsFor: 'HELD_DEPOSIT' }),
  holds: pathTo('/transactions', { waitsFor: 'HOLD' }),
  stepUps: pathTo('/transactions', { waitsFor: 'STEP_UP' }),
  // The operator decides about it.
  suspense: null,
  failedJobs: pathTo('/transactions', { waitsFor: 'FAILED_JOB' }),
  expiringKeys: pathTo('/developers'),
} as const;

/** Kinds of cases that the queue counts alone. */
const CASES = ['DISPUTE', 'MED_CASE', 'FAILING_ENDPOINT'] as const;

function needs(
  context: ScreenContext,
  attention: NonNullable<TodayQuery['attention']>,
  cases: NonNullable<TodayQuery['reviewCounts']>,
): Html {
  const kinds = Object.keys(QUERY_OF) as (keyof typeof QUERY_OF)[];
  const counted = CASES.map((kind) => ({
    word: `review_${kind}` as const,
    count: cases.find((each) => each.kind === kind)?.count,
    href: pathTo('/review', { kind }),
  }));
  const tasks = kinds.map((name) => ({
    word: `att_${name}` as const,
    count: attention[name],
    href: QUERY_OF[name],
  }));
  return taskList(context, [...tasks, ...counted]);
}

type Flow = NonNullable<TodayQuery['month']>[number];

function flows({ translate, language }: ScreenContext, { day, month }: TodayQuery): Html {
  if (!month) return empty('activity', translate('flowsAway'));
  if (month.length === 0) return empty('activity', translate('noFlows'));
  const today = ({ currency }: Flow) => day?.find((each) => each.currency.code === currency.code);
  const column = (name: Word, amountOf: (flow: Flow) => string | undefined) => ({
    name: translate(name),
    isFigure: true,
    cell: (flow: Flow) => figure(amountOf(flow) ?? '0', flow.currency, language),
  });
  const shown = table({
    caption: translate('inAndOut'),
    isCaptionUnseen: true,
    isStacked: true,
    rows: month,
    columns: [
      { name: translate('currency'), isRowHead: true, cell: ({ currency }) => currency.displayName },
      column('in24', (flow) => today(flow)?.in),
      column('out24', (flow) => today(flow)?.out),
      column('in30', (flow) => flow.in),
      column('out30', (flow) => flow.out),
    ],
  });
  return scrolled(translate('tableOf', { name: translate('inAndOut') }), shown);
}
