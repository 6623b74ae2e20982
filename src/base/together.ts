/** Works that are begun at the same time, and of which none goes on when the others have ended. */

/**
 * As `Promise.all`, but it waits for all of them when one fails: nothing of them comes after what follows a failure, such as the
 * `rollback` of a database transaction.
 *
 * @throws what the first of them, in their order, has thrown.
 */
export async function together<const Works extends readonly unknown[]>(
  works: Works,
): Promise<{ -readonly [Place in keyof Works]: Awaited<Works[Place]> }> {
  const ended = await Promise.allSettled(works);
  const failed = ended.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
  return ended.map((each) => (each as PromiseFulfilledResult<unknown>).value) as never;
}
