/** A journal as an account holder may see it: own lines with the balance after, house accounts by their class. */
import { sum } from '../../base/money/money.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge } from '../../ui/parts.ts';
import { scrolled, table } from '../../ui/table.ts';
import type { ScreenContext } from '../context.ts';
import type { PostingFragment } from '../generated/graphql.ts';
import { type CurrencyShown, decimal } from './figures.ts';

/** A journal: the lines of the account in it. */
export interface Journal {
  readonly id: string;
  readonly date: string;
  readonly lines: readonly PostingFragment[];
}

interface Side {
  readonly name: string | Html;
  readonly currency: CurrencyShown;
  readonly debit: string;
  readonly credit: string;
  readonly balance: string | null;
}

/** @returns the journals that lines belong to, in order. */
export function journalsOf(lines: readonly PostingFragment[]): readonly Journal[] {
  const journals = Map.groupBy(lines, ({ journalId }) => journalId);
  return [...journals].map(([id, own]) => ({ id, date: own[0]?.date ?? '', lines: own }));
}

/** @param isOwn - whether the reader acts on the account of the journal. @returns the table of a journal; under its lines the sum of each currency. */
export function journalTable(
  { translate, language }: ScreenContext,
  { id, lines }: Journal,
  isOwn: boolean,
): Html {
  const sides = sidesOf(translate, lines, isOwn);
  const shown = (amount: string | null, { decimals }: CurrencyShown) =>
    amount !== null && /[1-9]/.test(amount) ? decimal(amount, decimals, language) : null;
  const caption = translate('journal', { id });
  const lined = table<Side>({
    caption,
    isCaptionUnseen: true,
    rows: [...sides, ...sumsOf(translate, sides)],
    columns: [
      { name: translate('account'), isRowHead: true, cell: ({ name }) => name },
      { name: translate('debit'), isFigure: true, cell: ({ debit, currency }) => shown(debit, currency) },
      { name: translate('credit'), isFigure: true, cell: ({ credit, currency }) => shown(credit, currency) },
      {
        name: translate('balanceAfter'),
        isFigure: true,
        style: 'soft',
        cell: ({ balance, currency: { decimals } }) => balance && decimal(balance, decimals, language),
      },
    ],
  });
  return html`<div class="card">${scrolled(translate('tableOf', { name: caption }), lined)}</div>`;
}

/** Every line of the journal once: the account's own, which have a balance, and those of the house. */
function sidesOf(
  translate: ScreenContext['translate'],
  lines: readonly PostingFragment[],
  isOwn: boolean,
): readonly Side[] {
  const word = isOwn ? 'yours' : 'theirs';
  const own = lines.map(({ ledgerAccount: { currency, subAccount }, debit, credit, balance }) => ({
    name: `${translate(word, { subAccount: translate(subAccount).toLowerCase() })}, ${currency.displayName}`,
    currency,
    debit,
    credit,
    balance,
  }));
  const house = (lines[0]?.counterparts ?? [])
    .filter(({ subAccount }) => !subAccount)
    .map(({ accountClass, currency, debit, credit }) => ({
      name: `${translate(accountClass)} ${currency.displayName}`,
      currency,
      debit,
      credit,
      balance: null,
    }));
  return [...own, ...house];
}

function sumsOf(translate: ScreenContext['translate'], sides: readonly Side[]): readonly Side[] {
  return [...Map.groupBy(sides, ({ currency }) => currency.code).values()].map((own) => {
    const { currency } = own[0] as Side;
    const debit = sum(own.map((each) => each.debit));
    const credit = sum(own.map((each) => each.credit));
    const isZero = debit === credit;
    const word = translate(isZero ? 'sumsToZero' : 'sumsNot', { currency: currency.displayName });
    return { name: badge(isZero ? 'good' : 'bad', word), currency, debit, credit, balance: null };
  });
}
