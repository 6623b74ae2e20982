/** A provider of spans that is loaded before the gateway, as an operator loads an SDK: prints the name of each request's span. */
import { INVALID_SPAN_CONTEXT, trace } from '@opentelemetry/api';

const tracer = {
  startSpan: () => {
    const span = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
    span.updateName = (name) => process.stdout.write(`span of the loaded provider: ${name}\n`);
    return span;
  },
};
trace.setGlobalTracerProvider({ getTracer: () => tracer });
