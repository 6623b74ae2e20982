/** Starts one cell of a process: its database, services, application and worker. A process without CELLS_FILE has one. */
import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { ACCOUNT_MODES } from './base/access/account-mode.ts';
import { openReplicas } from './compose/open-replicas.ts';
import { openStore, type Store } from './compose/open-store.ts';
import type { RailsFile } from './compose/rails-file.ts';
import { openSecrets, secretsOf } from './compose/secret-keys.ts';
import { createServices } from './compose/services.ts';
import type { Config } from './config.ts';
import { createSender } from './mail/sender.ts';
import { startDigests, startMail } from './mail/worker.ts';
import { receiptLetter } from './pages/receipt-letter.ts';
import { endDemo, playDemo } from './rails/sandbox/demo.ts';
import { startHousekeeping } from './resolvers/engine/housekeeping.ts';
import { startWorker } from './resolvers/engine/run-jobs.ts';
import { startSettlingSettings } from './resolvers/engine/settle-settings.ts';
import { refuseWrongClock, startClockWatch } from './resolvers/engine/watch-clock.ts';
import { startRailEventRetries } from './resolvers/inbound/retry-rail-events.ts';
import { startMedWork } from './resolvers/med/work.ts';
import { startRestoredRails } from './resolvers/rails/restored-rails.ts';
import { startNightlyReconciliation } from './resolvers/reconciliation/reconcile-nightly.ts';
import { startContinuousVerify } from './resolvers/reconciliation/verify-continuously.ts';
import { provisionSandbox } from './resolvers/sandbox/provision-sandbox.ts';
import { startRescreening } from './resolvers/screening/rescreen.ts';
import type { Services } from './resolvers/services/context.ts';
import type { CellsOfOperator } from './resolvers/services/other-cells.ts';
import { type App, createApp } from './server/app.ts';
import { readinessCheck, unreadinessOf } from './server/http/health.ts';
import type { CellMetrics } from './server/metrics/metrics.ts';
import type { Ending } from './server/process/endings.ts';
import { persist } from './server/process/persist.ts';
import { connectNotifier } from './server/process/remote-notifier.ts';
import { type Sandbox, writeSandbox } from './server/process/sandbox-files.ts';
import { watchReadiness } from './server/process/watch-readiness.ts';
import { servesHealthOnly } from './server/without-app.ts';
import type { Database } from './store/connection/database.ts';
import { hasTransactions } from './store/engine/transactions.ts';
import { REGISTRY } from './templates/index.ts';
import { closeWebhookConnections } from './webhooks/send.ts';
import { startWebhooks } from './webhooks/worker.ts';

/** Parts with which a cell starts. */
export interface CellParts {
  readonly settings: Config;
  readonly railsFile: RailsFile;
  /** Whether an empty database is filled with the history of the demo. */
  readonly isDemo: boolean;
  readonly log: Logger;
  readonly metrics: CellMetrics;
  /** Cells of the installation. */
  readonly cells: CellsOfOperator;
  readonly endings: CellEndings;
  /** Time for which the database may be out of reach; infinite where other cells go on meanwhile. Unit: ms. */
  readonly waitMs: number;
  /** Ends the start. */
  readonly signal: AbortSignal;
}

/** Ends what a cell has started so far; each list is added to while the cell starts. */
export interface CellEndings {
  /** Before the listener of the process closes. */
  readonly first: Ending[];
  /** At the same time: what requests under way can do without. */
  readonly parallel: Ending[];
  /** Afterwards, in this order. */
  readonly last: Ending[];
}

/** A cell that has started. */
export interface StartedCell {
  readonly app: App;
  readonly handle: RequestListener;
  readonly services: Services;
  readonly sandbox: Sandbox | undefined;
  /** @returns the reason for which the cell is not ready; undefined when it is. */
  readonly unreadyReason: () => Promise<string | undefined>;
  /** Migrations that the start has applied. */
  readonly applied: readonly string[];
}

