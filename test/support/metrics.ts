/** Metrics of an application, and what a scrape of them says. */
import type { Services } from '../../src/resolvers/services/context.ts';
import {
  type CellMetrics,
  type Metrics,
  type MetricsOptions,
  openMetrics,
} from '../../src/server/metrics/metrics.ts';

/** A sample is found by its name with its labels as they are written, such as `crossramp_jobs_due{mode="sandbox",kind="swap"}`. */
export type Samples = ReadonlyMap<string, number>;

/** Metrics that can be asked. */
export interface TestMetrics extends Metrics, CellMetrics {
  readonly url: string;
  readonly scrape: () => Promise<Samples>;
}

/** Opens metrics on a free port. @param dropped - log lines that were dropped. */
export async function startMetrics(options: MetricsOptions = {}, log = { dropped: 0 }): Promise<TestMetrics> {
  const installation = { home: '/', databaseBytes: 1_000_000_000, replicas: 0 };
  const metrics = await openMetrics({ host: '127.0.0.1', port: 0 }, log, installation, options);
  const url = `http://127.0.0.1:${metrics.port}/metrics`;
  return { ...metrics, ...(metrics.cells[0] as CellMetrics), url, scrape: () => scrape(url) };
}

/** @returns all samples of an answer. */
export async function scrape(url: string): Promise<Samples> {
  const answer = await fetch(url);
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return samplesOf(await answer.text());
}

/** @returns all samples of an answer and `up`, as Prometheus stores them: of a process that does not answer, `up` alone. */
export async function scrapeLikePrometheus(url: string): Promise<Samples> {
  const samples = await scrape(url).catch(() => undefined);
  return new Map([...(samples ?? []), ['up', samples ? 1 : 0]]);
}

/** @returns the samples that a text names. */
export function samplesOf(text: string): Samples {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line): [string, number] => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

/** @returns services that count how often figures are read. */
export function countingReads(services: Services): {
  readonly services: Services;
  readonly reads: () => number;
} {
  let reads = 0;
  const { database } = services;
  const within: typeof database.within = (limitMs, work) => {
    reads += 1;
    return database.within(limitMs, work);
  };
  return { services: { ...services, database: { ...database, within } }, reads: () => reads };
}
