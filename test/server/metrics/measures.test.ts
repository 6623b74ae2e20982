/**
 * Goal: batches, calls and orders of rails, and reached limits are in the metrics, with labels that the code names; calls of an order are spans below
 * it. Method: a gateway with the PSP over the wire, another with low limits, and a listener of metrics beside both.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS } from '../../../src/base/trace/measures.ts';
import { useStand } from '../../rails/api-pix/harness.ts';
import { depositFor } from '../../resolvers/inbound/support.ts';
import { useApp } from '../../support/app.ts';
import { type Samples, startMetrics, type TestMetrics } from '../../support/metrics.ts';
import { eventually } from '../../support/receiver.ts';
import { recordSpans, type SpanRecord } from '../../support/spans.ts';

const stand = useStand({}, { works: true });
const limited = useApp({
  rateLimit: { reads: { perSecond: 1, burst: 2 }, writes: { perSecond: 100, burst: 100 } },
  authFailureLimit: { perSecond: 1, burst: 2 },
  eventStreamsMax: 1,
});
let metrics: TestMetrics;
let spans: SpanRecord;

beforeAll(async () => {
  metrics = await startMetrics({ everyMs: 0, slowEveryMs: 0, sharedMs: 0 });
  metrics.watch({ services: stand.app.services, streams: stand.app.streams });
  spans = recordSpans();
});
afterAll(async () => {
  spans?.stop();
  await metrics?.close();
});

const limit = (name: string) => `crossramp_limits_reached_total{limit="${name}"}`;
const calls = (outcome: string) => `crossramp_rail_calls_total{rail="pix",outcome="${outcome}"}`;

/** @returns the increase of a sample by the work. */
async function increaseBy(name: string, work: () => Promise<unknown>): Promise<number> {
  const before = (await metrics.scrape()).get(name) ?? 0;
  await work();
  return ((await metrics.scrape()).get(name) ?? 0) - before;
}

/** An offramp whose deposit arrived, until its payout has ended. */
async function payOut(): Promise<void> {
  const row = await stand.inbound.offrampInstant(stand.merchant);
  await stand.tools.receive(depositFor(await stand.inbound.rowOf(row.end2end)));
  await stand.inbound.reach(row, 'success/DONE');
}

test('a write waits for its batch, whose size is counted', async () => {
  const order = () => stand.inbound.onramp(stand.merchant);
  expect(await increaseBy('crossramp_batch_size_count', order)).toBeGreaterThan(0);
  expect(await increaseBy('crossramp_batch_wait_seconds_count', order)).toBeGreaterThan(0);
});

test('a payout is an order of the PIX rail that was done, and its calls are spans below its job', async () => {
  const done = 'crossramp_rail_orders_total{mode="live",rail="pix",outcome="done"}';
  let samples: Samples = new Map();
  expect(
    await increaseBy(calls('answered'), async () => {
      await payOut();
      samples = await metrics.scrape();
    }),
  ).toBeGreaterThan(0);
  expect(samples.get(done)).toBe(1);
  const timed = [...samples].filter(([name]) =>
    name.startsWith('crossramp_rail_order_duration_seconds_count'),
  );
  expect(timed.map(([, count]) => count)).toEqual([1]);
  expect(samples.get('crossramp_rail_call_duration_seconds_count{rail="pix"}')).toBeGreaterThan(0);
  expect(spans.pathsTo('PUT pix').some((path) => path.endsWith('job send_funds > PUT pix'))).toBe(true);
  const call = spans.ended.find(({ name }) => name === 'PUT pix');
  expect(call?.attributes).toEqual({ 'crossramp.rail': 'pix' });
});

test('an error of the provider is a failed call', async () => {
  await stand.psp.control('PUT', '/faults', {
    seed: 1,
    rules: [{ on: 'charge', fault: 'unavailable', rate: 1, ms: 10 }],
  });
  await stand.app.post(
    '/v2/onramp',
    {
      ...{ currency_exit_received_code: 'USDT_TRX', amount_payment: '100.00' },
      ...{ client_name: 'Ana Souza', client_tax_id: '52998224725' },
    },
    { key: stand.merchant.apiKey },
  );
  await eventually('a failed call', async () => ((await metrics.scrape()).get(calls('failed')) ?? 0) > 0);
  await stand.psp.control('PUT', '/faults', { seed: 1, rules: [] });
});

test('a key, an address and an account that reach their limit are counted by kind', async () => {
  const read = () => limited.get('/v2/balance');
  const unknown = () => limited.get('/v2/balance', { key: 'crx_test_x' });
  const many = (work: () => Promise<unknown>) => async () => {
    for (let at = 0; at < 6; at++) await work();
  };
  expect(await increaseBy(limit('key'), many(read))).toBeGreaterThan(0);
  expect(await increaseBy(limit('address'), many(unknown))).toBeGreaterThan(0);
});

test('every limit is shown from the start, and no other label', async () => {
  const samples = await metrics.scrape();
  const shown = [...samples.keys()].filter((name) => name.startsWith('crossramp_limits_reached_total'));
  expect(shown).toEqual(LIMITS.map(limit));
});
