/**
 * Settles a receivable from an account holder after a dispute: checked and posted under the lock of the account, and in its
 * audit log.
 */
import { randomUUID } from 'node:crypto';
import type { ActionName } from '../../base/access/actions.ts';
import { assert } from '../../base/errors/assert.ts';
import { GatewayError, overLimit } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import type { Currency } from '../../base/money/currency.ts';
import { fromMinor, isMore, toMinor } from '../../base/money/money.ts';
import * as journals from '../../ledger/journals.ts';
import type { Journal } from '../../ledger/posting.ts';
import type { Tx } from '../../store/connection/database.ts';
import { readHouseBalance } from '../../store/ledger/house.ts';
import { postJournals } from '../../store/ledger/posting.ts';
import { audited } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { atMost } from '../checks/limit-facts.ts';
import type { Attempt } from '../checks/once.ts';
import { type Context, requirePermission } from '../services/context.ts';

/** A journal that was booked. */
export interface Booking {
  readonly journalId: string;
  readonly currency: string;
  readonly amount: string;
}

/** Amount and currency, as the caller wrote them. */
export interface BookingInput {
  readonly currency: Named;
  readonly amount: Named;
}

/** Source of a receivable's settlement: the balance of the account holder, or capital of the house. */
export type ReceivableSource = 'balance' | 'capital';

/**
 * Settles the receivable from an account holder after a lost dispute or a dropped deposit, or a part of it.
 *
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER`; `CURRENCY_AMBIGUOUS`; `LIMIT_EXCEEDED` beyond the receivable;
 *   `INSUFFICIENT_BALANCE`.
 */
export function settleReceivable(
  context: Context,
  input: BookingInput,
  source: ReceivableSource,
  attempt: Attempt,
  checks: CreationChecks,
): Promise<Booking> {
  const journalOf = source === 'balance' ? journals.receivableSettled : journals.receivableBorne;
  return book(context, 'receivable.settle', { input, attempt, checks, journalOf }, refuseBeyondReceivable);
}

/** A larger amount is a typing error, which would stay in the books for ever. */
export const BOOKED_MAX = '1000000000000';

interface Draft {
  readonly input: BookingInput;
  readonly attempt: Attempt;
  readonly checks: CreationChecks;
  readonly journalOf: (currency: Currency, amount: bigint) => Journal;
}

type CheckAmount = (tx: Tx, accountId: bigint, currency: Currency, amount: bigint) => Promise<void>;

async function book(
  context: Context,
  action: ActionName,
  { input, attempt, checks, journalOf }: Draft,
  check?: CheckAmount,
): Promise<Booking> {
  requirePermission(context, action);
  const { currency, amount } = checkBooking(input, checks);
  const booking = { currency: currency.code, amount: fromMinor(amount, currency.decimals) };
  if (attempt.made !== null) return { journalId: attempt.made, ...booking };
  const { accountId } = context.caller;
  const journal = journalOf(currency, amount);
  const journalId = await audited(context, async (tx, writeDown, nowMs) => {
    await check?.(tx, accountId, currency, amount);
    const request = { accountId, ref: `books:${randomUUID()}`, transactionId: null, journal };
    const [outcome] = await postJournals(tx, [request], new Date(nowMs));
    if (outcome?.code === 'INSUFFICIENT_BALANCE')
      throw new GatewayError(
        'INSUFFICIENT_BALANCE',
        `the available balance of ${currency.displayName} does not cover the amount`,
        { facts: { limit: { kind: 'balance' } } },
      );
    assert(outcome?.code === 'POSTED' && outcome.journalId !== null, 'a journal under a new ref is posted');
    const id = String(outcome.journalId);
    await attempt.bind(tx, id);
    writeDown(
      action,
      { kind: 'account', id: String(accountId) },
      { after: { journal: journal.name, ...booking } },
    );
    return id;
  });
  context.notifier.notify([accountId]);
  return { journalId, ...booking };
}

/**
 * @returns the booking.
 * @throws {GatewayError} `INVALID_PARAMETER`; `CURRENCY_AMBIGUOUS`.
 */
export function checkBooking(
  input: BookingInput,
  checks: CreationChecks,
): { readonly currency: Currency; readonly amount: bigint } {
  const currency = checks.oneCurrency(input.currency, { crypto: false });
  const checked = checks.amount(input.amount, currency);
  if (checked && isMore(checked, BOOKED_MAX))
    checks.add({ parameter: input.amount.name, message: `must be at most ${BOOKED_MAX}` });
  checks.refuse();
  assert(currency && checked, 'an accepted input is present');
  return { currency, amount: toMinor(checked, currency.decimals) };
}

async function refuseBeyondReceivable(
  tx: Tx,
  accountId: bigint,
  currency: Currency,
  amount: bigint,
): Promise<void> {
  // A receivable is an asset: a debit.
  const receivable = -(await readHouseBalance(tx, accountId, currency.code, 'A.recv'));
  if (amount > receivable)
    throw overLimit(
      `the account owes ${fromMinor(receivable, currency.decimals)} ${currency.displayName}`,
      atMost('receivable', receivable, currency),
    );
}
