/**
 * Reachability of the provider. During an outage every query fails again and again: it is logged once, and once more
 * at its end.
 */
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { type Caller, PspSilent } from './http.ts';

type Log = RailTools['log'];

/** A caller of which is known whether it is answered. */
export interface ConnectionStatus {
  readonly call: Caller;
  /** Tells that a turn failed; while the provider is known to be silent, its silence is not told again. */
  readonly complain: (facts: { readonly err: unknown; readonly order?: string }, words: string) => void;
}

/** A call may be lost on its way; after so many in a row the provider is silent. */
const LOST_CALLS = 3;

/** @returns the caller, watched. */
export function watched(call: Caller, log: Log): ConnectionStatus {
  let lost = 0;
  let sinceMs = 0;
  const answered = () => {
    const seconds = Math.round((performance.now() - sinceMs) / 1_000);
    if (lost >= LOST_CALLS) log.info({ seconds, calls: lost }, 'the PIX provider answers again');
    lost = 0;
  };
  const silent = ({ message: reason }: PspSilent) => {
    if (lost === 0) sinceMs = performance.now();
    lost += 1;
    if (lost === LOST_CALLS) log.error({ reason }, 'the PIX provider does not answer');
  };
  return {
    call: async (request) => {
      try {
        const answer = await call(request);
        answered();
        return answer;
      } catch (error) {
        if (error instanceof PspSilent) silent(error);
        throw error;
      }
    },
    complain: ({ err, ...facts }, words) => {
      if (!(err instanceof PspSilent)) log.warn({ err, ...facts }, words);
      else if (lost < LOST_CALLS) log.warn({ reason: err.message, ...facts }, words);
    },
  };
}
