/** Facts of limits whose amounts are minor units. */
import type { LimitFacts, LimitKind } from '../../base/errors/errors.ts';
import type { Currency } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';

/** @returns the facts of a maximum, which the request exceeds. */
export function atMost(kind: LimitKind, maximumMinor: bigint, { code, decimals }: Currency): LimitFacts {
  const maximum = fromMinor(maximumMinor, decimals);
  return { kind, maximum, amount: maximum, currency: code };
}

/** @returns the facts of a minimum, which the request does not reach. */
export function atLeast(kind: LimitKind, minimumMinor: bigint, { code, decimals }: Currency): LimitFacts {
  const minimum = fromMinor(minimumMinor, decimals);
  return { kind, minimum, amount: minimum, currency: code };
}
