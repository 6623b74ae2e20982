/** The last read figures of the database: read at most once per interval, however many requests arrive. */
import { timesOf } from '../../resolvers/rails/operation-checks.ts';
import type { Services } from '../../resolvers/services/context.ts';
import { FIGURES, type FigureGroup } from '../../store/metrics/figures.ts';
import {
  type FigureRow,
  type FigureRows,
  readFigures,
  SLOW_FIGURES,
} from '../../store/metrics/read-figures.ts';

/** Time between two reads of a figure. Unit: ms. */
const READ_EVERY_MS = 15_000;
/** Maximum time between two reads of a figure that reads a whole table. Unit: ms. */
const SLOW_EVERY_MS = 300_000;
/** Interval of such a read, as a multiple of its duration: at most one hundredth of the time is spent reading. */
const SLOW_SHARE = 100;
const GROUPS = Object.keys(FIGURES) as FigureGroup[];

/** Known figures of the database. */
export interface DatabaseFigures {
  /** Whether the last read reached the database. */
  readonly isUp: boolean;
  /** Rows of the last read; empty where it failed. */
  readonly rows: FigureRows;
}

/** Times of a reader. Unit: ms. */
export interface ReaderTimes {
  readonly everyMs?: number;
  readonly slowEveryMs?: number;
}

type Read = Pick<Services, 'database' | 'forMode'>;

/** @returns a function that reads the figures. The read never fails, and answers within four seconds. */
export function figureReader(
  services: Read,
  { everyMs = READ_EVERY_MS, slowEveryMs = SLOW_EVERY_MS }: ReaderTimes = {},
): () => Promise<DatabaseFigures> {
  const rows = new Map<FigureGroup, readonly FigureRow[] | null>();
  const readAt = new Map<FigureGroup, number>();
  let latest: { readonly begunAt: number; readonly found: Promise<DatabaseFigures> } | undefined;
  let slowMs = 0;
  const isDue = (group: FigureGroup, now: number): boolean => {
    const at = readAt.get(group);
    return at === undefined || now - at >= (SLOW_FIGURES.includes(group) ? slowMs : everyMs);
  };
  const read = async (now: number): Promise<DatabaseFigures> => {
    try {
      const due = GROUPS.filter((group) => isDue(group, now));
      for (const [group, found] of await readFigures(services.database, timesOf(services), due)) {
        rows.set(group, found);
        readAt.set(group, now);
      }
      if (due.some((group) => SLOW_FIGURES.includes(group)))
        slowMs = Math.min(Math.max(SLOW_SHARE * (performance.now() - now), everyMs), slowEveryMs);
      return { isUp: true, rows };
    } catch {
      // Old figures could be mistaken for new ones.
      rows.clear();
      readAt.clear();
      return { isUp: false, rows };
    }
  };
  return () => {
    const now = performance.now();
    if (!latest || now - latest.begunAt >= everyMs) latest = { begunAt: now, found: read(now) };
    return latest.found;
  };
}
