/**
 * Sign-in over HTTP: `/console/sign-in`, links, sign-out, the account of the session, and the person's own sessions.
 */
import type { Logger } from 'pino';
import { ERRORS, GatewayError, notFound } from '../../base/errors/errors.ts';
import { CONSOLE_PATH, consolePathOf } from '../../base/pages/console-url.ts';
import { noteLimit } from '../../base/trace/measures.ts';
import type { Config } from '../../config.ts';
import { type DoorPage, doorPage, PASSKEY_SCRIPT, PASSKEY_SCRIPT_PATH } from '../../pages/sign-in/frame.ts';
import {
  CONFIRM_PATH,
  confirmPage,
  linkPage,
  messagePage,
  REMOVE_PASSKEY_PATH,
  SECURITY_PATH,
  SIGN_IN_PATH,
  SIGN_OUT_PATH,
  SWITCH_PATH,
  securityPage,
  signInPage,
} from '../../pages/sign-in/pages.ts';
import type { SignInWord } from '../../pages/sign-in/words.ts';
import { signInByIdentity } from '../../resolvers/people/identities.ts';
import { acceptLink, isEnough, readLink } from '../../resolvers/people/links.ts';
import { forgetPasskey, ownPasskeys } from '../../resolvers/people/passkeys.ts';
import {
  ownAccounts,
  ownSessions,
  revokeSession,
  signOut,
  switchAccount,
} from '../../resolvers/people/sessions.ts';
import type { Context, Services } from '../../resolvers/services/context.ts';
import { countAttempt } from '../../store/people/sign-in-attempts.ts';
import type { Language } from '../../ui/language.ts';
import { checkMethod } from '../http/check-request.ts';
import { limitedAddress } from '../http/client-address.ts';
import {
  type Exchange,
  GRAPHQL_PATH,
  originOf,
  READ_METHODS,
  readForm,
  send,
  sendText,
} from '../http/http.ts';
import { DOOR_HEADERS, LEADING_HEADERS } from '../http/page-headers.ts';
import { presentError } from '../http/present-error.ts';
import { languageCookie, languageOfRequest } from './console-language.ts';
import { type ConsoleSessions, refuseForgedForm, type SignedIn } from './console-session.ts';
import { OIDC_CALLBACK_PATH, OIDC_PATH, oidcProvider, type Provider } from './oidc.ts';
import { CHALLENGE, type PasskeyParts, passkeyServer } from './passkeys.ts';
import { arriveFromCell, CELL_PATH, type Lead, leadToCell, TRANSFER_PATH } from './transfer.ts';

/** Parts that serve sign-in. */
export interface PeopleParts {
  readonly services: Services;
  readonly sessions: ConsoleSessions;
  readonly log: Logger;
  /** Whether requests are limited at all. */
  readonly isLimited: boolean;
  /** Provider for the sign-in of people; null for none. */
  readonly oidc: Config['oidc'];
}

/**
 * Maximum number of sign-in attempts of one address, in any form and at any process; also of one person who presents a
 * passkey. An attempt that names a known person counts for that person: others behind the same address cannot use up
 * their attempts.
 */
const ATTEMPT_LIMIT = { burst: 20, pauseMs: 5_000 };
/**
 * Maximum number of requests before the person is known: challenges for passkeys, and redirects to and from a sign-in
 * provider. A browser in which a person has signed in before has its own count; all others behind one address share
 * one.
 */
const CHALLENGES = { burst: 600, pauseMs: 200 };
type CountAttempt = PasskeyParts['countAttempt'];
const LINK_PATH = `${CONSOLE_PATH}/link/`;
/** Page after sign-in; a newly invited person can add a passkey first. */
const HOME = CONSOLE_PATH;
const USER_AGENT = 'user-agent';
const STEP_UP = 'step up';

type Serve = (exchange: Exchange, language: Language) => Promise<void>;

