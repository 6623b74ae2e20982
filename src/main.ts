/** The gateway as a process: `npm start`. */
import { constants, hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ACCOUNT_MODES } from './base/access/account-mode.ts';
import { VERSION } from './base/process/version.ts';
import { openStore, type Store } from './compose/open-store.ts';
import { type RailsFile, readRailsFile } from './compose/rails-file.ts';
import { openSecrets } from './compose/secret-keys.ts';
import { createServices } from './compose/services.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { endDemo, playDemo } from './rails/sandbox/demo.ts';
import { startHousekeeping } from './resolvers/engine/housekeeping.ts';
import { startWorker } from './resolvers/engine/run-jobs.ts';
import { startSettlingSettings } from './resolvers/engine/settle-settings.ts';
import { refuseWrongClock, startClockWatch } from './resolvers/engine/watch-clock.ts';
import { startNewsRetries } from './resolvers/inbound/retry-news.ts';
import { makeNewcomerLink, startContext } from './resolvers/people/links.ts';
import { startNightlyReconciliation } from './resolvers/reconciliation/reconcile-nightly.ts';
import { startContinuousVerify } from './resolvers/reconciliation/verify-continuously.ts';
import { provisionSandbox } from './resolvers/sandbox/provision-sandbox.ts';
import type { Services } from './resolvers/services/context.ts';
import { type App, createApp } from './server/app.ts';
import { networksOf } from './server/http/client-address.ts';
import { readinessCheck } from './server/http/health.ts';
import { close, listen } from './server/http/listen.ts';
import { openMetrics } from './server/metrics/metrics.ts';
import { banner, workerBanner } from './server/process/banner.ts';
import { describeFailure } from './server/process/describe-failure.ts';
import { type Ending, runEndings, together } from './server/process/endings.ts';
import { openLog } from './server/process/log.ts';
import { outliveOutput, standardError } from './server/process/log-output.ts';
import { persist } from './server/process/persist.ts';
import { connectNotifier } from './server/process/remote-notifier.ts';
import { type Sandbox, writeSandbox } from './server/process/sandbox-files.ts';
import { openTracing } from './server/process/tracing.ts';
import { watchReadiness } from './server/process/watch-readiness.ts';
import { servesHealthOnly, servesStart } from './server/without-app.ts';
import { readStartOptions, refuseOutsideRails } from './start-options.ts';
import type { Database } from './store/connection/database.ts';
import { hasTransactions } from './store/engine/transactions.ts';
import { REGISTRY } from './templates/index.ts';
import { closeWebhookConnections } from './webhooks/send.ts';
import { startWebhooks } from './webhooks/worker.ts';

const GRACE_MS = 10_000;
/** Ctrl-C under npm comes twice, from the terminal and from npm: what comes so soon is the same signal. Unit: ms. */
const SAME_SIGNAL_MS = 1_000;
/** More than an upgrade usually has. */
const MIGRATIONS_NAMED_MAX = 5;

/** All endings take less than 30 s together with the default delay before them: supervisors kill a process then. Units: ms. */
const ENDINGS_MAX_MS = 24_000;
const ENDINGS_LEAST_MS = 19_000;
const LOG_DRAIN_MS = 500;
/** A start goes on without a sign-in link after this time. Unit: ms. */
const LINK_MAX_MS = 10_000;

/** Ends what was started, in this order. */
const endings: Ending[] = [];
const output = standardError();
let endLog: Logger | undefined;
/** Makes `/readyz` answer 503, and waits until load balancers have noticed; once the gateway is ready. */
let retire: (() => Promise<void>) | undefined;
let drainDelayMs = 0;
const stopping = new AbortController();
let firstSignalMs: number | undefined;

