/** Answers by which a provider refuses an order permanently. */
import { PspProblem } from './http.ts';
import type { ApiPixSettings } from './settings.ts';

/** Statuses of a refusal by a bank that names no types of the standard; the others are matters of access, or of load. */
const REFUSED: readonly number[] = [400, 422];

/** @param types - of the standard that refuse it. */
export function isRefused(
  problem: unknown,
  errors: ApiPixSettings['errors'],
  types: readonly string[],
): boolean {
  if (!(problem instanceof PspProblem)) return false;
  return types.includes(problem.type) || (errors === 'own' && REFUSED.includes(problem.status));
}