/** @throws as `openStore`, and `AbortError` where the signal ended the start. */
export async function startCell(parts: CellParts): Promise<StartedCell> {
  const { settings, log, metrics, endings, signal } = parts;
  const limits = { limitMs: parts.waitMs, signal };
  const store = await persist(() => openWatched(parts), log, limits);
  signal.throwIfAborted();
  const { database } = store;
  const { accountId, sandbox } = await persist(() => makeSandbox(database, settings), log, limits);
  endings.last.push(() => sandbox?.release());
  const services = await persist(() => servicesOf(database, parts), log, limits);
  if (parts.isDemo && accountId) await fillOnce(services, accountId, log, signal);
  const { noteRequest } = metrics;
  const replicas = await openReplicas(settings, store);
  const app = createApp({ config: settings, services, log, noteRequest, replicas });
  metrics.watch({ services, streams: app.streams, reads: app.reads, replicas });
  endings.first.push(app.drain);
  const endBeforeStore = (...each: readonly Ending[]) =>
    endings.last.splice(endings.last.indexOf(store.close), 0, ...each);
  endBeforeStore(app.end, async () => replicas?.close());
  endings.last.push(await connectOthers(services, store, settings, log));
  signal.throwIfAborted();
  if (settings.role === 'all' || settings.role === 'work') {
    const { worker, others } = startWork(services, settings, log);
    endings.parallel.push(...others);
    // Before the database goes: what is under way ends, what is not begun stays a job.
    endBeforeStore(worker, closeWebhookConnections);
  }
  const watch = watchReadiness(readinessCheck(services), log);
  endings.first.unshift(watch.stop);
  const handle = settings.role === 'work' ? servesHealthOnly(app.handle, settings.publicUrl) : app.handle;
  const unreadyReason = unreadinessOf(services);
  return { app, handle, services, sandbox, unreadyReason, applied: store.applied };
}

/**
 * Opens the database, and watches the difference of this machine's clock.
 *
 * @throws {WrongClockError} when it is far off.
 */
async function openWatched({ settings, log, endings, signal }: CellParts): Promise<Store> {
  const store = await openStore(settings, { signal, report: printLine });
  endings.last.push(store.close);
  refuseWrongClock(store.database);
  endings.parallel.push(startClockWatch(store.database, log).stop);
  return store;
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

/**
 * Connects to other processes, where there may be some.
 *
 * @returns the function that disconnects.
 */
async function connectOthers(
  { notifier }: Services,
  store: Store,
  { notifyUrl, databaseUrl, databaseSchema, databaseFastPath: isFast, role }: Config,
  log: Logger,
): Promise<Ending> {
  // A standby takes no LISTEN, and nothing waits for events there.
  if (!notifyUrl || role === 'read') return () => {};
  const by = notifyUrl === databaseUrl ? { url: store.url, primary: store.primary } : { url: notifyUrl };
  const remote = { ...by, schema: databaseSchema, works: role !== 'serve', isFast };
  return (await connectNotifier(notifier, remote, log)).close;
}

/** Puts the services together, once the key file of the secrets in the database is known to be the right one. */
async function servicesOf(
  database: Database,
  { settings: config, railsFile, log, cells }: CellParts,
): Promise<Services> {
  const keyLog = config.databaseUrl === undefined ? undefined : log;
  // Opening them writes to the database; a process that reads opens the file when it first needs a key.
  const secrets =
    config.role === 'read'
      ? secretsOf(config.secretsKeyFile)
      : await openSecrets(database, config.secretsKeyFile, keyLog);
  return createServices({ database, secrets, registry: REGISTRY, config, log, railsFile, cells });
}

/** Plays the history of the demo, unless there is something already. */
async function fillOnce(
  services: Services,
  accountId: bigint,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const isCutOff = await endDemo(services.database);
  if (await hasTransactions(services.database)) {
    const why = isCutOff
      ? 'A history was cut off while it was played: what was played stays, and the clock is that of the database again.'
      : 'There are transactions already: no history is played.';
    printLine(why);
    return;
  }
  printLine('Playing thirty days of history …');
  const made = await playDemo(services, accountId, { log, signal, report: printLine });
  log.info({ made }, 'demo');
}

/** Standard output is for the person who starts the gateway. */
function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * Starts background work.
 *
 * @returns the function that stops the worker, and the one that stops the others.
 */
function startWork(
  services: Services,
  { retention, reconcileAtMs, mail }: Config,
  log: Logger,
): { worker: Ending; others: readonly Ending[] } {
  const worker = startWorker(services, log);
  const modes = ACCOUNT_MODES.map((mode) => services.forMode(mode));
  const others = [
    startHousekeeping(services.database, retention, log),
    startRailEventRetries(services, log),
    startRestoredRails(services, log),
    startSettlingSettings(services, log),
    startMedWork(services, log),
    startRescreening(services, log),
    startContinuousVerify({ database: services.database, log }),
    ...(reconcileAtMs === null ? [] : [startNightlyReconciliation(services, log, reconcileAtMs)]),
    startDigests(services, log),
    ...(mail
      ? [startMail(services, log, createSender(mail), (receipt) => receiptLetter(services, receipt))]
      : []),
    ...modes.map((own) => startWebhooks(own, log, { allowsLoopback: own.allowsLoopback })),
    ...modes.flatMap(({ railParts }) => railParts.flatMap(({ part }) => part.start?.() ?? [])),
  ];
  return { worker: worker.stop, others: others.map(({ stop }) => stop) };
}
