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
import { StoreError } from '../store/open-store.ts';
import { homeFolder } from './with-store.ts';

/** Where the log is read, and as whom. */
export interface Api {
  readonly baseUrl: string;
  readonly apiKey: string;
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
 * Gives every event after a cursor, for ever; a gateway that is away is asked again every second.
 *
 * @param after - undefined begins with what comes next.
 * @throws {StoreError} when the gateway refuses the key or the cursor.
 */
export async function* followEvents(api: Api, after: string | undefined): AsyncGenerator<FollowedEvent> {
  let cursor = after ?? (await newest(api));
  for (;;) {
    const page = await readPage(api, `after=${encodeURIComponent(cursor)}&limit=100&wait=${WAIT_SECONDS}`);
    yield* page.events;
    cursor = page.next;
  }
}

/** The end of the log at this moment: pages are read until one is empty. */
async function newest(api: Api): Promise<string> {
  let page = await readPage(api, 'limit=100');
  while (page.events.length > 0)
    page = await readPage(api, `after=${encodeURIComponent(page.next)}&limit=100`);
  return page.next;
}

interface Page {
  readonly events: readonly FollowedEvent[];
  readonly next: string;
}

async function readPage(api: Api, query: string): Promise<Page> {
  return pageOf(await ask(api, `/v2/events?${query}`));
}

/**
 * Asks for a path until there is an answer.
 *
 * @param body - JSON text to post.
 * @throws {StoreError} when the gateway refuses.
 */
export async function ask({ baseUrl, apiKey }: Api, path: string, body?: string): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const request = body === undefined ? { headers } : { method: 'POST', headers, body };
  for (;;) {
    const answer = await fetch(`${baseUrl}${path}`, request).catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    if (answer?.ok && text !== undefined) return text;
    if (answer && answer.status < 500 && answer.status !== 429) {
      throw new StoreError(`the gateway answers ${answer.status}: ${text?.slice(0, 300)}`);
    }
    await sleep(AGAIN_MS);
  }
}

function pageOf(text: string): Page {
  const page = parseExactJson(text);
  if (!isExactObject(page) || !Array.isArray(page.events))
    throw new StoreError('the answer is no page of events');
  return { events: page.events.map(eventOf), next: String(page.next) };
}

function eventOf(value: ExactJson): FollowedEvent {
  if (!isExactObject(value)) throw new StoreError('the answer is no page of events');
  const { cursor, name, sequence, occurred_at, transaction } = value;
  return {
    cursor: String(cursor),
    name: String(name),
    sequence: Number(sequence instanceof NumberToken ? sequence.text : 0),
    occurredAt: String(occurred_at),
    body: printExactJson(transaction ?? null),
  };
}
