/** Tasks that are started together, all of which have ended when the call returns. */

/** PostgreSQL's code of a statement that was sent after one that failed. The code does not contain the reason. */
const ABORTED = '25P02';

/**
 * Variant of `Promise.all` that waits for all promises even when one fails. Therefore no statement of the group runs
 * after the handling of a failure, such as the `rollback` of a database transaction.
 * @throws the first error in the order of the promises; the abort of the database transaction only if there is no
 * other.
 */
export async function together<const Works extends readonly unknown[]>(
  works: Works,
): Promise<{ -readonly [Index in keyof Works]: Awaited<Works[Index]> }> {
  const ended = await Promise.allSettled(works);
  const reasons = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  if (reasons.length > 0) throw reasons.find((each) => !isAborted(each)) ?? reasons[0];
  return ended.map((each) => (each as PromiseFulfilledResult<unknown>).value) as never;
}

function isAborted(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === ABORTED;
}
