/**
 * The session of a person over HTTP: its cookie, its check, and the proof that a request comes from our own pages. With https
 * the cookie is `__Host-session`; over plain http, which browsers trust on `localhost` only, it is `session`.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { formToken, isPersonToken, newPersonToken } from '../../base/access/person-token.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { callerOfSession, type PersonCaller } from '../../resolvers/people/signed-in.ts';
import type { Services } from '../../resolvers/services/context.ts';
import { SESSION_MS, touchSession } from '../../store/people/person-sessions.ts';
import type { Exchange } from '../http/http.ts';

/** A signed-in person, and the token that the forms of this session carry. */
export interface SignedIn {
  readonly caller: PersonCaller;
  /** Token of the session. */
  readonly token: string;
  /** Value of the field `csrf` of every form. */
  readonly csrf: string;
}

/** The sessions of the console. */
export interface ConsoleSessions {
  /** @returns the signed-in person; undefined without one. */
  readonly find: (exchange: Pick<Exchange, 'request'>) => Promise<SignedIn | undefined>;
  /** @returns the `Set-Cookie` headers that begin a session, and mark the browser for later sign-ins. */
  readonly begin: (token: string) => readonly string[];
  /**
   * @returns the mark of a browser in which a person has signed in before; undefined without a mark. The mark grants no
   * access: it counts starts of sign-ins separately, so that others behind the same address do not use up its share.
   */
  readonly deviceOf: (exchange: Pick<Exchange, 'request'>) => string | undefined;
  /** @returns the `Set-Cookie` header that ends the session. */
  readonly end: () => string;
  /** @returns the form token of a visitor who is not signed in, and its `Set-Cookie` header. */
  readonly form: () => { readonly csrf: string; readonly cookie: string };
  /** @returns the expected form token; undefined for a browser that got none. */
  readonly formOf: (exchange: Pick<Exchange, 'request'>) => string | undefined;
}

/** Name of the form field for the form token. */
export const CSRF_FIELD = 'csrf';
/** Record id for which marks of browsers are sealed. */
const DEVICE = 'device of the console';
const DEVICE_BYTES = 12;
const DEVICE_SECONDS = 365 * 86_400;
const TOUCHED_EVERY_MS = 60_000;
const TOUCHED_MAX = 10_000;

/** @returns the sessions under the URL of the gateway. */
export function consoleSessions({
  database,
  publicUrl,
  secrets,
}: Pick<Services, 'database' | 'publicUrl' | 'secrets'>): ConsoleSessions {
  const isSecure = publicUrl.startsWith('https:');
  const name = isSecure ? '__Host-session' : 'session';
  const traits = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const formName = isSecure ? '__Host-form' : 'form';
  const deviceName = isSecure ? '__Host-device' : 'device';
  const tokenIn = (cookie: string, { request }: Pick<Exchange, 'request'>) =>
    new RegExp(`(?:^|;\\s*)${cookie}=([\\w-]{43,45})(?:;|$)`).exec(request.headers.cookie ?? '')?.[1];
  const touched = new Map<string, number>();
  const noteUse = (sessionId: string) => {
    if ((touched.get(sessionId) ?? Number.NEGATIVE_INFINITY) > performance.now() - TOUCHED_EVERY_MS) return;
    if (touched.size >= TOUCHED_MAX) touched.clear();
    touched.set(sessionId, performance.now());
    // Runs in the background: no request waits for it or fails because of it.
    touchSession(database, sessionId, new Date(database.nowMs())).catch(() => touched.delete(sessionId));
  };
  return {
    find: async (exchange) => {
      const token = tokenIn(name, exchange);
      const caller = token === undefined ? undefined : await callerOfSession(database, token);
      if (token === undefined || !caller) return undefined;
      noteUse(caller.person.sessionId);
      return { caller, token, csrf: formToken(token) };
    },
    begin: (token) => {
      const device = secrets.seal(randomBytes(DEVICE_BYTES).toString('base64url'), DEVICE);
      return [
        `${name}=${token}; ${traits}; Max-Age=${SESSION_MS.absolute / 1_000}`,
        `${deviceName}=${device}; ${traits}; Max-Age=${DEVICE_SECONDS}`,
      ];
    },
    deviceOf: ({ request }) => {
      const sealed = new RegExp(`(?:^|;\\s*)${deviceName}=(s1\\.[\\w.-]{1,200})(?:;|$)`).exec(
        request.headers.cookie ?? '',
      )?.[1];
      try {
        return sealed === undefined ? undefined : secrets.open(sealed, DEVICE);
      } catch {
        return undefined;
      }
    },
    end: () => `${name}=; ${traits}; Max-Age=0`,
    form: () => {
      const token = newPersonToken();
      return { csrf: formToken(token), cookie: `${formName}=${token}; ${traits}` };
    },
    formOf: (exchange) => {
      const token = tokenIn(formName, exchange);
      return token === undefined ? undefined : formToken(token);
    },
  };
}

/**
 * Refuses requests that another site causes a browser to send. A browser that reports the origin of a request must
 * report our own page.
 * @throws {GatewayError} `FORBIDDEN`.
 */
export function refuseOtherSites({ request }: Pick<Exchange, 'request'>): void {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new GatewayError('FORBIDDEN', 'forms are accepted from the page itself only');
}

/**
 * Like `refuseOtherSites`; also refuses a form without the token of its session. @throws {GatewayError} `FORBIDDEN`.
 */
export function refuseForgedForm(
  exchange: Pick<Exchange, 'request'>,
  { csrf }: { readonly csrf: string | undefined },
  form: URLSearchParams,
): void {
  refuseOtherSites(exchange);
  const token = form.get(CSRF_FIELD) ?? '';
  if (csrf === undefined || !isPersonToken(token) || !timingSafeEqual(Buffer.from(token), Buffer.from(csrf)))
    throw new GatewayError('FORBIDDEN', 'the form belongs to another session: load the page again');
}

/**
 * @returns whether the browser reports that one of our pages made the request; required for requests with a cookie and
 * without a form token.
 */
export function isFromOwnPage({ request }: Pick<Exchange, 'request'>): boolean {
  return request.headers['sec-fetch-site'] === 'same-origin';
}
