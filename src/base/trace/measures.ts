/**
 * Measures of the process for its metrics: batches, calls and orders of rails, reached limits. Nothing is measured
 * until a metrics listener subscribes. Each label has few values, all of which are names in the code.
 */

/** Limits that can be reached. */
export const LIMITS = [
  'key',
  'address',
  'account',
  'person',
  'page',
  'pix_keys',
  'customer_day',
  'customer_step_up',
  'outflow_threshold',
  'outflow_ceiling',
] as const;
/** A member of LIMITS. */
export type LimitName = (typeof LIMITS)[number];

/** Programs and services outside of the gateway that rails call. */
export const CALLED = ['pix', 'node', 'signer', 'identity', 'screening', 'rates'] as const;
/** A member of CALLED. */
export type CalledRail = (typeof CALLED)[number];

/** An order that a rail ended. */
export interface EndedOrder {
  readonly mode: string;
  /** `pix`, or a network such as `TRX`. */
  readonly rail: string;
  readonly isDone: boolean;
  /** Duration from the order to its end. */
  readonly ms: number;
}

/** Takes measures. */
export interface Measures {
  /** @param waits - seconds that each request waited for the batch to begin. */
  readonly batch: (waits: readonly number[]) => void;
  readonly call: (rail: CalledRail, isFailed: boolean, seconds: number) => void;
  readonly order: (order: EndedOrder) => void;
  readonly limit: (name: LimitName) => void;
}

const takers = new Set<Measures>();

/** Adds a receiver of measures. @returns the function that removes it. */
export function addMeasures(by: Measures): () => void {
  takers.add(by);
  return () => void takers.delete(by);
}

/** Passes a measure to all receivers. */
export function measure(note: (by: Measures) => void): void {
  for (const each of takers) note(each);
}

/** Records that a limit refused a request, or made it wait. */
export function noteLimit(name: LimitName): void {
  measure((by) => by.limit(name));
}
