/** HTTP helpers that all parts of the server share: answers, problems, bodies. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import {
  ERRORS,
  GatewayError,
  type LimitFacts,
  nextStep,
  shownViolations,
} from '../../base/errors/errors.ts';
import { newRequestId } from '../../base/ids/request-id.ts';
import { readBody } from '../../base/input/read-body.ts';
import { trimDecimal } from '../../base/money/money.ts';
import { acceptedRanges, qualityOf } from '../../base/text/accepted.ts';
import { type ExactJson, NumberToken, printExactJson } from '../../base/text/exact-json.ts';
import { traceAtWork } from '../../base/trace/spans.ts';
import type { Origin } from '../../resolvers/services/context.ts';
import type { KeyRecord } from '../../store/account/api-keys.ts';

/** A request with its known facts so far. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Path of the request target, without the query. */
  readonly path: string;
  /** The part after `?`, empty when there is none. */
  readonly search: string;
  /** Address of the client, behind trusted proxies; empty when the connection is closed. */
  readonly address: string;
  /** The matched route, for logs: never a path with ids in it. */
  route: string;
  /** The calling account, once it is known. */
  accountId: bigint | undefined;
  /** Caller by a key, a session or a token, once it is known. */
  caller: KeyRecord | undefined;
  /** Additional fields of the request log: the GraphQL operation, the transaction, and the error of the response. */
  readonly noted: {
    operation?: string | undefined;
    end2end?: string | undefined;
    errorCode?: string | undefined;
    /** Whether the answer is a stream of events, which lasts until its client disconnects. */
    isStream?: boolean;
  };
  /** Methods that the route accepts. */
  allowed: readonly string[];
}

/** Status of a request whose client disconnected before its response began, for which there is no standard status. */
export const CLIENT_LEFT = 499;

/** The writable part of an exchange. */
export type Answered = Pick<Exchange, 'request' | 'response' | 'requestId'>;

/** @returns the origin of a request for the audit log. */
export function originOf({ requestId, address }: Exchange): Origin {
  return { requestId, address: address === '' ? null : address };
}

/**
 * @param name - in lower case.
 * @returns the values of a header, each as it was sent: Node itself keeps only the first of some headers, and joins
 * others.
 */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const headerName = rawHeaders[at] as string;
    if (headerName.length === name.length && headerName.toLowerCase() === name)
      values.push(rawHeaders[at + 1] as string);
  }
  return values;
}

/** Methods of paths that only read. */
export const READ_METHODS = ['GET', 'HEAD'];

/** Path of GraphQL. */
export const GRAPHQL_PATH = '/graphql';
/** Path of the single connection mode of GraphQL over server-sent events. */
export const GRAPHQL_STREAM_PATH = '/graphql/stream';

/** The media type of JSON. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers with JSON text. */
export function sendJson(
  exchange: Exchange,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  send(exchange, status, JSON_TYPE, body, headers);
}

/**
 * Answers with a complete body.
 * @param encoding - encoding of a text.
 */
export function send(
  { request, response, requestId }: Answered,
  status: number,
  contentType: string,
  body: string | Buffer,
  headers: Record<string, string | number> = {},
  encoding: 'utf8' | 'latin1' = 'utf8',
): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body, encoding),
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body, encoding);
}

/** Compression level: half the time of the default level, for pages that are a fourteenth larger. */
const ZIP_LEVEL = 3;

/** Answers with a text, compressed if the client accepts that. */
export function sendText(
  exchange: Answered,
  status: number,
  contentType: string,
  body: string,
  headers: Record<string, string | number>,
): void {
  const isZipped = acceptsEncoding(exchange.request, 'gzip');
  const vary = headers.vary === undefined ? 'accept-encoding' : `${headers.vary}, accept-encoding`;
  send(exchange, status, contentType, isZipped ? gzipSync(body, { level: ZIP_LEVEL }) : body, {
    ...headers,
    vary,
    ...(isZipped && { 'content-encoding': 'gzip' }),
  });
}

/**
 * Answers with an RFC 9457 problem (C-50). At GraphQL paths it also has the `errors` that GraphQL clients look for.
 *
 * @param publicUrl - base of the `type` URLs.
 */
export function sendProblem(
  exchange: Exchange,
  publicUrl: string,
  error: GatewayError,
  headers: Record<string, string> = {},
): void {
  const { requestId, route } = exchange;
  const problem = problemOf(publicUrl, error, requestId);
  const { code, message } = error;
  const { status } = ERRORS[code];
  const isGraphql = route === GRAPHQL_PATH || route === GRAPHQL_STREAM_PATH;
  const traceId = traceAtWork();
  const extensions = { code, requestId, ...(traceId !== undefined && { traceId }) };
  const errors = isGraphql && { errors: [{ message, extensions }] };
  send(exchange, status, 'application/problem+json', printExactJson({ ...problem, ...errors }), {
    ...(error.retryAfter !== undefined && { 'retry-after': String(error.retryAfter) }),
    ...headers,
  });
}

/**
 * Answers bytes that Node could not parse as a request, and closes the connection.
 *
 * @param publicUrl - base of the `type` URL.
 */
