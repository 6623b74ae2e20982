/**
 * Writes the request log: the requests of an account within about half a second are one row, with its search terms. A
 * row with its indexes per request cost more than answering it (decision 0051).
 */
import { quoted } from '../../base/text/quoted.ts';
import { CopiedLines, GrowingText } from '../connection/copy-rows.ts';
import type { Database } from '../connection/database.ts';

/** Kinds of callers. */
export type RequestActorKind = 'KEY' | 'PERSON' | 'PAYER';

/** One answered request: no ids of the path, no query, no body. */
export interface AnsweredRequest {
  readonly accountId: bigint;
  /** Time on the database's clock at which the answer had ended. Unit: ms. */
  readonly atMs: number;
  readonly actorKind: RequestActorKind;
  readonly actorId: string;
  readonly method: string;
  /** Path as in the route table. */
  readonly route: string;
  /** Name of the GraphQL operation. */
  readonly operation: string | null;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string;
  readonly end2end: string | null;
  readonly errorCode: string | null;
}

/** Search terms of requests; null matches all. */
export interface RequestFilter {
  readonly actorKind: RequestActorKind | null;
  readonly actorId: string | null;
  readonly requestId: string | null;
  readonly end2end: string | null;
  /** First digit of the status. */
  readonly statusClass: number | null;
}

/** Maximum number of requests of a batch. The ids of entries have room for 1,024. */
export const REQUEST_BATCH = 1_000;
/** Time limit of one statement: no request waits for it, and on a busy machine it easily takes a second. Unit: ms. */
const WRITE_MAX_MS = 5_000;
/** The database sets the time, because a process with a fast clock would block retention for all. */
const WRITE = 'copy request_batch (account_id, requests, terms, entries) from stdin';

/** The term of every batch. */
const ALL = '';
/** The most frequent property has no term of its own. */
const USUAL_KIND: RequestActorKind = 'KEY';
const USUAL_STATUS = 2;

/** Requests that are written together: a row for each account. */
export class RequestBatch {
  readonly #rows = new Map<bigint, Row>();
  #count = 0;

  /** Number of requests. */
  get count(): number {
    return this.#count;
  }

  add(request: AnsweredRequest): void {
    let row = this.#rows.get(request.accountId);
    if (!row) {
      row = new Row();
      this.#rows.set(request.accountId, row);
    }
    row.add(request);
    this.#count += 1;
  }

  /**
   * Writes the requests, in at most five seconds. @throws the driver's error, or an error that there was no answer in
   * time.
   */
  async write(database: Pick<Database, 'copyWithin'>): Promise<void> {
    const lines = new CopiedLines();
    for (const [accountId, { terms, entries, count }] of this.#rows)
      lines.add([accountId, count, terms, entries]);
    await database.copyWithin(WRITE_MAX_MS, WRITE, lines.bytes);
  }
}

/** Requests of one account, in the form of the migrations `request_batches` and `request_entries_by_term`. */
class Row {
  /** Positions of the requests by text. */
  readonly #terms = new Map<string, number>([[ALL, 0]]);
  readonly #entries = new GrowingText();
  #count = 0;
  /** Common prefix of the last id that began with its time, whose term already exists. */
  #timePart: string | undefined;
  /**
   * The request from which `#asked` was built. The text is reused while the following requests are alike, which is
   * usual.
   */
  #alike: AnsweredRequest | undefined;
  #routeText = '';

  get count(): number {
    return this.#count;
  }

  /** As JSON. */
  get terms(): string {
    return JSON.stringify([...this.#terms.keys()]);
  }

  /** As JSON. */
  get entries(): string {
    return `${this.#entries.bytes}]`;
  }

  add(request: AnsweredRequest): void {
    const { atMs, actorKind, status, durationMs, requestId, end2end, errorCode } = request;
    this.#addTimePart(requestId);
    if (actorKind !== USUAL_KIND) this.#indexOf(term('kind', actorKind));
    const statusClass = Math.floor(status / 100);
    if (statusClass !== USUAL_STATUS) this.#indexOf(term('status', statusClass));
    // The other columns contain only words of the code. A text from the database has no other characters.
    const transaction =
      end2end === null
        ? null
        : this.#indexOf(term('transaction', end2end.toWellFormed().replaceAll('\0', '')));
    this.#entries.append(
      `${this.#count === 0 ? '[' : ','}[${atMs},${this.#textOfRoute(request)},${status},${durationMs},${quoted(requestId)},${transaction},${jsonOf(errorCode)}]`,
    );
    this.#count += 1;
  }

  #indexOf(text: string): number {
    const index = this.#terms.get(text) ?? this.#terms.size;
    this.#terms.set(text, index);
    return index;
  }

  #addTimePart(requestId: string): void {
    if (this.#timePart !== undefined && hasTime(requestId) && requestId.startsWith(this.#timePart)) return;
    const part = commonPart(requestId);
    this.#indexOf(term('request', part));
    if (hasTime(requestId)) this.#timePart = part;
  }

  /** Caller and target of the requests. */
  #textOfRoute(request: AnsweredRequest): string {
    const { actorKind, actorId, method, route, operation } = request;
    const alike = this.#alike;
    const isSame =
      alike?.actorId === actorId &&
      alike.actorKind === actorKind &&
      alike.method === method &&
      alike.route === route &&
      alike.operation === operation;
    if (!isSame) {
      const actor = this.#indexOf(term('actor', actorId));
      this.#routeText = `"${actorKind}",${actor},"${method}",${quoted(route)},${jsonOf(operation)}`;
      this.#alike = request;
    }
    return this.#routeText;
  }
}

function jsonOf(text: string | null): string {
  return text === null ? 'null' : quoted(text);
}

/** @returns the terms of every batch with matching requests; the first one is the most selective. */
export function termsOf(filter: RequestFilter): readonly [string, ...string[]] {
  const { requestId, end2end, actorId, statusClass, actorKind } = filter;
  const [first = ALL, ...others] = [
    ...(requestId === null ? [] : [term('request', commonPart(requestId))]),
    ...(end2end === null ? [] : [term('transaction', end2end)]),
    ...(actorId === null ? [] : [term('actor', actorId)]),
    ...(statusClass === null || statusClass === USUAL_STATUS ? [] : [term('status', statusClass)]),
    ...(actorKind === null || actorKind === USUAL_KIND ? [] : [term('kind', actorKind)]),
  ];
  return [first, ...others];
}

function term(name: string, value: string | number): string {
  return `${name} ${value}`;
}

const UUID_LENGTH = 36;
const VERSION_AT = 14;
/** Length of an id's time prefix, which is constant for a quarter of a second. */
const TIME_LENGTH = 11;

/** @returns the prefix that ids of requests of the same time share; any other id unchanged. */
function commonPart(requestId: string): string {
  return hasTime(requestId) ? requestId.slice(0, TIME_LENGTH) : requestId;
}

/** Whether an id begins with the time (UUID version 7). */
function hasTime(requestId: string): boolean {
  return requestId.length === UUID_LENGTH && requestId[VERSION_AT] === '7';
}
