/** Home of an account: what waits, takings in BRL, balances as of now or of a moment, the latest transactions, webhooks. */
import { GatewayError } from '../../base/errors/errors.ts';
import { sum } from '../../base/money/money.ts';
import { parseBrasiliaInstant } from '../../base/time/instant.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { nearText, timeText } from '../../ui/moments.ts';
import { empty, how } from '../../ui/parts.ts';
import { scrolled, table } from '../../ui/table.ts';
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
    const at = momentOf(context);
    const isNow = at === null;
    return { ...(!isNow && { at }), isNow, isAdmin: isNow && may(context, 'admin') };
  },
  view: (data, context) => {
    const { say, language } = context;
    const at = momentOf(context);
    const shown = timeText(Date.parse(at ?? data.viewer.account.now), language, 'full');
    const main = html`<div class="top"><h1>${say(at === null ? 'today' : 'balances')}</h1><p class="soft">${say(at === null ? 'inBrasilia' : 'asOfShown', { time: shown })}</p>
<div class="row push"><button class="btn" type="button" popovertarget="as-of">${say('asOf')}</button>${mayDo(context, 'createCheckout') && html`<a class="btn primary" href="${pathTo('/new')}">${icon('plus')} ${say('newPayment')}</a>`}</div></div>
<div id="as-of" class="menu sheet" popover>${queryForm(context, field(context, 'as-of', { name: 'at', label: say('asOf'), type: 'datetime-local', value: context.query.get('at') }), say('apply'), ['at', 'done'])}</div>
${at !== null && html`<p><a class="btn pill" href="${sameWith(context, { at: null })}">${say('now')}</a></p>`}
${at === null && html`<div class="two">${section('takings', say('takings'), html`<div data-live="takings">${takingsCard(context, data.takings)}</div>`)}${section('needs', say('needsSomebody'), html`<div data-live="needs">${data.attention && needs(context, data.attention)}</div>`, reviewLink(context, data))}</div>`}
${section('balances', say('balances'), balanceTable(context, data), html`<a class="go" href="${pathTo('/statement')}">${say('statement')}</a>`)}
${at === null && later(context, data)}`;
    return { title: say('today'), main };
  },
});

/** Content below the balances: the latest transactions, money in and out, webhooks. */
function later(context: ScreenContext, data: TodayQuery): Html {
  const { say } = context;
  const latest = data.transactions?.nodes ?? [];
  const rows =
    latest.length > 0 ? transactionTable(context, latest, say('latestCaption')) : firstSteps(context);
  const all = html`<a class="go" href="${pathTo('/transactions')}">${say('allTransactions')}</a>`;
  const report = data.deliveryReport;
  const webhooks =
    report &&
    section(
      'webhooks',
      say('deliveries24'),
      deliveryFigures(context, report),
      html`<a class="go" href="${pathTo('/developers')}">${say('deliveries')}</a>`,
    );
  return html`${section('latest', say('latest'), html`<div data-live="rows">${rows}</div>`, all, 'rows')}
<div class="two even">${section('flows', say('inAndOut'), html`<div data-live="flows">${flows(context, data)}</div>`)}${webhooks}</div>`;
}

/** First steps of a new account: the same four that the start of a gateway prints. */
function firstSteps(context: ScreenContext): Html {
  const { say } = context;
  if (!mayDo(context, 'createCheckout')) return empty('convert', say('nothing'), say('nothingHow'));
  const step = (href: string, name: Word, why: Word) =>
    html`<a href="${href}">${say(name)}</a> <small class="soft">${say(why)}</small>`;
  const list = how([
    step(pathTo('/new'), 'firstPay', 'firstPayHow'),
    step(pathTo('/events'), 'firstWatch', 'firstWatchHow'),
    step(pathTo('/developers'), 'firstWebhook', 'firstWebhookHow'),
    step('/docs', 'firstRead', 'firstReadHow'),
  ]);
  return html`${empty('convert', say('nothing'))}${list}`;
}

/** The moment that the query asks for, as the field of a browser writes it: a minute in Brasília. */
function momentOf({ query, say }: ScreenContext): string | null {
  const asked = query.get('at');
  if (!asked) return null;
  const at = parseBrasiliaInstant(/T\d\d:\d\d$/.test(asked) ? `${asked}:00` : asked);
  if (at === undefined) throw new GatewayError('INVALID_PARAMETER', `at: ${say('mustBeMoment')}`);
  return at.toISOString();
}

