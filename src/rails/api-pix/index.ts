/**
 * PIX at any provider that speaks API Pix of the Central Bank of Brazil (2.9): OAuth 2.0 over TLS with client certificates,
 * charges, returns, callbacks, and the statement that finds what callbacks lost. Payouts by what the provider has for them.
 */
import type { RailPart, RailTools } from '../../resolvers/services/rail-part.ts';
import type { PixRail } from '../../resolvers/services/rails.ts';
import { answering } from './callback.ts';
import { portCheck } from './callers.ts';
import { certificateEnds } from './certificate-ends.ts';
import { checkAll } from './checks.ts';
import { type ApiPix, createCalls } from './client.ts';
import { createConfirm } from './confirm.ts';
import { watched } from './connection-status.ts';
import { hearing } from './hearing.ts';
import { type Caller, createCaller } from './http.ts';
import { interPayouts } from './inter-payouts.ts';
import { efiPayouts, type PixPayouts } from './payouts.ts';
import { pollOrders, readStatement } from './poll.ts';
import { pollReports } from './poll-reports.ts';
import { orderKinds, pixPort } from './port.ts';
import type { ApiPixSettings, PayoutSettings } from './settings.ts';
import { createTokens } from './token.ts';
import { startWork } from './work.ts';

export { type ApiPixSettings, readApiPixSettings } from './settings.ts';

/** The rail, with what its author's tests look at. */
export interface ApiPixPart extends RailPart<PixRail> {
  /** Polls once for lost callbacks, as background work does all the time. */
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
  const connection = watched(call, tools.log);
  const tokens = createTokens(connection.call, settings);
  const api = createCalls(connection.call, tokens, settings);
  const payouts = settings.payouts && payoutsOf(api, settings.payouts);
  const parts = { tools, settings, api, payouts, confirm: createConfirm({ api, payouts }) };
  const polling = { ...parts, kinds: orderKinds(parts), complain: connection.complain };
  const poll = async () => {
    await pollReports(polling);
    await pollOrders(polling);
    await readStatement(polling);
  };
  const { callback } = settings;
  const check = callback && portCheck(settings, callback);
  const ends = certificateEnds(settings);
  return {
    port: pixPort(parts),
    checks: () => checkAll({ tools, settings, api, tokens }),
    certificates: () => ends,
    ...(check && {
      handle: answering(tools, check, hearing(parts, callback)),
    }),
    poll,
    start: () => startWork(polling),
  };
}

function payoutsOf(api: ApiPix, settings: PayoutSettings): PixPayouts {
  return settings.kind === 'inter' ? interPayouts(api, settings) : efiPayouts(api, settings);
}
