/**
 * The provider of spans where no SDK of OpenTelemetry was loaded: ids, sampling, the context of asynchronous work, W3C Trace
 * Context. An SDK does the same and more, with 57 MB of packages and five times the work for a span (decision 0081).
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

/** @param send - gets each span of a sampled trace when it has ended. */
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

class OwnSpan implements Span {
  readonly #context: SpanContext;
  readonly #parentSpanId: string | undefined;
  readonly #kind: SpanKind;
  readonly #startMs = nowMs();
  readonly #attributes: Attributes;
  readonly #links: Link[];
  readonly #send: (span: EndedSpan) => void;
  #name: string;
  #isFailed = false;
  #hasEnded = false;

  constructor(
    own: SpanContext,
    parentSpanId: string | undefined,
    name: string,
    { kind = SpanKind.INTERNAL, attributes, links = [] }: SpanOptions,
    send: (span: EndedSpan) => void,
  ) {
    this.#context = own;
    this.#parentSpanId = parentSpanId;
    this.#name = name;
    this.#kind = kind;
    this.#attributes = { ...attributes };
    this.#links = links;
    this.#send = send;
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  setAttribute(key: string, value: AttributeValue): this {
    this.#attributes[key] = value;
    return this;
  }

  setAttributes(attributes: Attributes): this {
    Object.assign(this.#attributes, attributes);
    return this;
  }

  /** Events and exceptions have messages, which may contain input of callers: none is recorded. */
  addEvent(): this {
    return this;
  }

  recordException(): void {}

  addLink(link: Link): this {
    this.#links.push(link);
    return this;
  }

  addLinks(links: Link[]): this {
    this.#links.push(...links);
    return this;
  }

  setStatus({ code }: SpanStatus): this {
    this.#isFailed = code === SpanStatusCode.ERROR;
    return this;
  }

  updateName(name: string): this {
    this.#name = name;
    return this;
  }

  isRecording(): boolean {
    return !this.#hasEnded;
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#send({
      context: this.#context,
      parentSpanId: this.#parentSpanId,
      name: this.#name,
      kind: this.#kind,
      startMs: this.#startMs,
      endMs: nowMs(),
      attributes: this.#attributes,
      links: this.#links,
      isFailed: this.#isFailed,
    });
  }
}

const storage = new AsyncLocalStorage<Context>();

/** Carries the span at work through asynchronous work. */
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
/** Version 00, and the beginning of later ones. */
const PARENT_FORM = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const NO_ID = /^0+$/;

/**
 * W3C Trace Context: https://www.w3.org/TR/trace-context/. Free text of a caller (`tracestate`) is not accepted, so none is
 * sent to rails.
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

/** The system's random bytes, many at a time, as digits: a call for each id costs as much as all other work for a span. */
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
