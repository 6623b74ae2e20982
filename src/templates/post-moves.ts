/** Postings of transitions whose journals move one amount of the transaction: its source, its target or its deposit. */
import type { Currency } from '../base/money/currency.ts';
import type { Journal } from '../ledger/posting.ts';
import { depositOf, sourceOf, targetOf } from './amounts.ts';
import type { View } from './transition.ts';

/** A journal of one amount. */
export type Move = (currency: Currency, amount: bigint) => Journal;

/** The `post` of a transition: journals of the transaction at that time. */
export type Post = (view: Pick<View, 'row'>) => Journal[];

/** @returns a `post` of these journals, in this order, each with the amount that `amountOf` finds. */
export function movesOf(
  amountOf: (row: View['row']) => { readonly currency: Currency; readonly amount: bigint },
): (...moves: readonly Move[]) => Post {
  return (...moves) =>
    ({ row }) => {
      const { currency, amount } = amountOf(row);
      return moves.map((move) => move(currency, amount));
    };
}

/** Journals of money in. */
export const ofSource = movesOf(sourceOf);

/** Journals of money out. */
export const ofTarget = movesOf(targetOf);

/** Journals of the received deposit. */
export const ofDeposit = movesOf(depositOf);
