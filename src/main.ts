/** The gateway as a process: `npm start`. */
import { constants, hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { cellName, FIRST_CELL } from './base/ids/cell.ts';
import { reportStalls, watchEventLoop } from './base/process/event-loop.ts';
import { VERSION } from './base/process/version.ts';
import { cellsAround } from './compose/other-cells.ts';
import { type RailsFile, readRailsFile } from './compose/rails-file.ts';
import { type Config, ConfigError, readCellConfigs, readConfig } from './config.ts';
import { makeNewcomerLink, startContext } from './resolvers/people/links.ts';
import type { Services } from './resolvers/services/context.ts';
import { networksOf } from './server/http/client-address.ts';
import { close, listen } from './server/http/listen.ts';
import { type CellMetrics, type Metrics, openMetrics } from './server/metrics/metrics.ts';
import { banner, readerBanner, workerBanner } from './server/process/banner.ts';
import { describeFailure } from './server/process/describe-failure.ts';
import { type Ending, runEndings, together } from './server/process/endings.ts';
import { openLog } from './server/process/log.ts';
import { outliveOutput, standardError } from './server/process/log-output.ts';
import { persist } from './server/process/persist.ts';
import type { Sandbox } from './server/process/sandbox-files.ts';
import { openTracing } from './server/process/tracing.ts';
import { serveCells } from './server/serve-cells.ts';
import { servesStart } from './server/without-app.ts';
import { type CellEndings, type StartedCell, startCell } from './start-cell.ts';
import { readStartOptions, refuseOutsideRails } from './start-options.ts';

const GRACE_MS = 10_000;
/**
 * Ctrl-C under npm comes twice, from the terminal and from npm: time within which a repeated signal is the same one.
 * Unit: ms.
 */
const SAME_SIGNAL_MS = 1_000;
/** More than an upgrade usually has. */
const MIGRATIONS_NAMED_MAX = 5;

/**
 * Limit of all endings, less than 30 s together with the default delay before them: supervisors kill a process then.
 * Units: ms.
 */
const ENDINGS_MAX_MS = 24_000;
const ENDINGS_LEAST_MS = 19_000;
const LOG_DRAIN_MS = 500;
/** A start goes on without a sign-in link after this time. Unit: ms. */
const LINK_MAX_MS = 10_000;

/** @returns the steps of the shutdown, in order. */
let endings: () => readonly Ending[] = () => [];
const output = standardError();
let endLog: Logger | undefined;
/** Starts of cells. */
const beginnings: Promise<unknown>[] = [];
/** Makes the cells that have started not ready. */
const retirements: (() => void)[] = [];
let drainDelayMs = 0;
const stopping = new AbortController();
let firstSignalMs: number | undefined;

/** A process that listens, and the cells that it starts. */
interface Gateway {
  /** Settings of each cell. */
  readonly served: readonly Config[];
  readonly railsFiles: readonly RailsFile[];
  readonly isDemo: boolean;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly port: number;
  /** Ends what each cell has started. */
  readonly endings: readonly CellEndings[];
  /** Cells that have started, by their places. */
  readonly running: Map<number, StartedCell>;
  /** Whether the process knows of one cell alone. */
  readonly isAlone: boolean;
  /** @returns the cells of the installation, as the cell at a position sees them. */
  readonly cellsAround: ReturnType<typeof cellsAround>;
}

async function start(): Promise<void> {
  const options = readStartOptions(process.argv, process.env);
  const configs = readCellConfigs({
    ...process.env,
    ...(options.auto && { SANDBOX_AUTO: '1' }),
    ...(options.sandbox && { SANDBOX: '1' }),
  });
  const { served, elsewhere } = configs;
  const [config] = served as readonly [Config];
  if (options.demo && !config.hasSandbox)
    throw new ConfigError('--demo needs a sandbox: with DATABASE_URL, add --sandbox');
  const railsFiles = await Promise.all(served.map(({ railsFile }) => readRailsFile(railsFile)));
  for (const [n, each] of served.entries()) refuseOutsideRails(options, each, railsFiles[n] ?? {});
  // Logs go to standard error: standard output is for the person who starts the gateway.
  const source = { host: hostname(), role: config.role, version: VERSION };
  const log = openLog(config.logLevel, output, source);
  endLog = log;
  watchEventLoop();
  reportStalls((stall) => log.info(stall, 'the event loop was held up'));
  const endTraces = openTracing(config.tracing, source, log);
  const { signal } = stopping;
  let handle = servesStart(config.publicUrl);
  // The port first: a gateway that cannot listen should not touch a database.
  const { server, port } = await listen((request, response) => handle(request, response), {
    ...config,
    isTrusted: networksOf(config.trustedProxies),
  });
  const { home, databaseDiskBytes: databaseBytes, databaseReplicas: replicas } = config;
  const installation = { home, databaseBytes, replicas };
  const metrics = await openMetrics(config.metrics, output, installation, {
    cells: served.map(({ cell = FIRST_CELL }) => cellName(cell)),
  });
  const cells = served.map((): CellEndings => ({ first: [], parallel: [], last: [] }));
  endings = () => [
    ...cells.flatMap(({ first }) => first),
    together(
      () => close(server, GRACE_MS),
      () => together(metrics.close, ...cells.flatMap(({ parallel }) => parallel))(),
    ),
    ...cells.flatMap(({ last }) => last),
    endTraces,
  ];
  const running = new Map<number, StartedCell>();
  const isAlone = served.length === 1 && elsewhere.size === 0 && config.cell === undefined;
  const isDemo = options.demo === true;
  const gateway = {
    ...{ served, railsFiles, isDemo, log, metrics, port, endings: cells, running, isAlone },
    cellsAround: cellsAround(configs, (n) => running.get(n)?.services),
  };
  const begun = served.map(async (_, n) => {
    const started = await beginCell(gateway, n);
    if (server.listenerCount('clientError') === 0) server.on('clientError', started.app.refuseMalformed);
    // Ready once its work has begun, and in the same turn: a rail may be called back at once.
    if (isAlone) handle = started.handle;
    return started;
  });
  beginnings.push(...begun);
  if (!isAlone)
    handle = serveCells({
      served: served.map(({ cell = FIRST_CELL }, n) => ({ code: cell, running: () => running.get(n) })),
      elsewhere,
      publicUrl: reachedAt(config, port).publicUrl,
      isDraining: () => signal.aborted,
    });
  const first = await Promise.race(begun);
  // Further cells start while the first serves. One that is configured wrongly ends the process.
  for (const each of begun) each.catch((error: Error) => signal.aborted || fail(error));
  signal.throwIfAborted();
  process.stdout.write(await startText(first, reachedAt(config, port), log));
}

/** Starts a cell; with others beside it, it waits for its database for any time. */
async function beginCell(gateway: Gateway, n: number): Promise<StartedCell> {
  const { served, log, metrics, port, isAlone } = gateway;
  const settings = reachedAt(served[n] as Config, port);
  const cell = isAlone ? {} : { cell: cellName(settings.cell ?? FIRST_CELL) };
  const started = await startCell({
    settings,
    railsFile: gateway.railsFiles[n] ?? {},
    isDemo: gateway.isDemo && n === 0,
    log: isAlone ? log : log.child(cell),
    metrics: metrics.cells[n] as CellMetrics,
    endings: gateway.endings[n] as CellEndings,
    cells: gateway.cellsAround(n),
    waitMs: served.length === 1 ? settings.startWaitMs : Number.POSITIVE_INFINITY,
    signal: stopping.signal,
  });
  gateway.running.set(n, started);
  retirements.push(started.app.retire);
  // At a terminal nobody balances load.
  drainDelayMs = process.stdout.isTTY ? 0 : settings.drainDelayMs;
  const migrations = migrationsOf(started.applied);
  log.info({ port, ...cell, ...(metrics.port && { metricsPort: metrics.port }), ...migrations }, 'ready');
  return started;
}

/** @returns settings with the port that the system chose. */
function reachedAt(config: Config, port: number): Config {
  return config.port === port ? config : { ...config, port, publicUrl: publicUrlAt(port) };
}

/** @returns the text that the start prints. */
async function startText({ services, sandbox }: StartedCell, settings: Config, log: Logger): Promise<string> {
  if (settings.role === 'work') return workerBanner(settings.publicUrl);
  if (settings.role === 'read') return readerBanner(settings.publicUrl);
  return welcome(services, settings, sandbox, log);
}

/** Makes `/readyz` answer 503, and waits until load balancers have noticed; at a terminal nobody balances load. */
async function retire(): Promise<void> {
  if (retirements.length === 0) return;
  for (const each of retirements) each();
  await sleep(drainDelayMs);
}

/** @returns the logged migrations: after an upgrade their names, after a first start their number. */
function migrationsOf(applied: readonly string[]): object {
  return { migrations: applied.length > MIGRATIONS_NAMED_MAX ? applied.length : applied };
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
  // A signal in the middle of the start: a half-started process cannot be ended. The start checks the signal between
  // its steps.
  await starting.catch(() => {});
  await retire();
  await Promise.allSettled(beginnings);
  const allMs = Math.max(ENDINGS_LEAST_MS, ENDINGS_MAX_MS - drainDelayMs);
  const isWhole = await runEndings(endings(), endLog ?? openLog('error', output), { allMs });
  await output.drain(LOG_DRAIN_MS);
  process.exit(isWhole ? exitCode : 1);
}

function fail(error: unknown): void {
  process.stderr.write(`crossramp: ${describeFailure(error)}\n`);
  stop(1).catch(() => process.exit(1));
}

/** A second signal ends the process where it stands, with the exit code that shells expect. */
function onSignal(signal: NodeJS.Signals): void {
  const nowMs = performance.now();
  firstSignalMs ??= nowMs;
  if (nowMs - firstSignalMs > SAME_SIGNAL_MS) process.exit(128 + constants.signals[signal]);
  stop(0).catch(fail);
}

outliveOutput();
process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
const starting = start();
// An end by a signal is no failure.
starting.catch((error: Error) => error.name === 'AbortError' || fail(error));
