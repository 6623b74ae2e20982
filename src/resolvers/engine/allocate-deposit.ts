/**
 * Finds the address and the exact amount by which a deposit is recognised (domain.md 4.3): the price plus a few last digits
 * that no other open deposit has at that address, upward only, never rounded.
 */
import { randomInt } from 'node:crypto';
import { known } from '../../base/errors/assert.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { fromMinor, withDecimals } from '../../base/money/money.ts';
import { holdSlot, readHeldSlot } from '../../store/engine/deposits.ts';
import { sourceOf } from '../../templates/amounts.ts';
import { expiryOf, MONITORING_MS } from '../../templates/effects.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Services } from '../services/context.ts';

/** Attempts with one address before the next. */
const ATTEMPTS_PER_ADDRESS = 20;
const ADDRESSES_MAX = 5;
/** Maximum number of decimals that wallets show: the suffix ends there, even if the currency has more. */
const SHOWN_DECIMALS_MAX = 8;

/**
 * @returns the address, and the exact amount to show: always the same for one transaction, so that the rail watches for the
 * amount that the payer sees.
 * @throws {GatewayError} `UNAVAILABLE` when every amount that was attempted is in use.
 */
export async function allocateDeposit(
  { database, rails, clock }: Services,
  row: ProcessRow,
): Promise<{ address: string; exactAmount: string }> {
  const { currency, amount } = sourceOf(row);
  const shown = Math.min(currency.decimals, SHOWN_DECIMALS_MAX);
  const shownAs = (amountMinor: bigint) => withDecimals(fromMinor(amountMinor, currency.decimals), shown);
  const own = { accountId: row.accountId, transactionId: row.id, currency: currency.code };
  const held = await readHeldSlot(database, own);
  if (held) return { address: held.address, exactAmount: shownAs(held.amountMinor) };
  const step = 10n ** BigInt(currency.decimals - (SUFFIX_DECIMALS[currency.asset] ?? SUFFIX_DECIMALS_USUAL));
  const digits = SUFFIX_LIMITS[currency.asset] ?? SUFFIX_LIMIT_USUAL;
  const share = Number(amount / (step * SUFFIX_SHARE));
  const limit = Math.max(2, Math.min(digits, share + 1));
  const now = new Date(await clock.nowMs());
  const heldUntil = new Date(known(expiryOf(row), 'an end') + MONITORING_MS);
  for (let addresses = 0; addresses < ADDRESSES_MAX; addresses++) {
    const address = await rails.chain.depositAddress(currency);
    for (let attempts = 0; attempts < ATTEMPTS_PER_ADDRESS; attempts++) {
      const amountMinor = amount + step * BigInt(randomInt(1, limit));
      if (await holdSlot(database, { ...own, address, amountMinor, heldUntil }, now))
        return { address, exactAmount: shownAs(amountMinor) };
    }
  }
  throw new GatewayError('UNAVAILABLE', 'too many open deposits of this amount; try again in a minute', {
    retryAfter: 60,
  });
}

/** Last decimal of the suffix, by asset: the payer pays the suffix, so it must be worth a few cents at most. */
const SUFFIX_DECIMALS: Readonly<Record<string, number>> = { BTC: 8, ETH: 10 };
const SUFFIX_DECIMALS_USUAL = 6;
/** Number of decimals for the suffix: three of Bitcoin's eight, four of other currencies. */
const SUFFIX_LIMIT_USUAL = 10_000;
const SUFFIX_LIMITS: Readonly<Record<string, number>> = { BTC: 1_000 };
/** The suffix is at most this fraction (1 in `n`) of the order, unless one unit of it is more. */
const SUFFIX_SHARE = 200n;
