/** Reads that many ask for at once. They are done on nobody's behalf. */
import { aboutTransaction } from '../trace/about.ts';
import { onNobodysBehalf } from './on-behalf.ts';

/** What a read waits for before it begins, so that more can share it. */
type Gather = () => Promise<unknown> | undefined;

const AT_ONCE: Gather = () => undefined;

/**
 * One read for all who ask while another is under way. A read that has begun may not see what its asker just did, so
 * nobody joins it: whoever comes meanwhile shares the next one.
 *
 * @param read - fresh at the time it is called.
 * @returns a read that begins after each call of it. It fails for all who share it.
 */
export function readTogether<Result>(read: () => Promise<Result>, gather = AT_ONCE): () => Promise<Result> {
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
 * As `readTogether`, for one read of many things: whoever asks while a read is under way shares the next one.
 *
 * @param read - gives what each of them stands for, in their order.
 * @returns a read of one thing that begins after the call.
 */
export function readManyTogether<Asked, Result>(
  read: (asked: readonly Asked[]) => Promise<readonly Result[]>,
  gather = AT_ONCE,
): (asked: Asked) => Promise<Result> {
  let waiting: Asked[] = [];
  const together = readTogether(() => {
    const asked = waiting;
    waiting = [];
    return read(asked);
  }, gather);
  return async (asked) => {
    const place = waiting.push(asked) - 1;
    return (await together())[place] as Result;
  };
}

type Read = () => Promise<unknown>;

/** Different reads of a source that are remembered; one that is forgotten is shared with nobody once. */
const REMEMBERED_MAX = 1_000;
const remembered = new WeakMap<object, Map<string, Read>>();

/**
 * As `readTogether`, for reads that differ: of settings, rates, names.
 *
 * @param source - what is read, such as a database.
 * @param asked - what is asked for; reads of the same are shared.
 * @returns what nobody may change, since others have it too.
 */
export function readShared<Result>(
  source: object,
  asked: readonly (string | number | bigint)[],
  read: () => Promise<Result>,
): Promise<Result> {
  const known = remembered.get(source) ?? new Map<string, Read>();
  remembered.set(source, known);
  const key = asked.join('\n');
  const shared = known.get(key) ?? readTogether(read);
  if (known.size >= REMEMBERED_MAX) known.clear();
  known.set(key, shared);
  return shared() as Promise<Result>;
}