export function refuseMalformed(publicUrl: string): (failure: Error, socket: Duplex) => void {
  return (failure, socket) => {
    // After the start of an answer, no other answer can be sent.
    const { _httpMessage: begun } = socket as { _httpMessage?: ServerResponse };
    if (!socket.writable || begun?.headersSent) return void socket.destroy();
    const error = malformed((failure as { code?: string }).code);
    const requestId = newRequestId();
    const { status } = ERRORS[error.code];
    const body = printExactJson(problemOf(publicUrl, error, requestId));
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/problem+json',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      'connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
}

function malformed(code: string | undefined): GatewayError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new GatewayError('HEADERS_TOO_LARGE', 'the headers together must not exceed 16 KiB');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new GatewayError('REQUEST_TIMEOUT', 'the request did not arrive completely in time');
  return new GatewayError('BAD_REQUEST', 'this is not HTTP/1.1');
}

/** The members of a problem, in their order. */
function problemOf(publicUrl: string, error: GatewayError, requestId: string) {
  const { status, title, action } = ERRORS[error.code];
  const trace = traceAtWork();
  return {
    type: `${publicUrl}/errors/${error.code}`,
    title,
    status: new NumberToken(String(status)),
    detail: error.message,
    code: error.code,
    action,
    next: nextStep(error),
    request_id: requestId,
    ...(trace !== undefined && { trace_id: trace }),
    ...shownViolations(error),
    ...factsOf(error),
  };
}

function factsOf({ facts: { scope, actions, limit } }: GatewayError): Record<string, ExactJson> {
  return {
    ...(scope !== undefined && { scope }),
    ...(actions !== undefined && { possible_actions: actions }),
    ...(limit !== undefined && { limit: limitMembers(limit) }),
  };
}

/** A limit in a problem: its amounts are numbers, as other amounts of `/v2` (C-3). */
function limitMembers({ kind, minimum, maximum, currency }: LimitFacts): ExactJson {
  return {
    kind,
    ...(minimum !== undefined && { minimum: new NumberToken(trimDecimal(minimum)) }),
    ...(maximum !== undefined && { maximum: new NumberToken(trimDecimal(maximum)) }),
    ...(currency !== undefined && { currency }),
  };
}

/** Maximum size of a form. Unit: bytes. */
const FORM_BYTES_MAX = 16_384;

/**
 * Reads the form of a page. A file of a form is given as two fields: under its own name its content as a data URL, and
 * `name`.
 * @param hasFile - whether the form may have a file.
 * @throws {GatewayError} `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `BAD_REQUEST`, and the errors of `readBody`.
 */
export async function readForm({ request }: Exchange, hasFile = false): Promise<URLSearchParams> {
  const type = mediaTypeOf(request);
  if (hasFile && type === 'multipart/form-data')
    return partsOf(await readBody(request), request.headers['content-type'] ?? '');
  if (type !== 'application/x-www-form-urlencoded')
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'the form must be application/x-www-form-urlencoded');
  const body = await readBody(request);
  if (body.length > FORM_BYTES_MAX)
    throw new GatewayError('PAYLOAD_TOO_LARGE', `the form must not exceed ${FORM_BYTES_MAX} bytes`);
  return new URLSearchParams(body.toString('utf8'));
}

async function partsOf(body: Buffer, contentType: string): Promise<URLSearchParams> {
  const parts = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => {
      throw new GatewayError('BAD_REQUEST', 'the parts of the form cannot be read');
    });
  const form = new URLSearchParams();
  for (const [name, value] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else if (value.size > 0) {
      const content = Buffer.from(await value.arrayBuffer()).toString('base64');
      form.append('name', value.name);
      form.append(name, `data:${value.type};base64,${content}`);
    }
  }
  return form;
}

/** @returns whether the client accepts bodies of the encoding. */
export function acceptsEncoding({ headers }: IncomingMessage, encoding: 'gzip' | 'br'): boolean {
  return qualityOf(encoding, String(headers['accept-encoding'] ?? '')) > 0;
}

/** @returns the media type of a request's body in lower case, without its parameters; undefined when it names none. */
export function mediaTypeOf(request: IncomingMessage): string | undefined {
  return request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
}

/** @returns whether the `Accept` header allows the media type, given as type and subtype. */
export function accepts(request: IncomingMessage, type: string, subtype: string): boolean {
  const accept = request.headers.accept;
  if (accept === undefined || accept === '' || accept === '*/*') return true;
  let best = { specificity: -1, quality: 0 };
  for (const { range, quality } of acceptedRanges(accept)) {
    const [rangeType, rangeSubtype] = range.split('/');
    const specificity = specificityOf(rangeType, rangeSubtype, type, subtype);
    if (specificity > best.specificity) best = { specificity, quality };
  }
  return best.specificity >= 0 && best.quality > 0;
}

function specificityOf(
  rangeType: string | undefined,
  rangeSubtype: string | undefined,
  type: string,
  subtype: string,
): number {
  if (rangeType === type) return rangeSubtype === subtype ? 2 : rangeSubtype === '*' ? 1 : -1;
  return rangeType === '*' && rangeSubtype === '*' ? 0 : -1;
}
