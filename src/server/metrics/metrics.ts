/** Metrics for Prometheus, on a separate listener, never on the port of callers (docs/operations.md). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AggregatorRegistry, Registry } from 'prom-client';
import { newRequestId } from '../../base/ids/request-id.ts';
import { addMeasures } from '../../base/trace/measures.ts';
import { type Config, ConfigError } from '../../config.ts';
import { READ_METHODS, send } from '../http/http.ts';
import { close, listen } from '../http/listen.ts';
import { describeFailure } from '../process/describe-failure.ts';
import type { LogOutput } from '../process/log-output.ts';
import { databaseGauges } from './database-gauges.ts';
import { figureReader, type ReaderTimes } from './figure-reader.ts';
import { measureFigures } from './measure-figures.ts';
import {
  cellGauges,
  type Installation,
  installationGauges,
  processGauges,
  type Watched,
} from './process-gauges.ts';
import { type NoteRequest, requestFigures } from './request-figures.ts';

/** The metrics of a process. */
export interface Metrics {
  /** Undefined without a listener. */
  readonly port: number | undefined;
  /** Metrics of each cell of the process, in their order. */
  readonly cells: readonly CellMetrics[];
  readonly close: () => Promise<void>;
}

/** The metrics of a cell. */
export interface CellMetrics {
  readonly noteRequest: NoteRequest | undefined;
  /** Sets the figures of the cell that are shown after this call. */
  readonly watch: (watched: Watched) => void;
}

/** Times of metrics. Unit: ms. */
export interface MetricsTimes extends ReaderTimes {
  /** Time for which an answer is shared by further requests. @default 1,000 */
  readonly sharedMs?: number;
}

/** Options of metrics. */
export interface MetricsOptions extends MetricsTimes {
  readonly cells?: readonly string[];
}

const PATH = '/metrics';
const TEXT = 'text/plain; charset=utf-8';
const SHARED_MS = 1_000;
const GRACE_MS = 1_000;
/** A scraper has one or two connections. Times in milliseconds. */
const CONNECTIONS = { total: 1_000, perAddress: 100, headersMs: 5_000, requestMs: 5_000 };
const UNWATCHED: CellMetrics = { noteRequest: undefined, watch: () => {} };

/** Metrics of a cell in their registry. */
interface CellFigures extends CellMetrics {
  readonly registry: Registry;
  /** Reads the figures of the database. */
  readonly read: () => Promise<void>;
}

/** Adds the figures of a cell to a registry. */
function cellFigures(registry: Registry, times: ReaderTimes): CellFigures {
  let watched: Watched | undefined;
  let readDatabase: ReturnType<typeof figureReader> | undefined;
  const setDatabase = databaseGauges(registry);
  cellGauges(registry, () => watched);
  return {
    registry,
    noteRequest: requestFigures(registry),
    watch: (all) => {
      watched = all;
      readDatabase = figureReader(all.services, times);
    },
    read: async () => {
      if (readDatabase) setDatabase(await readDatabase());
    },
  };
}

/** @returns the registry of one of several cells, whose series have the name of the cell. */
function labelled(cell: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ cell });
  return registry;
}

/** @returns the series of several cells in one text, in which each metric is described once. */
async function textOfCells(cells: readonly CellFigures[]): Promise<string> {
  const all = await Promise.all(cells.map(({ registry }) => registry.getMetricsAsJSON()));
  return AggregatorRegistry.aggregate(all).metrics();
}

/**
 * Starts the listener if the settings configure one.
 * @param options - `cells`: names of the cells of the process; a single cell has no label.
 * @throws {ConfigError} when it cannot listen there.
 */
export async function openMetrics(
  at: Config['metrics'],
  log: Pick<LogOutput, 'dropped'>,
  installation: Installation,
  { sharedMs = SHARED_MS, cells: names = [''], ...times }: MetricsOptions = {},
): Promise<Metrics> {
  if (!at) return { port: undefined, cells: names.map(() => UNWATCHED), close: async () => {} };
  const registry = new Registry();
  processGauges(registry, () => log.dropped);
  installationGauges(registry, installation);
  const measures = measureFigures(registry);
  const isAlone = names.length === 1;
  const cells = names.map((name) => cellFigures(isAlone ? registry : labelled(name), times));
  const render = shared(sharedMs, async () => {
    await Promise.all(cells.map(({ read }) => read()));
    return (await registry.metrics()) + (isAlone ? '' : await textOfCells(cells));
  });
  const { server, port } = await listen(
    (request, response) => answer(request, response, registry.contentType, render),
    { ...at, connections: CONNECTIONS },
  ).catch((error: unknown) => {
    throw new ConfigError(`METRICS_PORT: ${describeFailure(error, 'choose another METRICS_PORT')}`);
  });
  const stop = addMeasures(measures);
  return {
    port,
    cells,
    close: () => {
      stop();
      return close(server, GRACE_MS);
    },
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  contentType: string,
  render: () => Promise<string>,
): void {
  const exchange = { request, response, requestId: newRequestId() };
  if (request.url?.split('?')[0] !== PATH)
    send(exchange, 404, TEXT, `not found: this port answers ${PATH} only\n`);
  else if (!READ_METHODS.includes(request.method ?? ''))
    send(exchange, 405, TEXT, 'only GET and HEAD are answered here\n', { allow: READ_METHODS.join(', ') });
  else
    render()
      .then((text) => send(exchange, 200, contentType, text))
      .catch(() => response.destroy());
}

/** @returns the work, shared by all callers while it runs, and for a short time after its start. */
function shared(ms: number, work: () => Promise<string>): () => Promise<string> {
  let latest: { readonly begunAt: number; readonly text: Promise<string> } | undefined;
  let isRunning = false;
  return () => {
    const now = performance.now();
    if (latest && (isRunning || now - latest.begunAt < ms)) return latest.text;
    isRunning = true;
    const text = work().finally(() => {
      isRunning = false;
    });
    latest = { begunAt: now, text };
    return text;
  };
}
