/** Requests and answers in JSON, shared by all interfaces of the fake provider. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultRule } from './faults.ts';

/** A JSON object. */
export type Body = Readonly<Record<string, unknown>>;

/** A parsed request. */
export interface CheckRequest {
  readonly method: string;
  /** Path with its query exactly as sent, because signatures cover it. */
  readonly target: string;
  /** Values of the path's parameters, decoded. */
  readonly named: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** Body exactly as sent. */
  readonly text: string;
  readonly body: Body;
}

/** An answer; pages have `html` instead of `body`. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly html?: string;
}

/** A method and a path, whose parameters are groups of the expression. */
export interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly answer: (input: CheckRequest) => Answer | Promise<Answer>;
  /** Refuses an unknown caller. @throws {Refused} */
  readonly admit?: (input: CheckRequest) => void;
  /** @returns the next fault of this request, if any. */
  readonly fault?: () => FaultRule | undefined;
}

/** Error of a refused request. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, words: string) {
    super(words);
    this.status = status;
  }
}

const BODY_MAX = 1_048_576;

/** @param path - such as `/cases/:id`; a parameter matches one segment of the path. */
export function route(
  method: string,
  path: string,
  answer: Route['answer'],
  more: Pick<Route, 'admit' | 'fault'> = {},
): Route {
  return { method, path: new RegExp(`^${path.replace(/:\w+/g, '([^/]+)')}$`), answer, ...more };
}

/** @returns a listener that answers by these routes. */
export function listenerOf(routes: readonly Route[]): RequestListener {
  return (request, response) => {
    answerTo(routes, request, response).catch((error: unknown) => {
      const status = error instanceof Refused ? error.status : 500;
      const description = error instanceof Error ? error.message : String(error);
      send(response, { status, body: { code: status, description } });
    });
  };
}

async function answerTo(
  routes: readonly Route[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = request.url ?? '/';
  const { pathname, searchParams: query } = new URL(target, 'http://checks');
  const matching = routes.filter(({ path }) => path.test(pathname));
  const found = matching.find(({ method }) => method === request.method);
  if (!found) throw new Refused(matching.length > 0 ? 405 : 404, `no ${request.method} ${pathname} here`);
  const named = (found.path.exec(pathname) ?? []).slice(1).map(decodeURIComponent);
  const text = await readText(request);
  const input = { method: found.method, target, named, query, headers: request.headers, text };
  const full: CheckRequest = { ...input, body: bodyOf(text, request.headers['content-type']) };
  found.admit?.(full);
  const rule = found.fault?.();
  const answer = await withFault(rule, async () => found.answer(full));
  if (answer === 'broken') request.socket.destroy();
  else send(response, answer);
}

/** Injects a fault before or after the request is processed. */
async function withFault(
  rule: FaultRule | undefined,
  work: () => Promise<Answer>,
): Promise<Answer | 'broken'> {
  switch (rule?.fault) {
    case 'failing':
      return { status: 500, body: { code: 500, description: 'internal error' } };
    case 'limited':
      return { status: 429, body: { code: 429, description: 'too many requests' } };
    case 'slow':
      await sleep(rule.ms);
      return work();
    case 'garbled':
      await work();
      return { status: 200, html: '<html>a page in place of the answer' };
    case 'timeout':
      await work();
      await sleep(rule.ms);
      return 'broken';
    default:
      return work();
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > BODY_MAX) throw new Refused(413, `the body has more than ${BODY_MAX} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

function bodyOf(text: string, type: string | undefined): Body {
  if (text === '') return {};
  if (type?.startsWith('application/x-www-form-urlencoded') && !text.startsWith('{'))
    return Object.fromEntries(new URLSearchParams(text));
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Body;
  } catch {
    // A value that is no object is refused below.
  }
  throw new Refused(400, 'the body is not a JSON object');
}

function send(response: ServerResponse, { status, body, html }: Answer): void {
  if (response.headersSent || response.destroyed) return;
  const text = html ?? (body === undefined ? '' : JSON.stringify(body));
  const type = html === undefined ? 'application/json' : 'text/html; charset=utf-8';
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) }).end(text);
}
