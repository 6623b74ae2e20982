/**
 * One read for all who ask while another is under way. A read that has begun may not see what its asker just did, so
 * nobody joins it: whoever comes meanwhile shares the next one.
 *
 * @param read - fresh at the time it is called.
 * @returns a read that begins after each call of it. It fails for all who share it.
 */
export function readTogether<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      const result = read();
      running = result.catch(() => {});
      return result;
    });
    return next;
  };
}
