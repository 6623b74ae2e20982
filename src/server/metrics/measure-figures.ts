/** Measures of the process as metrics: batches, calls and orders of rails, reached limits. */
import { Counter, Histogram, type Registry } from 'prom-client';
import { CALLED, LIMITS, type Measures } from '../../base/trace/measures.ts';

/** Upper bounds. Unit: seconds. */
const WAIT_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const CALL_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const ORDER_BUCKETS = [1, 5, 15, 30, 60, 300, 900, 3_600, 21_600];
/** Upper bounds. Unit: requests. */
const SIZE_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200];
const OUTCOMES = ['answered', 'failed'] as const;

/**
 * Adds the measures to a registry. A counter that can alert begins at 0, because a series that begins above 0 shows no
 * increase.
 */
export function measureFigures(registry: Registry): Measures {
  const registers = [registry];
  const histogram = (
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: readonly string[] = [],
  ) => new Histogram({ name: `crossramp_${name}`, help, buckets: [...buckets], labelNames, registers });
  const counter = (name: string, help: string, labelNames: readonly string[]) =>
    new Counter({ name: `crossramp_${name}`, help, labelNames, registers });
  const size = histogram('batch_size', 'Requests that a batch of writes committed together.', SIZE_BUCKETS);
  const wait = histogram(
    'batch_wait_seconds',
    'Time from a request to the beginning of its batch.',
    WAIT_BUCKETS,
  );
  const calls = counter(
    'rail_calls_total',
    'Calls of rails: answered, or failed where there was no answer or one of an error of the server.',
    ['rail', 'outcome'],
  );
  const callTime = histogram('rail_call_duration_seconds', 'Time of a call of a rail.', CALL_BUCKETS, [
    'rail',
  ]);
  const orders = counter(
    'rail_orders_total',
    'Orders to pay out or to return money that this process saw end: done or failed.',
    ['mode', 'rail', 'outcome'],
  );
  const orderTime = histogram(
    'rail_order_duration_seconds',
    'Time from such an order to its end.',
    ORDER_BUCKETS,
    ['mode', 'rail'],
  );
  const limits = counter(
    'limits_reached_total',
    'Requests that a limit refused, or money that it held, by limit.',
    ['limit'],
  );
  for (const rail of CALLED) for (const outcome of OUTCOMES) calls.inc({ rail, outcome }, 0);
  for (const limit of LIMITS) limits.inc({ limit }, 0);
  return {
    batch: (waits) => {
      size.observe(waits.length);
      for (const seconds of waits) wait.observe(seconds);
    },
    call: (rail, isFailed, seconds) => {
      calls.inc({ rail, outcome: isFailed ? 'failed' : 'answered' });
      callTime.observe({ rail }, seconds);
    },
    order: ({ mode, rail, isDone, ms }) => {
      orders.inc({ mode, rail, outcome: isDone ? 'done' : 'failed' });
      orderTime.observe({ mode, rail }, ms / 1_000);
    },
    limit: (limit) => limits.inc({ limit }),
  };
}
