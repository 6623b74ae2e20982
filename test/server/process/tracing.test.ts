/**
 * Goal: one trace leads from a caller's request over its batch, statements and jobs to the webhook, and from an error body to the log; nothing
 * of it is there without the setting. Method: gateways as processes, one with a collector of spans on this machine, one without.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attributesOf, type CollectedSpan, type Collector, startCollector } from '../../support/collector.ts';
import { useDatabase } from '../../support/database.ts';
import { newHome } from '../../support/home.ts';
import { type Running, start } from '../../support/process.ts';
import { eventually, useReceiver } from '../../support/receiver.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;
const ONRAMP = {
  amount_payment: 150,
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Ana',
  client_tax_id: '52998224725',
};

const store = useDatabase();
const receiver = useReceiver();
const { home, remove } = newHome();
let collector: Collector;
let env: Record<string, string>;
let key: string;
const running: Running[] = [];

beforeAll(async () => {
  collector = await startCollector();
  env = { DATABASE_URL: store.url, SANDBOX: '1', CROSSRAMP_HOME: home, RATE_LIMIT: 'off', DRAIN_DELAY: '0' };
});
afterAll(async () => {
  for (const each of running) await each.end('SIGKILL');
  await collector.close();
  remove();
});

async function startWith(settings: Record<string, string>): Promise<Running> {
  const gateway = await start({ ...env, ...settings });
  running.push(gateway);
  key ??= JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8')).apiKey;
  return gateway;
}

/** @returns the answer, its JSON included. */
async function query({ baseUrl }: Running, path: string, body?: object, fields: Record<string, string> = {}) {
  const answer = await fetch(baseUrl + path, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...fields },
  });
  return { status: answer.status, json: await answer.json() };
}

/** @returns the names of the spans from the first of the trace down to this one. */
function wayTo(spans: readonly CollectedSpan[], span: CollectedSpan): string[] {
  const above = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...(above ? wayTo(spans, above) : []), span.name];
}

test('a trace goes from the request to its statements and jobs; errors, log and webhooks name theirs', async () => {
  const gateway = await startWith({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=blue%20shop',
    OTEL_TRACES_SAMPLER: 'parentbased_always_on',
    LOG_LEVEL: 'info',
  });
  const body = { ...ONRAMP, webhook: receiver.url('traced') };
  const made = await query(gateway, '/v2/onramp', body, { traceparent: PARENT });
  expect(made.status).toBe(201);
  const refused = await query(gateway, '/v2/onramp', {}, { traceparent: PARENT });
  expect(refused.json).toMatchObject({ status: 400, trace_id: TRACE });
  const graphql = await query(gateway, '/graphql', { query: '{ nothing }' });
  expect(graphql.json.errors[0].extensions.traceId).toMatch(/^[0-9a-f]{32}$/);
  const [webhook] = await receiver.until('traced', 1);
  const [, traceOfWebhook] =
    /^00-([0-9a-f]{32})-[0-9a-f]{16}-01$/.exec(webhook?.headers.traceparent ?? '') ?? [];
  const { stderr } = await gateway.end('SIGTERM');
  running.pop();

  const spans = collector.spans.filter(({ traceId }) => traceId === TRACE);
  const request = spans.find(({ name, parentSpanId }) => name === 'POST /v2/onramp' && parentSpanId);
  expect(attributesOf(request as CollectedSpan)).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/v2/onramp',
    'crossramp.transaction': made.json.end2end,
  });
  const ways = spans.map((span) => wayTo(spans, span).join(' > '));
  expect(ways).toContain('POST /v2/onramp > batch > commit');
  expect(ways).toContainEqual(expect.stringMatching(/^POST \/v2\/onramp > batch > job \w+/));
  const delivered = collector.spans.filter(({ traceId }) => traceId === traceOfWebhook);
  expect(delivered.map((span) => wayTo(delivered, span).join(' > '))).toContain('webhook > POST webhook');
  expect(collector.fields()).toMatchObject({ path: '/v1/traces', 'x-tenant': 'blue shop' });

  const lines = stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const answered = lines.filter(({ route }) => route === '/v2/onramp');
  expect(answered.map(({ trace, transaction }) => [trace, transaction])).toEqual([
    [TRACE, made.json.end2end],
    [TRACE, undefined],
  ]);
}, 120_000);

test('without the settings nothing is traced, whatever a caller sends', async () => {
  const gateway = await startWith({ LOG_LEVEL: 'info' });
  const before = collector.spans.length;
  const refused = await query(gateway, '/v2/onramp', {}, { traceparent: PARENT });
  expect(refused.json).not.toHaveProperty('trace_id');
  await query(gateway, '/v2/onramp', { ...ONRAMP, webhook: receiver.url('plain') }, { traceparent: PARENT });
  const [webhook] = await receiver.until('plain', 1);
  expect(webhook?.headers).not.toHaveProperty('traceparent');
  const { stderr } = await gateway.end('SIGTERM');
  running.pop();
  expect(stderr).not.toContain('"trace":');
  expect(collector.spans).toHaveLength(before);
}, 120_000);

test('a provider that was loaded before the gateway makes the spans, and none are sent by the gateway itself', async () => {
  const provider = fileURLToPath(new URL('../../support/loaded-provider.mjs', import.meta.url));
  const gateway = await startWith({
    NODE_OPTIONS: `--import=${provider}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  const before = collector.spans.length;
  await query(gateway, '/v2/balance');
  const { stdout } = await eventually('the end of the gateway', () => gateway.end('SIGTERM'));
  running.pop();
  expect(stdout).toContain('span of the loaded provider: GET /v2/balance');
  expect(collector.spans).toHaveLength(before);
}, 120_000);
