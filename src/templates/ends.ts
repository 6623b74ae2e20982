/** When a session ends, and until when its price holds. Moments are milliseconds on the clock of the processes. */
import { BRL, currencyOfLedger } from '../base/currency.ts';
import { millisOf } from '../base/instant.ts';
import type { Process, ProcessRow } from './facts.ts';

/** @returns the end of the session, or undefined when it has none. */
export function expiryOf({ expiresAt }: Pick<ProcessRow, 'expiresAt'>): number | undefined {
  return expiresAt === null ? undefined : millisOf(expiresAt);
}

/**
 * @returns the end of the price's lock: the lock time of the crypto currency after the price was made (C-21). Undefined
 *   where there is no price yet.
 */
export function lockEndOf({
  process,
  sourceCurrency,
  targetCurrency,
}: Pick<ProcessRow, 'sourceCurrency' | 'targetCurrency'> & {
  readonly process: Pick<Process, 'pricedAt'> | null;
}): number | undefined {
  const crypto = sourceCurrency === BRL.code ? targetCurrency : sourceCurrency;
  if (process?.pricedAt === undefined || crypto === null) return undefined;
  return Date.parse(process.pricedAt) + currencyOfLedger(crypto).lockSeconds * 1_000;
}

/** @returns the end of the session before anything is paid: a quote that nobody accepts ends with its lock. */
export function unpaidEndOf(row: ProcessRow): number | undefined {
  const lockEnd = row.process?.isAccepted ? undefined : lockEndOf(row);
  const ends = [expiryOf(row), lockEnd].filter((end) => end !== undefined);
  return ends.length > 0 ? Math.min(...ends) : undefined;
}
