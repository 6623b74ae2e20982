/** Balances among the rows of a bank file, which check its movements. */
import { type BankBalance, folded } from './bank-row.ts';

const OPENING = /^saldo (?:anterior|inicial)\b/;
/** Balances that may include limits, or exclude blocked money, are not the sum of movements. */
const CLOSING =
  /^(?:saldo|s a l d o)$|^saldo (?:do dia|diario|final|atual|em conta|total disponivel dia|em \d)/;

/**
 * @param texts - texts of a row that is a balance or a total.
 * @param minor - its amount; null where it has none.
 * @returns its balance; undefined for a total, and for a balance that movements do not add up to.
 */
export function balanceOf(
  texts: readonly string[],
  day: string | null,
  minor: bigint | null,
): BankBalance | undefined {
  const all = texts.map(folded);
  const isOpening = all.some((text) => OPENING.test(text));
  if (minor === null || !(isOpening || all.some((text) => CLOSING.test(text)))) return undefined;
  return { day, minor, isOpening };
}
