/** Checks of a running process for `doctor` and the console: its clock and its event loop. Figures and bounds are those of the alerts. */
import { eventLoopLag } from '../../base/process/event-loop.ts';
import type { Database } from '../../store/connection/database.ts';
import type { Check } from '../services/rail-part.ts';

/** Figures of a process, as its metrics have them. Unit: seconds. */
export interface ProcessFigures {
  /** Lead of its clock over that of the database; negative if it is behind. */
  readonly clockAhead: number;
  /** Delay of its event loop that one in a hundred requests exceeds. */
  readonly eventLoopLag: number;
}

const CLOCK_SECONDS_MAX = 2;
const LAG_SECONDS_MAX = 0.5;
const MS_PER_S = 1_000;

/** @returns the figures of this process. */
export function figuresOfProcess(database: Pick<Database, 'wallAheadMs'>): ProcessFigures {
  return { clockAhead: database.wallAheadMs() / MS_PER_S, eventLoopLag: eventLoopLag() };
}

/** @returns the checks of a process. */
export function examineProcess({ clockAhead, eventLoopLag: lag }: ProcessFigures): readonly Check[] {
  return [
    { check: 'process: clock', ...clockState(clockAhead) },
    {
      check: 'process: event loop',
      ok: lag <= LAG_SECONDS_MAX,
      detail: `one in a hundred requests waits ${Math.round(lag * MS_PER_S)} ms for it`,
    },
  ];
}

/** Evaluates a clock. @param ahead - lead over the clock of the database. Unit: seconds. */
export function clockState(ahead: number): Omit<Check, 'check'> {
  const ok = Math.abs(ahead) <= CLOCK_SECONDS_MAX;
  const side = ok ? 'from' : ahead > 0 ? 'ahead of' : 'behind';
  return { ok, detail: `${Math.abs(Math.round(ahead * MS_PER_S))} ms ${side} the database` };
}
