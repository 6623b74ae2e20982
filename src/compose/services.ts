/** Builds the services of every use case: engine, rails, clock. */
import { randomInt } from 'node:crypto';
import type { AccountMode } from '../base/access/account-mode.ts';
import { NO_SECRET_KEYS, type SecretBox } from '../base/access/secret-box.ts';
import { createSandbox } from '../rails/sandbox/index.ts';
import { createAdvance } from '../resolvers/engine/advance-transaction.ts';
import { receiveRailEvent } from '../resolvers/inbound/receive.ts';
import { reportingRates } from '../resolvers/pricing/price.ts';
import { priceArrival } from '../resolvers/pricing/price-arrival.ts';
import type { Advance } from '../resolvers/services/advance.ts';
import { type Clock, liveClock } from '../resolvers/services/clock.ts';
import type { Services } from '../resolvers/services/context.ts';
import { EventHub } from '../resolvers/services/event-hub.ts';
import type { LocalDispatch } from '../resolvers/services/local-dispatch.ts';
import { NO_RAILS } from '../resolvers/services/no-rails.ts';
import { Notifier } from '../resolvers/services/notifier.ts';
import { type CellsOfOperator, ONE_CELL } from '../resolvers/services/other-cells.ts';
import type { RailTools } from '../resolvers/services/rail-part.ts';
import type { Rails } from '../resolvers/services/rails.ts';
import { RunningWork } from '../resolvers/services/running-work.ts';
import { StreamLimit } from '../resolvers/services/stream-limit.ts';
import { modeFinder, whileNoLiveAccount } from '../store/account/accounts.ts';
import type { Database } from '../store/connection/database.ts';
import { LateReleases } from '../store/engine/late-releases.ts';
import type { LimitsOver } from '../store/engine/volumes.ts';
import { STEP_UP_MS } from '../templates/effects.ts';
import type { Registry } from '../templates/registry.ts';
import { type EnvelopeWriter, envelopeWriter } from '../wire/envelope.ts';
import { makeRails, type RailSet } from './rails.ts';
import type { RailsFile } from './rails-file.ts';

/** Parts from which services are built. */
export interface ServiceParts {
  readonly database: Database;
  /** Seals secrets for storage. Without it, everything that needs a secret fails. */
  readonly secrets?: SecretBox;
  /** Log of failures of rates and rail events; none by default. */
  readonly log?: RailTools['log'];
  readonly registry: Registry;
  /** The rails of live accounts. Without them, live accounts can only be read. */
  readonly liveRails?: Rails | undefined;
  /** The configured rails, by mode. */
  readonly railsFile?: RailsFile | undefined;
  /** Cells of the installation; default: only this one. */
  readonly cells?: CellsOfOperator | undefined;
  readonly config: {
    readonly publicUrl: string;
    readonly exactIntegers: boolean;
    readonly sandboxAuto: boolean;
    /** A process that only serves, or only reads, processes no jobs; default `all`. */
    readonly role?: 'all' | 'serve' | 'work' | 'read';
    /** Default 1,000. */
    readonly eventStreamsMax?: number;
    /** Whether webhooks of sandbox accounts may go to this machine while there is no live account; default yes. */
    readonly loopbackWebhooks?: boolean;
    /** See `View`; default 24 hours. */
    readonly stepUpMs?: number;
    /** Accounts whose volumes count for the limits of a customer; default: the customer's own account. */
    readonly limitsOver?: LimitsOver;
    /** Folder of the process, and disk size and replicas of the database; unknown by default. */
    readonly home?: string;
    readonly databaseDiskBytes?: number | null;
    readonly databaseReplicas?: number | null;
    /** Mail server of notifications; none by default. */
    readonly mail?: object | null;
  };
}

/** Bound of worker numbers: they are stored in a column of 4 bytes. */
const WORKERS_MAX = 2 ** 31;
const never = async () => false;
const SILENT: RailTools['log'] = { info: () => {}, warn: () => {}, error: () => {} };

/** Parts that the services of both modes share. */
type Shared = ReturnType<typeof sharedParts>;

