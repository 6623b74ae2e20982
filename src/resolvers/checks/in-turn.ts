/** Changes of what an account has set take turns: each sees what the ones before it made, so none is lost by another. */
import type { Tx } from '../../store/database.ts';
import { lockHeads } from '../../store/engine/processes.ts';
import type { Context } from '../services/context.ts';

/**
 * Reads, judges and writes in one database transaction, while no other change of the account does.
 *
 * @param work - short: it holds the lock that every writer of the account takes.
 */
export function inTurn<Result>(
  { database, caller, mode }: Context,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return database.withTx(async (tx) => {
    await lockHeads(tx, [caller.accountId], mode);
    return work(tx);
  });
}
