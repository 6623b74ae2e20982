/** Cases of the review queue about orders to rails: payments of before a restore, and orders by PIX that stay undecided. */
import { BRL, currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import { isoMillis } from '../../base/time/instant.ts';
import { listOpenPixOrders } from '../../store/rails/open-pix-orders.ts';
import { listUnknownPayments } from '../../store/rails/unknown-payments.ts';
import { CASES_MAX, type CaseReader, type FoundCase, ofHouse } from './found-case.ts';

/** Age from which a person looks at an order that the provider has not decided. Unit: ms. */
const UNDECIDED_MS = 24 * 3_600_000;

/** @returns payments that left before a restore and wait for a decision. */
export async function readUnknown({ context }: CaseReader): Promise<readonly FoundCase[]> {
  const { database, mode } = context;
  const payments = await listUnknownPayments(database, mode, { isOpen: true, limit: CASES_MAX });
  return payments.map(({ id, rail, destination, currency, amountMinor, sentAt }) => ({
    ...ofHouse(String(id), isoMillis(sentAt)),
    money: { currency, amount: fromMinor(BigInt(amountMinor), currencyOfLedger(currency).decimals) },
    detail: destination ?? rail,
  }));
}

/** @returns orders that the PIX provider has not decided for a day; it may not have them at all. */
export async function readUndecidedOrders({ context }: CaseReader): Promise<readonly FoundCase[]> {
  const { database, mode } = context;
  const submittedBeforeMs = database.nowMs() - UNDECIDED_MS;
  const orders = await listOpenPixOrders(database, mode, { limit: CASES_MAX, submittedBeforeMs });
  return orders.map(({ key, accountId, amount, placedAtMs, pixKey, endToEndId }) => ({
    ...ofHouse(key, new Date(placedAtMs).toISOString()),
    accountId,
    money: { currency: BRL.code, amount },
    detail: pixKey ?? endToEndId,
  }));
}
