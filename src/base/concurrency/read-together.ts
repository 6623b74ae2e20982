/** Reads that many callers request at the same time. They run on behalf of no caller. */
import { aboutTransaction } from '../trace/about.ts';
import { onNobodysBehalf } from './on-behalf.ts';

/** Delay before a read begins, so that more callers can share it. */
type Gather = () => Promise<unknown> | undefined;

const IMMEDIATE: Gather = () => undefined;

/**
 * Shares one read among all callers that arrive while another is under way. A read that has begun may miss the latest
 * write of a caller, so a caller never joins it but shares the next one.
 * @param read - returns the state at the time of its call.
 * @returns a function whose read begins after each call. The read fails for all callers who share it.
 */
export function readTogether<Result>(read: () => Promise<Result>, gather = IMMEDIATE): () => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | undefined;
  return () => {
    next ??= onNobodysBehalf(() =>
      running.then(gather).then(() => {
        next = undefined;
        const result = aboutTransaction(undefined, read);
        running = result.catch(() => {});
        return result;
      }),
    );
    return next;
  };
}

/**
 * Variant of `readTogether` for one read of many items: callers that arrive while a read is under way share the next
 * one.
 * @param read - returns the values of the given items, in their order.
 * @returns a function that reads one item after its call.
 */
export function readManyTogether<Request, Result>(
  read: (requests: readonly Request[]) => Promise<readonly Result[]>,
  gather = IMMEDIATE,
): (requests: Request) => Promise<Result> {
  let waiting: Request[] = [];
  const together = readTogether(() => {
    const requests = waiting;
    waiting = [];
    return read(requests);
  }, gather);
  return async (requests) => {
    const index = waiting.push(requests) - 1;
    return (await together())[index] as Result;
  };
}

type Read = () => Promise<unknown>;

/** Maximum number of stored reads; a removed read loses one chance of being shared. */
const REMEMBERED_MAX = 1_000;
const remembered = new WeakMap<object, Map<string, Read>>();

/**
 * Variant of `readTogether` for reads with parameters, such as settings, rates or names.
 * @param source - source of the read, such as a database.
 * @param requests - parameters; equal ones share a read.
 * @returns a value that no caller may change, because it is shared.
 */
export function readShared<Result>(
  source: object,
  requests: readonly (string | number | bigint)[],
  read: () => Promise<Result>,
): Promise<Result> {
  const known = remembered.get(source) ?? new Map<string, Read>();
  remembered.set(source, known);
  const key = requests.join('\n');
  const shared = known.get(key) ?? readTogether(read);
  if (known.size >= REMEMBERED_MAX) known.clear();
  known.set(key, shared);
  return shared() as Promise<Result>;
}
