/** The webhooks of this process for the accounts of a mode: relay and pump, woken by commits of this process and by time. */
import type { Logger } from 'pino';
import { type RepeatOptions, repeat } from '../resolvers/engine/repeat.ts';
import type { Services } from '../resolvers/services/context.ts';
import { createPump, type Pump, type PumpOptions } from './pump.ts';
import { createRelay } from './relay.ts';

/** How webhooks run. */
export type WebhookOptions = PumpOptions;

/** Webhooks that run until they are stopped. */
export interface WebhookWorker {
  /** Begins nothing more, and waits for what is under way. */
  readonly stop: () => Promise<void>;
}

/** How often is looked without being rung for: timers, and commits of other processes. */
const POLL_MS = 1_000;
/** What comes together is done together; after an error the database is left alone for a while. */
const TURNS: RepeatOptions = { gatherMs: 5, failedMs: 1_000, complaint: 'webhooks have to wait' };

/** What of the services webhooks need. */
export type WebhookServices = Pick<Services, 'database' | 'clock' | 'doorbell' | 'mode'>;

/** Starts relay and pump of this process for the accounts of a mode. Several processes may work on one database. */
export function startWebhooks(
  services: WebhookServices,
  log: Logger,
  options: WebhookOptions,
): WebhookWorker {
  const stopping = new AbortController();
  const ending = new AbortController();
  const pump = createPump(services, log, { ...options, stop: stopping.signal });
  const pumping = repeat(stopping.signal, log, TURNS, () => pumpTurn(pump));
  const relay = createRelay(services, log);
  const relaying = repeat(stopping.signal, log, TURNS, async () => {
    const { deliveries, waitMs } = await relay.turn();
    if (deliveries > 0) pumping.ring();
    return waitMs;
  });
  const tending = repeat(ending.signal, log, TURNS, async () => {
    await pump.tend();
    return POLL_MS;
  });
  pump.onEnded(pumping.ring);
  services.doorbell.onAny((accountIds) => {
    relay.hear(accountIds);
    relaying.ring();
    // The clock may have been set ahead: deliveries that wait are due then.
    pumping.ring();
  });
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([relaying.done, pumping.done]);
      await pump.idle();
      ending.abort();
      await tending.done;
    },
  };
}

async function pumpTurn(pump: Pump): Promise<number> {
  return (await pump.turn()) ? 0 : POLL_MS;
}
