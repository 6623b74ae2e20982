/** Reads figures one after the other on one connection, each with a time limit at the server. */
import type { Times } from '../../base/access/account-mode.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';
import { isRefused } from '../connection/database-error.ts';
import { FIGURES, type FigureGroup } from './figures.ts';

/** A sample: members that name it, and numbers. */
export type FigureRow = Readonly<Record<string, string | number | bigint>>;

/** Rows of a read; null if the server refused it, or did not answer in time. */
export type FigureRows = ReadonlyMap<FigureGroup, readonly FigureRow[] | null>;

/** Time after which no further figure is begun. Unit: ms. */
const BEGIN_MAX_MS = 2_000;
/** Time limit of a statement. Unit: ms. */
const STATEMENT_MAX_MS = 500;
/** Figures that read a whole table: they are read less often, and have a longer time limit. */
export const SLOW_FIGURES: readonly FigureGroup[] = ['ledger', 'size'];
const SLOW_MAX_MS = 1_500;
/** Time limit of all figures, including the wait for the connection. Unit: ms. */
const FIGURES_MAX_MS = 4_000;

const GET_LIMIT: Statement = {
  name: 'figures_get_limit',
  text: `select current_setting('statement_timeout') as "limit"`,
};
const SET_LIMIT: Statement = {
  name: 'figures_set_limit',
  text: `select set_config('statement_timeout', $1, false)`,
};

/**
 * The reading ends within four seconds.
 * @param timesOf - returns the current time of the accounts of each mode.
 * @throws the driver's error when the database is unreachable; a connection whose time limit could not be reset is
 * closed.
 */
export function readFigures(
  database: Pick<Database, 'within'>,
  timesOf: (tx: Tx) => Promise<Times>,
  groups: readonly FigureGroup[],
): Promise<FigureRows> {
  return database.within(FIGURES_MAX_MS, async (tx) => {
    const lastAt = performance.now() + BEGIN_MAX_MS;
    const times = await timesOf(tx);
    const [before] = await tx.query<{ limit: string }>(GET_LIMIT, []);
    const found = new Map<FigureGroup, readonly FigureRow[] | null>();
    const readAll = async (some: readonly FigureGroup[], limitMs: number) => {
      await tx.query(SET_LIMIT, [String(limitMs)]);
      for (const group of some)
        found.set(group, performance.now() > lastAt ? null : await readOne(tx, group, times));
    };
    await readAll(
      groups.filter((group) => !SLOW_FIGURES.includes(group)),
      STATEMENT_MAX_MS,
    );
    await readAll(
      groups.filter((group) => SLOW_FIGURES.includes(group)),
      SLOW_MAX_MS,
    );
    await tx.query(SET_LIMIT, [before?.limit ?? '0']);
    return found;
  });
}

async function readOne(tx: Tx, group: FigureGroup, times: Times): Promise<readonly FigureRow[] | null> {
  try {
    const rows: readonly object[] = await FIGURES[group](tx, times);
    return rows as readonly FigureRow[];
  } catch (error) {
    if (isRefused(error)) return null;
    throw error;
  }
}
