/**
 * Group commit: what is asked for while a batch is under way becomes the next batch. Without load a batch is one
 * request; under load batches grow by themselves, and the cost of a commit and of a lock is shared (docs/ledger.md).
 */
import { isOutOfReach } from '../store/database-error.ts';

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
 * @param run - works on a batch, whole or not at all; gives a result for each request, in their order.
 * @returns a function that works on one request. When a batch fails its requests are tried one by one, so that none
 *   fails by its neighbours; unless the database is out of reach or a commit was not answered: then all of them fail with
 *   that error, because it may have happened.
 */
export function groupCommit<Request, Result>(
  run: (requests: readonly Request[]) => Promise<readonly Result[]>,
  { max, keyOf }: GroupCommitOptions<Request>,
): (request: Request) => Promise<Result> {
  let waiting: Waiting<Request, Result>[] = [];
  let isRunning = false;

  const next = (): Waiting<Request, Result>[] => {
    const batch: Waiting<Request, Result>[] = [];
    const later: Waiting<Request, Result>[] = [];
    const keys = new Set<string>();
    for (const each of waiting) {
      const key = keyOf?.(each.request);
      const fits = batch.length < max && (key === undefined || !keys.has(key));
      if (key !== undefined) keys.add(key);
      (fits ? batch : later).push(each);
    }
    waiting = later;
    return batch;
  };
  const settle = async (batch: Waiting<Request, Result>[]): Promise<void> => {
    try {
      const results = await run(batch.map(({ request }) => request));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length === 1 || isOutOfReach(error)) for (const { reject } of batch) reject(error);
      else for (const each of batch) await settle([each]);
    }
  };
  const work = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) {
      // Those whose answers have just come ask again within the same turn: they belong into one batch.
      await new Promise((resolve) => setImmediate(resolve));
      await settle(next());
    }
    isRunning = false;
  };

  return (request) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      if (!isRunning) void work();
    });
}
