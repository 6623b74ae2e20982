/**
 * Group commit: requests that arrive while a batch is being committed become the next batch. Without load a batch is one
 * request; under load batches grow by themselves and share the cost of a commit and of a lock (docs/ledger.md). A batch runs
 * on behalf of no caller.
 */
import { aboutTransaction } from '../trace/about.ts';
import { measure } from '../trace/measures.ts';
import { type BatchSpan, presentSpan, traceBatch } from '../trace/spans.ts';
import { onNobodysBehalf } from './on-behalf.ts';

/** Key by which requests share a batch. */
export interface GroupCommitOptions<Request> {
  /** Maximum number of requests in a batch. */
  readonly max: number;
  /** Whether an error affects all requests: the batch may have been committed, or no request can be processed now. */
  readonly failsAll: (error: unknown) => boolean;
  /** Requests of the same key never share a batch: the later one must see the changes of the earlier one. */
  readonly keyOf?: (request: Request) => string;
  /**
   * Properties that requests of one batch share, such as an account. A request that needs one of them exclusively gets
   * a batch of its own.
   */
  readonly sharesOf?: (request: Request) => Share;
  /** Only requests with the same value of this property share a batch. */
  readonly onlyOf?: (request: Request) => unknown;
}

/** A named property that requests share. */
export interface Share {
  readonly of: string;
  readonly isAlone: boolean;
}

interface Waiting<Request, Result> {
  readonly request: Request;
  readonly span: BatchSpan;
  /** Time by the clock of the process. */
  readonly sinceMs: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Adds waiting requests that fit to a started batch. Called after a wait, such as for a lock.
 * @returns the requests of the batch: the initial ones, then the added ones.
 */
export type Grow<Request> = (fits: (request: Request) => boolean) => readonly Request[];

/** Processes a batch, whole or not at all; returns a result for each request, in their order. */
export type Run<Request, Result> = (
  requests: readonly Request[],
  grow: Grow<Request>,
) => Promise<readonly Result[]>;

/**
 * @returns a function that processes one request. When a batch fails, its requests are retried one by one, so that none
 * fails because of the others; unless the error affects all of them.
 */
export function groupCommit<Request, Result>(
  run: Run<Request, Result>,
  { max, failsAll, onlyOf = () => undefined, ...keying }: GroupCommitOptions<Request>,
): (request: Request) => Promise<Result> {
  let waiting: Waiting<Request, Result>[] = [];
  let isRunning = false;

  const fill = (batch: Waiting<Request, Result>[], isWanted = (_request: Request) => true): void => {
    const later: Waiting<Request, Result>[] = [];
    const claimed = new ClaimedKeys(keying, batch);
    for (const each of waiting) {
      const [first = each] = batch;
      const fits =
        batch.length < max &&
        onlyOf(each.request) === onlyOf(first.request) &&
        claimed.leaves(each.request) &&
        isWanted(each.request);
      // A request that has to wait stays before later ones.
      claimed.add(each.request);
      (fits ? batch : later).push(each);
    }
    waiting = later;
  };
  /** `isOpen`: whether the batch may still grow. A batch that is retried request by request may not grow. */
  const settle = async (batch: Waiting<Request, Result>[], isOpen: boolean): Promise<void> => {
    try {
      const requests = () => batch.map(({ request }) => request);
      const grow: Grow<Request> = (fits) => {
        if (isOpen) fill(batch, fits);
        return requests();
      };
      const spans = batch.map((each) => each.span);
      const begunAt = performance.now();
      const results = await traceBatch(spans, () => run(requests(), grow));
      measure((by) => by.batch(batch.map(({ sinceMs }) => Math.max(0, begunAt - sinceMs) / 1_000)));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length === 1 || failsAll(error)) for (const { reject } of batch) reject(error);
      else for (const each of batch) await settle([each], false);
    }
  };
  const work = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) {
      // Callers that just got their answers often send the next request in the same turn of the event loop, so the
      // batch waits for those.
      await new Promise((resolve) => setImmediate(resolve));
      const batch: Waiting<Request, Result>[] = [];
      fill(batch);
      await settle(batch, true);
    }
    isRunning = false;
  };

  return (request) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ request, span: presentSpan(), sinceMs: performance.now(), resolve, reject });
      if (!isRunning) void aboutTransaction(undefined, () => onNobodysBehalf(work));
    });
}

type Keying<Request> = Pick<GroupCommitOptions<Request>, 'keyOf' | 'sharesOf'>;

/** The keys and shares of a batch, and of earlier waiting requests. */
class ClaimedKeys<Request> {
  readonly #keying: Keying<Request>;
  readonly #keys = new Set<string>();
  /** Whether a request needs it exclusively. */
  readonly #shares = new Map<string, boolean>();

  constructor(keying: Keying<Request>, batch: readonly { readonly request: Request }[]) {
    this.#keying = keying;
    for (const { request } of batch) this.add(request);
  }

  /** @returns whether the request can join. */
  leaves(request: Request): boolean {
    const { keyOf, sharesOf } = this.#keying;
    if (keyOf && this.#keys.has(keyOf(request))) return false;
    if (!sharesOf) return true;
    const { of, isAlone } = sharesOf(request);
    const hasShare = this.#shares.get(of);
    return hasShare === undefined || !(isAlone || hasShare);
  }

  add(request: Request): void {
    const { keyOf, sharesOf } = this.#keying;
    if (keyOf) this.#keys.add(keyOf(request));
    if (!sharesOf) return;
    const { of, isAlone } = sharesOf(request);
    this.#shares.set(of, isAlone || this.#shares.get(of) === true);
  }
}
