/**
 * One attempt to deliver a webhook over HTTP (C-62, C-63). The address is checked, redirects are not followed, and time
 * and answer size are limited. Every failure of the receiver or the network is returned as an outcome, never thrown.
 */
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { assert } from '../base/errors/assert.ts';
import {
  assertConnectable,
  checkUrl,
  GuardError,
  guardedLookup,
  isAllowedAddress,
  type Resolve,
} from './guard.ts';

/** Request of an attempt. */
export interface WebhookRequest {
  readonly url: string;
  /** Header fields with names in lower case. Length, host and encoding are added. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent unchanged; a string as UTF-8. */
  readonly body: string | Buffer;
  /** Time limit for DNS, connection and the whole answer together. Unit: ms; default 15,000. */
  readonly timeoutMs?: number;
  /** Allows loopback addresses; see GuardOptions. */
  readonly allowsLoopback: boolean;
  /** Replaces DNS in tests. Such an attempt uses a new connection. */
  readonly resolve?: Resolve;
}

/** The outcome of an attempt. */
export interface WebhookOutcome {
  /** Status of the answer; null without an answer. */
  readonly status: number | null;
  /**
   * Null if the answer arrived completely, or exceeded the size limit. Otherwise the reason: `TIMEOUT`, `CUT_OFF`, a
   * code of Node (`ECONNREFUSED`, `CERT_HAS_EXPIRED`, `HPE_…`), or a code of GuardError with its message. The text
   * never contains an address.
   */
  readonly error: string | null;
  /** Duration of the attempt. Unit: whole ms. */
  readonly durationMs: number;
  /** The first 4 KiB of the answer's body. Bytes that are not UTF-8 become U+FFFD. Null without an answer. */
  readonly answer: string | null;
  /** The header field `Retry-After` of the answer, unchanged. */
  readonly retryAfter: string | null;
}

const TIMEOUT_MS = 15_000;
const READ_BYTES_MAX = 64 * 1024;
const STORED_BYTES_MAX = 4 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;
const IDLE_MS = 30_000;
/** Maximum number of connections to one origin. An endpoint has at most 100 requests at the same time. */
const ORIGIN_SOCKETS_MAX = 100;
const IDLE_SOCKETS_MAX = 256;
/**
 * Connection time limit for each address of a name. Node's default of 250 ms is too short for receivers on another
 * continent. Unit: ms.
 */
const ADDRESS_TIMEOUT_MS = 1000;

/** Agents, one pair for each loopback rule, so that a connection made under one rule is never used under the other. */
const AGENTS = {
  strict: newAgents({ allowsLoopback: false }),
  sandbox: newAgents({ allowsLoopback: true }),
};

interface Agents {
  readonly 'http:': http.Agent;
  readonly 'https:': https.Agent;
}

type Ended = Omit<WebhookOutcome, 'durationMs'>;

/**
 * Makes one attempt, after checking the URL and its addresses again. A receiver may get the same request twice: if a
 * reused connection turns out to be closed, the request is sent once more over a new one.
 * @returns the outcome, after at most `timeoutMs`.
 * @throws {TypeError} if a header field is malformed.
 */
export async function sendWebhook(request: WebhookRequest): Promise<WebhookOutcome> {
  const startedAt = performance.now();
  const timeoutMs = request.timeoutMs ?? TIMEOUT_MS;
  assert(timeoutMs > 0, 'an attempt has a time limit above zero');
  const refusal = refusalOf(request);
  if (refusal) return { ...failed(codeOf(refusal)), durationMs: elapsedMs(startedAt) };
  const own = () => newAgents(request, { keepAlive: false });
  const shared = request.allowsLoopback ? AGENTS.sandbox : AGENTS.strict;
  let ended = await exchange(request, request.resolve ? own() : shared, timeoutMs);
  if (ended.isStale) ended = await exchange(request, own(), Math.max(1, timeoutMs - elapsedMs(startedAt)));
  const { isStale: _, ...outcome } = ended;
  return { ...outcome, durationMs: elapsedMs(startedAt) };
}

/** Closes all connections, including busy ones. Call it when the process ends. */
export function closeWebhookConnections(): void {
  for (const agents of Object.values(AGENTS)) {
    agents['http:'].destroy();
    agents['https:'].destroy();
  }
}

function refusalOf({ url, allowsLoopback }: WebhookRequest): GuardError | undefined {
  const reason = checkUrl(url, { allowsLoopback });
  if (reason !== undefined) return new GuardError('URL_REFUSED', reason);
  try {
    assertConnectable(new URL(url).hostname, { allowsLoopback });
    return undefined;
  } catch (error) {
    if (error instanceof GuardError) return error;
    throw error;
  }
}

/**
 * Sends the request and reads the answer until its end, the size limit, a failure or the time limit.
 * @returns the outcome, and whether a reused connection had been closed before any answer.
 */
