/** The network's charge to the house for an outgoing transfer (L12). */
import { currencyOfLedger } from '../base/money/currency.ts';
import { gasSpent } from '../ledger/journals.ts';
import type { Journal } from '../ledger/posting.ts';
import type { Gas } from './triggers.ts';

/** @returns the journal of the network's charge; none when it is zero or unknown. */
export function gasJournals({
  trigger: { gas },
}: {
  readonly trigger: { readonly gas?: Gas | null };
}): Journal[] {
  const amount = BigInt(gas?.amountMinor ?? 0);
  return gas && amount > 0n ? [gasSpent(currencyOfLedger(gas.currency), amount)] : [];
}
