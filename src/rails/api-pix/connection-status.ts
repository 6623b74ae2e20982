/** Reachability of the provider. Every query fails during an outage, so only its start and its end are logged. */
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { type Caller, PspSilent } from './http.ts';

type Log = RailTools['log'];

/** A caller that tracks whether the provider answers. */
export interface ConnectionStatus {
  readonly call: Caller;
  /** Logs a failed cycle, unless the outage was logged already. */
  readonly complain: (facts: { readonly err: unknown; readonly order?: string }, words: string) => void;
}

/** Number of consecutive unanswered calls from which an outage is logged; a single call may be lost in the network. */
const LOST_CALLS = 3;

/** @returns the caller with outage detection. */
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
