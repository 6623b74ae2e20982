/** Moments as GraphQL gives them. */
import { type Instant, isoMillis } from '../base/time/instant.ts';

/** @returns the moment with all its precision, whether Prisma read it or a prepared statement. */
export function isoOf(value: Date | Instant): string {
  return value instanceof Date ? value.toISOString() : isoMillis(value);
}
