/**
 * Goal: what people and programs send stays out of logs, metrics and traces (ASVS 16.2.5): names, documents, keys, destinations, texts; and so do the
 * secrets in use, which are in no error body either. Method: a word that occurs nowhere else is planted in every argument of GraphQL, every form of
 * the console, every route of `/v2`, callbacks, an import and a bank file, in bodies, paths, queries and headers, with a gateway that logs and
 * traces all it can, and whose rails are unreachable; then the log of the process, that of its database, the metrics and the spans are read.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { request as overSocket } from 'node:http';
import { request as overTls } from 'node:https';
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
import { createAuthority, issue } from '../../src/psp/ca.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { type Collector, startCollector } from '../support/collector.ts';
import { freePort } from '../support/free-port.ts';
import { newHome } from '../support/home.ts';
import { FORMS } from '../support/mutations.ts';
import { crossramp, type Running, start } from '../support/process.ts';
import { ROUTES } from '../support/rest-routes.ts';
import { newSigner, startSigner } from '../support/signer.ts';

const WORD = 'zebrawort';
const CPF = '39053344705';
const PIX_KEY = `maria.${WORD}@example.invalid`;
const WALLET = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
const PLANTED = [WORD, CPF, '390.533.447-05', WALLET];

/** A picture of one point, with the word behind it. */
const LOGO = `data:image/png;base64,${Buffer.concat([
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  Buffer.from(WORD),
]).toString('base64')}`;

const { home, remove } = newHome();
const authority = createAuthority('Test bank');
/** Secrets of rails, by the name of their file. */
const RAIL_SECRETS = Object.fromEntries(
  ['pix-client', 'identity-key', 'identity-callback', 'screening-key', 'rates-key'].map((name) => [
    name,
    `${name}-${randomBytes(16).toString('hex')}`,
  ]),
);
/** Everything secret that is in use, by name. */
const secrets = new Map(Object.entries(RAIL_SECRETS));
/** Bodies of errors: none has a secret. */
const problems: string[] = [];
let running: Running;
let env: Record<string, string>;
let metricsUrl: string;
let callbackPort: number;
let session: string;
let keys: { readonly apiKey: string; readonly platformKey: string };
let answers = 0;
let collector: Collector;

beforeAll(async () => {
  const port = String(await freePort());
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  collector = await startCollector();
  callbackPort = await freePort();
  env = { CROSSRAMP_HOME: home, RAILS_FILE: writeRails() };
  running = await start({
    ...{ ...env, LOG_LEVEL: 'trace', METRICS_PORT: port, METRICS_HOST: '127.0.0.1' },
    ...{ RATE_LIMIT: 'off', AUTH_FAILURE_LIMIT: 'off', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    OTEL_TRACES_SAMPLER: 'always_on',
  });
  keys = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8'));
  const passwords = JSON.parse(readFileSync(join(home, 'postgres.json'), 'utf8'));
  secrets.set('API key', keys.apiKey).set('key of the platform', keys.platformKey);
  secrets
    .set('database password', passwords.password)
    .set('password of the gateway', passwords.gatewayPassword);
  secrets.set('key of the secrets', readFileSync(process.env.SECRETS_KEY_FILE as string, 'utf8').trim());
  session = await signIn();
}, 120_000);
afterAll(async () => {
  await collector.close();
  remove();
});

/** Rails of live accounts that are configured with secrets; no provider listens at their addresses. */
function writeRails(): string {
  const gateway = issue(authority, { name: 'Gateway' });
  const files = {
    ...{
      'gateway.pem': gateway.certificate,
      'gateway-key.pem': gateway.key,
      'ca.pem': authority.certificate,
    },
    ...RAIL_SECRETS,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text, { mode: 0o600 });
  secrets.set('private key of the gateway', gateway.key.split('\n')[1] as string);
  const nowhere = 'https://127.0.0.1:1';
  const own = { certificateFile: 'gateway.pem', keyFile: 'gateway-key.pem' };
  const live = {
    pix: {
      ...{ kind: 'api-pix', url: `${nowhere}/v2`, tokenUrl: `${nowhere}/oauth/token`, clientId: 'shop' },
      ...{ clientSecretFile: 'pix-client', ...own, caFile: 'ca.pem', pixKey: PIX_KEY, ispb: '12345678' },
      pollSeconds: 1,
      callback: {
        ...{ url: `https://127.0.0.1:${callbackPort}/hook`, listen: `127.0.0.1:${callbackPort}`, ...own },
        ...{ clientCaFile: 'ca.pem', clientNames: ['Bank'] },
      },
    },
    identity: {
      ...{ kind: 'http', url: `${nowhere}/checks`, body: { externalId: 'case', document: 'taxId' } },
      headers: [{ name: 'x-api-key', valueFile: 'identity-key' }],
      paths: { decision: '$.status' },
      words: { pending: ['created'], approved: ['ok'], denied: ['no'] },
      statusUrl: `${nowhere}/checks/{case}`,
      callback: {
        secretFile: 'identity-callback',
        header: 'x-signature',
        signed: 'body',
        case: '$.externalId',
      },
    },
    screening: { kind: 'chainalysis-sanctions', url: nowhere, keyFile: 'screening-key' },
    rates: {
      kind: 'feeds',
      everySeconds: 1,
      feeds: [
        {
          ...{ name: 'alpha', url: `${nowhere}/ticker`, authorizationFile: 'rates-key' },
          prices: [{ asset: 'USDT', path: '$.last' }],
        },
      ],
    },
  };
  const file = join(home, 'rails.json');
  writeFileSync(file, JSON.stringify({ live }));
  return file;
}

/** Signs in by a link, as a browser does. @returns the cookie. */
async function signIn(): Promise<string> {
  const { stdout } = await crossramp(env, 'person', 'link', '--json');
  const { url } = JSON.parse(stdout);
  secrets.set('sign-in link', url.slice(url.lastIndexOf('/') + 1));
  const page = await fetch(url);
  const cookieOf = (answer: Response) =>
    answer.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(await page.text()) ?? [];
  const entered = await fetch(url, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ csrf }) },
    headers: { cookie: cookieOf(page), 'sec-fetch-site': 'same-origin' },
  });
  const cookie = cookieOf(entered);
  secrets.set('session', /session=([^;]+)/.exec(cookie)?.[1] ?? '').set('form token', csrf);
  return cookie;
}

