/** Screening of people and addresses by a chain of screeners; the strictest answer counts. */
import type { RailPart, RailTools } from '../../resolvers/services/rail-part.ts';
import type { Screening } from '../../resolvers/services/rails.ts';
import { answerCallbacks } from './callback.ts';
import { chainalysisScreener } from './chainalysis.ts';
import { httpScreener } from './http-screener.ts';
import { listScreener } from './list-screener.ts';
import type { Screener } from './screener.ts';
import type { HttpSettings, ScreenerSettings } from './settings.ts';

export { readScreeningSettings } from './settings.ts';

/** @returns the rail, which has no background work. */
export function createScreening(
  settings: readonly ScreenerSettings[],
  tools: RailTools,
): RailPart<Screening> {
  const screeners = settings.map((each) => screenerOf(each, tools));
  const local = screeners.filter(({ lists }) => lists !== undefined);
  const callers = settings.filter(
    (each): each is HttpSettings => each.kind === 'http' && each.callback !== undefined,
  );
  const matchAt = (chosen: readonly Screener[]): NonNullable<Screening['match']> => {
    return async (subjects) => (await Promise.all(chosen.map(({ match }) => match(subjects)))).flat();
  };
  return {
    port: {
      // Lists have no rules about payments, only about subjects, so every payment itself is cleared.
      screen: async () => 'cleared',
      match: matchAt(screeners),
      matchLists: matchAt(local),
      screeners: async () => (await Promise.all(screeners.map(({ names }) => names()))).flat(),
      lists: async () => (await Promise.all(local.map(({ lists }) => lists?.() ?? []))).flat(),
    },
    checks: async () => (await Promise.all(screeners.map(({ checks }) => checks()))).flat(),
    ...(callers.length > 0 && { handle: answerCallbacks(callers, tools) }),
  };
}

function screenerOf(settings: ScreenerSettings, tools: RailTools): Screener {
  switch (settings.kind) {
    case 'lists':
      return listScreener(settings, tools);
    case 'http':
      return httpScreener(settings, tools);
    case 'chainalysis-sanctions':
      return chainalysisScreener(settings, tools);
  }
}
