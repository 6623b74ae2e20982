/** Webhook endpoints and their secrets (contract section 8). */
import { createHash } from 'node:crypto';
import { snakeCase } from '../../base/text/snake-case.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { scheduleNow } from './endpoint-schedule.ts';

/** Id of the secrets that all URLs of transactions share. */
export const TRANSACTIONS = 'transactions';

/** The settings of an endpoint. In a change, missing members are left unchanged. */
export interface EndpointFields {
  readonly url: string;
  readonly description: string | null;
  readonly template: string | null;
  readonly eventNames: readonly string[];
  readonly orderMode: 'transaction' | 'account' | 'parallel';
  readonly maxConcurrency: number;
  readonly maxPerSecond: number | null;
  readonly signingKey: string | null;
}

/** The parts of an endpoint that determine the possible actions. */
export interface EndpointRow {
  readonly id: string;
  readonly kind: 'transaction' | 'template' | 'general';
  /** The only template whose events it gets; null for all. */
  readonly template: string | null;
  readonly state: 'enabled' | 'paused' | 'disabled';
  readonly disabledFromSeq: bigint | null;
  readonly isRemoved: boolean;
}

/** The change may allow more deliveries, so the endpoint is due now. */
const SOON = scheduleNow(
  'select $1::bigint as account_id, $2::text as endpoint_id',
  `'-infinity'::timestamptz`,
);
/**
 * Facts of an endpoint in the audit log. A URL may contain a secret in its query, or a password, so both are left out; a part of
 * the hash of the whole URL shows that they changed.
 */
const AUDITED = `jsonb_build_object('url', regexp_replace(split_part(url, '?', 1), '//[^/@]*@', '//'),
  'urlHash', left(encode(sha256(convert_to(url, 'UTF8')), 'hex'), 8), 'description', description,
  'template', template, 'eventNames', event_names, 'orderMode', order_mode, 'maxConcurrency', max_concurrency,
  'maxPerSecond', max_per_second, 'isSignedByKey', signing_key is not null, 'state', state, 'isRemoved', removed_at is not null)`;
const ENSURE: Statement = {
  name: 'webhook_ensure',
  text: `with secret as (
      insert into webhook_secret (account_id, endpoint_id, secret, created_at)
        select $1, '${TRANSACTIONS}', $4, $5 where not exists (
          select from webhook_secret where account_id = $1 and endpoint_id = '${TRANSACTIONS}')
    )
    insert into webhook_endpoint (account_id, id, url, kind, created_at)
      select $1, $2, $3, 'transaction', $5 where not exists (
        select from webhook_endpoint where account_id = $1 and kind = 'transaction' and url = $3 and removed_at is null)
    on conflict (account_id, id) do update set removed_at = null, state = 'enabled', consecutive_failures = 0,
      failing_since = null, blocked_until = null`,
};
const ADD: Statement = {
  name: 'webhook_add',
  text: `with secret as (
      insert into webhook_secret (account_id, endpoint_id, secret, created_at) values ($1, $2, $12, $11)
    )
    insert into webhook_endpoint (account_id, id, url, description, kind, template, event_names, order_mode,
        max_concurrency, max_per_second, signing_key, created_at, from_seq)
      select $1, $2, $3, $4, case when $5::text is null then 'general' else 'template' end, $5::text, $6::text[], $7, $8::int,
        $9::int, $10, $11::timestamptz, event_seq + 1 from account_head where account_id = $1
    returning ${AUDITED} as facts`,
};
const FIND: Statement = {
  name: 'webhook_find',
  text: `select id, kind, template, state, disabled_from_seq as "disabledFromSeq", removed_at is not null as "isRemoved"
    from webhook_endpoint where account_id = $1 and id = $2`,
};
const FACTS: Statement = {
  name: 'webhook_facts',
  text: `select ${AUDITED} as facts from webhook_endpoint where account_id = $1 and id = $2`,
};
const LIST: Statement = {
  name: 'webhook_list',
  text: `select id, url, kind, template, state, consecutive_failures as "consecutiveFailures" from webhook_endpoint
    where account_id = $1 and removed_at is null order by created_at, id`,
};
const COUNT: Statement = {
  name: 'webhook_count',
  text: `select count(*)::int as count from webhook_endpoint
    where account_id = $1 and kind <> 'transaction' and removed_at is null`,
};
const CHANGE: Statement = {
  name: 'webhook_change',
  text: `with turned as (${SOON})
    update webhook_endpoint p set url = coalesce(c.url, p.url), event_names = coalesce($4::text[], p.event_names),
      description = case when $3::jsonb ? 'description' then c.description else p.description end,
      order_mode = coalesce(c.order_mode, p.order_mode), max_concurrency = coalesce(c.max_concurrency, p.max_concurrency),
      max_per_second = case when $3::jsonb ? 'max_per_second' then c.max_per_second else p.max_per_second end,
      signing_key = case when $3::jsonb ? 'signing_key' and c.signing_key is null then null else coalesce(p.signing_key, c.signing_key) end
    from jsonb_to_record($3::jsonb) c(url text, description text, order_mode text, max_concurrency int,
      max_per_second int, signing_key text)
    where p.account_id = $1 and p.id = $2 and p.removed_at is null`,
};
/**
 * Locks in the order in which outcomes of attempts are written: the endpoint (PostgreSQL does the last part first), its
 * deliveries by id, its turn.
 */
