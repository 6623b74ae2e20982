/** Passkeys over HTTP: JSON between the script of our own pages and the gateway, below `/console/passkeys/`. */

import { GatewayError } from '../../base/errors/errors.ts';
import { checkSize } from '../../base/input/input-bounds.ts';
import { readBody } from '../../base/input/read-body.ts';
import { CONSOLE_PATH } from '../../base/pages/console-url.ts';
import {
  confirm,
  confirmOptions,
  personOfPasskey,
  register,
  registrationOptions,
  signInByPasskey,
  signInOptions,
} from '../../resolvers/people/passkeys.ts';
import type { Context, Services } from '../../resolvers/services/context.ts';
import { checkMethod } from '../http/check-request.ts';
import { type Exchange, mediaTypeOf, originOf, sendJson } from '../http/http.ts';
import { type ConsoleSessions, isFromOwnPage } from './console-session.ts';

/** Path prefix of the passkey requests. */
export const PASSKEYS_PATH = `${CONSOLE_PATH}/passkeys/`;

/** Placeholder for the person in the challenge of an unknown visitor. */
export const CHALLENGE = 'challenge';

/** Parts that serve passkeys. */
export interface PasskeyParts {
  readonly services: Services;
  readonly sessions: ConsoleSessions;
  /**
   * Counts an attempt of an address or a person; for `CHALLENGE`, counts marked browsers and addresses separately.
   * @throws {GatewayError} `RATE_LIMITED`.
   */
  readonly countAttempt: (exchange: Exchange, personId?: string) => Promise<void>;
  /**
   * @returns the context of the signed-in person.
   * @throws {GatewayError} `UNAUTHORIZED`.
   */
  readonly contextOf: (exchange: Exchange) => Promise<Context>;
}

interface PasskeyInput {
  readonly response?: unknown;
  readonly name?: unknown;
}

type Answer = (exchange: Exchange, input: PasskeyInput) => Promise<unknown>;

/** @returns the handler of these paths; undefined for any other path. */
export function passkeyServer(
  parts: PasskeyParts,
): (path: string) => ((exchange: Exchange) => Promise<void>) | undefined {
  const answers = answersOf(parts);
  return (path) => {
    const name = path.slice(PASSKEYS_PATH.length);
    const answer = path.startsWith(PASSKEYS_PATH) && Object.hasOwn(answers, name) ? answers[name] : undefined;
    if (!answer) return undefined;
    return async (exchange) => {
      exchange.route = path;
      exchange.allowed = ['POST'];
      checkMethod(exchange.request.method, exchange.allowed);
      if (!isFromOwnPage(exchange))
        throw new GatewayError('FORBIDDEN', 'passkeys are accepted only from pages of this gateway');
      const body = await answer(exchange, await readInput(exchange));
      sendJson(exchange, 200, JSON.stringify(body ?? {}));
    };
  };
}

function answersOf({
  services,
  sessions,
  countAttempt,
  contextOf,
}: PasskeyParts): Readonly<Record<string, Answer>> {
  const mine =
    (work: (context: Context, input: PasskeyInput) => Promise<unknown>): Answer =>
    async (exchange, input) => {
      const context = await contextOf(exchange);
      await countAttempt(exchange, context.caller.id);
      return work(context, input);
    };
  return {
    'sign-in/options': async (exchange) => {
      await countAttempt(exchange, CHALLENGE);
      return signInOptions(services);
    },
    'sign-in': async (exchange, { response }) => {
      await countAttempt(exchange, await personOfPasskey(services, response));
      const userAgent = exchange.request.headers['user-agent'] ?? null;
      const token = await signInByPasskey(services, response, { origin: originOf(exchange), userAgent });
      exchange.response.setHeader('set-cookie', sessions.begin(token));
      return {};
    },
    'add/options': mine(registrationOptions),
    add: mine((context, { response, name }) =>
      register(context, response, typeof name === 'string' ? name : ''),
    ),
    'confirm/options': mine(confirmOptions),
    confirm: mine((context, { response }) => confirm(context, response)),
  };
}

async function readInput(exchange: Exchange): Promise<PasskeyInput> {
  if (mediaTypeOf(exchange.request) !== 'application/json')
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'the body must be application/json');
  const text = (await readBody(exchange.request)).toString('utf8');
  checkSize(text);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Refused below.
  }
  throw new GatewayError('BAD_REQUEST', 'the body must be a JSON object');
}
