/**
 * Notifications for endpoints: the endpoints that name a kind are chosen once, then the notifications are claimed, sent
 * and ended. A claim expires, so that another process sends those of a process that died. Times are on the database's
 * clock, except for secrets.
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { NotificationKind } from '../../base/access/notification-kinds.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Database, Statement } from '../connection/database.ts';
import { ADDRESSED_MAX, type AttemptEnd, FRESH_HOURS, namesNotification } from '../engine/notifications.ts';

/** A notification that a process is about to send to an endpoint. */
export interface ClaimedHook {
  readonly accountId: bigint;
  readonly accountName: string;
  readonly notificationId: bigint;
  readonly endpointId: string;
  /** Number of this attempt, from 1. The outcome counts only if there is no newer attempt. */
  readonly attempt: number;
  readonly kind: NotificationKind;
  readonly subject: string;
  readonly name: string | null;
  readonly facts: Readonly<Record<string, string | number>>;
  readonly at: Instant;
  readonly url: string;
  /** Sealed. */
  readonly signingKey: string | null;
  /** Id under which the secrets of the endpoint are stored. */
  readonly secretsId: string;
  /** The newest first, sealed. */
  readonly secrets: readonly string[];
}

/** Number of notifications of one account that a process sends in parallel. */
const OF_ACCOUNT_MAX = 8;
/** Slightly longer than the time limit of a request (15 s). */
const LEASE_SECONDS = 25;

/** An endpoint gets no notifications about itself, because they would fail again. */
const ADDRESS: Statement = {
  name: 'notification_hook_address',
  text: `with mine as materialized (
      select n.account_id, n.id, n.kind, n.subject, n.at from notification n join account a on a.id = n.account_id and a.mode = $1
       where n.hooked_at is null order by n.id limit ${ADDRESSED_MAX} for update of n skip locked
    ), chosen as (
      insert into notification_hook (account_id, notification_id, endpoint_id, due_at)
        select n.account_id, n.id, p.id, now() from mine n join webhook_endpoint p on p.account_id = n.account_id
         where p.kind = 'general' and p.removed_at is null and p.state <> 'disabled' and (n.kind <> 'endpoint' or n.subject <> p.id)
           and n.at > now() - interval '${FRESH_HOURS} hours' and ${namesNotification('p.event_names', 'n.kind')}
      on conflict do nothing
    )
    update notification n set hooked_at = now() from mine where n.account_id = mine.account_id and n.id = mine.id returning n.id`,
};
/** Condition of due notifications that are neither sent nor claimed. */
const IS_DUE = `h.state = 'pending' and h.due_at <= now() and (h.leased_until is null or h.leased_until < now())`;
/**
 * An endpoint gets one notification after another, and accounts take turns. Those under way (`$4`, `$5`: account and
 * endpoint of each) count: many notifications to a slow endpoint delay neither other endpoints nor other accounts.
 */
const CLAIM: Statement = {
  name: 'notification_hook_claim',
  text: `with closed as (
      update notification_hook h set state = 'failed', ended_at = now(), last_error = 'the endpoint was removed or disabled'
        from webhook_endpoint p where h.state = 'pending' and h.due_at <= now() and p.account_id = h.account_id and p.id = h.endpoint_id
         and (p.removed_at is not null or p.state = 'disabled')
    ), sending as materialized (
      select account_id, endpoint_id from unnest($4::bigint[], $5::text[]) s(account_id, endpoint_id)
    ), due as materialized (
      select distinct on (h.account_id, h.endpoint_id) h.account_id, h.endpoint_id, h.notification_id, h.due_at
        from notification_hook h join account a on a.id = h.account_id and a.mode = $1
        join webhook_endpoint p on p.account_id = h.account_id and p.id = h.endpoint_id and p.removed_at is null and p.state = 'enabled'
       where ${IS_DUE} and (h.account_id, h.endpoint_id) not in (select account_id, endpoint_id from sending)
       order by h.account_id, h.endpoint_id, h.due_at
    ), turns as (
      select d.*, row_number() over (partition by d.account_id order by d.due_at)
          + (select count(*) from sending s where s.account_id = d.account_id) as turn
        from due d
    ), mine as (
      select h.account_id, h.notification_id, h.endpoint_id
        from turns t join notification_hook h using (account_id, notification_id, endpoint_id)
       where ${IS_DUE} and t.turn <= ${OF_ACCOUNT_MAX} order by t.turn, t.due_at limit $3 for update of h skip locked
    ), claimed as (
      update notification_hook h set attempts = h.attempts + 1, leased_until = now() + interval '${LEASE_SECONDS} seconds' from mine
       where h.account_id = mine.account_id and h.notification_id = mine.notification_id and h.endpoint_id = mine.endpoint_id
      returning h.*
    )
    select c.account_id as "accountId", a.name as "accountName", c.notification_id as "notificationId", c.endpoint_id as "endpointId",
        c.attempts as attempt, n.kind, n.subject, n.facts, n.at, coalesce(k.name, substring(e.url from '^[a-z]+://[^/?#]+')) as name, p.url, p.signing_key as "signingKey",
        p.id as "secretsId", array(select s.secret from webhook_secret s where s.account_id = p.account_id and s.endpoint_id = p.id
             and (s.valid_until is null or s.valid_until > $2)
           order by s.valid_until desc nulls first, s.created_at desc) as secrets
      from claimed c join notification n on n.account_id = c.account_id and n.id = c.notification_id
      join account a on a.id = c.account_id
      join webhook_endpoint p on p.account_id = c.account_id and p.id = c.endpoint_id
      left join api_key k on n.kind = 'key' and k.account_id = n.account_id and k.id = n.subject
      left join webhook_endpoint e on n.kind = 'endpoint' and e.account_id = n.account_id and e.id = n.subject`,
};
const END: Statement = {
  name: 'notification_hook_end',
  text: `update notification_hook set state = $5, last_error = $6, leased_until = null,
      ended_at = case when $5 <> 'pending' then now() end,
      due_at = case when $5 = 'pending' then now() + make_interval(secs => $7::double precision / 1000) else due_at end
    where account_id = $1 and notification_id = $2 and endpoint_id = $3 and attempts = $4 and state = 'pending'`,
};

/** Chooses the endpoints of new notifications of a mode. @returns the number of new notifications. */
export async function addressHooks(database: Database, mode: AccountMode): Promise<number> {
  return (await database.query(ADDRESS, [mode])).length;
}

/**
 * Claims notifications that are due.
 *
 * @param now - on the clock of the mode, by which secrets expire.
 * @param room - most notifications; `sending`: those that this process is sending.
 */
export function claimHooks(
  database: Database,
  mode: AccountMode,
  now: Date,
  { room, sending }: { readonly room: number; readonly sending: readonly ClaimedHook[] },
): Promise<ClaimedHook[]> {
  const accounts = sending.map(({ accountId }) => accountId);
  const endpoints = sending.map(({ endpointId }) => endpointId);
  return database.query<ClaimedHook>(CLAIM, [mode, now, room, accounts, endpoints]);
}

/** Stores the outcome of an attempt, unless a newer one was begun since. */
export async function endHook(
  database: Database,
  { accountId, notificationId, endpointId, attempt }: ClaimedHook,
  end: AttemptEnd,
): Promise<void> {
  const error = end.state === 'sent' ? null : end.error;
  const delayMs = end.state === 'pending' ? end.delayMs : null;
  const key = [accountId, notificationId, endpointId, attempt];
  await database.query(END, [...key, end.state, error, delayMs]);
}
