/** Goal: `/readyz` says what callers see, whose writes it waits for (C-51). Method: work that ends in each way. */
import { expect, test } from 'vitest';
import { GatewayError } from '../../../src/base/errors/errors.ts';
import { RunningWork } from '../../../src/resolvers/services/running-work.ts';
import {
  CommitUnknownError,
  LockWaitError,
  NoAnswerError,
} from '../../../src/store/connection/database-error.ts';

/** @returns how a wait for work ends that fails by this error, or not at all. */
async function waitFor(error?: Error): Promise<unknown> {
  const writes = new RunningWork();
  let fail = (_error?: Error) => {};
  const write = writes.counting(
    () =>
      new Promise<void>((resolve, reject) => {
        fail = (error) => (error ? reject(error) : resolve());
      }),
  );
  const writing = write(undefined).catch((reason: unknown) => reason);
  const waiting = writes.ended().catch((reason: unknown) => reason);
  fail(error);
  expect(await writing).toBe(error);
  return waiting;
}

test.each([
  new NoAnswerError('the database did not answer'),
  new CommitUnknownError('the commit was not answered'),
  Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
])('C-51: a write that failed because the database was out of reach is told: %s', async (error) => {
  expect(await waitFor(error)).toBe(error);
});

test.each([
  undefined,
  new GatewayError('STEP_CONFLICT', 'too late'),
  new LockWaitError(),
])('C-51: other ends are those of one caller or one account: %s', async (error) => {
  expect(await waitFor(error)).toBeUndefined();
});
