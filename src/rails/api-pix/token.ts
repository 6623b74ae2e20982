/**
 * OAuth 2.0 tokens by client credentials. A token is used until a minute before it expires; only one request for a
 * token runs at a time.
 */
import { type Call, type Caller, jsonOf, PspUnavailable } from './http.ts';
import type { ApiPixSettings } from './settings.ts';

/** Supplies tokens. */
export interface Tokens {
  /** @returns a token that is valid for at least a minute. @throws {PspUnavailable} {PspProblem} */
  readonly get: () => Promise<string>;
  /** Marks a refused token, which is not used again. */
  readonly refused: (token: string) => void;
  /**
   * @returns requested scopes that the current token lacks; empty if the provider does not name the granted scopes.
   */
  readonly lacking: () => readonly string[];
}

/** Settings of token requests. */
type TokenSettings = Pick<
  ApiPixSettings,
  'tokenUrl' | 'clientId' | 'clientSecret' | 'tokenBy' | 'tokenFormat' | 'tokenQuery' | 'scopes'
>;

const EARLY_MS = 60_000;
/** Assumed lifetime of a token if the provider does not name it. */
const VALID_SECONDS = 300;

/** @param now - monotonic clock. Unit: ms. */
export function createTokens(
  call: Caller,
  settings: TokenSettings,
  now: () => number = () => performance.now(),
): Tokens {
  let current:
    | { readonly token: string; readonly untilMs: number; readonly lacking: readonly string[] }
    | undefined;
  let fetching: Promise<string> | undefined;
  const fetchToken = async () => {
    const answer = await call(tokenRequest(settings));
    const {
      access_token: token,
      expires_in: seconds,
      scope,
    } = (jsonOf(answer) ?? {}) as Record<string, unknown>;
    if (typeof token !== 'string' || token === '') throw new PspUnavailable('the answer has no access_token');
    const valid = typeof seconds === 'number' && seconds > 0 ? seconds : VALID_SECONDS;
    const granted = typeof scope === 'string' && scope !== '' ? scope.split(/[ ,]+/) : settings.scopes;
    const lacking = settings.scopes.filter((each) => !granted.includes(each));
    current = { token, untilMs: now() + valid * 1_000, lacking };
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
    lacking: () => current?.lacking ?? [],
  };
}

function tokenRequest(settings: TokenSettings): Call {
  const { tokenUrl, clientId, clientSecret, tokenBy, tokenFormat, tokenQuery, scopes } = settings;
  const query = new URLSearchParams(tokenQuery).toString();
  const body = {
    // Providers with `grant_type` in the query do not accept it in the body.
    ...(!('grant_type' in tokenQuery) && { grant_type: 'client_credentials' }),
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(tokenBy === 'form' && { client_id: clientId }),
    ...(tokenBy === 'form' && clientSecret !== null && { client_secret: clientSecret }),
  };
  const isJson = tokenFormat === 'json';
  return {
    method: 'POST',
    url: query === '' ? tokenUrl : `${tokenUrl}${tokenUrl.includes('?') ? '&' : '?'}${query}`,
    headers: {
      ...(tokenBy === 'basic' && {
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      }),
      'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: isJson ? JSON.stringify(body) : new URLSearchParams(body).toString(),
  };
}
