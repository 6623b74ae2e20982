/**
 * Receivables and refunds: refunds to payers that are under way or failed, and receivables from accounts with their
 * settlement.
 */
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, type Tone } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { type ScreenContext, sameWith } from '../context.ts';
import type { OperatorQuery, RefundUnderWayFragment } from '../generated/graphql.ts';
import { decideLink } from './cases.ts';
import { ago, money } from './figures.ts';
import { disclosedForm, field } from './form.ts';
import { count, PAGE_ROWS, requestedPage, section, unseen } from './lists.ts';

type Refund = RefundUnderWayFragment;
type Receivables = NonNullable<OperatorQuery['receivables']>;
type Receivable = Receivables['nodes'][number];

const TONES: Readonly<Record<string, Tone>> = { FAILED: 'bad', REQUESTED: 'info' };

/** @returns refunds to payers under way; a failed one with the link to its case. */
export function refundList(context: ScreenContext, rows: readonly Refund[]): Html {
  const { translate, language } = context;
  const open = ({ transaction: { refunds } }: Refund) => refunds.filter(({ state }) => state in TONES);
  const columns: readonly Column<Refund>[] = [
    {
      name: translate('payerOrPayee'),
      isRowHead: true,
      cell: ({ transaction }) => transaction.clientName ?? translate('unknown'),
    },
    { name: translate('account'), cell: ({ account }) => account },
    { name: translate('reference'), style: 'mono wide', cell: ({ transaction: { end2end } }) => end2end },
    {
      name: translate('amount'),
      isFigure: true,
      cell: (row) => open(row).map(({ amount }) => html`<div>${money(amount, language)}</div>`),
    },
    {
      name: translate('opened'),
      style: 'wide',
      cell: (row) => open(row).map(({ requestedAt }) => html`<div>${ago(requestedAt, language)}</div>`),
    },
    {
      name: translate('status'),
      cell: (row) =>
        open(row).map(
          ({ state }) =>
            html`<div>${badge(TONES[state] ?? 'idle', translate(state === 'FAILED' ? 'status_FAILED' : 'status_PENDING'))}</div>`,
        ),
    },
    {
      name: unseen(translate('actsHere')),
      isActions: true,
      cell: ({ account, transaction }) =>
        transaction.refunds.some(({ state }) => state === 'FAILED') &&
        decideLink(context, 'FAILED_REFUND', account, transaction),
    },
  ];
  const caption = translate('openRefunds');
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  const content =
    rows.length > 0
      ? scrolled(translate('tableOf', { name: caption }), shown)
      : empty('returned', translate('noOpenRefunds'));
  return section('refunds', caption, content, translate('openRefundsWhy'));
}

/** The requested page of receivables: the screen has another list, whose page is `page`. */
function receivablesPage(context: ScreenContext): number {
  return requestedPage(context, 'owedPage') ?? 1;
}

/**
 * @returns the receivables that the document reads. @throws {GatewayError} `INVALID_PARAMETER` for a text that is not a page
 * number.
 */
export function receivablesVariables(context: ScreenContext): { readonly owedOffset: number } {
  return { owedOffset: (receivablesPage(context) - 1) * PAGE_ROWS };
}

/** @returns receivables from accounts, each with the form that settles it. */
export function receivableList(context: ScreenContext, receivables: Receivables): Html {
  const { nodes: rows, totalCount } = receivables;
  const { translate, language } = context;
  const caption = translate('receivables');
  if (totalCount === 0)
    return section(
      'receivables',
      caption,
      empty('done', translate('noReceivables'), translate('noReceivablesWhy')),
    );
  const columns: readonly Column<Receivable>[] = [
    {
      name: translate('account'),
      isRowHead: true,
      cell: ({ account, accountName }) => `${accountName} (${account})`,
    },
    {
      name: translate('amount'),
      isFigure: true,
      cell: ({ amount, currency }) => money({ amount, currency }, language),
    },
    { name: unseen(translate('actsHere')), isActions: true, cell: (row) => settleForm(context, row) },
  ];
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  const content =
    rows.length > 0
      ? scrolled(translate('tableOf', { name: caption }), shown)
      : empty('search', translate('listEnded'));
  return section('receivables', caption, html`${content}${receivablesPages(context, receivables)}`);
}

/** Number of shown and of all receivables, and links to the other pages; null when all are shown. */
function receivablesPages(context: ScreenContext, { nodes, totalCount }: Receivables): Html | null {
  if (nodes.length === totalCount) return null;
  const { translate, language } = context;
  const page = receivablesPage(context);
  const pages = Math.ceil(totalCount / PAGE_ROWS);
  const before = (page - 1) * PAGE_ROWS;
  const shown = (value: number) => count(value, language);
  const range = { from: shown(before + 1), to: shown(before + nodes.length), total: shown(totalCount) };
  const to = (other: number) =>
    `${sameWith(context, { owedPage: other > 1 ? String(other) : null, done: null })}#receivables`;
  const name = translate('pagesOf', { name: translate('receivables') });
  return html`<nav class="row in" aria-label="${name}">${nodes.length > 0 && html`<span class="soft num small">${translate('range', range)}</span>`}
${page > 1 && html`<a class="btn pill" rel="prev" href="${to(Math.min(page - 1, pages))}">${translate('previous')}</a>`}
${page < pages && html`<a class="btn pill" rel="next" href="${to(page + 1)}">${translate('next')}</a>`}</nav>`;
}

function settleForm(context: ScreenContext, { account, currency: { code } }: Receivable): Html | null {
  const { translate } = context;
  const action = 'SettleReceivable';
  const preset = { account, currency: code };
  const sources = (['BALANCE', 'CAPITAL'] as const).map((each) => [each, translate(each)] as const);
  const amount = {
    name: 'amount',
    label: translate('amount'),
    inputmode: 'decimal',
    isRequired: true,
  } as const;
  const source = { name: 'source', label: translate('settledBy'), options: sources };
  return disclosedForm(context, {
    action,
    preset,
    open: translate('settleDebt'),
    what: translate('settleDebtWhat'),
    button: translate('settleDebtYes'),
    fields: html`${field(context, action, amount, preset)}${field(context, action, source, preset)}`,
  });
}
