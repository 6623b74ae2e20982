/**
 * Cached responses that stay valid while nothing of their account has changed (docs/decisions/0044). The version of the
 * account is the proof: it is read before the response is made, and again for each later request.
 */
import { hash } from 'node:crypto';
import { versionReader } from '../../store/account/account-version.ts';
import type { Database } from '../../store/connection/database.ts';
import type { JsonText } from '../../wire/list.ts';
import { type Exchange, send } from '../http/http.ts';

/** An answer ready to be sent. */
export interface Answer {
  readonly contentType: string;
  /** Each character stands for a byte: Node sends such a text in one write with its headers, without encoding it. */
  readonly body: string;
  /** Headers that do not depend on the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null if the method has no route. */
  readonly etag: string | null;
  /** Fields of the request log. */
  readonly noted: Exchange['noted'];
  /** Points that the response counts against the limits of the key. */
  readonly points: number;
}

/** Result of a look-up: the response, if it is still valid; otherwise a function that caches the new one. */
export interface Found {
  readonly answer?: Answer;
  /** Version of the account, if it was read. */
  readonly version?: bigint;
  /**
   * Stores a response that was read after the look-up of its request.
   * @param shown - version on the standby after its read: if it differs from the looked-up version, the response is not
   * cached. Default: no standby was read.
   */
  readonly cache?: (answer: Answer, shown?: bigint) => void;
}

/**
 * Overhead of a cached response in bytes, in addition to its text and its key, measured
 * (test/server/answers/proved-answers.test.ts).
 */
const ANSWER_BYTES = 500;
/** The same overhead for a key that was requested. */
const REQUEST_BYTES = 200;
/** Maximum share of all bytes for one response; the stored request keys use as much in total. */
const SHARE = 16;
const NOTHING: Found = {};

/** The answers that a process caches. */
export class ProvedAnswers {
  readonly #cached: Shelf<{ readonly version: bigint; readonly answer: Answer }>;
  /** Earlier requests. A request that is sent only once is not cached, and costs no additional statement. */
  readonly #requested: Shelf<true>;
  readonly #versionOf: (accountId: bigint) => Promise<bigint | undefined>;
  readonly #answerBytesMax: number;

  /** @param bytesMax - limit of all answers together, and of the requested keys together; 0 caches none. */
  constructor(database: Pick<Database, 'query'>, bytesMax: number) {
    this.#answerBytesMax = bytesMax / SHARE;
    this.#requested = new Shelf(bytesMax / SHARE);
    this.#cached = new Shelf(bytesMax - bytesMax / SHARE);
    this.#versionOf = versionReader(database);
  }

  /**
   * Finds the cached response of a request.
   * @param key - all inputs of the response apart from the data of the account.
   */
  async find(accountId: bigint, key: string): Promise<Found> {
    const name = `${accountId} ${key}`;
    const cached = this.#cached.get(name);
    if (!cached && !this.#requested.get(name))
      return { cache: () => this.#requested.put(name, true, bytesOf(name) + REQUEST_BYTES) };
    // When the database fails, the response is read as usual, and the read reports the failure.
    const version = await this.#versionOf(accountId).catch(() => undefined);
    if (version === undefined) return NOTHING;
    if (cached?.version === version) return { answer: cached.answer, version };
    return {
      version,
      cache: (answer, shown = version) => {
        if (shown === version) this.#cache(name, version, answer);
      },
    };
  }

  #cache(name: string, version: bigint, answer: Answer): void {
    const bytes = answer.body.length + bytesOf(name) + ANSWER_BYTES;
    if (bytes > this.#answerBytesMax) return;
    // Flattened, because a text that consists of concatenated parts takes several times its memory.
    const body = Buffer.from(answer.body, 'latin1').toString('latin1');
    this.#cached.put(name, { version, answer: { ...answer, body } }, bytes);
  }
}

const NOT_LATIN = /[\u0100-\uffff]/;

/** @returns the memory of a text: one character outside of Latin-1 makes all of them two bytes long. */
function bytesOf(text: string): number {
  return NOT_LATIN.test(text) ? 2 * text.length : text.length;
}

/**
 * A cache with a limited number of bytes. The oldest value makes room, unless it was used since its last turn: then it
 * moves to the end.
 */
class Shelf<Value> {
  readonly #items = new Map<string, { readonly value: Value; readonly bytes: number; isUsed: boolean }>();
  readonly #max: number;
  #bytes = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get(name: string): Value | undefined {
    const item = this.#items.get(name);
    // Moving the value to the end of the map at each use would cost a quarter of the look-up.
    if (item) item.isUsed = true;
    return item?.value;
  }

  put(name: string, value: Value, bytes: number): void {
    this.#bytes -= this.#items.get(name)?.bytes ?? 0;
    this.#items.delete(name);
    if (bytes > this.#max) return;
    for (const [oldest, item] of this.#items) {
      if (this.#bytes + bytes <= this.#max) break;
      this.#items.delete(oldest);
      if (item.isUsed) this.#items.set(oldest, { ...item, isUsed: false });
      else this.#bytes -= item.bytes;
    }
    this.#items.set(name, { value, bytes, isUsed: false });
    this.#bytes += bytes;
  }
}

/** Buffer in which texts become bytes; a longer text gets memory of its own. */
const ROOM = Buffer.allocUnsafeSlow(262_144);
/** Maximum number of bytes of a character in UTF-8. */
const CHARACTER_BYTES = 3;

/**
 * @param encoding - of the text.
 * @returns the body in its sent form, and a strong entity tag: equal bytes of the same media type have equal tags.
 */
export function answerBody(contentType: string, text: JsonText, encoding: 'utf8' | 'latin1' = 'utf8') {
  const head = `${contentType}\n`;
  const bytes = bytesOfPieces([head, ...(typeof text === 'string' ? [text] : text)], encoding);
  return {
    body: bytes.toString('latin1', head.length),
    etag: `"${hash('sha256', bytes, 'base64url')}"`,
  };
}

/** @returns bytes that the next call overwrites. */
function bytesOfPieces(pieces: readonly string[], encoding: 'utf8' | 'latin1'): Buffer {
  let end = 0;
  for (const piece of pieces) {
    if (end + CHARACTER_BYTES * piece.length > ROOM.length) return Buffer.from(pieces.join(''), encoding);
    end += ROOM.write(piece, end, encoding);
  }
  return ROOM.subarray(0, end);
}

/** Writes an answer; a client that already has the same one gets 304 (RFC 9110 section 13). */
export function sendAnswer(exchange: Exchange, answer: Answer, value: Record<string, string>): void {
  const { contentType, body, etag } = answer;
  const { request, response, requestId } = exchange;
  const headers: Record<string, string> = { ...value, ...answer.headers };
  if (etag !== null) {
    // A browser may cache it, and revalidates it each time.
    headers['cache-control'] = 'private, no-cache';
    headers.etag = etag;
    if (hasSame(request.headers['if-none-match'], etag)) {
      headers['x-request-id'] = requestId;
      response.writeHead(304, headers).end();
      return;
    }
  }
  send(exchange, 200, contentType, body, headers, 'latin1');
}

/** Whether one of the tags of an `If-None-Match` header is this one; a weak tag of the same bytes counts, too. */
function hasSame(value: string | undefined, etag: string): boolean {
  if (value === undefined) return false;
  return value === etag || value.trim() === '*' || value.match(TAGS)?.includes(etag) === true;
}

const TAGS = /"[^"]*"/g;
