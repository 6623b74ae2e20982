/** Work that waits because a provider of screening did not answer. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Jobs that wait, and the newest failure of one of them. */
export interface ScreenerWaits {
  readonly waiting: number;
  readonly failure: string | null;
}

const READ: Statement = {
  name: 'screener_waits',
  text: `select count(*)::int as waiting, (array_agg(last_error order by due_at desc))[1] as failure
    from job where last_error is not null and is_live = $1 and last_error like $2`,
};

/** @param failures - beginning of the failures of one provider. */
export async function readScreenerWaits(tx: Tx, mode: AccountMode, failures: string): Promise<ScreenerWaits> {
  const [row] = await tx.query<ScreenerWaits>(READ, [mode === 'live', `%${failures}%`]);
  return row as ScreenerWaits;
}