const REMOVE: Statement = {
  name: 'webhook_remove',
  text: `with waiting as materialized (
      select id from webhook_delivery
       where account_id = $1 and endpoint_id = $2 and state = 'pending' order by id for no key update
    ), skipped as (
      update webhook_delivery d set state = 'skipped', ended_at = $3, leased_until = null, leased_by = null
        from waiting w where d.account_id = $1 and d.id = w.id returning d.id
    ), turn as (
      delete from webhook_turn where account_id = $1 and endpoint_id = $2 and (select count(*) from skipped) >= 0
    )
    update webhook_endpoint set removed_at = coalesce(removed_at, $3) where account_id = $1 and id = $2 returning id`,
};
const PAUSE: Statement = {
  name: 'webhook_pause',
  text: `update webhook_endpoint set state = 'paused' where account_id = $1 and id = $2 and state = 'enabled'`,
};
const RESUME: Statement = {
  name: 'webhook_resume',
  text: `with turned as (${SOON})
    update webhook_endpoint set state = 'enabled', consecutive_failures = 0, failing_since = null, blocked_until = null
    where account_id = $1 and id = $2 and removed_at is null`,
};
const ROTATE: Statement = {
  name: 'webhook_rotate',
  text: `with ended as (
      delete from webhook_secret where account_id = $1 and endpoint_id = $2 and valid_until <= $4
    ), retired as (
      update webhook_secret set valid_until = $5 where account_id = $1 and endpoint_id = $2 and valid_until is null
    )
    insert into webhook_secret (account_id, endpoint_id, secret, created_at) values ($1, $2, $3, $4)`,
};
const SECRETS: Statement = {
  name: 'webhook_secrets',
  text: `select secret, created_at as "createdAt", valid_until as "validUntil" from webhook_secret
    where account_id = $1 and endpoint_id = $2 and (valid_until is null or valid_until > $3)
    order by valid_until desc nulls first, created_at desc`,
};

/** A signing secret. */
export interface SecretRow {
  readonly secret: string;
  readonly createdAt: string;
  /** Expiry; null for the current secret. */
  readonly validUntil: string | null;
}

/**
 * Creates the endpoint of a URL that came with a transaction, and the shared secret, unless they exist.
 * @param secret - a new secret, in case it is needed.
 * @param createdAt - in the notation of the database.
 */
export async function ensureTransactionEndpoint(
  tx: Tx,
  accountId: bigint,
  url: string,
  secret: string,
  createdAt: string,
): Promise<void> {
  await tx.query(ENSURE, [accountId, transactionEndpointId(url), url, secret, createdAt]);
}

/** @returns the id of the endpoint of a transaction's URL. */
export function transactionEndpointId(url: string): string {
  return `whe_${createHash('sha256').update(url).digest('base64url').slice(0, 16)}`;
}

