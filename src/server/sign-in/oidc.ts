/**
 * Sign-in by a provider (OpenID Connect): authorization code flow with PKCE, state and nonce. The data of one attempt
 * is in a cookie of that browser, so an answer that was begun in another browser is worthless.
 */
import * as openid from 'openid-client';
import { GatewayError } from '../../base/errors/errors.ts';
import { CONSOLE_PATH, consoleOrigin } from '../../base/pages/console-url.ts';
import type { Config } from '../../config.ts';
import type { Claims } from '../../resolvers/people/identities.ts';
import type { Exchange } from '../http/http.ts';

/** Path that leads to the provider. */
export const OIDC_PATH = `${CONSOLE_PATH}/oidc`;
/** Path to which the provider leads back. */
export const OIDC_CALLBACK_PATH = `${OIDC_PATH}/callback`;

/** The provider. */
export interface Provider {
  /**
   * @param next - page at which the person continues.
   * @returns the provider's address for the browser, and the cookie that the browser stores until its return.
   * @throws {GatewayError} `UNAVAILABLE`.
   */
  readonly begin: (next: string) => Promise<{ readonly location: string; readonly cookie: string }>;
  /**
   * @returns the provider's claims, and the page at which the person continues, from the browser's cookie.
   * @throws {GatewayError} `UNAUTHORIZED` for an answer that does not belong to this browser.
   */
  readonly finish: (
    exchange: Pick<Exchange, 'request' | 'search'>,
  ) => Promise<{ readonly claims: Claims; readonly next: string }>;
  /** The cookie that ends an attempt. */
  readonly cookieEnd: string;
}

const SIGN_IN_SECONDS = 600;
const PART = '[\\w~.-]{20,200}';
/** Page at which the person continues, in base64url; a longer path is left out. */
const NEXT = '[\\w-]{0,1000}';
const NEXT_MAX = 750;

/** @returns the configured provider. */
export function oidcProvider(settings: NonNullable<Config['oidc']>, publicUrl: string): Provider {
  const isSecure = publicUrl.startsWith('https:');
  const name = isSecure ? '__Host-oidc' : 'oidc';
  const traits = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const form = new RegExp(`(?:^|;\\s*)${name}=(${PART})!(${PART})!(${PART})!(${NEXT})(?:;|$)`);
  const redirectUri = `${consoleOrigin(publicUrl)}${OIDC_CALLBACK_PATH}`;
  const find = discovery(settings);
  return {
    begin: async (next) => {
      const configuration = await find();
      const [state, nonce, verifier] = [
        openid.randomState(),
        openid.randomNonce(),
        openid.randomPKCECodeVerifier(),
      ];
      const location = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid email',
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      const encodedNext = next.length <= NEXT_MAX ? Buffer.from(next).toString('base64url') : '';
      const cookie = `${name}=${state}!${nonce}!${verifier}!${encodedNext}; ${traits}; Max-Age=${SIGN_IN_SECONDS}`;
      return { location: location.href, cookie };
    },
    finish: async ({ request, search }) => {
      const [, state, nonce, verifier, encodedNext] = form.exec(request.headers.cookie ?? '') ?? [];
      if (state === undefined || nonce === undefined || verifier === undefined || encodedNext === undefined)
        throw refusal(new Error('the browser sent no cookie of a sign-in begun within ten minutes'));
      const configuration = await find();
      try {
        const tokens = await openid.authorizationCodeGrant(
          configuration,
          new URL(`${redirectUri}?${search}`),
          {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: verifier,
            idTokenExpected: true,
          },
        );
        const claims = await claimsOf(configuration, tokens, settings.trustsEmail);
        return { claims, next: Buffer.from(encodedNext, 'base64url').toString() };
      } catch (error) {
        throw refusal(error);
      }
    },
    cookieEnd: `${name}=; ${traits}; Max-Age=0`,
  };
}

/** The e-mail address is in the token, or at the provider's user-info endpoint. */
async function claimsOf(
  configuration: openid.Configuration,
  tokens: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers,
  trustsEmail: boolean,
): Promise<Claims> {
  const token = tokens.claims();
  if (!token) throw new Error('the provider sent no ID token');
  const { iss: issuer, sub: subject } = token;
  const text =
    token.email === undefined
      ? await openid.fetchUserInfo(configuration, tokens.access_token, subject)
      : token;
  return {
    issuer,
    subject,
    email: typeof text.email === 'string' ? text.email : undefined,
    isVerified: isVerified(text.email_verified, trustsEmail),
  };
}

/** Some providers send the claim as text; some do not send it at all. */
function isVerified(claim: unknown, trustsEmail: boolean): boolean {
  return claim === undefined ? trustsEmail : claim === true || claim === 'true';
}

/** @returns a function that discovers the provider once; a failure is not cached. */
function discovery({
  issuer,
  clientId,
  clientSecret,
}: NonNullable<Config['oidc']>): () => Promise<openid.Configuration> {
  let found: Promise<openid.Configuration> | undefined;
  const server = new URL(issuer);
  // Settings allow plain http for a provider on this machine only.
  const insecure = server.protocol === 'http:' ? [openid.allowInsecureRequests] : [];
  // Signatures of ID tokens are always checked, even if the token arrived over TLS.
  const options = { execute: [openid.enableNonRepudiationChecks, ...insecure] };
  return () => {
    found ??= openid.discovery(server, clientId, clientSecret, undefined, options).catch((cause: unknown) => {
      found = undefined;
      throw new GatewayError('UNAVAILABLE', 'the sign-in provider does not answer as configured', {
        retryAfter: 5,
        cause,
      });
    });
    return found;
  };
}

function refusal(cause: unknown): GatewayError {
  return new GatewayError(
    'UNAUTHORIZED',
    'the answer of the provider does not belong to this browser, or came too late',
    { cause },
  );
}