function exchange(
  request: WebhookRequest,
  agents: Agents,
  timeoutMs: number,
): Promise<Ended & { isStale: boolean }> {
  return new Promise((resolve) => {
    const sent = open(request, agents);
    let answer: http.IncomingMessage | undefined;
    const chunks: Buffer[] = [];
    let readBytes = 0;
    const timer = setTimeout(() => end('TIMEOUT'), timeoutMs);

    function end(error: string | null): void {
      clearTimeout(timer);
      // A connection stays open after a complete answer; destroying the request then has no effect.
      if (error !== null || !answer?.complete) sent.destroy();
      const isStale = sent.reusedSocket && !answer && (error === 'ECONNRESET' || error === 'EPIPE');
      resolve({ ...failed(error), ...(answer && shown(answer, chunks)), isStale });
    }

    sent.on('response', (message) => {
      answer = message;
      message.on('data', (chunk: Buffer) => {
        if (readBytes < STORED_BYTES_MAX) chunks.push(chunk.subarray(0, STORED_BYTES_MAX - readBytes));
        readBytes += chunk.length;
        if (readBytes > READ_BYTES_MAX) end(null);
      });
      message.on('end', () => end(message.complete ? null : 'CUT_OFF'));
      message.on('error', () => end('CUT_OFF'));
      message.on('close', () => end('CUT_OFF'));
    });
    sent.on('error', (error) => end(codeOf(error)));
    // Node emits no other event for an unrequested upgrade. Once an answer has begun, its end decides.
    sent.on('close', () => answer ?? end('ECONNRESET'));
    sent.end(request.body);
  });
}

function open(request: WebhookRequest, agents: Agents): http.ClientRequest {
  const url = new URL(request.url);
  const options: https.RequestOptions = {
    method: 'POST',
    headers: {
      ...request.headers,
      'content-length': String(Buffer.byteLength(request.body)),
      // The answer is stored as text, so it must not be compressed.
      'accept-encoding': 'identity',
    },
    maxHeaderSize: HEADER_BYTES_MAX,
  };
  const sent =
    url.protocol === 'https:'
      ? https.request(url, { ...options, agent: agents['https:'] })
      : http.request(url, { ...options, agent: agents['http:'] });
  sent.on('socket', (socket) => recheck(socket, request));
  return sent;
}

/** A second check after the lookup: no request is written to a forbidden address, however it was reached. */
function recheck(socket: Socket, request: WebhookRequest): void {
  if (!socket.connecting) return;
  socket.once('connect', () => {
    const { remoteAddress } = socket;
    if (remoteAddress !== undefined && !isAllowedAddress(remoteAddress, request)) {
      socket.destroy(new GuardError('ADDRESS_REFUSED', 'the address is not public'));
    }
  });
}

/** An agent that keeps connections by origin, as Node's agents do, with a limit on all idle ones together. */
function newAgents(
  rules: { readonly allowsLoopback: boolean; readonly resolve?: Resolve },
  { keepAlive } = { keepAlive: true },
): Agents {
  const { allowsLoopback, resolve } = rules;
  const options: https.AgentOptions = {
    keepAlive,
    maxSockets: ORIGIN_SOCKETS_MAX,
    maxFreeSockets: ORIGIN_SOCKETS_MAX,
    timeout: IDLE_MS,
    lookup: guardedLookup({ allowsLoopback, resolve }),
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    // Explicit, so that the environment variable NODE_TLS_REJECT_UNAUTHORIZED has no effect.
    rejectUnauthorized: true,
  };
  return { 'http:': bounded(new http.Agent(options)), 'https:': bounded(new https.Agent(options)) };
}

function bounded<A extends http.Agent>(agent: A): A {
  const keepSocketAlive = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) => {
    const idle = Object.values(agent.freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
    return idle < IDLE_SOCKETS_MAX && keepSocketAlive(socket);
  };
  return agent;
}

function failed(error: string | null): Ended {
  return { status: null, error, answer: null, retryAfter: null };
}

function shown(answer: http.IncomingMessage, chunks: readonly Buffer[]): Omit<Ended, 'error'> {
  // `stream` drops a character that the limit cut in two. PostgreSQL stores no NUL in text.
  const text = new TextDecoder().decode(Buffer.concat(chunks), { stream: true }).replaceAll('\0', '\uFFFD');
  return {
    status: answer.statusCode ?? null,
    answer: text,
    retryAfter: answer.headers['retry-after'] ?? null,
  };
}

/** Messages of Node contain addresses and are left out. */
function codeOf(error: Error & { readonly code?: unknown }): string {
  if (error instanceof GuardError) return `${error.code}: ${error.message}`;
  return typeof error.code === 'string' ? error.code : 'FAILED';
}

function elapsedMs(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}
