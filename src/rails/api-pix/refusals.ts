/** Answers by which a provider refuses an order permanently. */
import { PspProblem } from './http.ts';
import type { ApiPixSettings } from './settings.ts';

/** Statuses of a refusal by a bank without the standard's error types. Other statuses concern access or load. */
const REFUSED: readonly number[] = [400, 422];

/** @param types - error types of the standard that mean a refusal. */
export function isRefused(
  problem: unknown,
  errors: ApiPixSettings['errors'],
  types: readonly string[],
): boolean {
  if (!(problem instanceof PspProblem)) return false;
  return types.includes(problem.type) || (errors === 'own' && REFUSED.includes(problem.status));
}
