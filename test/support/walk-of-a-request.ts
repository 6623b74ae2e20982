/** Which sources a request runs through: those of which a named function was called while it was answered. */
import { Session } from 'node:inspector/promises';

/**
 * Sources that every request shares, of which time decides which run: a key is asked for again after half a second, and the hub of
 * another application in this process reads its events when its timer says so.
 */
const BESIDE =
  /^(base|server|compose|config|rails)\b|^store\/(connection\/|account\/api-keys\.ts$|events\/events\.ts$)|^resolvers\/services\/event-hub\.ts$|generated/;

/** @returns the sources of use cases, store, templates and forms that the work ran through, sorted. */
export async function walkOf(work: () => Promise<unknown>): Promise<string[]> {
  const stops = await stopsOf(work);
  return [...new Set(stops.map(({ path }) => path))].filter((path) => !BESIDE.test(path)).toSorted();
}

/** A named function that was called. */
export interface Stop {
  /** Its source, below `src`. */
  readonly path: string;
  readonly name: string;
}

/** @returns the named functions of the sources that the work called. */
export async function stopsOf(work: () => Promise<unknown>): Promise<Stop[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result.flatMap(({ url, functions }) => {
      const path = /\/src\/(.+\.ts)$/.exec(url)?.[1];
      if (path === undefined) return [];
      return functions
        .filter(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0)
        .map(({ functionName: name }) => ({ path, name }));
    });
  } finally {
    session.disconnect();
  }
}