async function start(): Promise<void> {
  const options = readStartOptions(process.argv, process.env);
  const config = readConfig({
    ...process.env,
    ...(options.auto && { SANDBOX_AUTO: '1' }),
    ...(options.sandbox && { SANDBOX: '1' }),
  });
  if (options.demo && !config.hasSandbox)
    throw new ConfigError('--demo needs a sandbox: with DATABASE_URL, add --sandbox');
  const railsFile = await readRailsFile(config.railsFile);
  refuseOutsideRails(options, config, railsFile);
  // Logs go to standard error: standard output is for the person who starts the gateway.
  const source = { host: hostname(), role: config.role, version: VERSION };
  const log = openLog(config.logLevel, output, source);
  endLog = log;
  const endTraces = openTracing(config.tracing, source, log);
  const { signal } = stopping;
  let app: App | undefined;
  let handle = servesStart(config.publicUrl);
  // The port first: a gateway that cannot listen should not touch a database.
  const { server, port } = await listen((request, response) => handle(request, response), {
    ...config,
    isTrusted: networksOf(config.trustedProxies),
  });
  const disks = { home: config.home, databaseBytes: config.databaseDiskBytes };
  const metrics = await openMetrics(config.metrics, output, disks);
  /** What requests under way can do without. */
  const beside: Ending[] = [metrics.close];
  endings.push(
    () => app?.drain(),
    together(
      () => close(server, GRACE_MS),
      () => together(...beside)(),
    ),
  );
  const settings = config.port === 0 ? { ...config, port, publicUrl: publicUrlAt(port) } : config;
  const limits = { limitMs: settings.startWaitMs, signal };
  const store = await persist(() => openWatched(settings, log, beside), log, limits);
  signal.throwIfAborted();
  const { database } = store;
  const answers = settings.role !== 'work';
  const { accountId, sandbox } = await persist(() => makeSandbox(database, settings), log, limits);
  endings.push(() => sandbox?.release());
  const services = await persist(() => servicesOf(database, settings, railsFile, log), log, limits);
  if (options.demo && accountId) await fillOnce(services, accountId, log);
  app = createApp({ config: settings, services, log, noteRequest: metrics.noteRequest });
  metrics.watch({ services, streams: app.streams });
  endings.splice(endings.indexOf(store.close), 0, app.end);
  endings.push(await connectOthers(services, store, settings, log), endTraces);
  signal.throwIfAborted();
  if (settings.role !== 'serve') {
    const { worker, others } = startWork(services, settings, log);
    beside.push(...others);
    // Before the database goes: what is under way ends, what is not begun stays a job.
    endings.splice(endings.indexOf(store.close), 0, worker, closeWebhookConnections);
  }
  // Ready once its work has begun, and in the same turn: a rail may be called back at once.
  handle = answers ? app.handle : servesHealthOnly(app.handle, settings.publicUrl);
  server.on('clientError', app.refuseMalformed);
  retire = retirement(app, settings);
  log.info(
    { port, ...(metrics.port && { metricsPort: metrics.port }), ...migrationsOf(store.applied) },
    'ready',
  );
  const watch = watchReadiness(readinessCheck(services), log);
  endings.unshift(watch.stop);
  const said = answers ? await welcome(services, settings, sandbox, log) : workerBanner(settings.publicUrl);
  signal.throwIfAborted();
  process.stdout.write(said);
}

/** @returns the account of the sandbox, and its files where the process answers requests; nothing where there is no sandbox. */
async function makeSandbox(
  database: Database,
  settings: Config,
): Promise<{ readonly accountId?: bigint; readonly sandbox?: Sandbox }> {
  if (!settings.hasSandbox) return {};
  const accountId = await provisionSandbox(database, REGISTRY);
  if (settings.role === 'work') return { accountId };
  return { accountId, sandbox: await writeSandbox(database, accountId, settings) };
}

/** Connects to the other processes, where there may be some. @returns what ends it. */
async function connectOthers(
  { notifier }: Services,
  store: Store,
  { notifyUrl, databaseUrl, databaseSchema, databaseFastPath: isFast, role }: Config,
  log: Logger,
): Promise<Ending> {
  if (!notifyUrl) return () => {};
  const by = notifyUrl === databaseUrl ? { url: store.url, primary: store.primary } : { url: notifyUrl };
  const remote = { ...by, schema: databaseSchema, works: role !== 'serve', isFast };
  return (await connectNotifier(notifier, remote, log)).close;
}

/** At a terminal nobody balances load. */
function retirement(app: App, config: Config): () => Promise<void> {
  drainDelayMs = process.stdout.isTTY ? 0 : config.drainDelayMs;
  return async () => {
    app.retire();
    await sleep(drainDelayMs);
  };
}

/** Puts the services together, once the key file of the secrets in the database is known to be the right one. */
async function servicesOf(
  database: Database,
  config: Config,
  railsFile: RailsFile,
  log: Logger,
): Promise<Services> {
  const keyLog = config.databaseUrl === undefined ? undefined : log;
  const secrets = await openSecrets(database, config.secretsKeyFile, keyLog);
  return createServices({ database, secrets, registry: REGISTRY, config, log, railsFile });
}

