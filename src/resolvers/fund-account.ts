/** Gives a sandbox account something to spend: an adjustment without a transaction. */
import { randomUUID } from 'node:crypto';
import { assert } from '../base/assert.ts';
import { currenciesMeant } from '../base/currency.ts';
import { invalidParameters, type Violation } from '../base/errors.ts';
import { fromMinor, toMinor } from '../base/money.ts';
import { fund } from '../ledger/journals.ts';
import type { Database } from '../store/database.ts';
import { postJournals } from '../store/posting.ts';

/** What was given. */
export interface Funding {
  readonly journalId: string;
  readonly currency: string;
  readonly amount: string;
}

/** More than all the money there is, in any unit. */
const AMOUNT_LENGTH_MAX = 40;

/**
 * Posts the adjustment; its statement entry has no transaction.
 *
 * @param given - a currency in any spelling (C-6), and a decimal amount above zero with no more decimals than it has.
 * @param nowMs - time of the journal; now when not given.
 * @throws {GatewayError} `INVALID_PARAMETER` or `CURRENCY_AMBIGUOUS`, naming what is not accepted.
 */
export async function fundAccount(
  database: Database,
  accountId: bigint,
  given: { readonly currency: string; readonly amount: string },
  nowMs?: number,
): Promise<Funding> {
  const meant = currenciesMeant(given.currency);
  const [currency] = meant;
  if (!currency || meant.length > 1)
    throw invalidParameters([currencyViolation(meant.map(({ code }) => code))]);
  if (given.amount.length > AMOUNT_LENGTH_MAX)
    throw invalidParameters([
      { parameter: 'amount', message: `must have at most ${AMOUNT_LENGTH_MAX} characters` },
    ]);
  let amount: bigint;
  try {
    amount = toMinor(given.amount, currency.decimals);
  } catch (error) {
    throw invalidParameters([{ parameter: 'amount', message: (error as Error).message }]);
  }
  if (amount <= 0n) throw invalidParameters([{ parameter: 'amount', message: 'must be above zero' }]);
  const request = {
    accountId,
    ref: `fund:${randomUUID()}`,
    transactionId: null,
    journal: fund(currency, amount),
  };
  const [outcome] = await database.withTx((tx) =>
    postJournals(tx, [request], nowMs === undefined ? undefined : new Date(nowMs)),
  );
  assert(outcome?.code === 'POSTED' && outcome.journalId !== null, 'an adjustment under a new ref is posted');
  return {
    journalId: String(outcome.journalId),
    currency: currency.code,
    amount: fromMinor(amount, currency.decimals),
  };
}

function currencyViolation(codes: readonly string[]): Violation {
  if (codes.length === 0) return { parameter: 'currency', message: 'is not a currency of the catalogue' };
  return {
    parameter: 'currency',
    message: `names an asset of several networks: use one of ${codes.join(', ')}`,
    code: 'CURRENCY_AMBIGUOUS',
  };
}
