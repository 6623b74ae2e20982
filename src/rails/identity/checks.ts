/**
 * Checks of the rail for `doctor`: whether the provider answers and accepts the credentials, and the waiting cases.
 */
import type { Check } from '../../resolvers/services/rail-part.ts';
import { readOpenCaseCounts } from '../../store/account/case-queue.ts';
import { callProvider } from './call.ts';
import type { IdentityParts } from './work.ts';

/** An id that no case has, for a test query. */
const PROBE_SUBJECT = { externalId: 'crx-doctor', providerReference: null };
const COUNT_MAX = 1_000;
const LIMIT_MS = 4_000;

/** @returns the checks. */
export async function checkAll(parts: IdentityParts): Promise<readonly Check[]> {
  return [await providerCheck(parts), await waitingCheck(parts), callbackCheck(parts)];
}

async function providerCheck({ tools, profile, times }: IdentityParts): Promise<Check> {
  const check = 'provider';
  const since = performance.now();
  try {
    await callProvider(
      profile,
      profile.find(PROBE_SUBJECT),
      Math.min(times.timeoutMs, LIMIT_MS),
      tools.database.nowMs(),
    );
    const ms = Math.round(performance.now() - since);
    return {
      check,
      ok: true,
      detail: `${profile.kind} answers in ${ms} ms; levels ${profile.levels.join(', ')}`,
    };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { check, ok: false, detail: `${words}; customers wait until it answers, and none passes` };
  }
}

async function waitingCheck({ tools }: IdentityParts): Promise<Check> {
  const { waiting, failing, oldestSeconds, failure } = await readOpenCaseCounts(
    tools.database,
    tools.mode,
    COUNT_MAX,
  );
  const oldest = waiting > 0 ? `, the oldest for ${Math.floor(oldestSeconds / 60)} minutes` : '';
  const failed = failing > 0 ? `; of ${failing} the last request failed: ${failure}` : '';
  return { check: 'cases', ok: failing === 0, detail: `${waiting} wait for the provider${oldest}${failed}` };
}

function callbackCheck({ tools, profile }: IdentityParts): Check {
  const path = `/rails/${tools.mode}/identity`;
  const detail = profile.readCallback
    ? `signed callbacks come to ${path}`
    : 'no callbacks: decisions are found by polling alone';
  return { check: 'callbacks', ok: true, detail };
}
