/** The console over HTTP: sessions, forms that belong to the session, one policy for every page, cached files. */
import type { Logger } from 'pino';
import { GatewayError } from '../base/errors/errors.ts';
import { CONSOLE_PATH } from '../base/pages/console-url.ts';
import { ACCOUNT_FIELD } from '../console/action.ts';
import { ASSETS } from '../console/assets.ts';
import type { Answer } from '../console/execute.ts';
import { failurePage } from '../console/failure.ts';
import { type Image, isLogo, readLogo } from '../console/logo.ts';
import {
  acceptsFile,
  type ConsoleAnswer,
  type ConsoleFile,
  type ConsoleRequest,
  fileIdOf,
  isAction,
  performAction,
  readFile,
  showFailure,
  showScreen,
} from '../console/serve.ts';
import { doorPage } from '../pages/sign-in/frame.ts';
import { confirmPage } from '../pages/sign-in/pages.ts';
import type { Context } from '../resolvers/services/context.ts';
import type { KeyRecord } from '../store/account/api-keys.ts';
import type { Language } from '../ui/language.ts';
import { OWN, policyFrom } from '../ui/policy.ts';
import type { KeyLimits } from './graphql/graphql-context.ts';
import type { GraphqlServer } from './graphql.ts';
import { checkMethod } from './http/check-request.ts';
import { type Exchange, READ_METHODS, readForm, send, sendText } from './http/http.ts';
import { DOOR_HEADERS, LEADING_HEADERS, pageHeaders } from './http/page-headers.ts';
import { presentError } from './http/present-error.ts';
import type { Authenticate } from './sign-in/authenticate.ts';
import { languageCookie, languageOfRequest } from './sign-in/console-language.ts';
import { type ConsoleSessions, refuseForgedForm, type SignedIn } from './sign-in/console-session.ts';

/** Parts that serve the console. */
export interface ConsoleParts {
  readonly sessions: Pick<ConsoleSessions, 'find'>;
  /**
   * Counts a request of the session, and returns headers for its answer. Mutations of an action are counted when they are
   * executed.
   */
  readonly admit: (
    exchange: Exchange,
    authenticate: Authenticate,
    kind: 'read',
  ) => Promise<{ readonly context: Context }>;
  readonly limitsOf: (exchange: Exchange, caller: KeyRecord) => KeyLimits;
  readonly api: Pick<GraphqlServer, 'execute'>;
  readonly publicUrl: string;
  readonly log: Logger;
}

const SIGN_IN_PATH = `${CONSOLE_PATH}/sign-in`;
const FOR_EVER = 'public, max-age=31536000, immutable';
/** Policy that allows only the script and style files of the console. */
const HEADERS = pageHeaders({
  policy: policyFrom({ script: OWN, style: OWN, img: `${OWN} data:`, connect: OWN }),
  vary: 'accept-language, cookie',
  isOfPerson: true,
});

