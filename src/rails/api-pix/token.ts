/** Tokens of OAuth 2.0 by client credentials: used until a minute before their end, and fetched one at a time. */
import { type Caller, jsonOf, PspAway } from './http.ts';
import type { ApiPixSettings } from './settings.ts';

/** Gives out tokens. */
export interface Tokens {
  /**
   * @returns a token that is valid for a minute at least.
   * @throws {PspAway} {PspProblem}
   */
  readonly get: () => Promise<string>;
  /** Reports that a token was refused: it is not used again. */
  readonly refused: (token: string) => void;
}

const EARLY_MS = 60_000;
/** Lifetime of a token when the provider does not name one. */
const VALID_SECONDS = 300;

/** @param now - milliseconds of a clock that never goes back. */
export function createTokens(
  call: Caller,
  {
    tokenUrl,
    clientId,
    clientSecret,
    tokenBy,
    scopes,
  }: Pick<ApiPixSettings, 'tokenUrl' | 'clientId' | 'clientSecret' | 'tokenBy' | 'scopes'>,
  now: () => number = () => performance.now(),
): Tokens {
  let current: { readonly token: string; readonly untilMs: number } | undefined;
  let fetching: Promise<string> | undefined;
  const fetchToken = async () => {
    const answer = await call({
      method: 'POST',
      url: tokenUrl,
      headers: {
        ...(tokenBy === 'basic' && {
          authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        }),
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        scope: scopes.join(' '),
        ...(tokenBy === 'form' && { client_id: clientId }),
        ...(tokenBy === 'form' && clientSecret !== null && { client_secret: clientSecret }),
      }).toString(),
    });
    const { access_token: token, expires_in: seconds } = (jsonOf(answer) ?? {}) as Record<string, unknown>;
    if (typeof token !== 'string' || token === '') throw new PspAway('the answer has no access_token');
    const valid = typeof seconds === 'number' && seconds > 0 ? seconds : VALID_SECONDS;
    current = { token, untilMs: now() + valid * 1_000 };
    return token;
  };
  return {
    get: async () => {
      if (current && current.untilMs - EARLY_MS > now()) return current.token;
      fetching ??= fetchToken().finally(() => {
        fetching = undefined;
      });
      return fetching;
    },
    refused: (token) => {
      if (current?.token === token) current = undefined;
    },
  };
}
