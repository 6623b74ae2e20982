/** A database of which answers are lost: what was asked is done, and nobody hears of it, as when a network fails. */
import { vi } from 'vitest';
import type { Database } from '../../src/store/connection/database.ts';
import { NoAnswerError } from '../../src/store/connection/database-error.ts';

/** A network that fails at the worst moment, and then for a while. */
export interface LostAnswer {
  /** To be used in place of the real one. */
  readonly database: Database;
  /** Timeline: whether the answer was lost, and how many statements were refused since. */
  readonly seen: { isLost: boolean; refused: number };
}

const REFUSALS = 3;
/** So much time passes with each statement that is refused. Unit: ms. */
const OUTAGE_MS = 11_000;

/**
 * Loses the answer to the first statement of a name that gives rows, or to the commit after it.
 *
 * @param refuses - name of a statement that is refused afterwards, three times, while half a minute passes on the monotonic
 *   clock.
 * @param whenLost - called when the answer is lost.
 */
export function loseAnswer(
  real: Database,
  { name, refuses, whenLost }: { name: string; refuses: string; whenLost: () => Promise<unknown> },
): LostAnswer {
  const seen = { isLost: false, refused: 0 };
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + seen.refused * OUTAGE_MS);
  const away = () => new NoAnswerError('the database did not answer');
  const lose = async () => {
    seen.isLost = true;
    await whenLost();
    throw away();
  };
  const database: Database = {
    ...real,
    query: async (statement, values) => {
      if (statement.name === refuses && seen.refused < REFUSALS) {
        seen.refused += 1;
        throw away();
      }
      const rows = await real.query<never>(statement, values);
      if (statement.name === name && !seen.isLost && rows.length > 0) await lose();
      return rows;
    },
    withTx: async (work) => {
      let isIt = false;
      const result = await real.withTx((tx) =>
        work({
          query: async (statement, values) => {
            const rows = await tx.query<never>(statement, values);
            isIt ||= statement.name === name && rows.length > 0;
            return rows;
          },
        }),
      );
      if (isIt && !seen.isLost) await lose();
      return result;
    },
  };
  return { database, seen };
}
