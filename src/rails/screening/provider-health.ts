/** Health of a provider, for `doctor` and the console. */
import type { Check, RailTools } from '../../resolvers/services/rail-part.ts';
import { readScreenerWaits } from '../../store/rails/screener-waits.ts';
import { failureOf, Undecided, undecidedAt } from './query-provider.ts';

/** Health of a provider: its last failure in this process, and the jobs that wait for it. */
export interface ProviderHealth {
  /** Runs a query, and records whether it failed. */
  readonly note: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly check: () => Promise<Check>;
}

/** @returns the health of a provider before its first query. */
export function providerHealth(
  provider: string,
  { database, mode }: Pick<RailTools, 'database' | 'mode'>,
): ProviderHealth {
  let failure: string | undefined;
  let hasAnswered = false;
  return {
    note: async (work) => {
      try {
        const result = await work();
        [failure, hasAnswered] = [undefined, true];
        return result;
      } catch (error) {
        if (error instanceof Undecided) [failure, hasAnswered] = [undefined, true];
        else failure = (error as Error).message;
        throw error;
      }
    },
    check: async () => {
      // The check may run in another process than the gateway, so the waiting jobs are read from the database.
      const [waits, undecided] = await Promise.all([
        readScreenerWaits(database, mode, failureOf(provider)),
        readScreenerWaits(database, mode, undecidedAt(provider)),
      ]);
      const reason = failure ?? waits.failure;
      const answers = hasAnswered ? 'answers' : 'not queried yet by this process';
      const later = undecided.waiting > 0 ? `; ${undecided.waiting} jobs wait for its decision` : '';
      return {
        check: provider,
        ok: reason === null,
        detail:
          reason === null
            ? `${answers}${later}`
            : `${reason}; ${waits.waiting} jobs wait for it, and nothing passes`,
      };
    },
  };
}
