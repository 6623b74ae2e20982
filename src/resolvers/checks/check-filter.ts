/** Checks filters as callers write them, for both edges: every bad value is named, none is guessed at (C-13). */

import type { Named, Violations } from '../../base/errors/violations.ts';
import { CURRENCIES, currenciesMeant, currencyOfHistory } from '../../base/money/currency.ts';
import { currenciesHeld } from '../../store/ledger/ledger.ts';
import type { Context } from '../services/context.ts';

/**
 * @returns the raw ledger code of a currency that the catalogue or the account knows, in any spelling; of an asset that exists on
 *   several networks, all its codes (C-6).
 */
export async function currenciesKnown(
  { database, caller }: Context,
  violations: Violations,
  input: Named | undefined,
): Promise<readonly string[] | undefined> {
  const text = violations.text(input);
  if (!input || text === undefined) return undefined;
  const meant = currenciesMeant(text);
  if (meant.length > 0) return meant.map(({ code }) => code);
  const held = await currenciesHeld(database, caller.accountId);
  const named = held.find((code) => code === text || currencyOfHistory(code)?.displayName === text);
  if (named) return [named];
  const codes = CURRENCIES.map((currency) => currency.code).join(', ');
  return violations.add({ parameter: input.name, message: `must be one of ${codes}` });
}

/**
 * @returns an id of a filter in the database's form, null if there is none. PostgreSQL has no text with the character U+0000:
 * an id that contains one loses it and finds nothing.
 */
export function storableId(id: string | undefined): string | null {
  return id?.replaceAll('\u0000', '\ufffd') ?? null;
}
