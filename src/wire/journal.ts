/** A journal with the postings of both sides as JSON: the output of `crossramp export --format journals`. */
import { type Instant, isoExact } from '../base/time/instant.ts';
import type { LedgerAccountClass } from '../ledger/chart.ts';
import { sidesOf } from './statement.ts';

/** Facts of a posting. */
export interface PostingFacts {
  readonly lineId: bigint;
  readonly accountClass: LedgerAccountClass;
  readonly code: string | null;
  readonly currency: string;
  readonly scale: number;
  /** Minor units; a credit is positive. */
  readonly delta: string;
}

/** Facts of a journal. */
export interface JournalFacts {
  readonly id: bigint;
  readonly name: string;
  readonly postedAt: Instant;
  readonly end2end: string | null;
}

/** @returns the JSON text of a journal. A posting on a house account has a class, but no line and no account. */
export function journalEntry(journal: JournalFacts, postings: readonly PostingFacts[]): string {
  const { id, name, postedAt, end2end } = journal;
  return (
    `{"type":"journal","id":${id},"name":${JSON.stringify(name)},"date":"${isoExact(postedAt)}",` +
    `"transaction":${JSON.stringify(end2end)},"postings":[${postings.map(postingJson).join(',')}]}`
  );
}

function postingJson({ lineId, accountClass, code, currency, scale, delta }: PostingFacts): string {
  const { debit, credit } = sidesOf(delta, scale);
  const line = code === null ? 'null' : String(lineId);
  return (
    `{"class":"${accountClass}","line":${line},"account":${JSON.stringify(code)},` +
    `"currency":${JSON.stringify(currency)},"debit":${debit},"credit":${credit}}`
  );
}
