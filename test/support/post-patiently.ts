/** Creations on a busy machine, where a rail may take longer than the seconds that a creation waits for it. */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Answer, TestApp } from './app.ts';

/**
 * Repeats a request that was not answered in time, under the same idempotency key and when the answer says so.
 *
 * @param key - of the caller; that of the account when not given.
 */
export async function postPatiently(
  app: Pick<TestApp, 'post'>,
  path: string,
  body: unknown,
  key?: string,
): Promise<Answer> {
  const headers = { 'idempotency-key': randomUUID() };
  for (;;) {
    const answer = await app.post(path, body, { ...(key !== undefined && { key }), headers });
    if (answer.status !== 503 && answer.json?.code !== 'IDEMPOTENCY_RUNNING') return answer;
    await setTimeout(Number(answer.headers.get('retry-after')) * 1_000);
  }
}
