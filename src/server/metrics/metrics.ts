/** Metrics for Prometheus, on a listener of their own: never on the port of callers (docs/operations.md). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import { newRequestId } from '../../base/ids/request-id.ts';
import { type Config, ConfigError } from '../../config.ts';
import { READ_METHODS, send } from '../http/http.ts';
import { close, listen } from '../http/listen.ts';
import { describeFailure } from '../process/describe-failure.ts';
import type { LogOutput } from '../process/log-output.ts';
import { databaseGauges } from './database-gauges.ts';
import { figureReader, type ReaderTimes } from './figure-reader.ts';
import { type Disks, diskGauges, processGauges, type Watched } from './process-gauges.ts';
import { type NoteRequest, requestFigures } from './request-figures.ts';

/** The metrics of a process. */
export interface Metrics {
  /** Undefined where there is no listener. */
  readonly port: number | undefined;
  readonly noteRequest: NoteRequest | undefined;
  /** Shows what the process has from now on. */
  readonly watch: (watched: Watched) => void;
  readonly close: () => Promise<void>;
}

/** Times of metrics. Unit: ms. */
export interface MetricsTimes extends ReaderTimes {
  /** An answer serves those who ask so soon after it. @default 1,000 */
  readonly sharedMs?: number;
}

const PATH = '/metrics';
const TEXT = 'text/plain; charset=utf-8';
const SHARED_MS = 1_000;
const GRACE_MS = 1_000;
/** A scraper has a connection or two. Times in milliseconds. */
const CONNECTIONS = { total: 1_000, perAddress: 100, headersMs: 5_000, requestMs: 5_000 };
const NONE: Metrics = { port: undefined, noteRequest: undefined, watch: () => {}, close: async () => {} };

/**
 * Starts the listener when the settings ask for one.
 *
 * @throws {ConfigError} when it cannot listen there.
 */
export async function openMetrics(
  at: Config['metrics'],
  log: Pick<LogOutput, 'dropped'>,
  disks: Disks,
  { sharedMs = SHARED_MS, ...times }: MetricsTimes = {},
): Promise<Metrics> {
  if (!at) return NONE;
  const registry = new Registry();
  let watched: Watched | undefined;
  let read: ReturnType<typeof figureReader> | undefined;
  const setDatabase = databaseGauges(registry);
  processGauges(
    registry,
    () => log.dropped,
    () => watched,
  );
  diskGauges(registry, disks);
  const noteRequest = requestFigures(registry);
  const render = shared(sharedMs, async () => {
    if (read) setDatabase(await read());
    return registry.metrics();
  });
  const { server, port } = await listen(
    (request, response) => answer(request, response, registry.contentType, render),
    { ...at, connections: CONNECTIONS },
  ).catch((error: unknown) => {
    throw new ConfigError(`METRICS_PORT: ${describeFailure(error, 'choose another METRICS_PORT')}`);
  });
  return {
    port,
    noteRequest,
    watch: (all) => {
      watched = all;
      read = figureReader(all.services, times);
    },
    close: () => close(server, GRACE_MS),
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

/** @returns the work, shared by all who ask while it is under way, or so soon after it began. */
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
