/**
 * Retries rail events that were stored but could not be settled yet: there was no rate, or something failed (C-34).
 */
import type { Logger } from 'pino';
import { readPendingRailEvents } from '../../store/engine/rail-events.ts';
import { type RepeatOptions, repeat } from '../engine/repeat.ts';
import type { Services } from '../services/context.ts';
import type { RailEvent } from '../services/rail-event.ts';
import { receiveRailEvent } from './receive.ts';
import { submitDueOrders } from './return-suspense.ts';

/** Work that runs until it is stopped. */
export interface RailEventRetries {
  /** Claims nothing more, and waits for running work. */
  readonly stop: () => Promise<void>;
}

const REPEAT: RepeatOptions = { failedMs: 5_000, complaint: 'rail events have to wait' };
const EVERY_MS = 2_000;
const BATCH_MAX = 50;

/** Starts the retries of this process. Several processes may work on one database: an event acts once, whichever process takes it. */
export function startRailEventRetries(services: Services, log: Logger): RailEventRetries {
  const stopping = new AbortController();
  const loop = repeat(stopping.signal, log, REPEAT, async () => {
    await submitDueOrders(services, log, services.database.nowMs());
    const count = await retryRailEvents(services, log, services.database.nowMs());
    return count < BATCH_MAX ? EVERY_MS : 0;
  });
  return {
    stop: async () => {
      stopping.abort();
      await loop.done;
    },
  };
}

/**
 * Tries due events.
 *
 * @param nowMs - on the clock of the database.
 * @returns their number.
 */
export async function retryRailEvents(
  services: Services,
  log: Pick<Logger, 'warn'>,
  nowMs: number,
): Promise<number> {
  const pending = await readPendingRailEvents(services.database, nowMs, BATCH_MAX);
  for (const { mode, body, ...attempts } of pending)
    await receiveRailEvent(services.forMode(mode), log, body as RailEvent, attempts);
  return pending.length;
}
