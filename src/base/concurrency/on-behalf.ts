/**
 * On whose behalf work is done: of what is scarce, each has a share (decision 0053). It follows the work wherever that goes. What is
 * done for many at once, or goes on by itself, is done on nobody's behalf, or all would wait with the one who happened to begin it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Asked whenever something scarce is wanted, because work can begin before it is known for whom. */
type WhoAsks = () => unknown;

const whoAsks = new AsyncLocalStorage<WhoAsks>();
const NOBODY: WhoAsks = () => undefined;

/** Does the work for the one whom `who` gives; undefined is nobody. */
export function onBehalf<Result>(who: WhoAsks, work: () => Result): Result {
  return whoAsks.run(who, work);
}

/** Does work on no account's behalf. */
export function onNobodysBehalf<Result>(work: () => Result): Result {
  return whoAsks.run(NOBODY, work);
}

/** @returns for whom the work is done; undefined for work of no one account. */
export function behalf(): unknown {
  return whoAsks.getStore()?.();
}