/** @returns the handler of these paths; undefined for any other path. */
export function peopleServer(
  parts: PeopleParts,
): (path: string) => ((exchange: Exchange) => Promise<void>) | undefined {
  const countAttempt = attemptCounter(parts);
  const link = linkServer(parts, countAttempt);
  const forms = formServers(parts);
  const provider = parts.oidc && oidcProvider(parts.oidc, parts.services.publicUrl);
  const pages: Readonly<Record<string, Serve>> = {
    ...(provider && oidcServers(parts, provider, countAttempt)),
    [SIGN_IN_PATH]: signInServer(parts),
    [SECURITY_PATH]: securityServer(parts),
    [CONFIRM_PATH]: confirmServer(parts),
    [TRANSFER_PATH]: async (exchange) => {
      await countAttempt(exchange, CHALLENGE);
      const { location, cookie } = await arriveFromCell(parts.services, exchange, parts.sessions.begin);
      leadTo(exchange, location, cookie);
    },
    [PASSKEY_SCRIPT_PATH]: async (exchange) => sendScript(exchange),
  };
  const passkeysAt = passkeyServer({
    ...parts,
    countAttempt,
    contextOf: (exchange) => ownContext(parts, exchange),
  });
  return (path) => {
    const passkeys = passkeysAt(path);
    if (passkeys) return passkeys;
    const isLink = path.startsWith(LINK_PATH);
    const isForm = Object.hasOwn(forms, path);
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    const serve = isLink ? link : isForm ? forms[path] : page;
    if (!serve) return undefined;
    return async (exchange) => {
      exchange.route = isLink ? `${LINK_PATH}{token}` : path;
      exchange.allowed = isLink || isForm ? [...READ_METHODS, 'POST'] : READ_METHODS;
      const language = languageOfRequest(exchange);
      try {
        checkMethod(exchange.request.method, exchange.allowed);
        await serve(exchange, language);
      } catch (error) {
        const refusal = presentError(error, parts.log, exchange.requestId);
        if (refusal.code === 'METHOD_NOT_ALLOWED') throw refusal;
        logReason(parts.log, exchange, refusal);
        const words = wordsOf(path, refusal.code);
        const failure = messagePage(language, path, words, exchange.requestId);
        show(exchange, { ...failure, status: ERRORS[refusal.code].status }, refusal.retryAfter);
      }
    };
  };
}

/**
 * Logs the true reason of a refused sign-in, with details of the library, such as the expected issuer or the wrong
 * claim.
 */
function logReason(log: Logger, { requestId }: Exchange, { cause }: GatewayError): void {
  if (!(cause instanceof Error)) return;
  const { message: reason, cause: inner } = cause;
  const details = inner instanceof Error ? inner.message : inner;
  log.warn({ requestId, reason, ...(details !== undefined && { details }) }, 'sign-in refused');
}

/** Paths of the redirects to the provider and back. */
function oidcServers(
  { services, sessions }: PeopleParts,
  provider: Provider,
  countAttempt: CountAttempt,
): Readonly<Record<string, Serve>> {
  return {
    [OIDC_PATH]: async (exchange) => {
      await countAttempt(exchange, CHALLENGE);
      const { location, cookie } = await provider.begin(nextOf(exchange));
      leadTo(exchange, location, cookie);
    },
    [OIDC_CALLBACK_PATH]: async (exchange) => {
      await countAttempt(exchange, CHALLENGE);
      exchange.response.appendHeader('set-cookie', provider.cookieEnd);
      const { claims, next } = await provider.finish(exchange);
      const userAgent = exchange.request.headers[USER_AGENT] ?? null;
      const token = await signInByIdentity(services, claims, { origin: originOf(exchange), userAgent });
      leadTo(exchange, pathToGoOn(next), sessions.begin(token));
    },
  };
}

function signInServer(parts: PeopleParts): Serve {
  return async (exchange, language) => {
    const next = nextOf(exchange);
    if (await parts.sessions.find(exchange))
      return next === HOME ? lead(exchange, HOME, language) : leadTo(exchange, next);
    show(
      exchange,
      signInPage(language, next, parts.oidc ? `${OIDC_PATH}?next=${encodeURIComponent(next)}` : null),
    );
  };
}

function confirmServer(parts: PeopleParts): Serve {
  return async (exchange, language) => {
    const signedIn = await parts.sessions.find(exchange);
    if (!signedIn) return lead(exchange, SIGN_IN_PATH, language);
    const { caller } = signedIn;
    const traits = { hasPasskey: caller.person.hasPasskey, isTest: caller.mode === 'test' };
    show(exchange, confirmPage(language, nextOf(exchange), traits));
  };
}

/** Page at which a person continues: one of the console, or GraphiQL. */
function nextOf({ search }: Exchange): string {
  return pathToGoOn(new URLSearchParams(search).get('next'));
}