/**
 * Adds an endpoint with its first secret. An existing endpoint receives later events.
 * @returns its facts for the audit log.
 */
export async function addEndpoint(
  database: Tx,
  accountId: bigint,
  endpoint: EndpointFields & { readonly id: string; readonly secret: string; readonly createdAt: Date },
): Promise<object> {
  const [row] = await database.query<{ facts: object }>(ADD, [
    accountId,
    endpoint.id,
    endpoint.url,
    endpoint.description,
    endpoint.template,
    endpoint.eventNames,
    endpoint.orderMode,
    endpoint.maxConcurrency,
    endpoint.maxPerSecond,
    endpoint.signingKey,
    endpoint.createdAt,
    endpoint.secret,
  ]);
  return row?.facts ?? {};
}

/** @returns the endpoint, including a removed one. */
export async function findEndpoint(
  database: Tx,
  accountId: bigint,
  id: string,
): Promise<EndpointRow | undefined> {
  const [row] = await database.query<EndpointRow>(FIND, [accountId, id]);
  return row;
}

/** @returns the facts of an endpoint for the audit log, without secrets; empty without such an endpoint. */
export async function endpointFacts(tx: Tx, accountId: bigint, id: string): Promise<object> {
  const [row] = await tx.query<{ facts: object }>(FACTS, [accountId, id]);
  return row?.facts ?? {};
}

/** An endpoint of a list. */
export interface ListedEndpoint {
  readonly id: string;
  readonly url: string;
  readonly kind: string;
  readonly template: string | null;
  readonly state: string;
  readonly consecutiveFailures: number;
}

/** @returns the account's endpoints, including those of transactions, oldest first. */
export function listEndpoints(database: Tx, accountId: bigint): Promise<ListedEndpoint[]> {
  return database.query<ListedEndpoint>(LIST, [accountId]);
}

/** @returns the number of endpoints of the account, without those of transactions. */
export async function countEndpoints(database: Tx, accountId: bigint): Promise<number> {
  const [row] = await database.query<{ count: number }>(COUNT, [accountId]);
  return row?.count ?? 0;
}

/**
 * Changes an endpoint; missing members are left unchanged. An existing signing key stays, because receivers know it.
 */
export async function changeEndpoint(
  database: Tx,
  accountId: bigint,
  id: string,
  change: Partial<Omit<EndpointFields, 'template'>>,
): Promise<void> {
  const { eventNames, ...rest } = change;
  const columns = Object.entries(rest).map(([name, value]) => [snakeCase(name), value]);
  await database.query(CHANGE, [
    accountId,
    id,
    JSON.stringify(Object.fromEntries(columns)),
    eventNames ?? null,
  ]);
}

/**
 * Removes an endpoint and skips its pending deliveries; a repetition changes nothing. @returns whether the account has
 * it.
 */
export async function removeEndpoint(
  database: Tx,
  accountId: bigint,
  id: string,
  at: Date,
): Promise<boolean> {
  return (await database.query(REMOVE, [accountId, id, at])).length > 0;
}

/** Pauses an enabled endpoint. */
export async function pauseEndpoint(database: Tx, accountId: bigint, id: string): Promise<void> {
  await database.query(PAUSE, [accountId, id]);
}

/** Enables an endpoint, and resets its failures. */
export async function resumeEndpoint(database: Tx, accountId: bigint, id: string): Promise<void> {
  await database.query(RESUME, [accountId, id]);
}

/** Adds a new current secret; the old one stays valid until a time. */
export async function rotateSecret(
  database: Tx,
  accountId: bigint,
  endpointId: string,
  next: { readonly secret: string; readonly now: Date; readonly validUntil: Date },
): Promise<void> {
  await database.query(ROTATE, [accountId, endpointId, next.secret, next.now, next.validUntil]);
}

/** @returns the secrets that are valid at a time, newest first. */
export function readSecrets(
  database: Tx,
  accountId: bigint,
  endpointId: string,
  now: Date,
): Promise<SecretRow[]> {
  return database.query<SecretRow>(SECRETS, [accountId, endpointId, now]);
}