/** @returns the handler of all requests below `/console`. Errors are answered with pages. */
export function consoleServer(parts: ConsoleParts): (exchange: Exchange) => Promise<void> {
  const dispatch = async (exchange: Exchange, admitted: (request: ConsoleRequest) => void): Promise<void> => {
    const asset = ASSETS.find(({ path }) => path === exchange.path);
    if (asset) return sendAsset(exchange, asset);
    const isPost = isAction(exchange.path);
    exchange.route = isPost ? `${CONSOLE_PATH}/acts/{act}` : `${CONSOLE_PATH}/{screen}`;
    exchange.allowed = isPost ? ['POST'] : READ_METHODS;
    const known = await parts.sessions.find(exchange);
    if (!known && !isPost) return lead(exchange, SIGN_IN_PATH);
    if (!known) throw new GatewayError('UNAUTHORIZED', 'sign in first');
    // The browser keeps the address of a form that was rejected.
    if (isPost && exchange.request.method === 'GET') return lead(exchange, CONSOLE_PATH);
    checkMethod(exchange.request.method, exchange.allowed);
    const form = isPost ? await readForm(exchange, acceptsFile(exchange.path)) : null;
    // A form can arrive slowly, and the sender may be signed out before it is complete.
    const signedIn = form ? await parts.sessions.find(exchange) : known;
    if (!signedIn) throw new GatewayError('UNAUTHORIZED', 'sign in first');
    if (form) refuseForeignForm(exchange, signedIn, form);
    const { context } = await parts.admit(exchange, async () => signedIn.caller, 'read');
    const limits = parts.limitsOf(exchange, signedIn.caller);
    const request: ConsoleRequest = {
      path: exchange.path,
      query: new URLSearchParams(exchange.search),
      language: languageOfRequest(exchange),
      session: {
        accountId: String(signedIn.caller.accountId),
        scopes: signedIn.caller.scopes,
        csrf: signedIn.csrf,
        cells: cellNames(context.cells),
        takesSignIn: context.cells.signInKey !== undefined,
      },
      publicUrl: parts.publicUrl,
      execute: async ({ name, text }, variables) =>
        parts.api.execute(
          exchange,
          context,
          { query: text, operationName: name, variables: { ...variables } },
          limits,
        ) as Promise<Answer>,
    };
    admitted(request);
    const fileId = fileIdOf(exchange.path);
    if (fileId !== undefined) return sendFile(exchange, await readFile(request, fileId));
    if (isLogo(exchange.path)) return sendLogo(exchange, await readLogo(request));
    const page = form ? await performAction(request, form) : await showScreen(request);
    if (form && 'back' in page)
      return hold(exchange, form, page.back, { signedIn, language: request.language });
    answer(exchange, page as Shown);
  };
  return (exchange) => {
    let request: ConsoleRequest | undefined;
    const admitted = (made: ConsoleRequest) => {
      request = made;
    };
    return dispatch(exchange, admitted).catch(async (error: unknown) => {
      const refusal = presentError(error, parts.log, exchange.requestId);
      exchange.noted.errorCode ??= refusal.code;
      if (refusal.code === 'METHOD_NOT_ALLOWED') throw refusal;
      const { requestId } = exchange;
      const isForged = error instanceof ForgedForm;
      const page = failurePage(refusal, { language: languageOfRequest(exchange), requestId, isForged });
      const isMissing = refusal.code === 'NOT_FOUND' || refusal.code === 'FORBIDDEN';
      // The frame cannot be shown without its data.
      const framed =
        request && isMissing && (await showFailure(request, refusal, requestId).catch(() => undefined));
      answer(exchange, (framed || page) as Shown);
    });
  };
}

function cellNames({ own, others }: Context['cells']): readonly string[] {
  return [own, ...others.map(({ cell }) => cell)];
}

/** The form came from another site, an older session, or the account that was open before. */
class ForgedForm extends GatewayError {}

function refuseForeignForm(exchange: Exchange, signedIn: SignedIn, form: URLSearchParams): void {
  try {
    refuseForgedForm(exchange, signedIn, form);
  } catch (error) {
    throw new ForgedForm('FORBIDDEN', (error as Error).message);
  }
  const shownIn = form.get(ACCOUNT_FIELD);
  if (shownIn !== null && shownIn !== String(signedIn.caller.accountId))
    throw new ForgedForm('FORBIDDEN', 'the form was shown in another account: load the page again');
}

function sendAsset(exchange: Exchange, { type, body }: (typeof ASSETS)[number]): void {
  exchange.route = `${CONSOLE_PATH}/{file}`;
  checkMethod(exchange.request.method, READ_METHODS);
  sendText(exchange, 200, type, body, { 'cache-control': FOR_EVER });
}

/** An attached file is downloaded, and never shown as one of our pages. */
function sendFile(exchange: Exchange, { name, type, content }: ConsoleFile): void {
  send(exchange, 200, type, content, {
    ...HEADERS,
    'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  });
}

/** The path has the hash of the logo: another logo has another path. */
function sendLogo(exchange: Exchange, { type, content }: Image): void {
  send(exchange, 200, type, content, {
    ...HEADERS,
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, max-age=31536000, immutable',
  });
}

/** Requests a passkey on a separate page, which then sends the unchanged form again. */
function hold(
  exchange: Exchange,
  form: URLSearchParams,
  back: string,
  { signedIn: { caller }, language }: { readonly signedIn: SignedIn; readonly language: Language },
): void {
  const held = { action: exchange.path, values: form };
  const traits = { hasPasskey: caller.person.hasPasskey, isTest: caller.mode === 'test', held };
  const page = confirmPage(language, back, traits);
  sendText(exchange, 403, 'text/html; charset=utf-8', doorPage(page), DOOR_HEADERS);
}

type Shown = Exclude<ConsoleAnswer, { readonly back: string }>;

function answer(exchange: Exchange, page: Shown): void {
  if ('location' in page) {
    lead(exchange, page.location);
    return;
  }
  const cookie = languageCookie(exchange);
  if (cookie !== null) exchange.response.appendHeader('set-cookie', cookie);
  sendText(exchange, page.status, 'text/html; charset=utf-8', page.body, HEADERS);
}

function lead(exchange: Exchange, location: string): void {
  send(exchange, 303, 'text/plain; charset=utf-8', '', { ...LEADING_HEADERS, location });
}
