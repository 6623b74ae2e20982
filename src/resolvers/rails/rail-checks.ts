/** Queries the status of the configured rails. */
import { within } from '../../base/concurrency/within.ts';
import type { Check, NamedRail } from '../services/rail-part.ts';

/** A check, with the rail that it is about. */
export interface NamedCheck extends Check {
  /** `pix`, `rates` …, or a network such as `ETH`. */
  readonly rail: string;
}

const LIMIT_MS = 5_000;
const WORDS_MAX = 300;

/**
 * @param otherReason - gives the reason for a late answer that lies outside of the rail.
 * @returns the checks of each rail; one that does not answer in five seconds fails.
 */
export async function checkRails(
  rails: readonly NamedRail[],
  otherReason: () => Error | undefined = () => undefined,
): Promise<readonly NamedCheck[]> {
  const checks = await Promise.all(
    rails.map(async ({ name, part }) => {
      const answer = await answerOf(part.checks, otherReason);
      return answer.map((check) => ({ ...check, rail: name }));
    }),
  );
  return checks.flat();
}

async function answerOf(
  checks: NamedRail['part']['checks'],
  otherReason: () => Error | undefined,
): Promise<readonly Check[]> {
  const late = () => otherReason() ?? new Error(`none in ${LIMIT_MS / 1_000} s`);
  return within(LIMIT_MS, checks(), late).catch((error: unknown) => {
    const detail = error instanceof Error ? error.message : String(error);
    return [{ check: 'answer', ok: false, detail: detail.slice(0, WORDS_MAX) }];
  });
}
