/** Queries the status of the configured rails. */
import { within } from '../../base/concurrency/within.ts';
import type { NamedRail, RailCheck } from '../services/rail-part.ts';

/** A check, with the rail that it is about. */
export interface NamedCheck extends RailCheck {
  /** `pix`, `rates` …, or a network such as `ETH`. */
  readonly rail: string;
}

const LIMIT_MS = 5_000;
const WORDS_MAX = 300;

/** @returns the checks of each rail; one that does not answer in five seconds fails. */
export async function checkRails(rails: readonly NamedRail[]): Promise<readonly NamedCheck[]> {
  const checks = await Promise.all(
    rails.map(async ({ name, part }) => {
      const answer = await answerOf(part.checks);
      return answer.map((check) => ({ ...check, rail: name }));
    }),
  );
  return checks.flat();
}

async function answerOf(checks: NamedRail['part']['checks']): Promise<readonly RailCheck[]> {
  const late = () => new Error(`none in ${LIMIT_MS / 1_000} s`);
  return within(LIMIT_MS, checks(), late).catch((error: unknown) => {
    const detail = error instanceof Error ? error.message : String(error);
    return [{ check: 'answer', ok: false, detail: detail.slice(0, WORDS_MAX) }];
  });
}
