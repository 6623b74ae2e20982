/**
 * Callbacks of the provider. The caller is identified first, and the report is stored before the response. A list with
 * an invalid entry is refused after its other entries were accepted, so that the provider repeats the list and no entry
 * is lost.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../../base/errors/errors.ts';
import { readBody } from '../../base/input/read-body.ts';
import { storableJson } from '../../base/text/storable-json.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { type CallerCheck, refusalOf } from './callers.ts';
import { readCallbackBody, type WireEntries, WireError } from './wire.ts';

const WORDS_MAX = 300;

/** Answers a call; `path` is the rest of the path after the callback's URL, without its secret. */
export type Answering = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>;

/** Handlers of reports from admitted callers. */
export interface Hearing {
  readonly pix: (entries: WireEntries) => Promise<Verdict>;
  /** @param json - the body. @throws {WireError} for a body that is no list of infractions. */
  readonly infractions: (json: unknown) => Promise<Verdict>;
}

/** Response to a report. */
export interface Verdict {
  readonly status: number;
  readonly words: string;
}

/** @returns the handler of calls from admitted callers. */
export function answering(tools: RailTools, check: CallerCheck, hearing: Hearing): Answering {
  return async (request, response, path) => {
    const { status, words } = await answerCallback(hearing, check, request, path).catch((error: unknown) => {
      if (error instanceof GatewayError) return { status: statusOf(error), words: error.message };
      tools.log.error({ err: error }, 'a callback of the PIX provider could not be stored');
      return { status: 503, words: 'not stored: send it again' };
    });
    if (status >= 400 && status < 500)
      tools.log.warn(
        { status, reason: words.slice(0, WORDS_MAX) },
        'a callback of the PIX provider was refused',
      );
    if (response.headersSent) return;
    // The connection is closed without reading the rest of an oversized body.
    if (status === 413) response.setHeader('connection', 'close');
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(words);
  };
}

async function answerCallback(
  hearing: Hearing,
  check: CallerCheck,
  request: IncomingMessage,
  path: string,
): Promise<Verdict> {
  const { rest, refusal } = refusalOf(check, request, path);
  if (refusal !== undefined) return { status: 403, words: refusal };
  if (request.method !== 'POST') return { status: 405, words: 'a callback is a POST' };
  const body = await readBody(request);
  switch (rest) {
    case '':
      return reading(() => acceptAny(hearing, body.length === 0 ? {} : parse(body)));
    case 'pix':
      return reading(() => hearing.pix(readCallbackBody(parse(body))));
    case 'infracoes':
      return reading(() => hearing.infractions(parse(body)));
    default:
      return { status: 404, words: 'callbacks come to /pix' };
  }
}

/**
 * Some providers call the URL itself, without the suffix of the standard. Some also test the URL at its registration,
 * with a body that contains no report. Any other body without a known list is refused, because 2xx confirms that a report was
 * stored (C-36).
 */
async function acceptAny(hearing: Hearing, json: unknown): Promise<Verdict> {
  if (typeof json !== 'object' || json === null)
    return verdictOn(new WireError('the body must be an object'));
  if ('infracoes' in json) return hearing.infractions(json);
  return isTrial(json) ? verdictOn(undefined) : hearing.pix(readCallbackBody(json));
}

/** Event name in a provider's test of the URL. */
const TRIAL_EVENT = 'teste_webhook';

function isTrial(json: object): boolean {
  if (Array.isArray(json)) return false;
  const members = Object.entries(json);
  const isNamed = members.length === 0 || ('evento' in json && json.evento === TRIAL_EVENT);
  return isNamed && members.every(([name, member]) => typeof member !== 'object' && !OF_PIX.test(name));
}

/** Names of members that only a report has; a test body has none of them. */
const OF_PIX = /^(?:pix|valor|txid|horario)$|e2e|end_?to_?end/i;

/** @returns the response after all valid entries were accepted. */
export function verdictOn(wrong: WireError | undefined): Verdict {
  return wrong ? { status: 400, words: wrong.message } : { status: 200, words: 'ok' };
}

async function reading(answerCallback: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await answerCallback();
  } catch (error) {
    if (error instanceof WireError) return verdictOn(error);
    throw error;
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(storableJson(body.toString('utf8')));
  } catch {
    throw new WireError('the body must be JSON');
  }
}

function statusOf({ code }: GatewayError): number {
  switch (code) {
    case 'PAYLOAD_TOO_LARGE':
      return 413;
    case 'UNSUPPORTED_MEDIA_TYPE':
      return 415;
    case 'BAD_REQUEST':
      return 400;
    default:
      return 503;
  }
}
