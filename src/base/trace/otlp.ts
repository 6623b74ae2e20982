/**
 * Sends spans that have ended to a collector: OTLP over HTTP, as JSON (https://opentelemetry.io/docs/specs/otlp/). Work never
 * waits for it, and spans that the collector does not accept in time are dropped.
 */
import type { Attributes, Link } from '@opentelemetry/api';
import type { EndedSpan } from './own-provider.ts';

/** Target of spans. */
export interface Collector {
  /** The whole URL, with the path. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Origin of the spans, such as `service.name`. */
  readonly resource: Attributes;
  readonly version: string;
}

/** Sends spans to a collector. */
export interface SpanSender {
  /** Accepts a span, or drops it if too many wait. Never throws. */
  readonly send: (span: EndedSpan) => void;
  /** Sends the waiting spans, for some seconds at most; accepts no more. */
  readonly end: () => Promise<void>;
}

/** Maximum number of waiting spans: about 8 MB. */
const WAITING_MAX = 8_192;
/** Number of spans that are sent together, and that trigger sending. */
const TOGETHER_MAX = 512;
const EVERY_MS = 5_000;
const ANSWER_MS = 10_000;
const END_MS = 3_000;
/** `kind` of OTLP counts from 1, with 0 for unknown. */
const KIND_OFFSET = 1;
const FAILED = 2;
const SAMPLED = 1;

/**
 * @param collector - only receives spans.
 * @param lost - called with number and reason each time spans could not be sent, or were dropped before.
 */
export function spanSender(collector: Collector, lost: (spans: number, reason: string) => void): SpanSender {
  let waiting: EndedSpan[] = [];
  let dropped = 0;
  let sending: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  const sendAll = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    while (waiting.length > 0) {
      const spans = waiting.slice(0, TOGETHER_MAX);
      waiting = waiting.slice(TOGETHER_MAX);
      const reason = await post(collector, spans).catch((error: Error) => reasonOf(error));
      if (reason !== undefined) lost(spans.length, reason);
    }
    if (dropped > 0) lost(dropped, 'too many waited');
    dropped = 0;
  };
  const begin = (): Promise<void> => {
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  };
  return {
    send: (span) => {
      if (hasEnded || waiting.length >= WAITING_MAX) {
        dropped += 1;
        return;
      }
      waiting.push(span);
      if (waiting.length >= TOGETHER_MAX) void begin();
      else timer ??= setTimeout(begin, EVERY_MS).unref();
    },
    end: async () => {
      hasEnded = true;
      let limit: NodeJS.Timeout | undefined;
      const timeUp = new Promise<void>((resolve) => {
        limit = setTimeout(resolve, END_MS);
      });
      await Promise.race([begin().then(begin), timeUp]);
      clearTimeout(limit);
      clearTimeout(timer);
    },
  };
}

/** @returns the reason for which the collector refused them; undefined where it did. */
async function post(collector: Collector, spans: readonly EndedSpan[]): Promise<string | undefined> {
  const response = await fetch(collector.url, {
    method: 'POST',
    headers: { ...collector.headers, 'content-type': 'application/json' },
    body: bodyOf(collector, spans),
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  await response.body?.cancel();
  return response.ok ? undefined : `HTTP ${response.status}`;
}

function reasonOf({ name, cause }: Error): string {
  if (name === 'TimeoutError') return `no answer in ${ANSWER_MS / 1_000} s`;
  return (cause as { readonly code?: string } | undefined)?.code ?? 'not reachable';
}

/**
 * Written as text: objects for `JSON.stringify` took three quarters of the cost of a span.
 *
 * @returns the body of an `ExportTraceServiceRequest`.
 */
export function bodyOf(
  { resource, version }: Pick<Collector, 'resource' | 'version'>,
  spans: readonly EndedSpan[],
): string {
  const scope = `{"name":"crossramp","version":${JSON.stringify(version)}}`;
  const scopeSpans = `[{"scope":${scope},"spans":[${spans.map(spanText).join(',')}]}]`;
  const of = `{"attributes":${attributesText(resource)}}`;
  return `{"resourceSpans":[{"resource":${of},"scopeSpans":${scopeSpans}}]}`;
}

function spanText(span: EndedSpan): string {
  const { context, parentSpanId, startMs, endMs, attributes, links } = span;
  const parent = parentSpanId === undefined ? '' : `","parentSpanId":"${parentSpanId}`;
  const end = nanoseconds(Math.max(startMs, endMs));
  const others = links.length === 0 ? '' : `,"links":[${links.map(linkText).join(',')}]`;
  const status = span.isFailed ? `,"status":{"code":${FAILED}}` : '';
  return `{"traceId":"${context.traceId}","spanId":"${context.spanId}${parent}","flags":${SAMPLED},"name":${JSON.stringify(span.name)},"kind":${span.kind + KIND_OFFSET},"startTimeUnixNano":"${nanoseconds(startMs)}","endTimeUnixNano":"${end}","attributes":${attributesText(attributes)}${others}${status}}`;
}

function linkText({ context: { traceId, spanId } }: Link): string {
  return `{"traceId":"${traceId}","spanId":"${spanId}"}`;
}

function attributesText(attributes: Attributes): string {
  let text = '';
  for (const key in attributes) {
    const value = valueText(attributes[key]);
    text += `${text && ','}{"key":"${key}","value":{${value}}}`;
  }
  return `[${text}]`;
}

function valueText(value: unknown): string {
  if (typeof value === 'number')
    return Number.isInteger(value) ? `"intValue":${value}` : `"doubleValue":${value}`;
  if (typeof value === 'boolean') return `"boolValue":${value}`;
  return `"stringValue":${JSON.stringify(String(value))}`;
}

/** A double cannot represent the nanoseconds since 1970, so milliseconds and nanoseconds are written one after the other. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  // 1 in front preserves the zeros.
  return `${whole}${String(1_000_000 + Math.floor((ms - whole) * 1e6)).slice(1)}`;
}
