/** The request log: what each key, person and payer asked and how it was answered; written in batches, read newest first. */
import type { Instant } from '../../base/instant.ts';
import type { CopiedLines } from '../copy-rows.ts';
import type { Database, Statement, Tx } from '../database.ts';

/** Who can ask. */
export type RequestActorKind = 'KEY' | 'PERSON' | 'PAYER';

/** One answered request: no ids of the path, no query, no body. */
export interface AnsweredRequest {
  readonly accountId: bigint;
  /** On the machine's clock, when the answer had ended. */
  readonly at: Instant;
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

/** An entry of the log as it is read. */
export interface LoggedRequest extends Omit<AnsweredRequest, 'accountId'> {
  readonly id: bigint;
  /** Of the key or the person. */
  readonly actorName: string | null;
}

/** Which entries are meant; all that are given must hold. */
export interface RequestFilter {
  readonly actorKind: RequestActorKind | null;
  readonly actorId: string | null;
  readonly requestId: string | null;
  readonly end2end: string | null;
  /** First digit of the status. */
  readonly statusClass: number | null;
}

/** Which part of what a filter finds. */
export interface RequestSlice {
  readonly after: bigint | null;
  readonly before: bigint | null;
  readonly isNewestFirst: boolean;
  readonly limit: number;
  /** How many entries are left out before the slice; none when not given. */
  readonly skip?: number;
}

/** Most rows of one statement. */
export const REQUEST_BATCH = 1_000;
/** So many entries are counted; of more the number is not known. */
export const REQUESTS_COUNTED_MAX = 10_000;
/** How long one statement may take: no request waits for it, and on a busy machine a second is soon over. Unit: ms. */
const WRITE_MAX_MS = 5_000;

const WRITE = `copy request_log (account_id, at, actor_kind, actor_id, method, route, operation, status, duration_ms, request_id,
  end2end, error_code) from stdin`;
const COLUMNS = [
  'accountId',
  'at',
  'actorKind',
  'actorId',
  'method',
  'route',
  'operation',
  'status',
  'durationMs',
  'requestId',
  'end2end',
  'errorCode',
] as const satisfies readonly (keyof AnsweredRequest)[];

/** Adds a request to a batch. */
export function addRequest(batch: CopiedLines, request: AnsweredRequest): void {
  batch.add(COLUMNS.map((column) => request[column]));
}

/** Writes a batch, in at most five seconds. @throws the driver's error, or that there was no answer in time. */
export async function writeRequests(
  database: Pick<Database, 'copyWithin'>,
  batch: CopiedLines,
): Promise<void> {
  await database.copyWithin(WRITE_MAX_MS, WRITE, batch.bytes);
}

const MATCHES = `r.account_id = $1 and ($2::text is null or r.actor_kind = $2) and ($3::text is null or r.actor_id = $3)
  and ($4::text is null or r.request_id = $4) and ($5::text is null or r.end2end = $5)
  and ($6::int is null or r.status between $6 * 100 and $6 * 100 + 99)`;

const page = (name: string, order: 'asc' | 'desc'): Statement => ({
  name,
  text: `select r.id, r.at, r.actor_kind as "actorKind", r.actor_id as "actorId", coalesce(k.name, p.name) as "actorName", r.method,
      r.route, r.operation, r.status, r.duration_ms as "durationMs", r.request_id as "requestId", r.end2end, r.error_code as "errorCode"
    from (select * from request_log r where ${MATCHES} and ($7::bigint is null or r.id > $7) and ($8::bigint is null or r.id < $8)
      order by r.id ${order} limit $9 offset $10) r
    left join api_key k on r.actor_kind = 'KEY' and k.account_id = r.account_id and k.id = r.actor_id
    left join person p on r.actor_kind = 'PERSON' and p.id = r.actor_id
    order by r.id ${order}`,
});
const OLDEST = page('request_log_oldest', 'asc');
const NEWEST = page('request_log_newest', 'desc');
const COUNT: Statement = {
  name: 'request_log_count',
  text: `select count(*)::int as count from (select from request_log r where ${MATCHES} limit ${REQUESTS_COUNTED_MAX + 1}) r`,
};

/** @returns the entries of a slice. */
export function readRequests(
  database: Tx,
  accountId: bigint,
  filter: RequestFilter,
  { after, before, isNewestFirst, limit, skip = 0 }: RequestSlice,
): Promise<LoggedRequest[]> {
  const statement = isNewestFirst ? NEWEST : OLDEST;
  return database.query<LoggedRequest>(statement, [
    ...valuesOf(accountId, filter),
    after,
    before,
    limit,
    skip,
  ]);
}

/** @returns how many entries a filter finds; null when there are more than are counted. */
export async function countRequests(
  database: Tx,
  accountId: bigint,
  filter: RequestFilter,
): Promise<number | null> {
  const [row] = await database.query<{ count: number }>(COUNT, valuesOf(accountId, filter));
  const count = row?.count ?? 0;
  return count > REQUESTS_COUNTED_MAX ? null : count;
}

function valuesOf(accountId: bigint, filter: RequestFilter): unknown[] {
  const { actorKind, actorId, requestId, end2end, statusClass } = filter;
  return [accountId, actorKind, actorId, requestId, end2end, statusClass];
}
