/** The gateway as a process: `npm start`. */
import type { Server } from 'node:http';
import { pino } from 'pino';
import { type Config, readConfig } from './config.ts';
import { describeFailure } from './describe-failure.ts';
import { provisionSandbox } from './resolvers/provision-sandbox.ts';
import { type App, close, createApp, listen } from './server/app.ts';
import { type Sandbox, sandboxPaths, writeSandbox } from './server/sandbox-files.ts';
import { openStore, type Store } from './store/open-store.ts';
import { REGISTRY } from './templates/index.ts';

const GRACE_MS = 10_000;

async function start(): Promise<void> {
  const config = readConfig(process.env);
  // Logs go to standard error: standard output is for the person who starts the gateway.
  const log = pino({ level: config.logLevel, base: null }, pino.destination({ fd: 2, sync: true }));
  let app: App | undefined;
  const handle: App['handle'] = (request, response) => {
    if (app) app.handle(request, response);
    else response.writeHead(503, { 'retry-after': '1' }).end();
  };
  // The port first: a gateway that cannot listen should not touch a database.
  const { server, port } = await listen(handle, config);
  const settings = config.port === 0 ? readConfig({ ...process.env, PORT: String(port) }) : config;
  let store: Store;
  try {
    store = await openStore(settings);
  } catch (error) {
    server.close();
    throw error;
  }
  const accountId = await provisionSandbox(store.database, REGISTRY);
  const { sandbox, isNewKey } = await writeSandbox(store.database, accountId, settings);
  app = createApp({ config: settings, database: store.database, registry: REGISTRY, log });
  log.info({ port, applied: store.applied }, 'ready');
  process.stdout.write(banner(sandbox, settings, isNewKey));
  stopOnSignal(app, server, store);
}

function stopOnSignal(app: App, server: Server, store: Store): void {
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    app.drain();
    await close(server, GRACE_MS);
    await store.close();
    process.exit(0);
  };
  const stopOrFail = () => void stop().catch(fail);
  process.on('SIGINT', stopOrFail);
  process.on('SIGTERM', stopOrFail);
}

function banner(sandbox: Sandbox, config: Config, isNewKey: boolean): string {
  const { header, json } = sandboxPaths(config.home);
  const curl = (rest: string) => `  curl -sS -H @${shellQuoted(header)} ${rest}\n`;
  return [
    '\nCrossramp Gateway is ready\n\n',
    `  REST      ${sandbox.baseUrl}/v2\n`,
    `  GraphQL   ${sandbox.graphqlUrl}${config.graphiql ? '   (GraphiQL in a browser)' : ''}\n`,
    `  OpenAPI   ${sandbox.baseUrl}/v2/openapi.json\n`,
    `  Account   ${sandbox.accountId} (sandbox)\n`,
    isNewKey ? `  API key   ${sandbox.apiKey}   (shown once; kept in ${json})\n` : `  API key   in ${json}\n`,
    '\nTry it:\n\n',
    curl(`${sandbox.baseUrl}/v2/balance`),
    curl(`'${sandbox.baseUrl}/v2/statement?limit=5'`),
    curl(
      `-H 'content-type: application/json' -d '{"query":"{ viewer { account { name } } }"}' ${sandbox.graphqlUrl}`,
    ),
    '\nCtrl-C stops it.\n\n',
  ].join('');
}

function shellQuoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function fail(error: unknown): never {
  process.stderr.write(`crossramp: ${describeFailure(error)}\n`);
  process.exit(1);
}

start().catch(fail);
