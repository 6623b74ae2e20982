/**
 * Callbacks of the provider: who calls is found out first, what is told is stored before it is answered. A list in which one entry is
 * wrong is refused after the others were taken, so the provider tells it again and nothing of it is lost.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../../base/errors.ts';
import { readBody } from '../../base/read-body.ts';
import type { News } from '../../resolvers/services/news.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { type CallerCheck, refusalOf } from './callers.ts';
import { readInfractionList } from './infractions.ts';
import type { ApiPixSettings } from './settings.ts';
import { tell, tellNews, toldDisputes } from './tell.ts';
import { readCallbackBody, type WireEntries, WireError } from './wire.ts';

const WORDS_MAX = 300;

/** Answers a call; `path` is what follows the callback's URL, without its secret. */
export type Answering = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>;

/** How what a caller tells is taken, who passed the check. */
export interface Hearing {
  readonly pix: (entries: WireEntries) => Promise<Verdict>;
  /** @param json - the body. @throws {WireError} when it is no such list. */
  readonly infractions: (json: unknown) => Promise<Verdict>;
}

/** What is answered. */
export interface Verdict {
  readonly status: number;
  readonly words: string;
}

/** @returns what answers calls of a caller who passes the check. */
export function answering(tools: RailTools, check: CallerCheck, hearing: Hearing): Answering {
  return async (request, response, path) => {
    const { status, words } = await take(hearing, check, request, path).catch((error: unknown) => {
      if (error instanceof GatewayError) return { status: statusOf(error), words: error.message };
      tools.log.error({ err: error }, 'a callback of the PIX provider could not be stored');
      return { status: 503, words: 'not stored: tell it again' };
    });
    if (status >= 400 && status < 500)
      tools.log.warn(
        { status, reason: words.slice(0, WORDS_MAX) },
        'a callback of the PIX provider was refused',
      );
    if (response.headersSent) return;
    // What was not read of a body that is too large is not waited for.
    if (status === 413) response.setHeader('connection', 'close');
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(words);
  };
}

async function take(
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
      // A provider tries the address itself when it is registered.
      return { status: 200, words: 'ok' };
    case 'pix':
      return reading(() => hearing.pix(readCallbackBody(parse(body))));
    case 'infracoes':
      return reading(() => hearing.infractions(parse(body)));
    default:
      return { status: 404, words: 'callbacks come to /pix' };
  }
}

/** @returns how callers are heard who are known by a certificate: they are believed. */
export function believing(tools: RailTools, settings: Pick<ApiPixSettings, 'infractionsUrl'>): Hearing {
  return {
    pix: async ({ read, wrong }) => {
      await tell({ ...tools, settings }, read);
      return verdictOn(wrong);
    },
    infractions: async (json) => {
      const { read, wrong } = readInfractionList(json);
      const taken = settings.infractionsUrl === null ? await withoutNewDisputes(tools, read) : read;
      await tellNews(tools, taken);
      return taken.length < read.length ? NO_DISPUTES : verdictOn(wrong);
    },
  };
}

/** A dispute that was opened by such a call, when a list was configured or by a version before, ends by one. */
async function withoutNewDisputes(tools: RailTools, news: readonly News[]): Promise<readonly News[]> {
  const ids = news.flatMap((each) => ('disputeId' in each ? [each.disputeId] : []));
  const told = await toldDisputes(tools, ids);
  return news.filter((each) => !('disputeId' in each) || told.has(each.disputeId));
}

/** Where no list of disputes is configured, returns by MED are the disputes: one that is told besides would be booked twice. */
export const NO_DISPUTES: Verdict = { status: 403, words: 'disputes are taken where infractionsUrl is set' };

/** @returns what is answered after everything was taken but what is wrong. */
export function verdictOn(wrong: WireError | undefined): Verdict {
  return wrong ? { status: 400, words: wrong.message } : { status: 200, words: 'ok' };
}

async function reading(take: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await take();
  } catch (error) {
    if (error instanceof WireError) return verdictOn(error);
    throw error;
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
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
