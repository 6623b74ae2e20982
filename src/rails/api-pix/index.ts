/**
 * PIX at any provider that speaks API Pix of the Central Bank of Brazil (2.9): OAuth 2.0 over TLS with client certificates,
 * charges, returns, callbacks, and the statement that finds what callbacks lost. Payouts by what the provider has for them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../../resolvers/engine/repeat.ts';
import type { RailPart, RailTools } from '../../resolvers/services/rail-part.ts';
import type { PixRail } from '../../resolvers/services/rails.ts';
import { answering } from './callback.ts';
import { callbackUrl, portCheck } from './callers.ts';
import { checkAll } from './checks.ts';
import { createCalls } from './client.ts';
import { type Caller, createCaller } from './http.ts';
import { startListener } from './listener.ts';
import { efiPayouts } from './payouts.ts';
import { askOrders, type PollParts, readStatement } from './poll.ts';
import { orderKinds, pixPort } from './port.ts';
import { registerCallback } from './registration.ts';
import type { ApiPixSettings } from './settings.ts';
import { createTokens } from './token.ts';

export { type ApiPixSettings, readApiPixSettings } from './settings.ts';

/** How often is looked whether there is something to ask. Unit: ms. */
const TURN_MS = 2_000;
const FAILED_MS = 5_000;
/** The address of callbacks is looked at again after this. Unit: ms. */
const REGISTER_MS = 3_600_000;
const REGISTER_FAILED_MS = 10_000;

/** The rail, with what its author's tests look at. */
export interface ApiPixPart extends RailPart<PixRail> {
  /** Looks once for what callbacks lost: what background work does all the time. */
  readonly poll: () => Promise<void>;
}

/**
 * @param call - makes the calls of the provider.
 * @returns the rail. Nothing runs before `start`.
 */
export function createApiPix(
  settings: ApiPixSettings,
  tools: RailTools,
  call: Caller = createCaller(settings),
): ApiPixPart {
  const tokens = createTokens(call, settings);
  const api = createCalls(call, tokens, settings);
  const payouts = settings.payouts && efiPayouts(api, settings.payouts);
  const parts = { tools, settings, api, payouts };
  const polling = { ...parts, kinds: orderKinds(parts) };
  const poll = async () => {
    await askOrders(polling);
    while ((await readStatement(polling)) === 'behind');
  };
  const { callback } = settings;
  const check = callback && portCheck(settings, callback);
  return {
    port: pixPort(parts),
    checks: () => checkAll({ tools, settings, api, tokens }),
    ...(check && { handle: answering(tools, check) }),
    poll,
    start: () => startWork(tools, settings, polling, poll),
  };
}

function startWork(
  tools: RailTools,
  settings: ApiPixSettings,
  { api }: PollParts,
  poll: () => Promise<void>,
): { readonly stop: () => Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const listener = startListener(tools, settings);
  const polling = repeat(
    signal,
    tools.log,
    { failedMs: FAILED_MS, complaint: 'the PIX provider cannot be asked' },
    async () => {
      await poll();
      return TURN_MS;
    },
  );
  const url = callbackUrl(settings);
  const complaint = 'the address of callbacks cannot be registered at the PIX provider';
  const registering =
    url === null
      ? undefined
      : repeat(signal, tools.log, { failedMs: REGISTER_FAILED_MS, complaint }, async () => {
          // The provider calls it at once: whoever answers has to be there.
          await listener?.tried;
          if (!listener) await sleep(TURN_MS, undefined, { signal }).catch(() => {});
          if (await registerCallback(api, url))
            tools.log.info('the address of callbacks was registered at the PIX provider');
          return REGISTER_MS;
        });
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([polling.done, registering?.done, listener?.stop()]);
    },
  };
}
