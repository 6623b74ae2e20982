/** Background work: the callback listener, the registration of its URL, the statement, and queries about orders. */
import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../../resolvers/engine/repeat.ts';
import { callbackUrl } from './callers.ts';
import type { HearingParts } from './hearing.ts';
import { startListener } from './listener.ts';
import { type PollParts, pollOrders, readStatement } from './poll.ts';
import { pollReports } from './poll-reports.ts';

/** Interval of scans for work. Unit: ms. */
const CYCLE_MS = 2_000;
const FAILED_MS = 5_000;
/** Interval of checks of the registered callback URL. Unit: ms. */
const REGISTER_MS = 3_600_000;
const REGISTER_FAILED_MS = 10_000;

/** Starts all background work; its parts run independently. */
export function startWork(parts: PollParts & HearingParts): {
  readonly stop: () => Promise<void>;
} {
  const { tools, settings, api, complain: warn } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const listener = startListener(parts);
  const cycles = (complaint: string, failedMs: number, cycle: () => Promise<number>) =>
    repeat(signal, { warn }, { failedMs, complaint }, cycle).done;
  const works = [
    cycles('the statement of the PIX provider cannot be read', FAILED_MS, async () => {
      await readStatement(parts);
      return CYCLE_MS;
    }),
    cycles('due reports of callers cannot be read', FAILED_MS, async () => {
      await pollReports(parts);
      return CYCLE_MS;
    }),
    cycles('due orders to the PIX provider cannot be read', FAILED_MS, async () => {
      await pollOrders(parts);
      return CYCLE_MS;
    }),
  ];
  const url = callbackUrl(settings);
  if (url !== null)
    works.push(
      cycles('the address of callbacks cannot be registered', REGISTER_FAILED_MS, async () => {
        // The provider calls the URL during registration, so the listener must be ready.
        await listener?.attempted;
        if (!listener) await sleep(CYCLE_MS, undefined, { signal }).catch(() => {});
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
