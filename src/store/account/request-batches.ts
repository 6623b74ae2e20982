/**
 * Writes the request log: what an account asked in about half a second is one row, with the terms that it is found by. A row with
 * its indexes for each request cost more than to answer it (decision 0051).
 */
import { quoted } from '../../base/quoted.ts';
import { CopiedLines, GrowingText } from '../copy-rows.ts';
import type { Database } from '../database.ts';

/** Who can ask. */
export type RequestActorKind = 'KEY' | 'PERSON' | 'PAYER';

/** One answered request: no ids of the path, no query, no body. */
export interface AnsweredRequest {
  readonly accountId: bigint;
  /** On the machine's clock, when the answer had ended. Unit: ms. */
  readonly atMs: number;
  readonly actorKind: RequestActorKind;
  readonly actorId: string;
  readonly method: string;
  /** As in the route table. */
  readonly route: string;
  /** Name of the GraphQL operation. */
  readonly operation: string | null;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string;
  readonly end2end: string | null;
  readonly errorCode: string | null;
}

/** What requests are found by; null for whatever it is. */
export interface RequestFilter {
  readonly actorKind: RequestActorKind | null;
  readonly actorId: string | null;
  readonly requestId: string | null;
  readonly end2end: string | null;
  /** First digit of the status. */
  readonly statusClass: number | null;
}

/** Most requests of a batch. The ids of entries leave room for 1,024. */
export const REQUEST_BATCH = 1_000;
/** How long one statement may take: no request waits for it, and on a busy machine a second is soon over. Unit: ms. */
const WRITE_MAX_MS = 5_000;
/** Its age counts from when the database writes it: one process with a clock far ahead would hold up retention for all. */
const WRITE = 'copy request_batch (account_id, requests, terms, entries) from stdin';

/** What one account asked. */
interface Row {
  /** By text, with their places. */
  readonly terms: Map<string, number>;
  readonly entries: GrowingText;
  requests: number;
}

/** Requests that are written together: a row for each account. */
export class RequestBatch {
  readonly #rows = new Map<bigint, Row>();
  #count = 0;

  /** How many requests there are. */
  get count(): number {
    return this.#count;
  }

  add(request: AnsweredRequest): void {
    let row = this.#rows.get(request.accountId);
    if (!row) {
      row = { terms: new Map(), entries: new GrowingText(), requests: 0 };
      this.#rows.set(request.accountId, row);
    }
    const places = addTerms(row.terms, request);
    row.entries.append(`${row.requests === 0 ? '[' : ','}${entryOf(request, places)}`);
    row.requests += 1;
    this.#count += 1;
  }

  /** Writes them, in at most five seconds. @throws the driver's error, or that there was no answer in time. */
  async write(database: Pick<Database, 'copyWithin'>): Promise<void> {
    const lines = new CopiedLines();
    for (const [accountId, { terms, entries, requests }] of this.#rows)
      lines.add([accountId, requests, JSON.stringify([...terms.keys()]), `${entries.bytes}]`]);
    await database.copyWithin(WRITE_MAX_MS, WRITE, lines.bytes);
  }
}

/** Places of terms. */
interface Places {
  readonly actor: number;
  readonly transaction: number | null;
}

/** As the migrations `request_batches` and `request_entries_by_term` describe it. */
function entryOf(request: AnsweredRequest, { actor, transaction }: Places): string {
  const { atMs, actorKind, method, route, operation, status, durationMs, requestId, errorCode } = request;
  const asked = `"${actorKind}",${actor},"${method}",${quoted(route)},${jsonOf(operation)}`;
  return `[${atMs},${asked},${status},${durationMs},${quoted(requestId)},${transaction},${jsonOf(errorCode)}]`;
}

function jsonOf(text: string | null): string {
  return text === null ? 'null' : quoted(text);
}

/** The term of every batch. */
const ALL = '';
/** What most requests have in common is no term of its own. */
const USUAL_KIND: RequestActorKind = 'KEY';
const USUAL_STATUS = 2;

function addTerms(terms: Map<string, number>, request: AnsweredRequest): Places {
  const { actorKind, actorId, requestId, end2end, status } = request;
  const add = (text: string): number => {
    const place = terms.get(text) ?? terms.size;
    terms.set(text, place);
    return place;
  };
  add(ALL);
  add(term('request', commonPart(requestId)));
  if (actorKind !== USUAL_KIND) add(term('kind', actorKind));
  const statusClass = Math.floor(status / 100);
  if (statusClass !== USUAL_STATUS) add(term('status', statusClass));
  return {
    actor: add(term('actor', actorId)),
    // The rest is made of words of our own. A text of the database holds no other characters either.
    transaction:
      end2end === null ? null : add(term('transaction', end2end.toWellFormed().replaceAll('\0', ''))),
  };
}

/** @returns the terms of every batch that holds what is asked for; the first finds the fewest of them. */
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
/** So many characters of an id that begins with the time are the same for a quarter of a second. */
const TIME_LENGTH = 11;

/** @returns what an id of a request has in common with those of the same moment (UUID version 7); any other is as it is. */
function commonPart(requestId: string): string {
  const hasTime = requestId.length === UUID_LENGTH && requestId[VERSION_AT] === '7';
  return hasTime ? requestId.slice(0, TIME_LENGTH) : requestId;
}
