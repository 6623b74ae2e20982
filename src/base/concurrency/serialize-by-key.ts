/** Serial work on one item: callers that arrive meanwhile wait, up to a limit. */
import { within } from './within.ts';

/** Runs the work in the key's turn. */
export type Serialize<Key> = <Result>(key: Key, work: () => Promise<Result>) => Promise<Result>;

/**
 * @param waitMaxMs - maximum wait for a turn, milliseconds.
 * @param gaveUp - returns the error of callers that waited longer; their work does not run.
 */
export function serializeByKey<Key>(waitMaxMs: number, gaveUp: () => Error): Serialize<Key> {
  /** Promise of the last requested turn, by key. */
  const ends = new Map<Key, Promise<unknown>>();
  return (key, work) => {
    const before = ends.get(key);
    const worked = before ? within(waitMaxMs, before, gaveUp).then(() => work()) : work();
    // A caller that gives up does not let later callers overtake earlier ones.
    const end = Promise.allSettled([before, worked]).then(() => {
      if (ends.get(key) === end) ends.delete(key);
    });
    ends.set(key, end);
    return worked;
  };
}
