/**
 * One try to deliver a webhook over HTTP (C-62, C-63): guarded, never redirected, bounded in time and in what is read.
 * Whatever a receiver or the network does is an outcome; nothing of it is thrown.
 */
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { assert } from '../base/assert.ts';
import {
  assertConnectable,
  checkUrl,
  GuardError,
  guardedLookup,
  isAllowedAddress,
  type Resolve,
} from './guard.ts';

/** What is sent where. */
export interface WebhookRequest {
  readonly url: string;
  /** In lower case; length, host and encoding are added. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as it is; a string as UTF-8. */
  readonly body: string | Buffer;
  /** For all of it: name, connection, answer to its end. */
  readonly timeoutMs?: number;
  /** As of GuardOptions: in the sandbox only. */
  readonly allowsLoopback: boolean;
  /** Replaces DNS, in tests; such a try has a connection of its own. */
  readonly resolve?: Resolve;
}

/** How a try ended. */
export interface WebhookOutcome {
  /** Status of the answer; null when none came. */
  readonly status: number | null;
  /**
   * Null when the answer came whole, or was longer than what is read. Else why not: `TIMEOUT`, `CUT_OFF`, a code of
   * Node's (`ECONNREFUSED`, `CERT_HAS_EXPIRED`, `HPE_…`), or a code of GuardError with its message. Without addresses.
   */
  readonly error: string | null;
  /** Whole milliseconds from the beginning to the end. */
  readonly durationMs: number;
  /** The first 4 KiB of the answer's body as UTF-8, with U+FFFD for what is none; null when there was no answer. */
  readonly answer: string | null;
  /** The answer's field `Retry-After`, as it came. */
  readonly retryAfter: string | null;
}

const TIMEOUT_MS = 15_000;
const READ_BYTES_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 4 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;
const IDLE_MS = 30_000;
/** Connections to one origin; an endpoint has at most 100 tries under way. */
const ORIGIN_SOCKETS_MAX = 100;
const IDLE_SOCKETS_MAX = 256;
/** Node's quarter of a second gives up on receivers across an ocean when a name has several addresses. */
const ADDRESS_TIMEOUT_MS = 1000;

/** A connection that was made for one rule is never used under the other; each keeps to its own agents. */
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
 * Makes one try. The URL and its addresses are judged now, however they were judged before. A receiver may get the same
 * request twice: a kept connection that turns out to be closed is replaced by a new one, once.
 *
 * @returns how it ended, in `timeoutMs` at most (15 s).
 * @throws {TypeError} when a header field is malformed.
 */
export async function sendWebhook(request: WebhookRequest): Promise<WebhookOutcome> {
  const startedAt = performance.now();
  const timeoutMs = request.timeoutMs ?? TIMEOUT_MS;
  assert(timeoutMs > 0, 'a try has some time');
  const refusal = refusalOf(request);
  if (refusal) return { ...failed(codeOf(refusal)), durationMs: elapsedMs(startedAt) };
  const own = () => newAgents(request, { keepAlive: false });
  const shared = request.allowsLoopback ? AGENTS.sandbox : AGENTS.strict;
  let ended = await exchange(request, request.resolve ? own() : shared, timeoutMs);
  if (ended.isStale) ended = await exchange(request, own(), Math.max(1, timeoutMs - elapsedMs(startedAt)));
  const { isStale: _, ...outcome } = ended;
  return { ...outcome, durationMs: elapsedMs(startedAt) };
}

/** Ends all connections, also those of tries under way: for the end of the process. */
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
 * Sends, and reads until the answer's end, its bound, a failure or the time.
 *
 * @returns also whether a kept connection had been closed before anything was answered.
 */
function exchange(
  request: WebhookRequest,
  agents: Agents,
  timeoutMs: number,
): Promise<Ended & { isStale: boolean }> {
  return new Promise((resolve) => {
    const sent = open(request, agents);
    let answer: http.IncomingMessage | undefined;
    const kept: Buffer[] = [];
    let readBytes = 0;
    const timer = setTimeout(() => end('TIMEOUT'), timeoutMs);

    function end(error: string | null): void {
      clearTimeout(timer);
      // After a whole answer the connection is kept, and this does nothing.
      if (error !== null || !answer?.complete) sent.destroy();
      const isStale = sent.reusedSocket && !answer && (error === 'ECONNRESET' || error === 'EPIPE');
      resolve({ ...failed(error), ...(answer && shown(answer, kept)), isStale });
    }

    sent.on('response', (message) => {
      answer = message;
      message.on('data', (chunk: Buffer) => {
        if (readBytes < KEPT_BYTES_MAX) kept.push(chunk.subarray(0, KEPT_BYTES_MAX - readBytes));
        readBytes += chunk.length;
        if (readBytes > READ_BYTES_MAX) end(null);
      });
      message.on('end', () => end(message.complete ? null : 'CUT_OFF'));
      message.on('error', () => end('CUT_OFF'));
      message.on('close', () => end('CUT_OFF'));
    });
    sent.on('error', (error) => end(codeOf(error)));
    // Node says nothing else of an upgrade that nobody asked for. Once there is an answer, that says how it ends.
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
      // What is kept of the answer is text; and nothing is there to unpack.
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

/** A second wall behind the lookup: nothing is written to a peer that is not allowed, however it came to be one. */
function recheck(socket: Socket, request: WebhookRequest): void {
  if (!socket.connecting) return;
  socket.once('connect', () => {
    const { remoteAddress } = socket;
    if (remoteAddress !== undefined && !isAllowedAddress(remoteAddress, request)) {
      socket.destroy(new GuardError('ADDRESS_REFUSED', 'the address is not public'));
    }
  });
}

/** Kept connections by origin, as Node's agents do it, and an upper bound for all that are idle. */
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
    // Said, so that NODE_TLS_REJECT_UNAUTHORIZED of the environment has no say.
    rejectUnauthorized: true,
  };
  return { 'http:': bounded(new http.Agent(options)), 'https:': bounded(new https.Agent(options)) };
}

function bounded<A extends http.Agent>(agent: A): A {
  const keep = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) => {
    const idle = Object.values(agent.freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
    return idle < IDLE_SOCKETS_MAX && keep(socket);
  };
  return agent;
}

function failed(error: string | null): Ended {
  return { status: null, error, answer: null, retryAfter: null };
}

function shown(answer: http.IncomingMessage, kept: readonly Buffer[]): Omit<Ended, 'error'> {
  // `stream` leaves off a character that the bound has cut; PostgreSQL takes no NUL in a text.
  const text = new TextDecoder().decode(Buffer.concat(kept), { stream: true }).replaceAll('\0', '\uFFFD');
  return {
    status: answer.statusCode ?? null,
    answer: text,
    retryAfter: answer.headers['retry-after'] ?? null,
  };
}

/** Messages of Node's name addresses and are left off. */
function codeOf(error: Error & { readonly code?: unknown }): string {
  if (error instanceof GuardError) return `${error.code}: ${error.message}`;
  return typeof error.code === 'string' ? error.code : 'FAILED';
}

function elapsedMs(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}
