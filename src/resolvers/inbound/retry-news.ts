/**
 * Retries rail events that were stored but could not be settled yet: there was no rate, or something failed (C-34).
 */
import type { Logger } from 'pino';
import { readPendingNews } from '../../store/engine/news.ts';
import { type RepeatOptions, repeat } from '../engine/repeat.ts';
import type { Services } from '../services/context.ts';
import type { News } from '../services/news.ts';
import { receiveNews } from './receive.ts';
import { placeDueOrders } from './return-suspense.ts';

/** Work that goes on until it is stopped. */
export interface NewsRetries {
  /** Takes up nothing more, and waits for what is under way. */
  readonly stop: () => Promise<void>;
}

const TURNS: RepeatOptions = { failedMs: 5_000, complaint: 'news of rails has to wait' };
const EVERY_MS = 2_000;
const BATCH_MAX = 50;

/** Starts the retries of this process. Several processes may work on one database: news acts once, whichever process takes it. */
export function startNewsRetries(services: Services, log: Logger): NewsRetries {
  const stopping = new AbortController();
  const loop = repeat(stopping.signal, log, TURNS, async () => {
    await placeDueOrders(services, log, services.database.nowMs());
    const count = await retryNews(services, log, services.database.nowMs());
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
export async function retryNews(
  services: Services,
  log: Pick<Logger, 'warn'>,
  nowMs: number,
): Promise<number> {
  const pending = await readPendingNews(services.database, nowMs, BATCH_MAX);
  for (const { mode, body, ...tries } of pending)
    await receiveNews(services.forMode(mode), log, body as News, tries);
  return pending.length;
}
