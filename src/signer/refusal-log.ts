/**
 * Logs refusals. The first refusal of a reason is logged immediately, later ones as one line a minute with their
 * number, so that no caller can flood the log.
 */

/** One logged refusal. */
export interface RefusalFacts {
  readonly reason: string;
  readonly detail: string;
  /** Id of the request. */
  readonly id?: string;
  /** Total number of refusals for this reason in the record. */
  readonly times?: number;
  /** Set if the page refused. */
  readonly at?: 'page';
}

/** The log of refusals. */
export interface RefusalLog {
  readonly refused: (facts: RefusalFacts) => void;
  /** Logs the summary of the remaining refusals, and stops. */
  readonly close: () => void;
}

/** Refusals of one reason since the last line about it. */
interface Unlogged {
  newest: RefusalFacts | undefined;
  count: number;
  readonly timer: NodeJS.Timeout;
}

const LINE_EVERY_MS = 60_000;

/**
 * @param alarm - writes a line; `refusals`: number of refusals that the line summarises.
 * @param everyMs - interval between two lines for one reason.
 */
export function openRefusalLog(
  alarm: (facts: RefusalFacts & { readonly refusals: number }) => void,
  everyMs = LINE_EVERY_MS,
): RefusalLog {
  const reasons = new Map<string, Unlogged>();
  const flush = (name: string): void => {
    const found = reasons.get(name);
    if (!found?.newest) return void reasons.delete(name);
    alarm({ ...found.newest, refusals: found.count });
    found.newest = undefined;
    found.count = 0;
    found.timer.refresh();
  };
  return {
    refused: (facts) => {
      const name = `${facts.at ?? ''} ${facts.reason}`;
      const found = reasons.get(name);
      if (found) {
        found.newest = facts;
        found.count += 1;
        return;
      }
      alarm({ ...facts, refusals: 1 });
      reasons.set(name, {
        newest: undefined,
        count: 0,
        timer: setTimeout(() => flush(name), everyMs).unref(),
      });
    },
    close: () => {
      for (const [name, { timer }] of reasons) {
        clearTimeout(timer);
        flush(name);
      }
      for (const { timer } of reasons.values()) clearTimeout(timer);
      reasons.clear();
    },
  };
}
