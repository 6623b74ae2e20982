/** The transaction of the current work, which log lines name at any depth of the call. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Work, and its transaction once it is known. */
interface Work {
  end2end: string | undefined;
}

const atWork = new AsyncLocalStorage<Work>();

/** Runs work that is about one transaction. @param end2end - undefined for no, many or an unknown transaction. */
export function aboutTransaction<Result>(end2end: string | undefined, work: () => Result): Result {
  return atWork.run({ end2end }, work);
}

/** Names the transaction of the work that `aboutTransaction` started; does nothing outside of such work. */
export function noteTransaction(end2end: string | undefined): void {
  const work = atWork.getStore();
  if (work) work.end2end = end2end;
}

/** @returns the `end2end` of the transaction that the work is about. */
export function transactionAtWork(): string | undefined {
  return atWork.getStore()?.end2end;
}
