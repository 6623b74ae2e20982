/** Goal: alarms on errors of the log hear of an outage (C-51). Method: a made-up check, and time that a test moves. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchReadiness } from '../../../src/server/process/watch-readiness.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const READY = { reads: true, writes: true, isReadOnly: false, webhooks: undefined };

test('unready for half a minute is an error, and again for each half minute after it; then it is ready again', async () => {
  let found = { ...READY, reads: false, writes: false };
  const lines: string[] = [];
  const tell = (level: string) => (facts: object, text: string) =>
    void lines.push(`${level} ${text}${'reason' in facts ? `: ${facts.reason}` : ''}`);
  const log = { error: tell('error'), info: tell('info') } as never;
  const { stop } = watchReadiness(async () => found, log);
  const error = 'error the gateway has not been ready for a while: database away';
  await vi.advanceTimersByTimeAsync(31_000);
  expect(lines).toEqual([]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(lines).toEqual([error]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(lines).toEqual([error, error]);
  found = { ...READY };
  await vi.advanceTimersByTimeAsync(5_000);
  expect(lines).toEqual([error, error, 'info the gateway is ready again']);
  stop();
});

test('a short outage is no error', async () => {
  let found = { ...READY, writes: false };
  const error = vi.fn();
  const { stop } = watchReadiness(async () => found, { error, info: vi.fn() } as never);
  await vi.advanceTimersByTimeAsync(20_000);
  found = { ...READY };
  await vi.advanceTimersByTimeAsync(20_000);
  found = { ...READY, writes: false };
  await vi.advanceTimersByTimeAsync(20_000);
  expect(error).not.toHaveBeenCalled();
  stop();
});
