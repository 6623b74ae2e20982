/** Goal: a source of rates that fails is heard of, and stops nothing while the last rate is young. */
import { expect, test } from 'vitest';
import { currentRate, reportingRates } from '../../src/resolvers/pricing/price.ts';
import type { Services } from '../../src/resolvers/services/context.ts';
import { useApp } from '../support/app.ts';

const app = useApp();

test('C-21: when the source fails the last rate serves for 60 seconds, and the log says why', async () => {
  const told: unknown[] = [];
  const log = { warn: (...words: unknown[]) => void told.push(words) } as never;
  const failure = new Error('the feed is down');
  // Past the rates that the sandbox began with.
  let nowMs = Date.now() + 600_000;
  let fails = false;
  const source = {
    observe: async () => {
      if (fails) throw failure;
      return { mid: '5.5', observedAtMs: nowMs };
    },
  };
  const services: Services = {
    ...app.services,
    clock: { ...app.services.clock, nowMs: async () => nowMs },
    rails: { ...app.services.rails, rates: reportingRates(source, log) },
  };
  expect(await currentRate(services, 'USDT')).toBe('5.5');
  fails = true;
  nowMs += 59_000;
  expect(await currentRate(services, 'USDT')).toBe('5.5');
  expect(told).toEqual([[{ err: failure, asset: 'USDT' }, 'rate cannot be observed']]);
  nowMs += 2_000;
  await expect(currentRate(services, 'USDT')).rejects.toMatchObject({ code: 'QUOTE_UNAVAILABLE' });
});
