/** The real application on a free port, with an account whose history is that of docs/examples/history.ndjson. */
import type { Server } from 'node:http';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import type { AccountMode } from '../../src/base/access/account-mode.ts';
import { grantableScopes, SCOPES, type Scope } from '../../src/base/access/api-key.ts';
import type { RailsFile } from '../../src/compose/rails-file.ts';
import { createServices } from '../../src/compose/services.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { createKey } from '../../src/resolvers/account/manage-keys.ts';
import { startWorker, type Worker } from '../../src/resolvers/engine/run-jobs.ts';
import { provisionSandbox } from '../../src/resolvers/sandbox/provision-sandbox.ts';
import type { Services } from '../../src/resolvers/services/context.ts';
import type { CellsOfOperator } from '../../src/resolvers/services/other-cells.ts';
import type { Rails } from '../../src/resolvers/services/rails.ts';
import { type AppParts, createApp } from '../../src/server/app.ts';
import { networksOf } from '../../src/server/http/client-address.ts';
import { close, listen } from '../../src/server/http/listen.ts';
import { createAccount, platformAccount } from '../../src/store/account/accounts.ts';
import type { Database } from '../../src/store/connection/database.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import type { Registry } from '../../src/templates/registry.ts';
import { type TestDatabase, useDatabase } from './database.ts';
import { SANDBOX_DATABASE } from './global-setup.ts';
import { TEST_SECRETS } from './secrets.ts';

/** An answer, read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

/** A running application, with its worker. */
export interface TestApp extends TestDatabase {
  readonly services: Services;
  /** `http://127.0.0.1:<port>`. */
  readonly baseUrl: string;
  /** The streams of the application. */
  readonly streams: { readonly size: number };
  /** The account that has the example history, and a key with all scopes. */
  readonly accountId: bigint;
  readonly apiKey: string;
  /** A key of the operator, for all sandbox accounts. */
  readonly platformKey: string;
  /** GET with the account's key, or with another; `null` for none. */
  readonly get: (
    path: string,
    options?: { key?: string | null; headers?: Record<string, string>; method?: string },
  ) => Promise<Answer>;
  /** POST of a JSON body, or of a text as it is. */
  readonly post: (
    path: string,
    body?: unknown,
    options?: { key?: string | null; headers?: Record<string, string> },
  ) => Promise<Answer>;
  /** A GraphQL operation over HTTP. */
  readonly graphql: (
    query: string,
    variables?: Record<string, unknown>,
    options?: { key?: string | null },
  ) => Promise<Answer>;
  /** Another account, empty, with a key. */
  readonly addAccount: (options?: {
    scopes?: readonly Scope[];
    mode?: AccountMode;
  }) => Promise<{ accountId: bigint; apiKey: string; keyId: string }>;
  readonly addKey: (
    accountId: bigint,
    scopes: readonly Scope[],
  ) => Promise<{ apiKey: string; keyId: string }>;
}

type Overrides = Partial<AppParts['config']> & {
  readonly log?: AppParts['log'];
  readonly noteRequest?: AppParts['noteRequest'];
  /** `serve` answers only: a worker is another process. */
  readonly role?: Config['role'];
  /** Streams and waiting requests of an account at once. */
  readonly eventStreamsMax?: number;
  /** How long a step-up waits for its decision. */
  readonly stepUpMs?: number;
  /** Accounts over which limits count a customer. */
  readonly limitsOver?: Config['limitsOver'];
  /** Mail server of notifications. */
  readonly mail?: Config['mail'];
  /** The templates of the service when not given. */
  readonly registry?: Registry;
  /** Rails of live accounts; none when not given. */
  readonly liveRails?: Rails;
  /** Rails as an operator configures them. */
  readonly railsFile?: RailsFile;
};

