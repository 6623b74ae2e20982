/** Settings are read under the names of docs/operations.md, and under former ones. */
import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';

it('NOTIFY_URL is read, and DOORBELL_URL, its former name, where it is not set', () => {
  const [redis, other] = ['redis://127.0.0.1:6379', 'postgres://127.0.0.1/other'];
  expect(readConfig({ NOTIFY_URL: redis, DOORBELL_URL: other }).notifyUrl).toBe(redis);
  expect(readConfig({ DOORBELL_URL: redis, DATABASE_URL: other }).notifyUrl).toBe(redis);
  expect(readConfig({ DATABASE_URL: other }).notifyUrl).toBe(other);
  expect(() => readConfig({ NOTIFY_URL: 'amqp://127.0.0.1' })).toThrow('NOTIFY_URL: expected postgres://');
});

it('RECONCILE_AT is a time of day in Brasília, or off', () => {
  expect(readConfig({}).reconcileAtMs).toBe(3 * 3_600_000);
  expect(readConfig({ RECONCILE_AT: '00:30' }).reconcileAtMs).toBe(1_800_000);
  expect(readConfig({ RECONCILE_AT: 'off' }).reconcileAtMs).toBeNull();
  expect(() => readConfig({ RECONCILE_AT: '24:00' })).toThrow(
    'RECONCILE_AT: expected off, or a time such as',
  );
});
