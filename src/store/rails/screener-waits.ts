/** Work that waits because a screening provider did not answer, or decides later. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Waiting jobs, and the newest failure among them. */
export interface ScreenerWaits {
  readonly waiting: number;
  readonly failure: string | null;
}

const READ: Statement = {
  name: 'screener_waits',
  text: `select count(*)::int as waiting, (array_agg(last_error order by due_at desc))[1] as failure
    from job where last_error is not null and is_live = $1 and starts_with(last_error, $2)`,
};
const HASTEN: Statement = {
  name: 'screener_hasten',
  text: `with hastened as (
      update job set due_at = least(due_at, $3::timestamptz)
        where last_error is not null and is_live = $1 and last_error = $2 and leased_until is null returning 1
    ) select count(*)::int as jobs from hastened`,
};

/** @param failures - first words of the failures of one provider, with its name. */
export async function readScreenerWaits(tx: Tx, mode: AccountMode, failures: string): Promise<ScreenerWaits> {
  const [row] = await tx.query<ScreenerWaits>(READ, [mode === 'live', failures]);
  return row as ScreenerWaits;
}

/**
 * Makes jobs due immediately, because the provider has decided. A leased job is left to its holder.
 *
 * @param failure - the whole failure of the jobs.
 * @param now - on the clock of the mode.
 * @returns the number of jobs.
 */
export async function hastenScreenerWaits(
  tx: Tx,
  mode: AccountMode,
  failure: string,
  now: Date,
): Promise<number> {
  const [row] = await tx.query<{ jobs: number }>(HASTEN, [mode === 'live', failure, now]);
  return row?.jobs ?? 0;
}
