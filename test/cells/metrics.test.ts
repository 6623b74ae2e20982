/**
 * Goal: a process with several cells has the figures of each, and one with a single cell the series that it always had. Method: the real figures
 * of two databases on one listener of metrics, scraped over HTTP.
 */
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { useDatabase } from '../support/database.ts';
import { type Samples, startMetrics } from '../support/metrics.ts';

const stores = [useDatabase(), useDatabase()];
const TIMES = { everyMs: 0, slowEveryMs: 0, sharedMs: 0 };
const ended: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ended) await end();
});

async function metricsOf(cells: readonly string[]) {
  const metrics = await startMetrics({ ...TIMES, cells });
  ended.push(metrics.close);
  for (const [n] of cells.entries()) {
    const { services, close } = await startApp((stores[n] as (typeof stores)[number]).database);
    ended.push(close);
    const cell = metrics.cells[n];
    cell?.watch({ services, streams: { size: n + 1 } });
    const exchange = { route: '/v2/balance', request: { method: 'GET' }, noted: {} } as never;
    for (let times = 0; times <= n; times += 1) cell?.noteRequest?.(exchange, 200, 0.01);
  }
  return metrics;
}

/** Names of series; collections of garbage have none before the first. */
const namesOf = (samples: Samples) =>
  new Set(
    [...samples.keys()].map((sample) => sample.split('{')[0] ?? '').filter((name) => !name.includes('_gc_')),
  );

test('each cell has its own series, and those of the process have no cell', async () => {
  const { scrape, url } = await metricsOf(['first', 'a1']);
  const samples = await scrape();
  for (const [n, cell] of ['first', 'a1'].entries()) {
    expect(samples.get(`crossramp_streams_open{cell="${cell}"}`)).toBe(n + 1);
    expect(samples.get(`crossramp_database_up{cell="${cell}"}`)).toBe(1);
    expect(
      samples.get(
        `crossramp_http_requests_total{route="/v2/balance",method="GET",outcome="2xx",cell="${cell}"}`,
      ),
    ).toBe(n + 1);
    expect(samples.get(`crossramp_database_size_bytes{cell="${cell}"}`)).toBeGreaterThan(0);
  }
  expect(samples.has('crossramp_log_lines_dropped_total')).toBe(true);
  expect(samples.has('crossramp_process_resident_memory_bytes')).toBe(true);
  const text = await (await fetch(url)).text();
  const types = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(new Set(types).size).toBe(types.length);
});

test('a database that does not answer takes nothing from the figures of another cell', async () => {
  const metrics = await metricsOf(['first', 'a1']);
  const { services } = await startApp((stores[0] as (typeof stores)[number]).database).then((app) => {
    ended.push(app.close);
    return app;
  });
  const gone = async () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
  const database = { ...services.database, within: gone };
  metrics.cells[1]?.watch({ services: { ...services, database }, streams: { size: 0 } });
  const samples = await metrics.scrape();
  expect(samples.get('crossramp_database_up{cell="first"}')).toBe(1);
  expect(samples.get('crossramp_database_up{cell="a1"}')).toBe(0);
  expect(samples.has('crossramp_database_size_bytes{cell="a1"}')).toBe(false);
});

test('a single cell has no label, and the same series as each of several', async () => {
  const alone = await (await metricsOf(['first'])).scrape();
  expect([...alone.keys()].filter((sample) => sample.includes('cell='))).toEqual([]);
  const several = await (await metricsOf(['first', 'a1'])).scrape();
  expect(namesOf(several)).toEqual(namesOf(alone));
});
