/** The broad status of a step as a code, for programs: its label is for people. */
import { STATUS, type Step } from './define.ts';

/** What each status means. */
export const STATUS_CODES = {
  CREATED: 'It exists; nobody is asked to pay yet.',
  PENDING: 'It waits for a payment, a check, or a decision.',
  PROCESSING: 'It was paid or reserved, and is being carried out.',
  SUCCESS: 'It is done.',
  PARTIAL_SUCCESS: 'A part of it is done.',
  FAILED: 'It could not be carried out.',
  EXPIRED: 'Nothing was paid in time.',
  CANCELLED: 'It was ended before it was carried out.',
  REFUNDED: 'What was paid went back.',
  UNKNOWN: 'It is imported history at a step that the catalogue does not have.',
} as const;
/** One of STATUS_CODES. */
export type StatusCode = keyof typeof STATUS_CODES;

const CODES: ReadonlyMap<string, StatusCode> = new Map(
  Object.keys(STATUS).map((label) => [label, label.toUpperCase().replace(' ', '_') as StatusCode]),
);

/** @returns the code of a step's status. */
export function statusCodeOf(step: Step): StatusCode {
  return CODES.get(step.status.en) ?? 'UNKNOWN';
}
