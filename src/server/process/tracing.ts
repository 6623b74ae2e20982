/** Traces of the process: spans are sent to a preloaded SDK or to the configured collector, or are not created. */
import { context, ProxyTracerProvider, propagation, type Tracer, trace } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { spanSender } from '../../base/trace/otlp.ts';
import { ownContexts, ownTracer, w3cPropagator } from '../../base/trace/own-provider.ts';
import { startSpans } from '../../base/trace/spans.ts';
import type { Config } from '../../config.ts';
import type { Ending } from './endings.ts';
import type { LogSource } from './log.ts';

const NAME = 'crossramp';
const MS_PER_S = 1_000;

/**
 * Starts traces when a receiver is configured.
 *
 * @returns the function that sends the last spans and ends them.
 */
export function openTracing(
  settings: Config['tracing'],
  source: LogSource,
  log: Pick<Logger, 'warn'>,
): Ending {
  const loaded = loadedTracer(source.version);
  if (loaded) startSpans(loaded);
  if (loaded || !settings) return () => startSpans(undefined);
  const { sampling, serviceName, ...at } = settings;
  const resource = {
    'service.name': serviceName,
    'service.version': source.version,
    'service.instance.id': `${source.host}:${process.pid}:${Math.floor(performance.timeOrigin / MS_PER_S)}`,
    'host.name': source.host,
    'crossramp.role': source.role,
  };
  const sender = spanSender({ ...at, resource, version: source.version }, (spans, reason) =>
    log.warn({ spans, reason }, 'spans were lost: the collector did not accept them'),
  );
  context.setGlobalContextManager(ownContexts);
  propagation.setGlobalPropagator(w3cPropagator);
  startSpans(ownTracer(sampling, sender.send));
  return async () => {
    startSpans(undefined);
    await sender.end();
  };
}

/** @returns the tracer of an SDK that was loaded with `--import`, which has registered its provider by then. */
function loadedTracer(version: string): Tracer | undefined {
  const provider = trace.getTracerProvider();
  const isProxy = provider instanceof ProxyTracerProvider;
  // The proxy of the API exists whether or not a provider is registered.
  if (!isProxy) return provider.getTracer(NAME, version);
  return provider.getDelegateTracer(NAME, version);
}
