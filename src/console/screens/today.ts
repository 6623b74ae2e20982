/** Today: balances as of now or of a moment, and what happened last. */
import { GatewayError } from '../../base/errors/errors.ts';
import { sum } from '../../base/money/money.ts';
import { parseBrasiliaInstant } from '../../base/time/instant.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { timeText } from '../../ui/moments.ts';
import { empty, how } from '../../ui/parts.ts';
import { scrolled, table } from '../../ui/table.ts';
import { mayDo, pathTo, type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { SubAccountsFragment, TodayQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { figure } from '../parts/figures.ts';
import { field, queryForm } from '../parts/form.ts';
import { section } from '../parts/lists.ts';
import { taskList } from '../parts/tasks.ts';
import { transactionTable } from '../parts/transaction-table.ts';
import type { Word } from '../words.ts';

/** The screen. */
export const TODAY = screenOf<TodayQuery>({
  path: '',
  operation: operationNamed('Today'),
  variables: (context) => {
    const at = momentOf(context);
    return at === null ? {} : { at };
  },
  view: (data, context) => {
    const { say, language } = context;
    const at = momentOf(context);
    const shown = timeText(Date.parse(at ?? data.viewer.account.now), language, 'full');
    const latest = data.transactions.nodes;
    const main = html`<div class="top"><h1>${say(at === null ? 'today' : 'balances')}</h1><p class="soft">${say(at === null ? 'inBrasilia' : 'asOfShown', { time: shown })}</p>
<div class="row push"><button class="btn" type="button" popovertarget="as-of">${say('asOf')}</button>${mayDo(context, 'createCheckout') && html`<a class="btn primary" href="${pathTo('/new')}">${icon('plus')} ${say('newPayment')}</a>`}</div></div>
<div id="as-of" class="menu sheet" popover>${queryForm(context, field(context, 'as-of', { name: 'at', label: say('asOf'), type: 'datetime-local', value: context.query.get('at') }), say('apply'), ['at', 'done'])}</div>
${at !== null && html`<p><a class="btn pill" href="${sameWith(context, { at: null })}">${say('now')}</a></p>`}
${at === null && html`<div class="two even">${section('needs', say('needsSomebody'), html`<div data-live="needs">${needs(context, data.attention)}</div>`)}${section('flows', say('inAndOut'), html`<div data-live="flows">${flows(context, data)}</div>`)}</div>`}
${section('balances', say('balances'), balanceTable(context, data.balances), html`<a class="go" href="${pathTo('/statement')}">${say('statement')}</a>`)}
${at === null && section('latest', say('latest'), html`<div data-live="rows">${latest.length > 0 ? transactionTable(context, latest, say('latestCaption')) : firstSteps(context)}</div>`, html`<a class="go" href="${pathTo('/transactions')}">${say('allTransactions')}</a>`, 'rows')}`;
    return { title: say('today'), main };
  },
});

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
function balanceTable(context: ScreenContext, balances: readonly SubAccountsFragment[]): Html {
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
  return html`<div data-live="balances">${scrolled(say('tableOf', { name: say('balances') }), shown)}</div>`;
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

function needs(context: ScreenContext, attention: TodayQuery['attention']): Html {
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
