/** The table of transactions: dense on a large screen, two lines a row on a phone; the first link covers the row. */
import { type Html, html } from '../../ui/html.ts';
import { type Column, table } from '../../ui/table.ts';
import { pathTo, type ScreenContext } from '../context.ts';
import type { TransactionRowFragment as Row } from '../generated/graphql.ts';
import { translateName } from '../words.ts';
import { type AmountShown, decimal, isBrl, listTime, money, statusBadge } from './figures.ts';

/** @returns the table; rows have their reference, by which a script finds them again. */
export function transactionTable(context: ScreenContext, rows: readonly Row[], caption: string): Html {
  return table({
    caption,
    isCaptionUnseen: true,
    rows: rows.map((row) => writtenRow(context, row)),
    rowAttributes: ({ row: { end2end } }) => ({ 'data-row': end2end }),
    columns: columns(context),
  });
}

/**
 * A row with content for several of its cells, some of which only a large screen or only a phone shows; written once.
 */
interface WrittenRow {
  readonly row: Row;
  readonly when: Html;
  readonly badge: Html;
  readonly kind: string;
  readonly pix: string | null;
}

function writtenRow({ translate, language }: ScreenContext, row: Row): WrittenRow {
  const pix = pixOf(row);
  return {
    row,
    when: listTime(row.createdAt, language),
    badge: statusBadge(row, language),
    kind: translateName(translate, row.__typename),
    pix: pix && money(pix, language),
  };
}

function columns({ translate, language }: ScreenContext): readonly Column<WrittenRow>[] {
  const who = ({ row, when, kind }: WrittenRow) => {
    const about = [kind, row.externalCode].filter(Boolean).join(' ');
    const href = pathTo(`/transactions/${row.end2end}`);
    return html`<a href="${href}">${whoOf(row) ?? translate('unknown')}</a><small class="narrow">${when} · ${about}</small>`;
  };
  const main = ({ row, badge, pix }: WrittenRow) => {
    const amount = pix === null ? cryptoOf(row) : null;
    return html`${pix ?? (amount && money(amount, language))}<small>${badge}</small>`;
  };
  const crypto = ({ row }: WrittenRow) => {
    const amount = cryptoOf(row);
    if (!amount) return null;
    const { decimals, asset = '' } = amount.currency;
    return html`${decimal(amount.amount, decimals, language)}<span class="unit">${asset}</span>`;
  };
  return [
    { name: translate('time'), style: 'wide', cell: ({ when }) => when },
    { name: translate('status'), style: 'wide', cell: ({ badge }) => badge },
    { name: translate('payerOrPayee'), style: 'cut', cell: who },
    { name: translate('kind'), style: 'wider', cell: ({ kind }) => kind },
    { name: translate('order'), style: 'wide', cell: ({ row }) => row.externalCode },
    { name: translate('pix'), style: 'wide', isFigure: true, cell: ({ pix }) => pix },
    { name: translate('crypto'), style: 'wide', isFigure: true, cell: crypto },
    { name: translate('amount'), style: 'narrow', isFigure: true, cell: main },
    {
      name: translate('reference'),
      style: 'mono soft wider',
      cell: ({ row }) => `…${row.end2end.slice(-6)}`,
    },
  ];
}

/** Facts of a transaction about its payer or payee. */
interface WithPerson {
  readonly clientName: string | null;
  /** Payee of a withdrawal. */
  readonly address?: string | null;
}

/**
 * @returns the payer or payee; for a withdrawal its destination, shortened in the middle, because people compare the
 * two ends.
 */
export function whoOf({ clientName, address }: WithPerson): string | null {
  if (clientName) return clientName;
  if (!address) return null;
  return address.length < 20 ? address : `${address.slice(0, 6)}…${address.slice(-6)}`;
}

function pixOf({ source, target }: Row): AmountShown | null {
  return isBrl(source) ? source : isBrl(target) ? target : null;
}

function cryptoOf({ source, target }: Row): AmountShown | null {
  if (!isBrl(target)) return target ?? null;
  return isBrl(source) ? null : (source ?? null);
}
