/** Spans of the process of a test, from one call to the other. */
import { context, propagation, trace } from '@opentelemetry/api';
import { type EndedSpan, ownContexts, ownTracer, w3cPropagator } from '../../src/base/trace/own-provider.ts';
import { startSpans } from '../../src/base/trace/spans.ts';

/** Recorded spans. */
export interface SpanRecord {
  readonly ended: readonly EndedSpan[];
  /** @returns the names of the spans from the first of its trace down to each span of this name. */
  readonly pathsTo: (name: string) => readonly string[];
  readonly stop: () => void;
}

/** Records all spans. Test files share processes, so that a file has to stop it. */
export function recordSpans(): SpanRecord {
  const ended: EndedSpan[] = [];
  context.setGlobalContextManager(ownContexts);
  propagation.setGlobalPropagator(w3cPropagator);
  startSpans(ownTracer({ heedsParent: true, ratio: 1 }, (span) => ended.push(span)));
  const pathOf = ({ name, parentSpanId }: EndedSpan): string => {
    const above = ended.find(({ context: { spanId } }) => spanId === parentSpanId);
    return above ? `${pathOf(above)} > ${name}` : name;
  };
  return {
    ended,
    pathsTo: (name) => ended.filter((span) => span.name === name).map(pathOf),
    stop: () => {
      startSpans(undefined);
      context.disable();
      propagation.disable();
      trace.disable();
    },
  };
}