function pathToGoOn(next: string | null): string {
  return next === GRAPHQL_PATH ? next : consolePathOf(next);
}

/**
 * @returns the context of the signed-in person.
 * @throws {GatewayError} `UNAUTHORIZED`.
 */
async function ownContext(parts: PeopleParts, exchange: Exchange): Promise<Context> {
  const signedIn = await parts.sessions.find(exchange);
  if (!signedIn) throw new GatewayError('UNAUTHORIZED', 'no one is signed in');
  return contextOf(parts, exchange, signedIn);
}

function sendScript(exchange: Exchange): void {
  const headers = { 'cache-control': 'public, max-age=31536000, immutable' };
  sendText(exchange, 200, 'text/javascript; charset=utf-8', PASSKEY_SCRIPT, headers);
}

/** A link can be opened any number of times; sending its form consumes it. */
function linkServer({ services, sessions }: PeopleParts, countAttempt: CountAttempt): Serve {
  return async (exchange, language) => {
    const token = exchange.path.slice(LINK_PATH.length);
    const signedIn = await sessions.find(exchange);
    const open = await readLink(services, token).catch(async (error: unknown) => {
      // A signed-in person needs no link.
      if (signedIn && error instanceof GatewayError && error.code === 'NOT_FOUND') return null;
      // Only wrong links count as attempts: a valid link names its person.
      await countAttempt(exchange);
      throw error;
    });
    if (!open) return lead(exchange, HOME, language);
    if (exchange.request.method === 'POST') {
      refuseForgedForm(exchange, { csrf: sessions.formOf(exchange) }, await readForm(exchange));
      const device = { origin: originOf(exchange), userAgent: exchange.request.headers[USER_AGENT] ?? null };
      const session = await acceptLink(services, token, device, signedIn?.caller);
      return lead(
        exchange,
        open.kind === 'INVITATION' ? SECURITY_PATH : HOME,
        language,
        sessions.begin(session),
      );
    }
    const { mode } = await services.forAccount(open.accountId);
    const { csrf, cookie } = sessions.form();
    exchange.response.appendHeader('set-cookie', cookie);
    const traits = { isEnough: isEnough(open, signedIn?.caller), isTest: mode === 'sandbox', csrf };
    show(exchange, linkPage(language, exchange.path, open, traits));
  };
}

function securityServer(parts: PeopleParts): Serve {
  return async (exchange, language) => {
    const signedIn = await parts.sessions.find(exchange);
    if (!signedIn) return lead(exchange, SIGN_IN_PATH, language);
    const { caller, csrf } = signedIn;
    const context = await contextOf(parts, exchange, signedIn);
    const { name, email, sessionId } = caller.person;
    const own = { name, email, sessionId, csrf, accountId: caller.accountId, isTest: caller.mode === 'test' };
    const lists = {
      accounts: await ownAccounts(context),
      sessions: await ownSessions(context),
      passkeys: await ownPasskeys(context),
    };
    show(exchange, securityPage(language, { ...own, ...lists }));
  };
}

/**
 * The forms of signed-in people, and their targets: sign-out ends the session by a cookie; another cell has its own
 * address.
 */
function formServers(parts: PeopleParts): Readonly<Record<string, Serve>> {
  const form =
    (
      perform: (context: Context, form: URLSearchParams) => Promise<string | Lead | undefined>,
      next = SECURITY_PATH,
    ): Serve =>
    async (exchange, language) => {
      const isSignedIn = (await parts.sessions.find(exchange)) !== undefined;
      if (exchange.request.method !== 'POST' || !isSignedIn) return lead(exchange, SECURITY_PATH, language);
      const form = await readForm(exchange);
      // A form can arrive slowly, and its sender may be signed out before it is complete.
      const signedIn = await parts.sessions.find(exchange);
      if (!signedIn) return lead(exchange, SECURITY_PATH, language);
      refuseForgedForm(exchange, signedIn, form);
      const done = await perform(await contextOf(parts, exchange, signedIn), form).catch((error: unknown) => {
        if (error instanceof GatewayError && error.code === 'STEP_UP_REQUIRED') return STEP_UP;
        throw error;
      });
      if (done === STEP_UP) return leadTo(exchange, `${CONFIRM_PATH}?next=${SECURITY_PATH}&lang=${language}`);
      if (typeof done === 'object') return leadTo(exchange, done.location, done.cookie);
      lead(exchange, next, language, done);
    };
  return {
    [CELL_PATH]: form((context, form) => leadToCell(context, form.get('cell') ?? '')),
    [`${SECURITY_PATH}/end`]: form(async (context, form) => {
      await revokeSession(context, form.get('sessionId') ?? '');
      return undefined;
    }),
    [REMOVE_PASSKEY_PATH]: form(async (context, form) => {
      await forgetPasskey(context, form.get('id') ?? '');
      return undefined;
    }),
    [SWITCH_PATH]: form(async (context, form) => {
      await switchAccount(context, accountIdOf(form.get('accountId')));
      return undefined;
    }, HOME),
    [SIGN_OUT_PATH]: form(async (context) => {
      await signOut(context);
      return parts.sessions.end();
    }, SIGN_IN_PATH),
  };
}

