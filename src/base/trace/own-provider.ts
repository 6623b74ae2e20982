/**
 * The provider of spans if no SDK of OpenTelemetry was loaded: ids, sampling, the context of asynchronous work, W3C
 * Trace Context. An SDK does the same and more, with 57 MB of packages and five times the work for a span (decision
 * 0081).
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import {
  type Attributes,
  type AttributeValue,
  type Context,
  type ContextManager,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  type SpanStatus,
  SpanStatusCode,
  type TextMapGetter,
  type TextMapPropagator,
  type TextMapSetter,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** Sampler of traces: `OTEL_TRACES_SAMPLER`. */
export interface Sampling {
  /** Whether the sampling decision in a caller's `traceparent` applies to its trace. */
  readonly heedsParent: boolean;
  /** Share of the traces that begin here, 0 to 1. */
  readonly ratio: number;
}

/** A span that has ended. Times in ms since 1970, with fractions. */
export interface EndedSpan {
  readonly context: SpanContext;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly links: readonly Link[];
  readonly isFailed: boolean;
}

/** @param send - receives each ended span of a sampled trace. */
export function ownTracer(sampling: Sampling, send: (span: EndedSpan) => void): Tracer {
  const startSpan = (name: string, options: SpanOptions = {}, above = context.active()): Span => {
    const parent = trace.getSpanContext(above);
    const traceId = parent?.traceId ?? randomHex(16);
    const isRecorded =
      parent && (sampling.heedsParent || !parent.isRemote) ? isSampled(parent) : draws(traceId);
    const own: SpanContext = {
      traceId,
      spanId: randomHex(8),
      traceFlags: isRecorded ? TraceFlags.SAMPLED : TraceFlags.NONE,
    };
    if (!isRecorded) return trace.wrapSpanContext(own);
    return new OwnSpan(own, parent?.spanId, name, options, send);
  };
  /** The last seven bytes of an id are random, including ids of other programs. */
  const draws = (traceId: string) =>
    sampling.ratio === 1 || Number.parseInt(traceId.slice(-13), 16) < sampling.ratio * 2 ** 52;
  return {
    startSpan,
    startActiveSpan: (name: string, ...rest: unknown[]) => {
      const work = rest.at(-1) as (span: Span) => never;
      const [options, above] = rest.slice(0, -1) as [SpanOptions?, Context?];
      const span = startSpan(name, options, above);
      return context.with(trace.setSpan(above ?? context.active(), span), () => work(span));
    },
  };
}

function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}

const NO_ATTRIBUTES: Attributes = {};
const NO_LINKS: readonly Link[] = [];

/** Attributes and links are replaced and never changed, so a span can hold those of its caller without a copy. */
class OwnSpan implements Span {
  readonly #span: { -readonly [Member in keyof EndedSpan]: EndedSpan[Member] };
  readonly #send: (span: EndedSpan) => void;
  #hasEnded = false;

  constructor(
    context: SpanContext,
    parentSpanId: string | undefined,
    name: string,
    { kind = SpanKind.INTERNAL, attributes = NO_ATTRIBUTES, links = NO_LINKS as Link[] }: SpanOptions,
    send: (span: EndedSpan) => void,
  ) {
    const startMs = nowMs();
    const times = { startMs, endMs: startMs };
    this.#span = { context, parentSpanId, name, kind, ...times, attributes, links, isFailed: false };
    this.#send = send;
  }

  spanContext(): SpanContext {
    return this.#span.context;
  }

  setAttribute(key: string, value: AttributeValue): this {
    return this.setAttributes({ [key]: value });
  }

  setAttributes(attributes: Attributes): this {
    const { attributes: before } = this.#span;
    this.#span.attributes = before === NO_ATTRIBUTES ? attributes : { ...before, ...attributes };
    return this;
  }

  /** Events and exceptions have messages that may contain input of callers, so none is recorded. */
  addEvent(): this {
    return this;
  }

  recordException(): void {}

  addLink(link: Link): this {
    return this.addLinks([link]);
  }

  addLinks(links: Link[]): this {
    this.#span.links = [...this.#span.links, ...links];
    return this;
  }

  setStatus({ code }: SpanStatus): this {
    this.#span.isFailed = code === SpanStatusCode.ERROR;
    return this;
  }

  updateName(name: string): this {
    this.#span.name = name;
    return this;
  }

  isRecording(): boolean {
    return !this.#hasEnded;
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#span.endMs = nowMs();
    this.#send(this.#span);
  }
}

const storage = new AsyncLocalStorage<Context>();

/** Carries the current span through asynchronous work. */
export const ownContexts: ContextManager = {
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (now, work, self, ...args) => storage.run(now, () => work.call(self as never, ...args)),
  bind: (now, target) =>
    typeof target === 'function'
      ? (((...args: unknown[]) => storage.run(now, () => target(...args))) as typeof target)
      : target,
  enable: () => ownContexts,
  disable: () => ownContexts,
};

const PARENT = 'traceparent';
/** Matches version 00, and the beginning of later versions. */
const PARENT_FORM = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const NO_ID = /^0+$/;

/**
 * W3C Trace Context: https://www.w3.org/TR/trace-context/. Free text of a caller (`tracestate`) is not accepted, so
 * none is sent to rails.
 */
export const w3cPropagator: TextMapPropagator = {
  fields: () => [PARENT],
  inject: <Carrier>(from: Context, carrier: Carrier, { set }: TextMapSetter<Carrier>) => {
    const span = trace.getSpanContext(from);
    if (!span) return;
    const flags = isSampled(span) ? '01' : '00';
    set(carrier, PARENT, `00-${span.traceId}-${span.spanId}-${flags}`);
  },
  extract: <Carrier>(into: Context, carrier: Carrier, { get }: TextMapGetter<Carrier>) => {
    const args = get(carrier, PARENT);
    const [, traceId, spanId, flags] = (typeof args === 'string' && PARENT_FORM.exec(args)) || [];
    if (!traceId || !spanId || NO_ID.test(traceId) || NO_ID.test(spanId)) return into;
    return trace.setSpanContext(into, {
      traceId,
      spanId,
      traceFlags: Number.parseInt(flags as string, 16) & TraceFlags.SAMPLED,
      isRemote: true,
    });
  },
};

/**
 * Random bytes of the system, fetched many at a time, as digits: a call for each id costs as much as all other work for
 * a span.
 */
const RANDOM_BYTES = 4_096;
let digits = '';
let used = 0;

function randomHex(bytes: number): string {
  if (used + 2 * bytes > digits.length) {
    digits = randomBytes(RANDOM_BYTES).toString('hex');
    used = 0;
  }
  used += 2 * bytes;
  return digits.slice(used - 2 * bytes, used);
}

/**
 * The wall clock in fractions of a millisecond, which `Date.now` does not have; adjusted each second, because the clock may
 * be set.
 */
let anchorMs = 0;
let anchoredAt = Number.NEGATIVE_INFINITY;
const ANCHOR_MS = 1_000;

function nowMs(): number {
  const now = performance.now();
  if (now - anchoredAt > ANCHOR_MS) {
    anchorMs = Date.now() - now;
    anchoredAt = now;
  }
  return anchorMs + now;
}
