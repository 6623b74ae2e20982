/** Which sources a request runs through: those of which a named function was called while it was answered. */
import { Session } from 'node:inspector/promises';

/** What every request shares, and which of it runs is a matter of time: a key is asked for again after half a second. */
const BESIDE =
  /^(base|server|compose|config|rails)\b|^store\/(connection|fair-pool|row-connection|rows-query|shared-connections|account\/api-keys)\.ts$|generated/;

/** @returns the sources of use cases, store, templates and forms that the work ran through, sorted. */
export async function walkOf(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ functions }) =>
        functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
      )
      .flatMap(({ url }) => /\/src\/(.+\.ts)$/.exec(url)?.[1] ?? [])
      .filter((path) => !BESIDE.test(path))
      .toSorted();
  } finally {
    session.disconnect();
  }
}
