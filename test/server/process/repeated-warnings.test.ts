/** Goal: a warning that repeats a thousand times a second is a line now and then, with a count (C-51). Method: time that a test moves. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openLog } from '../../../src/server/process/log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function logged() {
  const lines: { level: number; msg: string; repeated?: number; requestId?: string }[] = [];
  const log = openLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}
const failure = (message: string, code: string) => Object.assign(new Error(message), { code });

test('the first is logged, the others are counted for ten seconds; then the last of them has the count', () => {
  const { log, lines } = logged();
  for (let n = 0; n < 1_000; n++)
    log.warn({ requestId: `${n}`, err: failure('refused', 'ECONNREFUSED') }, 'database away');
  expect(lines).toMatchObject([{ msg: 'database away', requestId: '0' }]);
  vi.advanceTimersByTime(10_000);
  expect(lines.slice(1)).toMatchObject([{ msg: 'database away', requestId: '999', repeated: 999 }]);
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(2);
  log.warn({ requestId: 'later', err: failure('refused', 'ECONNREFUSED') }, 'database away');
  expect(lines[2]).not.toHaveProperty('repeated');
});

test('other warnings are logged immediately', () => {
  const { log, lines } = logged();
  log.warn({ job: 'payout' }, 'job failed');
  log.warn({ job: 'refund', jobId: '1' }, 'job failed');
  log.warn({ job: 'refund', jobId: '2' }, 'job failed');
  log.warn({ err: failure('refused', 'ECONNREFUSED') }, 'database away');
  log.warn({ err: failure('full', '53300') }, 'database away');
  expect(lines).toHaveLength(4);
});

test('errors and information are logged each time', () => {
  const { log, lines } = logged();
  for (let n = 0; n < 3; n++) {
    log.error({ err: failure('same', 'XX000') }, 'unforeseen error');
    log.info({ status: 200 });
  }
  expect(lines).toHaveLength(6);
});
