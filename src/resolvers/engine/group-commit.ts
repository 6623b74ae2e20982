/**
 * Group commit: what is asked for while a batch is under way becomes the next batch. Without load a batch is one
 * request; under load batches grow by themselves, and the cost of a commit and of a lock is shared (docs/ledger.md).
 */
import { isOutOfReach } from '../../store/database-error.ts';

/** How requests are put together. */
export interface GroupCommitOptions<Request> {
  /** Most requests of a batch. */
  readonly max: number;
  /** Requests of the same key never share a batch: the later one must see what the earlier one did. */
  readonly keyOf?: (request: Request) => string;
}

interface Waiting<Request, Result> {
  readonly request: Request;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Takes what was asked for since the batch began and fits into it; to be called by whoever had to wait, for a lock say.
 *
 * @returns the requests of the batch: those that it began with, and then those.
 */
export type Grow<Request> = (fits: (request: Request) => boolean) => readonly Request[];

/**
 * @param run - works on a batch, whole or not at all; gives a result for each request, in their order.
 * @returns a function that works on one request. When a batch fails its requests are tried one by one, so that none
 *   fails by its neighbours; unless the database is out of reach or a commit was not answered: then all of them fail with
 *   that error, because it may have happened.
 */
export function groupCommit<Request, Result>(
  run: (requests: readonly Request[], grow: Grow<Request>) => Promise<readonly Result[]>,
  { max, keyOf }: GroupCommitOptions<Request>,
): (request: Request) => Promise<Result> {
  let waiting: Waiting<Request, Result>[] = [];
  let isRunning = false;

  const fill = (batch: Waiting<Request, Result>[], isWanted = (_request: Request) => true): void => {
    const later: Waiting<Request, Result>[] = [];
    const keys = new Set(batch.map(({ request }) => keyOf?.(request)));
    for (const each of waiting) {
      const key = keyOf?.(each.request);
      const fits = batch.length < max && (key === undefined || !keys.has(key)) && isWanted(each.request);
      if (key !== undefined) keys.add(key);
      (fits ? batch : later).push(each);
    }
    waiting = later;
  };
  /** `isOpen`: the batch may still grow; one that is tried again request by request may not. */
  const settle = async (batch: Waiting<Request, Result>[], isOpen: boolean): Promise<void> => {
    try {
      const requests = () => batch.map(({ request }) => request);
      const results = await run(requests(), (fits) => {
        if (isOpen) fill(batch, fits);
        return requests();
      });
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length === 1 || isOutOfReach(error)) for (const { reject } of batch) reject(error);
      else for (const each of batch) await settle([each], false);
    }
  };
  const work = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) {
      // Those whose answers have just come ask again within the same turn: they belong into one batch.
      await new Promise((resolve) => setImmediate(resolve));
      const batch: Waiting<Request, Result>[] = [];
      fill(batch);
      await settle(batch, true);
    }
    isRunning = false;
  };

  return (request) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      if (!isRunning) void work();
    });
}
