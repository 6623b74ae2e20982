/** Health of a provider, for `doctor` and the console. */
import type { RailCheck, RailTools } from '../../resolvers/services/rail-part.ts';
import { readScreenerWaits } from '../../store/rails/screener-waits.ts';
import { failureOf } from './query-provider.ts';

/** Health of a provider: as this process knows it, and by the work that waits for it. */
export interface ProviderHealth {
  /** Does the work, and notes whether it failed. */
  readonly note: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly check: () => Promise<RailCheck>;
}

/** @returns the health of a provider that was not asked yet. */
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
        failure = (error as Error).message;
        throw error;
      }
    },
    check: async () => {
      // The process that asks for the check may be another one than the gateway.
      const waits = await readScreenerWaits(database, mode, failureOf(provider));
      const reason = failure ?? waits.failure;
      const answers = hasAnswered ? 'answers' : 'not asked yet by this process';
      return {
        check: provider,
        ok: reason === null,
        detail:
          reason === null ? answers : `${reason}; ${waits.waiting} jobs wait for it, and nothing passes`,
      };
    },
  };
}
