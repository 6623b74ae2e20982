/** Capital that the operator pays in or withdraws: one person proposes it, another approves it as a manual journal (C-25). */
import { vaultOf } from '../../ledger/journals.ts';
import type { ManualJournal } from '../../store/ledger/manual-journals.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import type { Attempt } from '../checks/once.ts';
import { type Context, requirePermission } from '../services/context.ts';
import { type BookingInput, checkBooking } from './book-house.ts';
import { findOwnJournal, storeProposal } from './manual-journals.ts';

/** Whether capital is paid in or withdrawn. */
export type CapitalDirection = 'in' | 'out';

/**
 * Proposes capital on the account of the platform: it is posted when another person approves it.
 *
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER`; `CURRENCY_AMBIGUOUS`.
 */
export async function bookCapital(
  context: Context,
  input: BookingInput,
  direction: CapitalDirection,
  attempt: Attempt,
  checks: CreationChecks,
): Promise<ManualJournal> {
  requirePermission(context, 'capital.book');
  const { currency, amount } = checkBooking(input, checks);
  if (attempt.made !== null) return findOwnJournal(context, attempt.made);
  const [vault, house] = [vaultOf(currency), 'E.capital'] as const;
  const entry =
    direction === 'in'
      ? ({ name: 'L65', debit: vault, credit: house, reason: 'capital is paid in' } as const)
      : ({ name: 'L66', debit: house, credit: vault, reason: 'capital is taken out' } as const);
  const { accountId } = context.caller;
  const proposal = { ...entry, accountId, currency: currency.code, amountMinor: String(amount) };
  return storeProposal(context, 'capital.book', proposal, attempt);
}
