/**
 * Time by the clock of a server, which all its clients share (docs/decisions/0055). Between two readings the monotonic
 * clock of the process is used, so a wrong or jumping wall clock has no effect.
 */

/**
 * A time that the server read, with the times of the request and of the answer. Unit: ms; the last two by
 * `performance.now()`.
 */
export interface ClockReading {
  readonly serverMs: number;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** The server's clock. */
export interface RemoteClock {
  /** Evaluates a reading. */
  readonly note: (reading: ClockReading) => void;
  /** @returns milliseconds since 1970. @throws before the first reading. */
  readonly nowMs: () => number;
  /** @returns the lead of the process's wall clock; negative if it is behind. Unit: ms. */
  readonly wallAheadMs: () => number;
}

/** Growth of the error of a reading, for clocks that run at different speeds. */
const DRIFT = 1 / 2_000;

/** @returns a clock without a reading. */
export function remoteClock(): RemoteClock {
  /** Server time at zero of `performance.now()`, and its maximum error. */
  let best: { readonly originMs: number; readonly errorMs: number; readonly at: number } | undefined;
  const nowMs = () => {
    if (!best) throw new Error('the time is known after the first connection to the server');
    return Math.floor(best.originMs + performance.now());
  };
  return {
    note: ({ serverMs, sentAt, receivedAt }) => {
      const errorMs = (receivedAt - sentAt) / 2;
      const originMs = serverMs - (sentAt + receivedAt) / 2;
      const oldErrorMs = best && best.errorMs + (receivedAt - best.at) * DRIFT;
      // A slow reading is less exact than an older fast one, unless the server's clock was set in between.
      const isBetter = !best || oldErrorMs === undefined || errorMs <= oldErrorMs;
      const isSet = best && Math.abs(originMs - best.originMs) > errorMs + (oldErrorMs ?? 0) + 1;
      if (isBetter || isSet) best = { originMs, errorMs, at: receivedAt };
    },
    nowMs,
    wallAheadMs: () => Date.now() - nowMs(),
  };
}