async function contextOf(
  { services }: PeopleParts,
  exchange: Exchange,
  { caller }: SignedIn,
): Promise<Context> {
  exchange.accountId = caller.accountId;
  return { ...(await services.forAccount(caller.accountId)), caller, origin: originOf(exchange) };
}

function wordsOf(path: string, code: GatewayError['code']): NoticeWords {
  if (path.startsWith(LINK_PATH) && code === 'NOT_FOUND') return GONE;
  if (path.startsWith(LINK_PATH) && code === 'FORBIDDEN') return FAILED;
  if (path.startsWith(OIDC_PATH) && code !== 'RATE_LIMITED') return code === 'FORBIDDEN' ? STRANGER : FAILED;
  return WORDS[code] ?? FAILED;
}

type NoticeWords = readonly [SignInWord, SignInWord];

const GONE: NoticeWords = ['linkGone', 'linkGoneHow'];
const STRANGER: NoticeWords = ['notInvited', 'notInvitedHow'];
const FAILED: NoticeWords = ['failed', 'failedHow'];
const WORDS: { readonly [Code in GatewayError['code']]?: NoticeWords } = {
  FORBIDDEN: ['failed', 'forged'],
  RATE_LIMITED: ['failed', 'tooMany'],
  NOT_FOUND: ['missing', 'failedHow'],
};

/** @returns a counter of attempts by address, or by person where known; it throws `RATE_LIMITED` above the limit. */
function attemptCounter({ services, sessions, isLimited }: PeopleParts): CountAttempt {
  return async (exchange, personId) => {
    if (!isLimited) return;
    const address = limitedAddress(exchange.address);
    const [subject, limit] =
      personId === CHALLENGE
        ? [`${CHALLENGE} ${sessions.deviceOf(exchange) ?? address}`, CHALLENGES]
        : [personId ?? address, ATTEMPT_LIMIT];
    const { database } = services;
    const waitMs = await countAttempt(database, subject, limit, new Date(database.nowMs()));
    if (waitMs === 0) return;
    noteLimit(personId === undefined || personId === CHALLENGE ? 'address' : 'person');
    throw new GatewayError('RATE_LIMITED', 'too many sign-in attempts', {
      retryAfter: Math.ceil(waitMs / 1_000),
    });
  };
}

function accountIdOf(text: string | null): bigint {
  if (text === null || !/^[1-9]\d{0,17}$/.test(text)) throw notFound();
  return BigInt(text);
}

function show(exchange: Exchange, page: DoorPage, retryAfter?: number): void {
  // Added to a cookie that was set before.
  const cookie = languageCookie(exchange);
  if (cookie !== null) exchange.response.appendHeader('set-cookie', cookie);
  sendText(exchange, page.status ?? 200, 'text/html; charset=utf-8', doorPage(page), {
    ...DOOR_HEADERS,
    ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
  });
}

function lead(
  exchange: Exchange,
  path: string,
  language: Language,
  cookie?: string | readonly string[],
): void {
  const query = new URLSearchParams(exchange.search).has('lang') ? `?lang=${language}` : '';
  leadTo(exchange, `${path}${query}`, cookie);
}

function leadTo(exchange: Exchange, location: string, cookie?: string | readonly string[]): void {
  if (cookie !== undefined) exchange.response.appendHeader('set-cookie', cookie);
  send(exchange, 303, 'text/plain; charset=utf-8', '', { ...LEADING_HEADERS, location });
}
