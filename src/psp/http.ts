/** Requests and answers in JSON, shared by the API and the control server of the PSP. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Body } from './parts.ts';
import { problem, Refused } from './problem.ts';

/** A request. */
export interface PspRequest {
  /** Values of the path's parameters. */
  readonly named: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Body;
}

/** A response. */
export interface Answer {
  readonly status: number;
  /** Undefined for an empty body. */
  readonly body?: unknown;
}

/** A method and a path, whose parameters are groups of the expression. */
export interface Route<More = unknown> {
  readonly method: string;
  readonly path: RegExp;
  readonly more: More;
  readonly answer: (request: PspRequest) => Answer | Promise<Answer>;
}

const BODY_MAX = 1_048_576;

/** @param path - such as `/cob/:txid`: a parameter matches one segment of the path. */
export function route<More>(
  method: string,
  path: string,
  more: More,
  answer: Route<More>['answer'],
): Route<More> {
  return { method, path: new RegExp(`^${path.replace(/:\w+/g, '([^/]+)')}$`), more, answer };
}

/** @returns the route of a request, with the values of its parameters. @throws {Refused} 404 and 405. */
export function routeOf<More>(
  routes: readonly Route<More>[],
  { method, url }: Pick<IncomingMessage, 'method' | 'url'>,
): { readonly route: Route<More>; readonly named: readonly string[]; readonly query: URLSearchParams } {
  const { pathname, searchParams: query } = new URL(url ?? '/', 'http://psp');
  const matching = routes.filter(({ path }) => path.test(pathname));
  const found = matching.find((each) => each.method === method);
  if (!found) {
    if (matching.length > 0) throw problem(405, 'RequisicaoInvalida', 'Este método não existe aqui.');
    throw problem(404, 'NaoEncontrado', 'O recurso solicitado não foi encontrado.');
  }
  const named = (found.path.exec(pathname) ?? []).slice(1).map(decoded);
  return { route: found, named, query };
}

/** @returns the body, parsed as JSON or, by its content type, as a form. @throws {Refused} 400 and 413. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const text = await readText(request);
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(text));
  return objectIn(text);
}

/**
 * @returns the body, parsed as JSON regardless of its content type, because `curl -d` marks every body as a form.
 * @throws {Refused} 400 and 413.
 */
export async function readJson(request: IncomingMessage): Promise<Body> {
  return objectIn(await readText(request));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > BODY_MAX) throw problem(413, 'RequisicaoInvalida', `O corpo tem mais de ${BODY_MAX} bytes.`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

function objectIn(text: string): Body {
  if (text === '') return {};
  const body = parsed(text);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Body;
  throw problem(400, 'RequisicaoInvalida', 'O corpo não é um objeto JSON.');
}

/** Answers with JSON, or without a body. */
export function send(response: ServerResponse, status: number, body: unknown, contentType: string): void {
  if (body === undefined) return void response.writeHead(status).end();
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** Answers with the message of an error; an unexpected error gets status 500. */
export function sendError(response: ServerResponse, error: unknown): void {
  const { status, body, contentType } =
    error instanceof Refused ? error : problem(500, 'ErroInternoDoServidor', 'Condição inesperada.');
  send(response, status, body, contentType);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
