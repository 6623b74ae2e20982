/** Spans below each other, W3C Trace Context in and out, sampling, and what is sent of them, without a gateway. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { groupCommit } from '../../../src/base/concurrency/group-commit.ts';
import { aboutTransaction, noteTransaction, transactionAtWork } from '../../../src/base/trace/about.ts';
import { spanSender, spanText } from '../../../src/base/trace/otlp.ts';
import {
  type EndedSpan,
  ownContexts,
  ownTracer,
  type Sampling,
  w3cPropagator,
} from '../../../src/base/trace/own-provider.ts';
import {
  presentSpan,
  startRequestSpan,
  startSpans,
  traceAtWork,
  traceBatch,
  traceCall,
  traceStatement,
  traceWork,
} from '../../../src/base/trace/spans.ts';
import { callNode } from '../../../src/rails/chain/node.ts';
import { startCollector } from '../../support/collector.ts';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const UNSAMPLED = PARENT.replace(/01$/, '00');
const ALL: Sampling = { heedsParent: true, ratio: 1 };

beforeAll(() => {
  context.setGlobalContextManager(ownContexts);
  propagation.setGlobalPropagator(w3cPropagator);
});
afterEach(() => startSpans(undefined));
// Test files share processes.
afterAll(() => {
  context.disable();
  propagation.disable();
  trace.disable();
});

function tracing(sampling = ALL): EndedSpan[] {
  const ended: EndedSpan[] = [];
  startSpans(ownTracer(sampling, (span) => ended.push(span)));
  return ended;
}

const textOf = (spans: readonly EndedSpan[]) => spans.map(spanText).join();

test('a request continues the trace of its caller, and its statements are child spans', async () => {
  const ended = tracing();
  const span = startRequestSpan({ traceparent: PARENT, tracestate: 'shop=1' });
  const answer = await span?.run(() => traceStatement('keys_find', Promise.resolve([1])));
  span?.end('GET /v2/balance', { 'http.route': '/v2/balance' }, false);
  expect(answer).toEqual([1]);
  expect(span?.traceId).toBe('0af7651916cd43dd8448eb211c80319c');
  const [statement, request] = ended;
  expect(request).toMatchObject({ name: 'GET /v2/balance', parentSpanId: 'b7ad6b7169203331' });
  expect(statement).toMatchObject({ name: 'keys_find', parentSpanId: request?.context.spanId });
  expect(textOf(ended)).not.toContain('shop');
});

test.each([
  ['no version', '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
  ['version ff', PARENT.replace(/^00/, 'ff')],
  ['a trace of zeros', PARENT.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32))],
  ['a span of zeros', PARENT.replace('b7ad6b7169203331', '0'.repeat(16))],
  ['capitals', PARENT.toUpperCase()],
  ['more behind it', `${PARENT}x`],
])('a traceparent with %s begins a new trace', (_what, traceparent) => {
  const ended = tracing();
  startRequestSpan({ traceparent })?.end('GET /', {}, false);
  expect(ended).toHaveLength(1);
  expect(ended[0]?.parentSpanId).toBeUndefined();
  expect(ended[0]?.context.traceId).not.toBe('0af7651916cd43dd8448eb211c80319c');
});

test('a caller decides whether its trace is sampled, if the sampler follows the parent', () => {
  const ended = tracing();
  startRequestSpan({ traceparent: UNSAMPLED })?.end('GET /', {}, false);
  expect(ended).toEqual([]);
  const never = tracing({ heedsParent: true, ratio: 0 });
  startRequestSpan({ traceparent: PARENT })?.end('GET /', {}, false);
  startRequestSpan({})?.end('GET /', {}, false);
  expect(never.map(({ parentSpanId }) => parentSpanId)).toEqual(['b7ad6b7169203331']);
  const own = tracing({ heedsParent: false, ratio: 1 });
  startRequestSpan({ traceparent: UNSAMPLED })?.end('GET /', {}, false);
  expect(own).toHaveLength(1);
});

test('only a recorded trace is named in errors and the log', async () => {
  tracing({ heedsParent: true, ratio: 0 });
  const left = startRequestSpan({});
  expect([left?.traceId, left?.run(traceAtWork)]).toEqual([undefined, undefined]);
  const recorded = startRequestSpan({ traceparent: PARENT });
  expect(recorded?.traceId).toBe('0af7651916cd43dd8448eb211c80319c');
  expect(recorded?.run(traceAtWork)).toBe(recorded?.traceId);
});

test('a share of the traces is sampled, each of them whole', async () => {
  const ended = tracing({ heedsParent: true, ratio: 0.25 });
  for (let made = 0; made < 2_000; made++)
    await traceWork('job', {}, () => traceStatement('jobs_claim', Promise.resolve()));
  const traces = Map.groupBy(ended, (span) => span.context.traceId);
  expect(traces.size).toBeGreaterThan(400);
  expect(traces.size).toBeLessThan(600);
  expect([...traces.values()].every((spans) => spans.length === 2)).toBe(true);
});

test('a batch is a child of the first request in it, with links to the others', async () => {
  const ended = tracing();
  const commit = groupCommit<number, number>(
    async (requests) => traceStatement('post', Promise.resolve(requests)),
    { max: 10, failsAll: () => true },
  );
  const spans = [startRequestSpan({}), startRequestSpan({}), startRequestSpan({})];
  await Promise.all(spans.map((span, index) => span?.run(() => commit(index))));
  const [statement, batch] = ended;
  expect(batch).toMatchObject({ name: 'batch', attributes: { 'crossramp.batch.size': 3 } });
  expect(batch?.context.traceId).toBe(spans[0]?.traceId);
  expect(batch?.links.map((link) => link.context.traceId)).toEqual([spans[1]?.traceId, spans[2]?.traceId]);
  expect(statement?.parentSpanId).toBe(batch?.context.spanId);
});

test('a batch without a traced request has no trace, even if a trace began the work', async () => {
  const ended = tracing();
  const span = startRequestSpan({});
  await span?.run(() => traceBatch([undefined], () => traceStatement('post', Promise.resolve())));
  expect(ended).toEqual([]);
});

test('an error leaves its name in a span, and never its message', async () => {
  const ended = tracing();
  class Refused extends Error {
    override readonly name = 'Refused';
  }
  await expect(
    traceWork('job', {}, () => Promise.reject(new Refused('maria@example.invalid'))),
  ).rejects.toThrow('maria');
  expect(ended[0]).toMatchObject({ isFailed: true, attributes: { 'error.type': 'Refused' } });
  expect(textOf(ended)).not.toContain('maria');
  const kept = trace.wrapSpanContext({ traceId: '1'.repeat(32), spanId: '1'.repeat(16), traceFlags: 1 });
  expect(kept.isRecording()).toBe(false);
  const all: EndedSpan[] = [];
  const span = ownTracer(ALL, (each) => all.push(each)).startSpan('own');
  span.recordException(new Refused('maria'));
  span.addEvent('maria');
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'maria' }).end();
  expect(textOf(all)).not.toContain('maria');
});

test('a rail’s call inside a span passes the trace on; a background poll does not', async () => {
  const ended = tracing();
  const seen: (string | undefined)[] = [];
  const node = createServer((request, response) => {
    seen.push(request.headers.traceparent as string | undefined);
    response.end('{"ok":true}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => node.once('listening', resolve));
  const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  const ask = () => callNode({ url, body: {}, what: 'eth_blockNumber', timeLimitMs: 5_000 });
  await ask();
  await traceWork('order send', {}, ask);
  node.close();
  const [call, work] = ended;
  expect(seen).toEqual([undefined, `00-${work?.context.traceId}-${call?.context.spanId}-01`]);
  expect(call).toMatchObject({
    name: 'node eth_blockNumber',
    parentSpanId: work?.context.spanId,
    attributes: { 'rpc.method': 'eth_blockNumber' },
  });
});

test('without tracing every function only does its work', async () => {
  expect(startRequestSpan({ traceparent: PARENT })).toBeUndefined();
  expect(traceAtWork()).toBeUndefined();
  expect(presentSpan()).toBeUndefined();
  expect(await traceWork('job', {}, async () => 1)).toBe(1);
  expect(await traceCall('POST', {}, async (fields) => fields)).toEqual({});
  expect(await traceStatement('one', Promise.resolve(2))).toBe(2);
});

test('a collector gets spans as OTLP, with its header fields, and the last ones at shutdown', async () => {
  const collector = await startCollector();
  const at = { url: `${collector.url}/v1/traces`, headers: { 'api-key': 'abc' } };
  const lost: string[] = [];
  const sender = spanSender({ ...at, resource: { 'service.name': 'shop' }, version: '1' }, (_count, why) =>
    lost.push(why),
  );
  startSpans(ownTracer(ALL, sender.send));
  await traceWork('job', { 'crossramp.attempt': 2 }, async () => {});
  await sender.end();
  await collector.close();
  expect(collector.fields()).toMatchObject({ path: '/v1/traces', 'api-key': 'abc' });
  const [span] = collector.spans;
  expect(span).toMatchObject({ name: 'job', kind: 1 });
  expect(span?.attributes).toEqual([{ key: 'crossramp.attempt', value: { intValue: 2 } }]);
  expect(span?.startTimeUnixNano).toMatch(/^\d{19}$/);
  expect(Number(span?.endTimeUnixNano)).toBeGreaterThanOrEqual(Number(span?.startTimeUnixNano));
  expect(lost).toEqual([]);
});

test('spans that end while others are sent wait until their body is full, because each call costs', async () => {
  const collector = await startCollector();
  const sender = spanSender({ url: collector.url, headers: {}, resource: {}, version: '1' }, () => {});
  startSpans(ownTracer(ALL, sender.send));
  let made = 0;
  const makeUntil = async (isEnough: () => boolean) => {
    for (; !isEnough(); made++) {
      await traceWork('job', {}, async () => {});
      if (made % 100 === 0) await new Promise(setImmediate);
    }
  };
  await makeUntil(() => collector.text() !== '');
  const full = collector.spans.length;
  // Answers arrive in the order of their requests, so the sender has its own by then.
  const empty = JSON.stringify({ resourceSpans: [] });
  for (let asked = 0; asked < 3; asked++) await fetch(collector.url, { method: 'POST', body: empty });
  await makeUntil(() => made > 3 * full);
  await sender.end();
  await collector.close();
  expect(collector.spans).toHaveLength(made);
  const sizes = collector
    .text()
    .split('\n')
    .map((body) => body.split('"spanId"').length - 1);
  const sent = sizes.filter((size) => size > 0);
  expect(sent).toHaveLength(Math.ceil(made / full));
  expect(sent.slice(0, -1).every((size) => Math.abs(size - full) < full / 100)).toBe(true);
});

test('an unreachable collector costs only spans, which are counted', async () => {
  const lost: [number, string][] = [];
  const collector = { url: 'http://127.0.0.1:9/v1/traces', headers: {}, resource: {}, version: '1' };
  const sender = spanSender(collector, (count, why) => lost.push([count, why]));
  startSpans(ownTracer(ALL, sender.send));
  for (let made = 0; made < 20_000; made++) await traceWork('job', {}, async () => {});
  await sender.end();
  expect(lost.reduce((sum, [count]) => sum + count, 0)).toBe(20_000);
  expect(new Set(lost.map(([, why]) => why)).size).toBeLessThanOrEqual(2);
});

test('log lines name the transaction of the work, even if it is found later, and none if the work is for many', async () => {
  expect(transactionAtWork()).toBeUndefined();
  await aboutTransaction(undefined, async () => {
    await Promise.resolve();
    noteTransaction('CRX1');
    expect(transactionAtWork()).toBe('CRX1');
    aboutTransaction(undefined, () => expect(transactionAtWork()).toBeUndefined());
  });
});
