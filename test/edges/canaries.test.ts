/**
 * Goal: what people and programs send stays out of logs, metrics and traces (ASVS 16.2.5): names, documents, keys, destinations, texts. Method:
 * a word that occurs nowhere else is planted in every argument of GraphQL, in bodies, paths, queries and headers, with a gateway
 * that logs and traces all it can; then the log of the process, that of its database, the metrics and the spans are read.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { type Collector, startCollector } from '../support/collector.ts';
import { freePort } from '../support/free-port.ts';
import { newHome } from '../support/home.ts';
import { type Running, start } from '../support/process.ts';

const WORD = 'zebrawort';
const CPF = '39053344705';
const PIX_KEY = `maria.${WORD}@example.invalid`;
const WALLET = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
const PLANTED = [WORD, CPF, '390.533.447-05', WALLET];

const { home, remove } = newHome();
let running: Running;
let metricsUrl: string;
let keys: { readonly apiKey: string; readonly platformKey: string };
let answers = 0;
let collector: Collector;

beforeAll(async () => {
  const port = String(await freePort());
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  collector = await startCollector();
  running = await start({
    ...{ CROSSRAMP_HOME: home, LOG_LEVEL: 'trace', METRICS_PORT: port, METRICS_HOST: '127.0.0.1' },
    ...{ RATE_LIMIT: 'off', AUTH_FAILURE_LIMIT: 'off', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  keys = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8'));
}, 120_000);
afterAll(async () => {
  await collector.close();
  remove();
});

async function send(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(running.baseUrl + path, {
    ...(body !== undefined && {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
    headers: { authorization: `Bearer ${keys.apiKey}`, 'content-type': 'application/json', ...headers },
    redirect: 'manual',
  });
  answers += 1;
  return answer.text();
}

/** @returns a value of a type, with the word in each text of it. */
function planted(type: GraphQLInputType, depth = 0): unknown {
  if (isNonNullType(type)) return planted(type.ofType, depth);
  if (isListType(type)) return [planted(type.ofType, depth)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    if (depth > 2) return {};
    return Object.fromEntries(
      Object.values(type.getFields()).map((field) => [field.name, planted(field.type, depth + 1)]),
    );
  }
  if (!isScalarType(type)) return null;
  const values: Readonly<Record<string, unknown>> = {
    Int: 1,
    Boolean: true,
    Float: 1,
    Decimal: '12.34',
    DateTime: '2026-11-20T12:00:00Z',
    Date: '2026-11-20',
  };
  return values[type.name] ?? `${WORD}-${type.name}`;
}

test('nothing that was sent is in a log, a metric or a span', async () => {
  const schema = buildSchema(REGISTRY);
  for (const [kind, root] of [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const) {
    for (const field of Object.values(root?.getFields() ?? {})) {
      const declared = field.args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
      const given = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
      const variables = Object.fromEntries(field.args.map(({ name, type }) => [name, planted(type)]));
      const isLeaf = isScalarType(getNamedType(field.type)) || isEnumType(getNamedType(field.type));
      const query = `${kind} ${WORD}${field.name}${declared && `(${declared})`} { ${field.name}${given && `(${given})`} ${isLeaf ? '' : '{ __typename }'} }`;
      for (const key of [keys.apiKey, keys.platformKey])
        await send('/graphql', { query, variables }, { authorization: `Bearer ${key}` });
    }
  }
  const customer = {
    client_name: `Maria ${WORD}`,
    client_tax_id: CPF,
    external_code: `${WORD}-1`,
    webhook: `http://127.0.0.1:9/${WORD}?token=${WORD}`,
  };
  const onramp = {
    amount_payment: 150,
    currency_exit_received_code: 'USDT_TRX',
    ...customer,
    wallet: WALLET,
  };
  const made = JSON.parse(await send('/v2/onramp', onramp, { 'idempotency-key': WORD }));
  await send('/v2/onramp', { ...onramp, amount_payment: 151 }, { 'idempotency-key': WORD });
  expect(made.end2end).toMatch(/^CRX/);
  await send('/v2/sandbox/trigger', { scenario: 'pay', end2end: made.end2end });
  await send('/v2/offramp', {
    amount_received: 10,
    currency_entry_code: 'USDT_TRX',
    pix_key: PIX_KEY,
    pix_key_type: 'email',
    ...customer,
  });
  await send('/v2/onramp', `{"client_name": "${WORD}`);
  await send(`/v2/onramps?client_tax_id=${CPF}&external_code=${WORD}&nothing=${WORD}`);
  await send(`/v2/onramp/${WORD}`);
  await send(`/v2/statement?address=${WALLET}&currency=${WORD}`);
  await send(`/nothing/${WORD}?${WORD}=${WORD}`, undefined, {
    accept: 'text/html',
    'user-agent': WORD,
    referer: `http://127.0.0.1/${WORD}`,
    traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01-${WORD}`,
    tracestate: `${WORD}=${WORD}`,
    baggage: `${WORD}=${WORD}`,
  });
  await send(`/pay/${WORD}`, undefined, { accept: 'text/html', cookie: `session=${WORD}; other=${WORD}` });
  await send(`/console/link/${WORD}`, undefined, { accept: 'text/html', cookie: `__Host-session=${WORD}` });
  await send('/console/sign-in', `email=${WORD}%40example.invalid&csrf=${WORD}`, {
    'content-type': 'application/x-www-form-urlencoded',
  });
  await send('/v2/balance', undefined, { authorization: `Bearer crx_test_${WORD}`, 'x-forwarded-for': WORD });
  await send('/graphql', {
    query: `{ transaction(end2end: "${WORD}") { ${WORD} } }`,
    operationName: WORD,
    extensions: { [WORD]: WORD },
  });
  await send('/graphql', {
    query: `query { transactions(filter: { clientTaxId: "${CPF}", text: "${WORD}" }) { totalCount } }`,
  });
  await send('/rails/pix', {
    pix: [{ endToEndId: WORD, txid: WORD, valor: '1.00', horario: WORD, pagador: { cpf: CPF, nome: WORD } }],
  });
  await send(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: WORD, params: { name: WORD } },
    { accept: 'application/json, text/event-stream' },
  );
  // Webhooks to a port that nobody listens at fail, and are logged.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const metrics = await (await fetch(metricsUrl)).text();
  expect(metrics).toContain('crossramp_');
  const { stderr, stdout } = await running.end('SIGTERM');
  expect(stderr.length).toBeGreaterThan(10_000);
  expect(answers).toBeGreaterThan(150);
  expect(collector.spans.length).toBeGreaterThan(answers * 2);
  const texts = {
    log: stderr,
    output: stdout,
    metrics,
    spans: collector.text(),
    postgres: readFileSync(join(home, 'postgres.log'), 'utf8'),
  };
  const found = Object.entries(texts).flatMap(([name, text]) =>
    text
      .split('\n')
      .flatMap((line) =>
        PLANTED.flatMap((each) => (line.includes(each) ? [`${name}: ${each}: ${line.slice(0, 400)}`] : [])),
      ),
  );
  expect(found).toEqual([]);
}, 240_000);
