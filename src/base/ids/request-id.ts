/** Ids of requests: UUIDs that begin with the time (version 7, RFC 9562), so that an index of them grows at its end. */
import { randomUUID } from 'node:crypto';

const made = { ms: 0, time: '' };
/** Index of the random part of a UUID. */
const RANDOM = 15;

/** @returns a new id. */
export function newRequestId(): string {
  const ms = Date.now();
  if (ms !== made.ms) Object.assign(made, { ms, time: timePart(ms) });
  return made.time + randomUUID().slice(RANDOM);
}

function timePart(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
}
