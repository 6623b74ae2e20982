/** Follows the event log of an account over HTTP, as any caller can: page after page, waiting where there is none. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ExactJson,
  isExactObject,
  NumberToken,
  parseExactJson,
  printExactJson,
} from '../base/exact-json.ts';
import { StoreError } from '../store/check-server.ts';
import { homeFolder } from './with-store.ts';

/** Where the log is read, and as whom. */
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
  /** The body that a webhook carries, to the byte. */
  readonly body: string;
}

const WAIT_SECONDS = 20;
/** An answer that is not whole by then does not come: the gateway may be gone without a word. Unit: ms. */
const ANSWER_MS = (WAIT_SECONDS + 10) * 1_000;
const AGAIN_MS = 1_000;

/** @returns the gateway that is named, or the one whose `sandbox.json` is in the home folder. */
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
 * Follows the log; a gateway that is away is asked again every second.
 *
 * @param after - cursor of the last event that is known; undefined begins with what comes next.
 * @returns every event after that, without end. It resolves when the place is fixed where they begin.
 * @throws {StoreError} when the gateway refuses the key or the cursor.
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
    const page = await readPage(api, `after=${encodeURIComponent(cursor)}&limit=100&wait=${WAIT_SECONDS}`);
    yield* page.events;
    cursor = page.next;
  }
}

/** @returns the end of the log at this moment: a stream from now on begins with it. */
function newest(api: Api): Promise<string> {
  const body = JSON.stringify({ query: 'subscription { events { cursor } }' });
  return ask(api, '/graphql', { body, accept: 'text/event-stream', read: firstId });
}

/** Reads a stream of events up to its first id. @returns undefined when it ends before. */
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

async function readPage(api: Api, query: string): Promise<Page> {
  return pageOf(await ask(api, `/v2/events?${query}`));
}

/** How a path is asked for. */
export interface Asking {
  /** JSON text to post. */
  readonly body?: string;
  /** Media type of the answer; JSON if it is not given. */
  readonly accept?: string;
  /** Reads the answer; what is undefined is asked for again. The whole text if it is not given. */
  readonly read?: (answer: Response) => Promise<string | undefined>;
}

/**
 * Asks for a path until there is an answer, each time for at most 30 seconds; standard error says when the gateway stops and begins to answer.
 *
 * @throws {StoreError} when the gateway refuses, or cannot be reached by the very first request.
 */
export async function ask(api: Api, path: string, asking: Asking = {}): Promise<string> {
  const { baseUrl, apiKey } = api;
  const { body, accept = 'application/json', read = (answer) => answer.text() } = asking;
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
      const text = await answer.text().catch(() => '');
      throw new StoreError(`the gateway answers ${answer.status}: ${reasonOf(text)}`);
    } else notice(api, false);
    await sleep(AGAIN_MS);
  }
}

/** @returns the `detail` of a problem; the text itself where it is none. */
function reasonOf(text: string): string {
  try {
    return String(JSON.parse(text).detail ?? text).slice(0, 300);
  } catch {
    return text.slice(0, 300);
  }
}

function unreachable({ baseUrl }: Api, error: Error): StoreError {
  const { code, message } = (error.cause ?? error) as Error & { code?: string | number };
  const reason = typeof code === 'string' ? code : message;
  return new StoreError(`cannot reach the gateway at ${baseUrl}: ${reason}`, { cause: error });
}

/** Says on standard error that the gateway no longer answers, or answers again: once, when it changes. */
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
