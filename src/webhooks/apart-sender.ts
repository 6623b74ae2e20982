/** Sends webhooks without a delivery row, such as samples and notifications: as many in parallel as fit. */
import type { Logger } from 'pino';

/** Sends waiting webhooks. */
export interface ApartSender {
  /** Starts as many waiting webhooks as fit. @returns whether any were found; if so, more may wait. */
  readonly cycle: () => Promise<boolean>;
  /** Sets a listener that is called when an attempt ends, because another webhook may have waited for its slot. */
  readonly onEnded: (listener: () => void) => void;
  /** Waits until all running attempts have ended. */
  readonly idle: () => Promise<void>;
}

/** The webhooks of one kind. */
export interface ApartWork<Claimed> {
  /** Claims at most `room` webhooks. `sending`: those that this process is sending. */
  readonly claim: (limits: {
    readonly room: number;
    readonly sending: readonly Claimed[];
  }) => Promise<readonly Claimed[]>;
  /** Makes one attempt, and stores its outcome. */
  readonly send: (claimed: Claimed) => Promise<void>;
  /** Log line for an outcome that cannot be stored. */
  readonly complaint: string;
}

/** Number of webhooks of one kind that one process sends in parallel. */
const RUNNING_MAX = 32;

/** @returns a sender; it sends nothing before its first cycle. */
export function createApartSender<Claimed>(
  { claim, send, complaint }: ApartWork<Claimed>,
  log: Pick<Logger, 'warn'>,
): ApartSender {
  const running = new Map<Promise<void>, Claimed>();
  let ended = () => {};
  return {
    cycle: async () => {
      const room = RUNNING_MAX - running.size;
      if (room === 0) return false;
      const claimed = await claim({ room, sending: [...running.values()] });
      for (const each of claimed) {
        const work = send(each)
          .catch((err) => log.warn({ err }, complaint))
          .finally(() => {
            running.delete(work);
            ended();
          });
        running.set(work, each);
      }
      return claimed.length > 0;
    },
    onEnded: (listener) => {
      ended = listener;
    },
    idle: async () => {
      await Promise.all(running.keys());
    },
  };
}
