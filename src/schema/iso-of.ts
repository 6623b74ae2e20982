/** Instants in GraphQL's form. */
import { type Instant, isoMillis } from '../base/time/instant.ts';

/** @returns the instant with full precision, whether Prisma or a prepared statement read it. */
export function isoOf(value: Date | Instant): string {
  return value instanceof Date ? value.toISOString() : isoMillis(value);
}
