/** A call of a rail: a span if it belongs to a trace, and a measure of its outcome and time. */
import type { Attributes } from '@opentelemetry/api';
import { type CalledRail, measure } from './measures.ts';
import { traceCall } from './spans.ts';

/** Status of HTTP from which an answer counts as a failure. */
const FAILURE_MIN = 500;

/** A rail, and the name of the call with attributes of its span. */
export interface RailCall {
  readonly rail: CalledRail;
  readonly name: string;
  readonly attributes?: Attributes;
}

/**
 * Calls a rail.
 * @param call - receives the header fields that continue the trace there, as in `traceCall`.
 */
export async function callRail<Result>(
  { rail, name, attributes }: RailCall,
  call: (fields: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  const begunAt = performance.now();
  let isFailed = true;
  try {
    const result = await traceCall(name, { 'crossramp.rail': rail, ...attributes }, call);
    isFailed = Number((result as { readonly status?: unknown } | undefined)?.status) >= FAILURE_MIN;
    return result;
  } finally {
    measure((by) => by.call(rail, isFailed, (performance.now() - begunAt) / 1_000));
  }
}
