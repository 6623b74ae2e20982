/** Credits a sandbox account: an adjustment without a transaction. */
import { randomUUID } from 'node:crypto';
import { assert } from '../../base/errors/assert.ts';
import { fromMinor, toMinor } from '../../base/money/money.ts';
import { fund } from '../../ledger/journals.ts';
import type { Tx } from '../../store/connection/database.ts';
import { postJournals } from '../../store/ledger/posting.ts';
import { CreationChecks } from '../checks/check-creation.ts';

/** Input of a funding. */
export interface Funding {
  readonly journalId: string;
  readonly currency: string;
  readonly amount: string;
}

/**
 * Posts the adjustment; its statement entry has no transaction.
 *
 * @param input - a currency in any spelling (C-6), and a decimal amount above zero with no more decimals than it has.
 * @param nowMs - time of the journal.
 * @throws {GatewayError} `INVALID_PARAMETER` or `CURRENCY_AMBIGUOUS`, naming the rejected input.
 */
export async function postFunding(
  tx: Tx,
  accountId: bigint,
  input: { readonly currency: string; readonly amount: string },
  nowMs: number,
): Promise<Funding> {
  const { currency, amount, shown } = checkFunding(input);
  const request = {
    accountId,
    ref: `fund:${randomUUID()}`,
    transactionId: null,
    journal: fund(currency, amount),
  };
  const [outcome] = await postJournals(tx, [request], new Date(nowMs));
  assert(outcome?.code === 'POSTED' && outcome.journalId !== null, 'an adjustment under a new ref is posted');
  return { ...shown, journalId: String(outcome.journalId) };
}

/**
 * @returns the credited amount, in canonical form.
 * @throws {GatewayError} as `postFunding`.
 */
export function checkFunding(input: { readonly currency: string; readonly amount: string }) {
  const checks = new CreationChecks({ allowsLoopback: true });
  const currency = checks.oneCurrency({ name: 'currency', value: input.currency }, { crypto: false });
  const checked = checks.amount({ name: 'amount', value: input.amount }, currency);
  checks.refuse();
  assert(currency && checked, 'an accepted input is present');
  const amount = toMinor(checked, currency.decimals);
  const shown = { currency: currency.code, amount: fromMinor(amount, currency.decimals) };
  return { currency, amount, shown };
}