function sharedParts({
  database,
  secrets = NO_SECRET_KEYS,
  registry,
  config,
  cells = ONE_CELL,
}: ServiceParts) {
  const notifier = new Notifier();
  const localDispatch: LocalDispatch = { receiver: undefined };
  return {
    database,
    secrets,
    registry,
    notifier,
    localDispatch,
    writes: new RunningWork(),
    locked: new Set<bigint>(),
    lateReleases: new LateReleases(database),
    events: new EventHub(database, notifier),
    streamLimit: new StreamLimit(config.eventStreamsMax ?? 1_000),
    worker: config.role === 'serve' || config.role === 'read' ? null : randomInt(1, WORKERS_MAX),
    readsOnly: config.role === 'read',
    installation: {
      home: config.home ?? null,
      databaseBytes: config.databaseDiskBytes ?? null,
      replicas: config.databaseReplicas ?? null,
    },
    publicUrl: config.publicUrl,
    sendsMail: Boolean(config.mail),
    limitsOver: config.limitsOver ?? 'account',
    cells,
  };
}

/** Parts that the engine of one mode needs in addition to the shared parts. */
interface EngineParts {
  readonly mode: AccountMode;
  readonly clock: Clock;
  readonly config: ServiceParts['config'];
  readonly storedBody: EnvelopeWriter['stored'];
  /** Called when all services exist. */
  readonly services: () => Services;
}

function engineOf(
  { database, registry, notifier, localDispatch, worker, writes, locked, limitsOver }: Shared,
  { mode, clock, config, storedBody, services }: EngineParts,
): Advance {
  return createAdvance({
    ...{ database, registry, mode, clock, notifier, localDispatch, storedBody, worker, writes, locked },
    ispb: () => services().rails.pix.ispb,
    stepUpMs: config.stepUpMs ?? STEP_UP_MS,
    screensSenders: () => services().rails.screening.match !== undefined,
    limitsOver,
    priceArrival: (row, trigger) => priceArrival(services(), row, trigger),
  });
}

/** @returns the services for sandbox accounts; `forAccount` returns those for any account. Nothing runs yet. */
export function createServices(parts: ServiceParts): Services {
  const { database, registry, config, liveRails, railsFile = {}, log = SILENT } = parts;
  const own = sharedParts(parts);
  const { notifier, worker } = own;
  const { envelope, stored } = envelopeWriter(registry, config);
  const liveTime = liveClock(database);
  const engineFor = (mode: AccountMode, clock: Clock): Advance =>
    engineOf(own, { mode, clock, config, storedBody: stored, services: () => byMode[mode] });
  const { rails, clock, sandbox, planned } = createSandbox({
    ...{ database, registry, notifier, worker },
    isAuto: config.sandboxAuto,
    advance: () => byMode.sandbox.advance,
    receive: (event) => byMode.sandbox.receive(event),
    pspControl: railsFile.sandbox?.pspControl,
  });
  const railsOf = (mode: AccountMode, clock: Clock, inProcess: Rails): RailSet => {
    const receive: RailTools['receive'] = (event) => byMode[mode].receive(event);
    return makeRails(
      railsFile[mode],
      { mode, database, clock, receive, log, secrets: own.secrets },
      inProcess,
    );
  };
  const played = railsOf('sandbox', clock, rails);
  const live = railsOf('live', liveTime, liveRails ?? NO_RAILS);
  const reporting = (rails: Rails): Rails => ({ ...rails, rates: reportingRates(rails.rates, log) });
  const modeOf = modeFinder(database);
  const shared = {
    ...own,
    forMode: (mode: AccountMode) => byMode[mode],
    forAccount: async (accountId: bigint) => byMode[await modeOf(accountId)],
    times: async () => ({ sandbox: await clock.nowMs(), live: await liveTime.nowMs() }),
    render: envelope,
  };
  const byMode: Readonly<Record<AccountMode, Services>> = {
    sandbox: {
      ...shared,
      mode: 'sandbox',
      clock,
      rails: reporting({ ...played.rails, pix: planned(played.rails.pix) }),
      railParts: played.parts,
      advance: engineFor('sandbox', clock),
      receive: (event) => receiveRailEvent(byMode.sandbox, log, event),
      sandbox,
      allowsLoopback: config.loopbackWebhooks === false ? never : whileNoLiveAccount(database),
    },
    live: {
      ...shared,
      mode: 'live',
      clock: liveTime,
      rails: live.rails === NO_RAILS ? NO_RAILS : reporting(live.rails),
      railParts: live.parts,
      advance: engineFor('live', liveTime),
      receive: (event) => receiveRailEvent(byMode.live, log, event),
      sandbox: null,
      allowsLoopback: never,
    },
  };
  return byMode.sandbox;
}
