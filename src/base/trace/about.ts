/** The transaction that work is about: lines of the log name it, however deep below they are written. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Work, and its transaction once it is known. */
interface Work {
  end2end: string | undefined;
}

const atWork = new AsyncLocalStorage<Work>();

/** Does work that is about one transaction. @param end2end - undefined: about none, about many, or not known yet. */
export function aboutTransaction<Result>(end2end: string | undefined, work: () => Result): Result {
  return atWork.run({ end2end }, work);
}

/** Says which transaction the work is about that `aboutTransaction` began; nothing where none began it. */
export function noteTransaction(end2end: string | undefined): void {
  const work = atWork.getStore();
  if (work) work.end2end = end2end;
}

/** @returns the `end2end` of the transaction that the work is about. */
export function transactionAtWork(): string | undefined {
  return atWork.getStore()?.end2end;
}