/** A callback of the bank's client certificate, or of another client of its authority. */
function callBack(name: string, body: object): Promise<number | undefined> {
  const { certificate, key } = issue(authority, { name });
  return new Promise((resolve, reject) => {
    overTls(
      {
        ...{ host: '127.0.0.1', port: callbackPort, method: 'POST', path: '/hook/pix' },
        ...{
          cert: certificate,
          key,
          ca: authority.certificate,
          servername: 'Gateway',
          rejectUnauthorized: false,
        },
        headers: { 'content-type': 'application/json' },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    )
      .once('error', reject)
      .end(JSON.stringify(body));
  });
}

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
  const text = await answer.text();
  // A page that refuses a form has the token of that form.
  const isJson = /json/.test(answer.headers.get('content-type') ?? '');
  if (isJson && (answer.status >= 400 || /"errors": ?\[\{/.test(text))) problems.push(text);
  return text;
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

/** Sends every form of the console with the word in each field. */
async function sendForms(): Promise<void> {
  const page = await fetch(`${running.baseUrl}/console/settings`, { headers: { cookie: session } });
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(await page.text()) ?? [];
  expect(csrf).not.toBe('');
  secrets.set('form token of the session', csrf);
  for (const { name, variables } of FORMS) {
    const fields = variables.map((each): [string, string] => [
      each.name,
      each.name === 'logo' ? LOGO : each.type === 'String' ? `${WORD} ${CPF}` : '12',
    ]);
    await send(`/console/acts/${name}`, new URLSearchParams([['csrf', csrf], ...fields]).toString(), {
      ...{ authorization: '', 'content-type': 'application/x-www-form-urlencoded', cookie: session },
      ...{ 'sec-fetch-site': 'same-origin', accept: 'text/html' },
    });
  }
}

/** Calls every route of `/v2` with the word in its path, query and each member of its body. */
async function callRoutes(): Promise<void> {
  expect(ROUTES.length).toBeGreaterThan(40);
  for (const { method, path, body } of ROUTES) {
    const members = Object.keys(body ?? {}).map((member) => [member, `${WORD} ${CPF}`]);
    const at = `${path.replace('{id}', WORD)}?client_tax_id=${CPF}&${WORD}=${WORD}`;
    const isPost = method === 'POST';
    await send(at, isPost ? Object.fromEntries([...members, ['nothing', WORD]]) : undefined, {
      ...(isPost && { 'idempotency-key': WORD }),
    });
  }
}

/** Callbacks of providers: proved ones, one of a stranger, one with a wrong signature. */
async function sendCallbacks(): Promise<void> {
  const payment = {
    ...{ endToEndId: `E99999999202611220000${WORD}0001`.slice(0, 32), txid: WORD.repeat(3), valor: '1.00' },
    ...{
      horario: '2026-11-20T12:00:00Z',
      chave: PIX_KEY,
      pagador: { cpf: CPF, nome: WORD },
      infoPagador: WORD,
    },
  };
  expect(await callBack('Bank', { pix: [payment] })).toBeDefined();
  await callBack('Stranger', { pix: [payment] });
  await callBack('Bank', { [WORD]: WORD });
  const body = JSON.stringify({ externalId: WORD, status: WORD, document: CPF, name: WORD });
  const signature = createHmac('sha256', RAIL_SECRETS['identity-callback'] as string)
    .update(body)
    .digest('hex');
  await send('/rails/live/identity', body, { 'x-signature': signature });
  await send('/rails/live/identity', body, { 'x-signature': WORD });
  await send(`/rails/live/screening/${WORD}`, { subject: WORD, document: CPF });
}

/** Files that commands read beside the running gateway. */
async function readFiles(): Promise<void> {
  const history = join(home, 'history.ndjson');
  const [first = ''] = readFileSync(
    new URL('../../docs/examples/history.ndjson', import.meta.url),
    'utf8',
  ).split('\n');
  writeFileSync(history, `${first}\n{"${WORD}": "${CPF}"}\n${WORD}\n`);
  expect((await crossramp(env, 'import', history, '--account', 'sandbox')).code).not.toBe(0);
  const statement = join(home, 'bank.csv');
  writeFileSync(statement, `date;amount;text;id\n2026-11-20;10,00;${WORD} ${CPF};${WORD}\n`);
  await crossramp(env, 'reconcile', '--file', statement, '--day', '2026-11-20');
}

/** Has a signer of its own refuse what it is asked. @returns all that it wrote. */
async function askSigner(): Promise<string> {
  const signer = await newSigner();
  const files = ['passphrase', 'seed'].map((name) => readFileSync(join(signer.folder, name), 'utf8').trim());
  secrets.set('passphrase of the signer', files[0] as string).set('seed of the signer', files[1] as string);
  const process = await startSigner(signer);
  try {
    for (const [path, body] of [
      ['/describe', ''],
      ['/sign', JSON.stringify({ id: WORD, network: WORD, unsigned: CPF, key: { purpose: WORD } })],
      [`/${WORD}`, WORD],
    ] as const)
      await new Promise<void>((resolve, reject) => {
        const options = { socketPath: signer.socket, path, method: body ? 'POST' : 'GET' };
        overSocket(options, (response) => response.resume().once('end', resolve))
          .once('error', reject)
          .end(body);
      });
    const { stderr, stdout } = await process.end('SIGTERM');
    return stdout + stderr;
  } finally {
    signer.remove();
  }
}

/** Has the gateway issue secrets, and use them. */
async function useSecrets(): Promise<void> {
  const take = (name: string, text: string, member: string) => {
    const found = new RegExp(`"${member}": ?"([^"]+)"`).exec(text)?.[1];
    expect(found, `${name}: ${text.slice(0, 300)}`).toBeDefined();
    secrets.set(name, found as string);
    return found as string;
  };
  const mutate = (query: string) => send('/graphql', { query: `mutation { ${query} }` });
  const token = take(
    'stream token',
    await mutate('createStreamToken(input: {}) { streamToken { token } errors { code } }'),
    'token',
  );
  await send(`/graphql?token=${token}&query=${encodeURIComponent(`subscription { ${WORD} }`)}`, undefined, {
    ...{ authorization: '', accept: 'text/event-stream' },
  });
  const endpoint = await mutate(
    `createWebhookEndpoint(input: { url: "http://127.0.0.1:9/${WORD}" }) { webhookEndpoint { endpointId } errors { code } }`,
  );
  const [, endpointId = ''] = /"endpointId": ?"([^"]+)"/.exec(endpoint) ?? [];
  take(
    'webhook secret',
    await mutate(
      `rotateWebhookSecret(input: { endpointId: "${endpointId}" }) { secrets { secret } errors { code } }`,
    ),
    'secret',
  );
  const key = take(
    'second key',
    await mutate(
      'createApiKey(input: { name: "canary", scopes: ["read"] }) { issuedApiKey { apiKey } errors { code } }',
    ),
    'apiKey',
  );
  await send(`/v2/balance?key=${key}`, undefined, { authorization: `Bearer ${key}` });
  await send(`/nothing/${key}`, undefined, { authorization: `Basic ${key}`, cookie: session });
}

test('nothing that was sent, and no secret, is in a log, a metric, a span or a problem', async () => {
  await useSecrets();
  await sendForms();
  await callRoutes();
  await sendCallbacks();
  await readFiles();
  const signer = await askSigner();
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
  expect(answers).toBeGreaterThan(400);
  expect(problems.length).toBeGreaterThan(100);
  expect(collector.spans.length).toBeGreaterThan(answers * 2);
  const texts = {
    log: stderr,
    output: stdout,
    metrics,
    spans: collector.text(),
    postgres: readFileSync(join(home, 'postgres.log'), 'utf8'),
    signer,
  };
  expect([...secrets].filter(([, secret]) => secret.length < 8)).toEqual([]);
  const leaked = Object.entries({ ...texts, problems: problems.join('\n') }).flatMap(([name, text]) =>
    [...secrets].flatMap(([secret, value]) => (text.includes(value) ? [`${name}: ${secret}`] : [])),
  );
  expect(leaked).toEqual([]);
  const found = Object.entries(texts).flatMap(([name, text]) =>
    text
      .split('\n')
      .flatMap((line) =>
        PLANTED.flatMap((each) => (line.includes(each) ? [`${name}: ${each}: ${line.slice(0, 400)}`] : [])),
      ),
  );
  expect(found).toEqual([]);
}, 400_000);
