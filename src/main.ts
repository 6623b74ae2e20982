/** The gateway as a process: `npm start`. */
import { constants } from 'node:os';
import type { Logger } from 'pino';
import { ACCOUNT_MODES } from './base/account-mode.ts';
import { openStore } from './compose/open-store.ts';
import { readRailsFile } from './compose/rails-file.ts';
import { createServices } from './compose/services.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { endDemo, playDemo } from './rails/sandbox/demo.ts';
import { startHousekeeping } from './resolvers/engine/housekeeping.ts';
import { startWorker } from './resolvers/engine/run-jobs.ts';
import { startSettlingSettings } from './resolvers/engine/settle-settings.ts';
import { startNewsRetries } from './resolvers/inbound/retry-news.ts';
import { makeNewcomerLink, startContext } from './resolvers/people/links.ts';
import { startNightlyReconciliation } from './resolvers/rails/reconcile-nightly.ts';
import { provisionSandbox } from './resolvers/sandbox/provision-sandbox.ts';
import type { Services } from './resolvers/services/context.ts';
import { type App, createApp } from './server/app.ts';
import { banner, workerBanner } from './server/banner.ts';
import { networksOf } from './server/client-address.ts';
import { describeFailure } from './server/describe-failure.ts';
import { type Ending, runEndings, together } from './server/endings.ts';
import { close, listen } from './server/listen.ts';
import { openLog } from './server/log.ts';
import { connectNotifier } from './server/remote-notifier.ts';
import { type Sandbox, writeSandbox } from './server/sandbox-files.ts';
import { servesHealthOnly, servesStart } from './server/without-app.ts';
import { readStartOptions, refuseOutsideRails } from './start-options.ts';
import { hasTransactions } from './store/engine/transactions.ts';
import { REGISTRY } from './templates/index.ts';
import { closeWebhookConnections } from './webhooks/send.ts';
import { startWebhooks } from './webhooks/worker.ts';

const GRACE_MS = 10_000;
/** Ctrl-C under npm comes twice, from the terminal and from npm: what comes so soon is the same signal. Unit: ms. */
const SAME_SIGNAL_MS = 1_000;
/** More than an upgrade usually has. */
const MIGRATIONS_NAMED_MAX = 5;

/** Ends what was started, in this order. */
const endings: Ending[] = [];
let endLog: Logger | undefined;
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
  const log = openLog(config.logLevel);
  endLog = log;
  let app: App | undefined;
  let handle = servesStart(config.publicUrl);
  // The port first: a gateway that cannot listen should not touch a database.
  const { server, port } = await listen((request, response) => handle(request, response), {
    ...config,
    isTrusted: networksOf(config.trustedProxies),
  });
  /** What requests under way can do without. */
  const beside: Ending[] = [];
  endings.push(
    () => app?.drain(),
    together(
      () => close(server, GRACE_MS),
      () => together(...beside)(),
    ),
  );
  const settings = config.port === 0 ? { ...config, port, publicUrl: publicUrlAt(port) } : config;
  const store = await openStore(settings, stopping.signal);
  endings.push(store.close);
  stopping.signal.throwIfAborted();
  const accountId = settings.hasSandbox ? await provisionSandbox(store.database, REGISTRY) : undefined;
  const answers = settings.role !== 'work';
  const sandbox = answers && accountId ? await writeSandbox(store.database, accountId, settings) : undefined;
  endings.push(() => sandbox?.release());
  const services = createServices({
    database: store.database,
    registry: REGISTRY,
    config: settings,
    log,
    railsFile,
  });
  if (options.demo && accountId) await fillOnce(services, accountId, log);
  app = createApp({ config: settings, services, log });
  endings.splice(endings.indexOf(store.close), 0, app.end);
  if (settings.notifyUrl) {
    const remote = {
      url: settings.notifyUrl,
      schema: settings.databaseSchema,
      works: settings.role !== 'serve',
    };
    endings.push((await connectNotifier(services.notifier, remote, log)).close);
  }
  stopping.signal.throwIfAborted();
  if (settings.role !== 'serve') {
    const { worker, others } = startWork(services, settings, log);
    beside.push(...others);
    // Before the database goes: what is under way ends, what is not begun stays a job.
    endings.splice(endings.indexOf(store.close), 0, worker, closeWebhookConnections);
  }
  // Ready once its work has begun, and in the same turn: a rail may be called back at once.
  handle = answers ? app.handle : servesHealthOnly(app.handle, settings.publicUrl);
  server.on('clientError', app.refuseMalformed);
  const said = answers ? await welcome(services, settings, sandbox) : workerBanner(settings.publicUrl);
  log.info({ port, ...migrationsOf(store.applied) }, 'ready');
  process.stdout.write(said);
}

/** Plays the history of the demo, unless there is something already. */
async function fillOnce(services: Services, accountId: bigint, log: Logger): Promise<void> {
  const isCutOff = await endDemo(services.database);
  if (await hasTransactions(services.database)) {
    const why = isCutOff
      ? 'A history was cut off while it was played: what was played stays, and the clock is that of the machine again.'
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
    ...(reconcileAtMs === null ? [] : [startNightlyReconciliation(services, log, reconcileAtMs)]),
    ...modes.map((own) => startWebhooks(own, log, { allowsLoopback: own.sandbox !== null })),
    ...modes.flatMap(({ railParts }) => railParts.flatMap(({ part }) => part.start?.() ?? [])),
  ];
  return { worker: worker.stop, others: others.map(({ stop }) => stop) };
}

/** Whoever starts a sandbox is let in to its console by a link. */
async function welcome(services: Services, config: Config, sandbox: Sandbox | undefined): Promise<string> {
  const entrance = sandbox && (await makeNewcomerLink(services.database, startContext(services)));
  return banner({ config, sandbox, entrance: entrance?.url });
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
  const isWhole = await runEndings(endings, endLog ?? openLog('error'));
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

process.on('SIGINT', hear).on('SIGTERM', hear);
const starting = start();
// What a signal ended did not fail.
starting.catch((error: Error) => error.name === 'AbortError' || fail(error));
