/** Works that are begun at the same time, and of which none goes on when the others have ended. */

/** PostgreSQL's code of a statement that was sent behind one that failed: it does not say why. */
const ABORTED = '25P02';

/**
 * As `Promise.all`, but it waits for all of them when one fails: nothing of them comes after what follows a failure, such as the
 * `rollback` of a database transaction.
 *
 * @throws what the first of them, in their order, has thrown; that the database transaction is aborted where nothing else was thrown.
 */
export async function together<const Works extends readonly unknown[]>(
  works: Works,
): Promise<{ -readonly [Place in keyof Works]: Awaited<Works[Place]> }> {
  const ended = await Promise.allSettled(works);
  const reasons = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  if (reasons.length > 0) throw reasons.find((each) => !isAborted(each)) ?? reasons[0];
  return ended.map((each) => (each as PromiseFulfilledResult<unknown>).value) as never;
}

function isAborted(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === ABORTED;
}
