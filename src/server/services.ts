/** Puts the services together that every use case is given: engine, rails, clock. */
import type { Logger } from 'pino';
import { createSandbox } from '../rails/sandbox/index.ts';
import { type Advance, createAdvance } from '../resolvers/advance-transaction.ts';
import type { Services } from '../resolvers/context.ts';
import { Doorbell } from '../resolvers/doorbell.ts';
import { EventHub } from '../resolvers/event-hub.ts';
import { reportingRates } from '../resolvers/price.ts';
import { priceArrival } from '../resolvers/price-arrival.ts';
import { StreamLimit } from '../resolvers/stream-limit.ts';
import type { Database } from '../store/database.ts';
import type { Registry } from '../templates/registry.ts';
import { envelopeWriter } from '../wire/envelope.ts';

/** What services are made of. */
export interface ServiceParts {
  readonly database: Database;
  /** Where failures of rates are told; nowhere when not given. */
  readonly log?: Pick<Logger, 'warn'>;
  readonly registry: Registry;
  readonly config: {
    readonly publicUrl: string;
    readonly exactIntegers: boolean;
    readonly sandboxAuto: boolean;
    /** Default 1,000. */
    readonly eventStreamsMax?: number;
  };
}

const SILENT: Pick<Logger, 'warn'> = { warn: () => {} };

/** @returns the services, on sandbox rails; nothing runs yet. */
export function createServices({ database, registry, config, log = SILENT }: ServiceParts): Services {
  const doorbell = new Doorbell();
  const render = envelopeWriter(registry, config).envelope;
  let advance: Advance | undefined;
  const { rails, clock, sandbox } = createSandbox({
    database,
    registry,
    doorbell,
    isAuto: config.sandboxAuto,
    advance: () => advance as Advance,
  });
  advance = createAdvance({
    database,
    registry,
    clock,
    doorbell,
    render,
    priceArrival: (row, trigger) => priceArrival(services, row, trigger),
  });
  const services: Services = {
    database,
    registry,
    clock,
    rails: { ...rails, rates: reportingRates(rails.rates, log) },
    advance,
    doorbell,
    events: new EventHub(database, doorbell),
    streamLimit: new StreamLimit(config.eventStreamsMax ?? 1_000),
    render,
    sandbox,
    publicUrl: config.publicUrl,
  };
  return services;
}
