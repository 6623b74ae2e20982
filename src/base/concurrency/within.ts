/** A time limit for work that cannot be ended: its caller continues without the result. */

/** @param late - returns the error of work that took longer. @returns the result of the work, or its own error. */
export async function within<Result>(
  limitMs: number,
  work: Promise<Result>,
  late: () => Error,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
