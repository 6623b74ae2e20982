/**
 * Spans of OpenTelemetry (decision 0081): requests, batches, statements, jobs, deliveries and calls of rails. Before
 * `startSpans` is called, each function here only runs its work. Attributes are names in the code and ids of the
 * gateway, never a value from a caller, payer or rail.
 */
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** Header fields by name in lower case, as in Node. */
type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

let tracer: Tracer | undefined;

/** Creates spans after this call; undefined stops it. */
export function startSpans(by: Tracer | undefined): void {
  tracer = by;
}

/** @returns the id of the work's trace: 32 hexadecimal digits; undefined without one that is recorded. */
export function traceAtWork(): string | undefined {
  return tracer && recordedTrace(trace.getActiveSpan());
}

/** The id of a trace that the sampler left out leads nowhere, so no error and no log line names it. */
function recordedTrace(span: Span | undefined): string | undefined {
  const found = span?.spanContext();
  if (!found || (found.traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
  return found.traceId;
}

/** The span of a request, which ends when its answer has ended. */
export interface RequestSpan {
  /** Undefined for a trace that is not recorded. */
  readonly traceId: string | undefined;
  /** Runs work below the span. */
  readonly run: <Result>(work: () => Result) => Result;
  readonly end: (name: string, attributes: Attributes, isFailed: boolean) => void;
}

/**
 * @param fields - header fields of the request; `traceparent` continues the trace of the caller. @returns undefined
 * without traces.
 */
export function startRequestSpan(fields: Fields): RequestSpan | undefined {
  if (!tracer) return undefined;
  const from = propagation.extract(ROOT_CONTEXT, fields);
  const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, from);
  const below = trace.setSpan(from, span);
  return {
    traceId: recordedTrace(span),
    run: (work) => context.with(below, work),
    end: (name, attributes, isFailed) => {
      span.updateName(name);
      span.setAttributes(attributes);
      if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Runs work in a span: below the current one, or as the first of a new trace. */
export function traceWork<Result>(
  name: string,
  attributes: Attributes,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!tracer) return work();
  const span = tracer.startSpan(name, { attributes });
  return endWith(span, context.with(trace.setSpan(context.active(), span), work));
}

/**
 * Makes a call to another program in a span if it belongs to a trace, which background polls do not.
 * @param call - receives the header fields that continue the trace there, in lower case; none without a trace.
 */
export function traceCall<Result>(
  name: string,
  attributes: Attributes,
  call: (fields: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  const above = context.active();
  if (!tracer || !trace.getSpan(above)) return call({});
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, above);
  const below = trace.setSpan(above, span);
  const fields: Record<string, string> = {};
  propagation.inject(below, fields);
  return endWith(
    span,
    context.with(below, () => call(fields)),
  );
}

/** Measures the time of a statement until its answer, if it belongs to a trace. @returns the answer. */
export function traceStatement<Result>(name: string, answer: Promise<Result>): Promise<Result> {
  if (!tracer) return answer;
  const above = context.active();
  if (!trace.getSpan(above)?.isRecording()) return answer;
  const span = tracer.startSpan(name || 'statement', STATEMENT, above);
  answer.then(
    () => span.end(),
    (error: unknown) => fail(span, error),
  );
  return answer;
}

const STATEMENT: SpanOptions = {
  kind: SpanKind.CLIENT,
  attributes: { 'db.system.name': 'postgresql' },
};

/** A trace that requests a batch; undefined without traces. */
export type BatchSpan = Context | undefined;

/** @returns the span of the current work, for a batch that it requests. */
export function presentSpan(): BatchSpan {
  return tracer && context.active();
}

/** Runs work for several traces: its span is below the first trace, with links to the others. */
export function traceBatch<Result>(
  requests: readonly BatchSpan[],
  work: () => Promise<Result>,
): Promise<Result> {
  if (!tracer) return work();
  const spans = requests.flatMap((each) => (each && trace.getSpan(each)?.spanContext()) || []);
  const [first, ...others] = spans;
  if (!first) return context.with(ROOT_CONTEXT, work);
  const links = others.filter(({ traceId }) => traceId !== first.traceId).map((of) => ({ context: of }));
  const attributes = { 'crossramp.batch.size': requests.length };
  const above = trace.setSpanContext(ROOT_CONTEXT, first);
  const span = tracer.startSpan('batch', { attributes, links }, above);
  return endWith(span, context.with(trace.setSpan(above, span), work));
}

function endWith<Result>(span: Span, work: Promise<Result>): Promise<Result> {
  work.then(
    () => span.end(),
    (error: unknown) => fail(span, error),
  );
  return work;
}

/** A message can contain input of callers: a span has only the name of an error. */
function fail(span: Span, error: unknown): void {
  const { name, code } = error as { readonly name?: unknown; readonly code?: unknown };
  span.setAttribute('error.type', String(typeof code === 'string' ? code : name));
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
