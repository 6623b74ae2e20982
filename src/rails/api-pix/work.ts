/** Background work: the port for callbacks, their registration, the statement, and polling of orders. */
import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../../resolvers/engine/repeat.ts';
import { askReports } from './ask-reports.ts';
import { callbackUrl } from './callers.ts';
import type { HearingParts } from './hearing.ts';
import { startListener } from './listener.ts';
import { askOrders, type PollParts, readStatement } from './poll.ts';

/** Interval of scans for work. Unit: ms. */
const TURN_MS = 2_000;
const FAILED_MS = 5_000;
/** The address of callbacks is looked at again after this. Unit: ms. */
const REGISTER_MS = 3_600_000;
const REGISTER_FAILED_MS = 10_000;

/** Starts all of it; the parts do not wait for each other. */
export function startWork(parts: PollParts & HearingParts): {
  readonly stop: () => Promise<void>;
} {
  const { tools, settings, api, complain: warn } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const listener = startListener(parts);
  const turns = (complaint: string, failedMs: number, turn: () => Promise<number>) =>
    repeat(signal, { warn }, { failedMs, complaint }, turn).done;
  const works = [
    turns('the statement of the PIX provider cannot be read', FAILED_MS, async () => {
      await readStatement(parts);
      return TURN_MS;
    }),
    turns('reports of callers cannot be looked up', FAILED_MS, async () => {
      await askReports(parts);
      return TURN_MS;
    }),
    turns('orders to the PIX provider cannot be looked up', FAILED_MS, async () => {
      await askOrders(parts);
      return TURN_MS;
    }),
  ];
  const url = callbackUrl(settings);
  if (url !== null)
    works.push(
      turns('the address of callbacks cannot be registered', REGISTER_FAILED_MS, async () => {
        // The provider calls it immediately: the listener must be ready.
        await listener?.tried;
        if (!listener) await sleep(TURN_MS, undefined, { signal }).catch(() => {});
        if ((await api.getWebhook()) !== url) {
          await api.putWebhook(url, settings.callback?.clientCa === null);
          tools.log.info('the address of callbacks was registered');
        }
        return REGISTER_MS;
      }),
    );
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([...works, listener?.stop()]);
    },
  };
}