/** Opens the database, and watches how far the clock of this machine is off. @throws {WrongClockError} where it is far off. */
async function openWatched(settings: Config, log: Logger, beside: Ending[]): Promise<Store> {
  const store = await openStore(settings, stopping.signal);
  endings.push(store.close);
  refuseWrongClock(store.database);
  beside.push(startClockWatch(store.database, log).stop);
  return store;
}

/** Plays the history of the demo, unless there is something already. */
async function fillOnce(services: Services, accountId: bigint, log: Logger): Promise<void> {
  const isCutOff = await endDemo(services.database);
  if (await hasTransactions(services.database)) {
    const why = isCutOff
      ? 'A history was cut off while it was played: what was played stays, and the clock is that of the database again.'
      : 'There are transactions already: no history is played.';
    process.stdout.write(`${why}\n`);
    return;
  }
  process.stdout.write('Playing thirty days of history, this takes half a minute …\n');
  log.info({ made: await playDemo(services, accountId, log, stopping.signal) }, 'demo');
}

/** @returns what the log says of migrations: after an upgrade which ones, after a first start how many. */
function migrationsOf(applied: readonly string[]): object {
  return { migrations: applied.length > MIGRATIONS_NAMED_MAX ? applied.length : applied };
}

/** Starts what works besides the answering of requests. @returns what stops the worker, and what stops the others. */
function startWork(
  services: Services,
  { retention, reconcileAtMs }: Config,
  log: Logger,
): { worker: Ending; others: readonly Ending[] } {
  const worker = startWorker(services, log);
  const modes = ACCOUNT_MODES.map((mode) => services.forMode(mode));
  const others = [
    startHousekeeping(services.database, retention, log),
    startNewsRetries(services, log),
    startSettlingSettings(services, log),
    startContinuousVerify({ database: services.database, log }),
    ...(reconcileAtMs === null ? [] : [startNightlyReconciliation(services, log, reconcileAtMs)]),
    ...modes.map((own) => startWebhooks(own, log, { allowsLoopback: own.allowsLoopback })),
    ...modes.flatMap(({ railParts }) => railParts.flatMap(({ part }) => part.start?.() ?? [])),
  ];
  return { worker: worker.stop, others: others.map(({ stop }) => stop) };
}

/** A person who starts a sandbox gets a link to its console. Requests are served already, so a start goes on without one. */
async function welcome(
  services: Services,
  config: Config,
  sandbox: Sandbox | undefined,
  log: Logger,
): Promise<string> {
  const isTerminal = process.stdout.isTTY === true;
  const makeLink = () => makeNewcomerLink(services.database, startContext(services));
  const limits = { limitMs: LINK_MAX_MS, signal: stopping.signal };
  const entrance =
    sandbox &&
    isTerminal &&
    (await persist(makeLink, log, limits).catch((error: unknown) => {
      if (!stopping.signal.aborted) log.warn({ err: error }, 'there is no link to sign in');
    }));
  return banner({ config, sandbox, entrance: entrance ? entrance.url : undefined, isTerminal });
}

/** A port that the system chose is part of the URL too. */
function publicUrlAt(port: number): string {
  return readConfig({ ...process.env, PORT: String(port) }).publicUrl;
}

async function stop(exitCode: number): Promise<void> {
  if (stopping.signal.aborted) return;
  stopping.abort();
  // A signal in the middle of the start: what is half started cannot be ended. The start looks at the signal between its steps.
  await starting.catch(() => {});
  await retire?.();
  const allMs = Math.max(ENDINGS_LEAST_MS, ENDINGS_MAX_MS - drainDelayMs);
  const isWhole = await runEndings(endings, endLog ?? openLog('error', output), { allMs });
  await output.drain(LOG_DRAIN_MS);
  process.exit(isWhole ? exitCode : 1);
}

function fail(error: unknown): void {
  process.stderr.write(`crossramp: ${describeFailure(error)}\n`);
  stop(1).catch(() => process.exit(1));
}

/** A second signal ends the process where it stands, with the exit code that shells expect. */
function hear(signal: NodeJS.Signals): void {
  const nowMs = performance.now();
  firstSignalMs ??= nowMs;
  if (nowMs - firstSignalMs > SAME_SIGNAL_MS) process.exit(128 + constants.signals[signal]);
  stop(0).catch(fail);
}

outliveOutput();
process.on('SIGINT', hear).on('SIGTERM', hear);
const starting = start();
// What a signal ended did not fail.
starting.catch((error: Error) => error.name === 'AbortError' || fail(error));
