/** Outcome of the last question to a provider, for `doctor` and the console. */
import type { RailCheck } from '../../resolvers/services/rail-part.ts';

/** Health of a provider as this process knows it. */
export interface ProviderHealth {
  /** Does the work, and notes whether it failed. */
  readonly note: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly check: () => RailCheck;
}

/** @returns the health of a provider that was not asked yet. */
export function providerHealth(provider: string): ProviderHealth {
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
    check: () => ({
      check: provider,
      ok: failure === undefined,
      detail: failure ?? (hasAnswered ? 'answers' : 'not asked yet by this process'),
    }),
  };
}
