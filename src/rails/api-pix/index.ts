/**
 * PIX at any provider with API Pix 2.9 of the Central Bank of Brazil: OAuth 2.0 over TLS with client certificates,
 * charges, returns, callbacks, and the statement, which finds lost callbacks. Payouts use the provider's own API.
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
import { unknownPayouts } from './unknown-payouts.ts';
import { startWork } from './work.ts';

export { type ApiPixSettings, readApiPixSettings } from './settings.ts';

/** The rail, with a function for tests. */
export interface ApiPixPart extends RailPart<PixRail> {
  /** Polls once for lost callbacks, which background work does regularly. */
  readonly poll: () => Promise<void>;
}

/** @param call - makes calls to the provider. @returns the rail; nothing runs before `start`. */
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
  const unknownPayments = unknownPayouts(tools, payouts);
  return {
    port: pixPort(parts),
    ...(unknownPayments && { unknownPayments }),
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
