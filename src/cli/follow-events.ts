/** Follows the event log of an account over HTTP by long polling, with the public API. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ExactJson,
  isExactObject,
  NumberToken,
  parseExactJson,
  printExactJson,
} from '../base/text/exact-json.ts';
import { StoreError } from '../store/connection/check-server.ts';
import { homeFolder } from './with-store.ts';

/** The gateway and the API key. */
export interface Api {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Whether the last request was answered; undefined before the first answer. */
  isAnswering?: boolean;
}

/** An event as it is forwarded. */
export interface FollowedEvent {
  readonly cursor: string;
  readonly name: string;
  readonly sequence: number;
  readonly occurredAt: string;
  /** The body of the webhook, byte for byte. */
  readonly body: string;
}

/** Thrown when the gateway refuses a request; the message is one line. */
class Refusal extends StoreError {
  /** Code of the problem, and the cursor to go on with after `CURSOR_EXPIRED`. */
  readonly problem: { readonly code?: unknown; readonly earliest?: unknown };

  constructor(status: number, text: string) {
    const problem = problemOf(text);
    super(`the gateway answers ${status}: ${String(problem.detail ?? text).slice(0, 300)}`);
    this.problem = problem;
  }
}

const WAIT_SECONDS = 20;
/** Time limit for a whole answer; the gateway may be gone without closing the connection. Unit: ms. */
const ANSWER_MS = (WAIT_SECONDS + 10) * 1_000;
const AGAIN_MS = 1_000;

/** @returns the gateway of the options, or the one whose `sandbox.json` is in the home folder. */
export function apiNamed(options: { readonly baseUrl?: string; readonly key?: string }): Api {
  if (options.baseUrl && options.key)
    return { baseUrl: options.baseUrl.replace(/\/+$/, ''), apiKey: options.key };
  const home = homeFolder();
  try {
    const { baseUrl, apiKey } = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8'));
    return { baseUrl: options.baseUrl ?? baseUrl, apiKey: options.key ?? apiKey };
  } catch {
    throw new StoreError(`there is no sandbox.json in ${home}: name --base-url and --key`);
  }
}

/**
 * Follows the log. An unanswered request is repeated every second. If events after the cursor were dropped, or lost
 * when the database was restored, it reports that on standard error and continues from the oldest event.
 * @param after - cursor of the last known event; undefined: only future events.
 * @returns all later events, without end. It resolves when the starting point is fixed.
 * @throws {StoreError} when the gateway refuses the key, or the cursor for another reason.
 */
export async function followEvents(
  api: Api,
  after: string | undefined,
): Promise<AsyncGenerator<FollowedEvent>> {
  return eventsAfter(api, after ?? (await newest(api)));
}

async function* eventsAfter(api: Api, after: string): AsyncGenerator<FollowedEvent> {
  let cursor = after;
  for (;;) {
    const page = await readPage(api, cursor);
    yield* page.events;
    cursor = page.next;
  }
}

/** @returns the cursor of the current end of the log, at which a new stream begins. */
function newest(api: Api): Promise<string> {
  const body = JSON.stringify({ query: 'subscription { events { cursor } }' });
  return fetchPath(api, '/graphql', { body, accept: 'text/event-stream', read: firstId });
}

/** Reads a stream of events up to its first id. @returns undefined if the stream ends first. */
async function firstId(answer: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const id = /^id: (.+)$/m.exec(text)?.[1];
    // Leaving the loop ends the connection.
    if (id !== undefined && text.endsWith('\n')) return id;
  }
  return undefined;
}

interface Page {
  readonly events: readonly FollowedEvent[];
  readonly next: string;
}

/** @returns the events after a cursor; for an expired cursor no events, and the cursor before the oldest event. */
async function readPage(api: Api, cursor: string): Promise<Page> {
  try {
    const query = `after=${encodeURIComponent(cursor)}&limit=100&wait=${WAIT_SECONDS}`;
    return pageOf(await fetchPath(api, `/v2/events?${query}`));
  } catch (error) {
    const { code, earliest } = error instanceof Refusal ? error.problem : {};
    if (code !== 'CURSOR_EXPIRED' || typeof earliest !== 'string') throw error;
    process.stderr.write(
      'crossramp: events after the last cursor are no longer kept, or were lost when the database was restored; going on from the oldest event\n',
    );
    return { events: [], next: earliest };
  }
}

/** Options of a request. */
export interface RequestOptions {
  /** JSON text to post. */
  readonly body?: string;
  /** Media type of the answer; JSON if it is not given. */
  readonly accept?: string;
  /** Reads the answer; undefined means that the request is repeated. Default: the whole text. */
  readonly read?: (answer: Response) => Promise<string | undefined>;
}

/**
 * Requests a path until there is an answer, for at most 30 seconds each time. Standard error says when the gateway stops
 * answering, and when it answers again.
 *
 * @throws {StoreError} when the gateway refuses, or cannot be reached by the very first request.
 */
export async function fetchPath(api: Api, path: string, options: RequestOptions = {}): Promise<string> {
  const { baseUrl, apiKey } = api;
  const { body, accept = 'application/json', read = (answer) => answer.text() } = options;
  const headers = { authorization: `Bearer ${apiKey}`, accept, 'content-type': 'application/json' };
  const request = body === undefined ? { headers } : { method: 'POST', headers, body };
  for (;;) {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(`${baseUrl}${path}`, { ...request, signal }).catch((error: Error) => error);
    if (answer instanceof Error) {
      if (api.isAnswering === undefined) throw unreachable(api, answer);
      notice(api, false);
    } else if (answer.ok) {
      const text = await read(answer).catch(() => undefined);
      notice(api, text !== undefined);
      if (text !== undefined) return text;
    } else if (answer.status < 500 && answer.status !== 429) {
      throw new Refusal(answer.status, await answer.text().catch(() => ''));
    } else notice(api, false);
    await sleep(AGAIN_MS);
  }
}

/** @returns the members of a problem; none of an answer that is no JSON object. */
function problemOf(text: string): Partial<Record<'detail' | 'code' | 'earliest', unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function unreachable({ baseUrl }: Api, error: Error): StoreError {
  const { code, message } = (error.cause ?? error) as Error & { code?: string | number };
  const reason = typeof code === 'string' ? code : message;
  return new StoreError(`cannot reach the gateway at ${baseUrl}: ${reason}`, { cause: error });
}

/** Reports on standard error, once for each change, that the gateway no longer answers or answers again. */
function notice(api: Api, isAnswering: boolean): void {
  if (api.isAnswering !== isAnswering && !(isAnswering && api.isAnswering === undefined))
    process.stderr.write(
      isAnswering
        ? 'crossramp: the gateway answers again\n'
        : `crossramp: the gateway at ${api.baseUrl} does not answer, asking again every second\n`,
    );
  api.isAnswering = isAnswering;
}

function pageOf(text: string): Page {
  const page = parseExactJson(text);
  if (!isExactObject(page) || !Array.isArray(page.events))
    throw new StoreError('the gateway answered with something that is not a page of events');
  return { events: page.events.map(eventOf), next: String(page.next) };
}

function eventOf(value: ExactJson): FollowedEvent {
  if (!isExactObject(value))
    throw new StoreError('the gateway answered with something that is not a page of events');
  const { cursor, name, sequence, occurred_at, transaction } = value;
  return {
    cursor: String(cursor),
    name: String(name),
    sequence: Number(sequence instanceof NumberToken ? sequence.text : 0),
    occurredAt: String(occurred_at),
    body: printExactJson(transaction ?? null),
  };
}
