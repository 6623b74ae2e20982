/** The table of transactions: dense on a desk, two lines a row on a phone; the first link covers the row. */
import { type Html, html } from '../../ui/html.ts';
import { type Column, table } from '../../ui/table.ts';
import { type Desk, pathTo } from '../desk.ts';
import type { TransactionRowFragment as Row } from '../generated/graphql.ts';
import { sayNamed } from '../words.ts';
import { type AmountShown, decimal, isBrl, moment, money, statusBadge } from './figures.ts';

/** @returns the table; rows have their reference, by which a script finds them again. */
export function transactionTable(desk: Desk, rows: readonly Row[], caption: string): Html {
  return table({
    caption,
    isCaptionUnseen: true,
    rows,
    rowAttributes: ({ end2end }) => ({ 'data-row': end2end }),
    columns: columns(desk),
  });
}

function columns({ say, language }: Desk): readonly Column<Row>[] {
  const when = ({ createdAt }: Row) => moment(createdAt, language);
  const badge = (row: Row) => statusBadge(row, language);
  const kind = ({ __typename }: Row) => sayNamed(say, __typename);
  const who = (row: Row) => {
    const about = [kind(row), row.externalCode].filter(Boolean).join(' ');
    const href = pathTo(`/transactions/${row.end2end}`);
    return html`<a href="${href}">${whoOf(row) ?? say('unknown')}</a><small class="narrow">${when(row)} · ${about}</small>`;
  };
  const main = (row: Row) => {
    const amount = pixOf(row) ?? cryptoOf(row);
    return html`${amount && money(amount, language)}<small>${badge(row)}</small>`;
  };
  const crypto = (row: Row) => {
    const amount = cryptoOf(row);
    if (!amount) return null;
    const { decimals, asset = '' } = amount.currency;
    return html`${decimal(amount.amount, decimals, language)}<span class="unit">${asset}</span>`;
  };
  const pix = (row: Row) => {
    const amount = pixOf(row);
    return amount && money(amount, language);
  };
  return [
    { name: say('time'), look: 'wide', cell: when },
    { name: say('status'), look: 'wide', cell: badge },
    { name: say('payerOrPayee'), look: 'cut', cell: who },
    { name: say('kind'), look: 'wider', cell: kind },
    { name: say('order'), look: 'wide', cell: (row) => row.externalCode },
    { name: say('pix'), look: 'wide', isFigure: true, cell: pix },
    { name: say('crypto'), look: 'wide', isFigure: true, cell: crypto },
    { name: say('amount'), look: 'narrow', isFigure: true, cell: main },
    { name: say('reference'), look: 'mono soft wider', cell: ({ end2end }) => `…${end2end.slice(-6)}` },
  ];
}

/** A transaction as far as it says who pays or is paid. */
interface OfSomebody {
  readonly clientName: string | null;
  /** Of a withdrawal. */
  readonly address?: string | null;
}

/** @returns who pays or is paid; of a withdrawal, where it goes: the two ends are what people compare. */
export function whoOf({ clientName, address }: OfSomebody): string | null {
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
