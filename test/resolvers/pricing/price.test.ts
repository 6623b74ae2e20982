/** Goal: a source of rates that fails is heard of, and stops nothing while the last rate is young. */
import { expect, test } from 'vitest';
import { currencyOfLedger } from '../../../src/base/money/currency.ts';
import { currentRate, price, reportingRates } from '../../../src/resolvers/pricing/price.ts';
import type { Services } from '../../../src/resolvers/services/context.ts';
import { useApp } from '../../support/app.ts';

const app = useApp();

test('C-21: when the source fails the last rate is used for 60 seconds, and the log has the reason', async () => {
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
  expect(await currentRate(services, 'USDT', nowMs)).toBe('5.5');
  fails = true;
  nowMs += 59_000;
  expect(await currentRate(services, 'USDT', nowMs)).toBe('5.5');
  expect(told).toEqual([[{ err: failure, asset: 'USDT' }, 'a rate cannot be read']]);
  nowMs += 2_000;
  await expect(currentRate(services, 'USDT', nowMs)).rejects.toMatchObject({ code: 'QUOTE_UNAVAILABLE' });
});

test('C-21: a price is of one time: its rate is checked, and its lock counts, from the same reading of the clock', async () => {
  const { accountId } = app;
  let readings = 0;
  const read = async () => {
    readings += 1;
    return nowMs;
  };
  let nowMs = Date.now() + 700_000;
  const observed: number[] = [];
  const rates = {
    observe: async () => {
      observed.push(nowMs);
      // The clock goes on while the source answers.
      nowMs += 5_000;
      return { mid: '5.5', observedAtMs: nowMs - 5_000 };
    },
  };
  const services: Services = {
    ...app.services,
    clock: { ...app.services.clock, nowMs: read },
    rails: { ...app.services.rails, rates },
  };
  const request = {
    accountId,
    template: services.registry.of('onramp'),
    direction: 'in',
    currency: currencyOfLedger('USDT_TRX'),
    wanted: { brl: '100' },
  } as const;
  const { pricedAt } = await price(services, request);
  expect(readings).toBe(1);
  expect(Date.parse(pricedAt)).toBe(observed[0]);
});

test('callers that find a rate old at the same time share one query of the source, and one stored rate', async () => {
  const nowMs = Date.now() + 800_000;
  const done = { asked: 0, stored: 0 };
  const database: Services['database'] = {
    ...app.database,
    query: (statement, values) => {
      if (statement.name === 'rate_store') done.stored += 1;
      return app.database.query(statement, values);
    },
  };
  const observe = async () => {
    done.asked += 1;
    return { mid: '5.75', observedAtMs: nowMs };
  };
  const services: Services = {
    ...app.services,
    database,
    rails: { ...app.services.rails, rates: { observe } },
  };
  const rates = await Promise.all(Array.from({ length: 24 }, () => currentRate(services, 'USDT', nowMs)));
  expect(new Set(rates)).toEqual(new Set(['5.75']));
  expect(done).toEqual({ asked: 1, stored: 1 });
});