/** @returns balances by currency and sub-account; each leads to the lines that made it. */
function balanceTable(context: ScreenContext, { balances, balanceWorth: worth }: TodayQuery): Html {
  const { say, language } = context;
  if (balances.length === 0) return empty('receipt', say('noBalances'));
  const part = (name: Word, member: 'available' | 'inTransit' | 'toReceive' | 'blocked') => ({
    name: say(name),
    isFigure: true,
    cell: (balance: SubAccountsFragment) => figure(balance[member], balance.currency, language),
  });
  const shown = table({
    caption: say('balancesCaption'),
    isCaptionUnseen: true,
    rows: balances,
    columns: [
      {
        name: say('currency'),
        isRowHead: true,
        cell: ({ currency: { code, displayName } }) =>
          html`<a href="${pathTo('/statement', { currency: code })}">${displayName}</a>`,
      },
      part('available', 'available'),
      part('in_transit', 'inTransit'),
      part('to_receive', 'toReceive'),
      part('blocked', 'blocked'),
      {
        name: say('total'),
        isFigure: true,
        cell: ({ available, inTransit, toReceive, blocked, currency }: SubAccountsFragment) =>
          figure(sum([available, inTransit, toReceive, blocked]), currency, language),
      },
    ],
  });
  return html`<div data-live="balances">${worth && worthLine(context, worth)}${scrolled(say('tableOf', { name: say('balances') }), shown)}</div>`;
}

/** Worth of all balances together, and the time of its rates. */
function worthLine(
  { say, language }: ScreenContext,
  { total, ratesAt, unpriced }: NonNullable<TodayQuery['balanceWorth']>,
): Html {
  const rates = ratesAt && say('worthRates', { time: nearText(Date.parse(ratesAt), language, 'minute') });
  const currencies = unpriced.map(({ displayName }) => displayName).join(', ');
  const missing = currencies !== '' && say('worthUnpriced', { currencies });
  return html`<p class="in-x row"><span class="soft">${say('worthTotal')}</span> <b class="figure num">${inBrl(total, language)}</b><small>${[rates, missing].filter(Boolean).join('. ')}</small></p>`;
}

/** Link to the queue that has all of this work, with its number. */
function reviewLink({ say, language }: ScreenContext, { reviewCounts = [] }: TodayQuery): Html {
  const all = reviewCounts.reduce((sum, { count: number }) => sum + number, 0);
  return html`<a class="go" href="${pathTo('/review')}">${say('reviewQueue')}${all > 0 && ` (${count(all, language)})`}</a>`;
}

/** Screen of each kind of waiting work. */
const PLACES = {
  approvals: pathTo('/approvals'),
  failedRefunds: pathTo('/transactions', { waitsFor: 'FAILED_REFUND' }),
  heldDeposits: pathTo('/transactions', { waitsFor: 'HELD_DEPOSIT' }),
  holds: pathTo('/transactions', { waitsFor: 'HOLD' }),
  stepUps: pathTo('/transactions', { waitsFor: 'STEP_UP' }),
  // The operator decides about it.
  suspense: null,
  disabledWebhookEndpoints: pathTo('/developers'),
  failedJobs: pathTo('/transactions', { waitsFor: 'FAILED_JOB' }),
  expiringKeys: pathTo('/developers'),
} as const;

function needs(context: ScreenContext, attention: NonNullable<TodayQuery['attention']>): Html {
  const kinds = Object.keys(PLACES) as (keyof typeof PLACES)[];
  return taskList(
    context,
    kinds.map((name) => ({ word: `att_${name}`, count: attention[name], href: PLACES[name] })),
  );
}

type Flow = NonNullable<TodayQuery['month']>[number];

function flows({ say, language }: ScreenContext, { day, month }: TodayQuery): Html {
  if (!month) return empty('activity', say('flowsAway'));
  if (month.length === 0) return empty('activity', say('noFlows'));
  const today = ({ currency }: Flow) => day?.find((each) => each.currency.code === currency.code);
  const column = (name: Word, amountOf: (flow: Flow) => string | undefined) => ({
    name: say(name),
    isFigure: true,
    cell: (flow: Flow) => figure(amountOf(flow) ?? '0', flow.currency, language),
  });
  const shown = table({
    caption: say('inAndOut'),
    isCaptionUnseen: true,
    rows: month,
    columns: [
      { name: say('currency'), isRowHead: true, cell: ({ currency }) => currency.displayName },
      column('in24', (flow) => today(flow)?.in),
      column('out24', (flow) => today(flow)?.out),
      column('in30', (flow) => flow.in),
      column('out30', (flow) => flow.out),
    ],
  });
  return scrolled(say('tableOf', { name: say('inAndOut') }), shown);
}