/** Starts the application before the tests of the file and ends it after them. */
export function useApp(overrides: Overrides = {}): TestApp {
  const test = useDatabase(SANDBOX_DATABASE) as { -readonly [Name in keyof TestApp]: TestApp[Name] };
  let server: Server;
  let worker: Worker | undefined;
  let end: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    test.accountId = await provisionSandbox(test.database, REGISTRY);
    test.apiKey = (await addKey(test.accountId, SCOPES)).apiKey;
    const { log, noteRequest, registry = REGISTRY, liveRails, railsFile, ...config } = overrides;
    const platform = await platformAccount(test.database, 'sandbox');
    test.platformKey = (await addKey(platform, grantableScopes({ isPlatform: true }))).apiKey;
    let handle: ReturnType<typeof createApp>['handle'] = () => {};
    const listening = await listen((request, response) => handle(request, response), {
      host: '127.0.0.1',
      port: 0,
    });
    server = listening.server;
    test.baseUrl = `http://127.0.0.1:${listening.port}`;
    // Requests are recorded only where a test asks for that.
    const settings = {
      ...readConfig({
        ...{ RATE_LIMIT: 'off', AUTH_FAILURE_LIMIT: 'off', REQUEST_LOG_DAYS: '0' },
        GRAPHQL_COMPILED: process.env.GRAPHQL_COMPILED,
      }),
      publicUrl: test.baseUrl,
      ...config,
    };
    test.services = createServices({
      database: test.database,
      secrets: TEST_SECRETS,
      registry,
      config: settings,
      liveRails,
      railsFile,
    });
    const app = createApp({
      config: settings,
      services: test.services,
      log: log ?? pino({ level: 'silent' }),
      noteRequest,
    });
    test.streams = app.streams;
    if (settings.role !== 'serve') worker = startWorker(test.services, pino({ level: 'silent' }));
    handle = app.handle;
    end = app.end;
    server.on('clientError', app.refuseMalformed);
  });
  afterAll(async () => {
    if (server) await close(server, 1_000);
    await end?.();
    await worker?.stop();
  });

  const addKey: TestApp['addKey'] = (accountId, scopes) =>
    createKey(test.database, accountId, {
      name: 'test',
      scopes,
      expiresAt: null,
      allowedCidrs: [],
    });
  test.addKey = addKey;
  test.addAccount = async (options = {}) => {
    const templates = REGISTRY.templates.map((template) => template.name);
    const accountId = await createAccount(test.database, 'Another', {
      templates,
      mode: options.mode ?? 'sandbox',
    });
    return { accountId, ...(await addKey(accountId, options.scopes ?? SCOPES)) };
  };
  /** The clock is the operator's to set. */
  const CLOCK = '/v2/sandbox/clock';
  const authorization = (key: string | null | undefined): Record<string, string> =>
    key === null ? {} : { authorization: `Bearer ${key ?? test.apiKey}` };
  test.get = async (path, options = {}) =>
    read(
      await fetch(test.baseUrl + path, {
        method: options.method ?? 'GET',
        headers: { ...authorization(options.key), ...options.headers },
      }),
    );
  test.post = async (path, body = {}, options = {}) =>
    read(
      await fetch(test.baseUrl + path, {
        method: 'POST',
        headers: {
          ...authorization(options.key === undefined && path === CLOCK ? test.platformKey : options.key),
          'content-type': 'application/json',
          ...options.headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );
  test.graphql = async (query, variables, options = {}) =>
    read(
      await fetch(`${test.baseUrl}/graphql`, {
        method: 'POST',
        headers: { ...authorization(options.key), 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      }),
    );
  return test;
}

/** Limits of an application. */
export type AppLimits = Partial<
  Pick<
    Config,
    | 'connections'
    | 'trustedProxies'
    | 'authFailureLimit'
    | 'rateLimit'
    | 'answersBytesMax'
    | 'graphqlCompiled'
    | 'role'
  >
> &
  Pick<AppParts, 'replicas'> & { readonly cells?: CellsOfOperator };

/** Another application on a database, to be closed by the test that starts it; on a free port, or on the one that is given. */
export async function startApp(database: Database, givenPort = 0, limits: AppLimits = {}) {
  let handle: ReturnType<typeof createApp>['handle'] = () => {};
  const env = { RATE_LIMIT: 'off', AUTH_FAILURE_LIMIT: 'off', REQUEST_LOG_DAYS: '0' };
  const { replicas, cells, ...settings } = limits;
  const given = { ...readConfig(env), ...settings };
  const { server, port } = await listen((request, response) => handle(request, response), {
    host: '127.0.0.1',
    port: givenPort,
    connections: given.connections,
    isTrusted: networksOf(given.trustedProxies),
  });
  const publicUrl = `http://127.0.0.1:${port}`;
  const config = { ...given, publicUrl };
  const services = createServices({ database, secrets: TEST_SECRETS, registry: REGISTRY, config, cells });
  const app = createApp({ config, services, log: pino({ level: 'silent' }), replicas });
  handle = app.handle;
  server.on('clientError', app.refuseMalformed);
  const get = async (path: string, key: string) => {
    const response = await fetch(publicUrl + path, { headers: { authorization: `Bearer ${key}` } });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
  };
  return { publicUrl, services, get, reads: app.reads, drain: app.drain, close: () => close(server, 1_000) };
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}
