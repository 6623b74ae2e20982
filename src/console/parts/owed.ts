/**
 * Debts: returns to payers that are under way or failed, and debts of accounts to the house; and their settlement.
 */
import { sum } from '../../base/money/money.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, type Tone } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { type ScreenContext, sameWith } from '../context.ts';
import type { OperatorQuery, RefundUnderWayFragment } from '../generated/graphql.ts';
import { sayNamed } from '../words.ts';
import { ago, inBrl, money } from './figures.ts';
import { askedForm, field } from './form.ts';
import { count, PAGE_ROWS, pageAsked, section, unseen } from './lists.ts';

type Refund = RefundUnderWayFragment;
type Debts = NonNullable<OperatorQuery['receivables']>;
type Debt = Debts['nodes'][number];

const TONES: Readonly<Record<string, Tone>> = { FAILED: 'bad', REQUESTED: 'info' };

/** @returns whether something of the transaction failed to go back, and is still owed. */
export function hasFailed({ transaction: { possibleActions } }: Refund): boolean {
  return possibleActions.some(({ action }) => action === 'RETRY_REFUND');
}

/** @returns returns to payers under way, with the actions on failed ones. */
export function refundList(context: ScreenContext, rows: readonly Refund[]): Html {
  const { say, language } = context;
  const open = ({ transaction: { refunds } }: Refund) => refunds.filter(({ state }) => state in TONES);
  const columns: readonly Column<Refund>[] = [
    { name: say('account'), cell: ({ account }) => account },
    { name: say('payerOrPayee'), look: 'wide', cell: ({ transaction }) => transaction.clientName },
    { name: say('reference'), look: 'mono wide', cell: ({ transaction: { end2end } }) => end2end },
    {
      name: say('amount'),
      isFigure: true,
      cell: (row) => open(row).map(({ amount }) => html`<div>${money(amount, language)}</div>`),
    },
    {
      name: say('opened'),
      look: 'wide',
      cell: (row) => open(row).map(({ requestedAt }) => html`<div>${ago(requestedAt, language)}</div>`),
    },
    {
      name: say('status'),
      cell: (row) =>
        open(row).map(({ state }) => html`<div>${badge(TONES[state] ?? 'idle', sayNamed(say, state))}</div>`),
    },
    {
      name: unseen(say('actsHere')),
      isActs: true,
      cell: (row) => hasFailed(row) && refundActs(context, row),
    },
  ];
  const caption = say('openRefunds');
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  const content =
    rows.length > 0
      ? scrolled(say('tableOf', { name: caption }), shown)
      : empty('returned', say('noOpenRefunds'));
  return section('refunds', caption, content, say('openRefundsWhy'));
}

function refundActs(
  context: ScreenContext,
  { account, transaction: { end2end, possibleActions } }: Refund,
): Html {
  const { say, language } = context;
  const owed = possibleActions.flatMap(({ effects }) =>
    effects.map(({ money: each }) => each?.amount ?? '0'),
  );
  const amount = inBrl(sum(owed), language);
  const given = { account, end2end };
  const retry = askedForm(context, {
    act: 'RetryRefund',
    given,
    open: say('retryRefund'),
    what: say('retryRefundWhat', { amount }),
    button: say('retryRefundYes'),
  });
  const reference = { name: 'reference', label: say('paymentReference'), isRequired: true };
  const settle = askedForm(context, {
    act: 'SettleRefundByHand',
    given,
    open: say('settleRefund'),
    what: say('settleRefundWhat', { amount }),
    button: say('settleRefundYes'),
    fields: field(context, 'SettleRefundByHand', reference, given),
  });
  return html`<div class="row">${retry}${settle}</div>`;
}

/** The page of debts that is asked for: the screen has another list, whose page is `page`. */
function owedPage(context: ScreenContext): number {
  return pageAsked(context, 'owedPage') ?? 1;
}

/** @returns the receivables that the document reads. @throws {GatewayError} `INVALID_PARAMETER` for what is no number of a page. */
export function owedVariables(context: ScreenContext): { readonly owedOffset: number } {
  return { owedOffset: (owedPage(context) - 1) * PAGE_ROWS };
}

/** @returns debts of accounts to the house, each with the form that settles it; null without any. */
export function receivableList(context: ScreenContext, debts: Debts): Html | null {
  const { nodes: rows, totalCount } = debts;
  if (totalCount === 0) return null;
  const { say, language } = context;
  const columns: readonly Column<Debt>[] = [
    {
      name: say('account'),
      isRowHead: true,
      cell: ({ account, accountName }) => `${accountName} (${account})`,
    },
    {
      name: say('amount'),
      isFigure: true,
      cell: ({ amount, currency }) => money({ amount, currency }, language),
    },
    { name: unseen(say('actsHere')), isActs: true, cell: (row) => settleForm(context, row) },
  ];
  const caption = say('receivables');
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  const content =
    rows.length > 0 ? scrolled(say('tableOf', { name: caption }), shown) : empty('search', say('listEnded'));
  return section('receivables', caption, html`${content}${owedPages(context, debts)}`);
}

/** Number of shown debts of how many, and links to the others; null when all are shown. */
function owedPages(context: ScreenContext, { nodes, totalCount }: Debts): Html | null {
  if (nodes.length === totalCount) return null;
  const { say, language } = context;
  const page = owedPage(context);
  const pages = Math.ceil(totalCount / PAGE_ROWS);
  const before = (page - 1) * PAGE_ROWS;
  const shown = (value: number) => count(value, language);
  const range = { from: shown(before + 1), to: shown(before + nodes.length), total: shown(totalCount) };
  const to = (other: number) =>
    `${sameWith(context, { owedPage: other > 1 ? String(other) : null, done: null })}#receivables`;
  const name = say('pagesOf', { name: say('receivables') });
  return html`<nav class="row in" aria-label="${name}">${nodes.length > 0 && html`<span class="soft num small">${say('range', range)}</span>`}
${page > 1 && html`<a class="btn pill" rel="prev" href="${to(Math.min(page - 1, pages))}">${say('previous')}</a>`}
${page < pages && html`<a class="btn pill" rel="next" href="${to(page + 1)}">${say('next')}</a>`}</nav>`;
}

function settleForm(context: ScreenContext, { account, currency: { code } }: Debt): Html | null {
  const { say } = context;
  const act = 'SettleReceivable';
  const given = { account, currency: code };
  const sources = (['BALANCE', 'CAPITAL'] as const).map((each) => [each, say(each)] as const);
  const amount = { name: 'amount', label: say('amount'), inputmode: 'decimal', isRequired: true } as const;
  const source = { name: 'source', label: say('settledBy'), options: sources };
  return askedForm(context, {
    act,
    given,
    open: say('settleDebt'),
    what: say('settleDebtWhat'),
    button: say('settleDebtYes'),
    fields: html`${field(context, act, amount, given)}${field(context, act, source, given)}`,
  });
}
