/** HTTP calls of the provider, limited in time and size. */

import { createHash } from 'node:crypto';
import { readAnswer } from '../../base/input/read-answer.ts';
import { callRail } from '../../base/trace/call-rail.ts';
import type { IdentityProfile, ProviderCall } from './profile.ts';
import { ProviderFailure } from './profile.ts';

/** An answer of the provider. */
export interface ProviderAnswer {
  readonly status: number;
  readonly text: string;
  /** SHA-256 of the text, in hexadecimal digits. */
  readonly hash: string;
}

const ANSWER_MAX_BYTES = 262_144;
const PAUSE_MAX_SECONDS = 600;

/**
 * @returns the answer; statuses 404 and 409 count as answers.
 * @throws {ProviderFailure} for other error statuses, and without an answer in time.
 */
export function callProvider(
  profile: IdentityProfile,
  call: ProviderCall,
  timeoutMs: number,
  nowMs: number,
): Promise<ProviderAnswer> {
  return callRail({ rail: 'identity', name: `${call.method} identity` }, () =>
    callOnce(profile, call, timeoutMs, nowMs),
  );
}

async function callOnce(
  profile: IdentityProfile,
  call: ProviderCall,
  timeoutMs: number,
  nowMs: number,
): Promise<ProviderAnswer> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(call.url, {
      method: call.method,
      // Redirects are refused, so that no other host than the configured one gets names and documents.
      redirect: 'error',
      signal,
      headers: {
        accept: 'application/json',
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
        ...profile.headersFor(call, nowMs),
      },
      ...(call.body !== undefined && { body: call.body }),
    });
    const text = await readAnswer(response, ANSWER_MAX_BYTES, tooLong);
    if (!response.ok && response.status !== 404 && response.status !== 409)
      throw new ProviderFailure(`the provider answered ${response.status}`, pauseOf(response));
    return { status: response.status, text, hash: createHash('sha256').update(text).digest('hex') };
  } catch (error) {
    if (error instanceof ProviderFailure) throw error;
    const { cause } = error as { cause?: { code?: string } };
    const words = signal.aborted ? `no answer in ${timeoutMs / 1_000} s` : (cause?.code ?? 'not reachable');
    throw new ProviderFailure(`the provider is unreachable: ${words}`);
  }
}

function tooLong(): ProviderFailure {
  return new ProviderFailure(`the answer has more than ${ANSWER_MAX_BYTES} bytes`);
}

function pauseOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, PAUSE_MAX_SECONDS) * 1_000 : undefined;
}
