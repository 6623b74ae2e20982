/** Returns by the special mechanism (MED): an accepted dispute debits the money of its PIX from the account. */

import { fromMinor, toMinor, withDecimals } from '../base/money/money.ts';
import { newReturnId } from '../base/pix/end-to-end-id.ts';
import { isoOf } from './clock.ts';
import type { PspParts } from './parts.ts';

interface MedReturnRow {
  readonly returnId: string;
  readonly amount: string;
  readonly atMs: number;
}

const COLUMNS = 'return_id as "returnId", amount, at_ms as "atMs"';

/**
 * Debits a dispute once: its amount, or the remaining amount of the payment if that is lower.
 * @returns whether this call debited it.
 */
export function debitDispute(
  { store, clock, holder }: Pick<PspParts, 'store' | 'clock' | 'holder'>,
  {
    id,
    endToEndId,
    amount,
  }: { readonly id: string; readonly endToEndId: string; readonly amount: string | null },
  leftMinor: bigint,
): boolean {
  const requested = amount === null ? leftMinor : toMinor(amount, 2);
  const minor = requested < leftMinor ? requested : leftMinor;
  if (minor <= 0n) return false;
  const now = clock.now();
  const returnId = newReturnId({ ispb: holder.ispb, at: new Date(now) });
  const debited = store.run(
    'insert into med_return values (?, ?, ?, ?, ?) on conflict do nothing',
    id,
    returnId,
    endToEndId,
    withDecimals(fromMinor(minor, 2), 2),
    now,
  );
  return debited.changes > 0;
}

/** @returns amounts of a PIX that were returned by MED. */
export function medAmounts({ store }: Pick<PspParts, 'store'>, endToEndId: string): readonly string[] {
  return rowsOf(store, endToEndId).map(({ amount }) => amount);
}

/** @returns the returns of a PIX in the form of the API. */
export function presentMedReturns({ store }: Pick<PspParts, 'store'>, endToEndId: string): readonly object[] {
  return rowsOf(store, endToEndId).map(({ returnId, amount, atMs }) => ({
    id: returnId,
    rtrId: returnId,
    valor: amount,
    natureza: 'MED_FRAUDE',
    horario: { solicitacao: isoOf(atMs), liquidacao: isoOf(atMs) },
    status: 'DEVOLVIDO',
  }));
}

function rowsOf(store: PspParts['store'], endToEndId: string): readonly MedReturnRow[] {
  return store.all<MedReturnRow>(
    `select ${COLUMNS} from med_return where end_to_end_id = ? order by at_ms, return_id`,
    endToEndId,
  );
}
