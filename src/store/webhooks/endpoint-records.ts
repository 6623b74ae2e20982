/** Webhook endpoints with all members that their account may read. */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** An endpoint, including a removed one. */
export interface EndpointRecord {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  readonly kind: string;
  /** Template of its events; null for all. */
  readonly template: string | null;
  readonly eventNames: readonly string[];
  readonly orderMode: string;
  readonly maxConcurrency: number;
  readonly maxPerSecond: number | null;
  /** Sealed; null if it signs only with secrets. */
  readonly signingKey: string | null;
  readonly state: string;
  readonly disabledReason: string | null;
  readonly disabledAt: Instant | null;
  /** Whether it missed events while it was disabled. */
  readonly isRecoverable: boolean;
  readonly failingSince: Instant | null;
  readonly consecutiveFailures: number;
  readonly blockedUntil: Instant | null;
  readonly createdAt: Instant;
  readonly removedAt: Instant | null;
}

const COLUMNS = `id, url, description, kind, template, event_names as "eventNames", order_mode as "orderMode",
  max_concurrency as "maxConcurrency", max_per_second as "maxPerSecond", signing_key as "signingKey", state,
  disabled_reason as "disabledReason", disabled_at as "disabledAt", disabled_from_seq is not null as "isRecoverable",
  failing_since as "failingSince", consecutive_failures as "consecutiveFailures", blocked_until as "blockedUntil",
  created_at as "createdAt", removed_at as "removedAt"`;
const ONE: Statement = {
  name: 'webhook_endpoint_record',
  text: `select ${COLUMNS} from webhook_endpoint where account_id = $1 and id = $2`,
};
const PRESENT = 'from webhook_endpoint where account_id = $1 and removed_at is null';
const LIST: Statement = {
  name: 'webhook_endpoint_records',
  text: `select ${COLUMNS} from webhook_endpoint where account_id = $1 and id in (
      select id ${PRESENT} and kind <> 'transaction'
      union all (select id ${PRESENT} and kind = 'transaction' order by created_at desc, id desc limit $2))
    order by kind = 'transaction', created_at, id`,
};

/** @returns the endpoint, including a removed one; undefined if the account has none with this id. */
export async function readEndpointRecord(
  database: Tx,
  accountId: bigint,
  id: string,
): Promise<EndpointRecord | undefined> {
  const [row] = await database.query<EndpointRecord>(ONE, [accountId, id]);
  return row;
}

/**
 * @param cameMax - maximum number of listed endpoints of transactions, the newest ones.
 * @returns the endpoints that were created for the account, then those of transactions; both oldest first.
 */
export function readEndpointRecords(
  database: Tx,
  accountId: bigint,
  cameMax: number,
): Promise<EndpointRecord[]> {
  return database.query<EndpointRecord>(LIST, [accountId, cameMax]);
}
