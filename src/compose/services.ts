/** Puts the services together that every use case is given: engine, rails, clock. */
import { randomInt } from 'node:crypto';
import type { AccountMode } from '../base/account-mode.ts';
import { createSandbox } from '../rails/sandbox/index.ts';
import { createAdvance } from '../resolvers/engine/advance-transaction.ts';
import { receiveNews } from '../resolvers/inbound/receive.ts';
import { reportingRates } from '../resolvers/pricing/price.ts';
import { priceArrival } from '../resolvers/pricing/price-arrival.ts';
import type { Advance } from '../resolvers/services/advance.ts';
import { type Clock, SYSTEM_CLOCK } from '../resolvers/services/clock.ts';
import type { Services } from '../resolvers/services/context.ts';
import { EventHub } from '../resolvers/services/event-hub.ts';
import type { HandOver } from '../resolvers/services/hand-over.ts';
import { NO_RAILS } from '../resolvers/services/no-rails.ts';
import { Notifier } from '../resolvers/services/notifier.ts';
import type { RailTools } from '../resolvers/services/rail-part.ts';
import type { Rails } from '../resolvers/services/rails.ts';
import { StreamLimit } from '../resolvers/services/stream-limit.ts';
import { UnderWay } from '../resolvers/services/under-way.ts';
import { modeFinder } from '../store/account/accounts.ts';
import type { Database } from '../store/database.ts';
import type { Registry } from '../templates/registry.ts';
import { envelopeWriter } from '../wire/envelope.ts';
import { makeRails, type RailSet } from './rails.ts';
import type { RailsFile } from './rails-file.ts';

/** What services are made of. */
export interface ServiceParts {
  readonly database: Database;
  /** Where failures of rates and of news are told; nowhere when not given. */
  readonly log?: RailTools['log'];
  readonly registry: Registry;
  /** The rails of live accounts. Without them such accounts are only read. */
  readonly liveRails?: Rails | undefined;
  /** The rails that are configured, by mode. */
  readonly railsFile?: RailsFile | undefined;
  readonly config: {
    readonly publicUrl: string;
    readonly exactIntegers: boolean;
    readonly sandboxAuto: boolean;
    /** A process that only serves works on no jobs; default `all`. */
    readonly role?: 'all' | 'serve' | 'work';
    /** Default 1,000. */
    readonly eventStreamsMax?: number;
  };
}

/** Numbers of workers are drawn from so many, as many as a column of 4 bytes holds. */
const WORKERS_MAX = 2 ** 31;
const SILENT: RailTools['log'] = { info: () => {}, warn: () => {}, error: () => {} };

/** @returns the services for sandbox accounts; `forAccount` gives those for any account. Nothing runs yet. */
export function createServices({
  database,
  registry,
  config,
  liveRails,
  railsFile = {},
  log = SILENT,
}: ServiceParts): Services {
  const notifier = new Notifier();
  const handOver: HandOver = { receiver: undefined };
  const { envelope, stored } = envelopeWriter(registry, config);
  const worker = config.role === 'serve' ? null : randomInt(1, WORKERS_MAX);
  const writes = new UnderWay();
  const locked = new Set<bigint>();
  const engineFor = (mode: AccountMode, clock: Clock): Advance =>
    createAdvance({
      database,
      registry,
      mode,
      clock,
      notifier,
      handOver,
      ispb: () => byMode[mode].rails.pix.ispb,
      storedBody: stored,
      worker,
      writes,
      locked,
      priceArrival: (row, trigger) => priceArrival(byMode[mode], row, trigger),
    });
  const { rails, clock, sandbox, planned } = createSandbox({
    database,
    registry,
    notifier,
    isAuto: config.sandboxAuto,
    worker,
    advance: () => byMode.sandbox.advance,
    receive: (news) => byMode.sandbox.receive(news),
    pspControl: railsFile.sandbox?.pspControl,
  });
  const railsOf = (mode: AccountMode, own: Clock, inProcess: Rails): RailSet => {
    const receive: RailTools['receive'] = (news) => byMode[mode].receive(news);
    return makeRails(railsFile[mode], { mode, database, clock: own, receive, log }, inProcess);
  };
  const played = railsOf('sandbox', clock, rails);
  const live = railsOf('live', SYSTEM_CLOCK, liveRails ?? NO_RAILS);
  const reporting = (given: Rails): Rails => ({ ...given, rates: reportingRates(given.rates, log) });
  const modeOf = modeFinder(database);
  const shared = {
    database,
    registry,
    forMode: (mode: AccountMode) => byMode[mode],
    forAccount: async (accountId: bigint) => byMode[await modeOf(accountId)],
    times: async () => ({ sandbox: await clock.nowMs(), live: await SYSTEM_CLOCK.nowMs() }),
    notifier,
    handOver,
    writes,
    locked,
    events: new EventHub(database, notifier),
    streamLimit: new StreamLimit(config.eventStreamsMax ?? 1_000),
    render: envelope,
    worker,
    publicUrl: config.publicUrl,
  };
  const byMode: Readonly<Record<AccountMode, Services>> = {
    sandbox: {
      ...shared,
      mode: 'sandbox',
      clock,
      rails: reporting({ ...played.rails, pix: planned(played.rails.pix) }),
      railParts: played.parts,
      advance: engineFor('sandbox', clock),
      receive: (news) => receiveNews(byMode.sandbox, log, news),
      sandbox,
    },
    live: {
      ...shared,
      mode: 'live',
      clock: SYSTEM_CLOCK,
      rails: live.rails === NO_RAILS ? NO_RAILS : reporting(live.rails),
      railParts: live.parts,
      advance: engineFor('live', SYSTEM_CLOCK),
      receive: (news) => receiveNews(byMode.live, log, news),
      sandbox: null,
    },
  };
  return byMode.sandbox;
}
