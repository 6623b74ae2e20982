/**
 * Delivery of notifications: recipients are chosen once, then the mails of one person are claimed together, sent as one
 * e-mail, and ended. A claim expires, so that another process sends the mails of a process that died. All times are
 * those of the database.
 */

import type { AccountMode } from '../../base/access/account-mode.ts';
import { kindsByRole, type NotificationKind } from '../../base/access/notification-kinds.ts';
import type { Label } from '../../base/text/label.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';
import { ADDRESSED_MAX, type AttemptEnd, FRESH_HOURS } from '../engine/notifications.ts';

/** Content of one notification. */
export interface MailItem {
  readonly notificationId: bigint;
  /** Number of attempts, including this one. The outcome counts only if there is no newer attempt. */
  readonly attempts: number;
  readonly kind: NotificationKind;
  readonly subject: string;
  readonly facts: Readonly<Record<string, string | number>>;
  readonly at: Instant;
  /** Name of the key, or URL of the endpoint; null without either. */
  readonly name: string | null;
}

/** The notifications of one person in one account that are sent together. */
export interface ClaimedMail {
  readonly accountId: bigint;
  readonly accountName: string;
  readonly mode: AccountMode;
  readonly personId: string;
  readonly email: string;
  readonly language: keyof Label;
  /**
   * Number of this attempt, from 1: the lowest of its items, so that a new item does not fail because of an old one.
   */
  readonly attempt: number;
  /** The oldest first. */
  readonly items: readonly MailItem[];
}

/** Maximum number of notifications in one e-mail. */
const ITEMS_MAX = 50;
/** Lease duration: longer than an attempt and the storing of its outcome take. Unit: s. */
export const LEASE_SECONDS = 120;
/** Shortest time between two e-mails to one person about one account. Unit: s. */
const PAUSE_SECONDS = 60;
const LANGUAGE_DEFAULT: keyof Label = 'pt';

const ADDRESS: Statement = {
  name: 'notification_address',
  text: `with mine as materialized (
      select account_id, id, kind, at from notification where addressed_at is null order by id limit ${ADDRESSED_MAX} for update skip locked
    ), chosen as (
      insert into notification_mail (account_id, notification_id, person_id, due_at)
        select n.account_id, n.id, m.person_id, now() from mine n
          join membership m on m.account_id = n.account_id and m.joined_at is not null
          join jsonb_to_recordset($1::jsonb) r(role text, kind text, "isDefault" boolean) on r.role = m.role and r.kind = n.kind
          left join notification_choice c on c.account_id = m.account_id and c.person_id = m.person_id
         where n.at > now() - interval '${FRESH_HOURS} hours'
           and case when c.kinds is null then r."isDefault" else n.kind = any (c.kinds) end
      on conflict do nothing
    )
    update notification n set addressed_at = now() from mine where n.account_id = mine.account_id and n.id = mine.id returning n.id`,
};
/**
 * The person with the longest wait, without those who got an e-mail just before. A person who is no longer a member
 * gets nothing.
 */
const CLAIM: Statement = {
  name: 'notification_claim',
  text: `with who as materialized (
      select w.account_id, w.person_id from notification_mail w
       where w.state = 'pending' and w.due_at <= now() and (w.leased_until is null or w.leased_until < now())
         and not exists (select from notification_mail s where s.account_id = w.account_id and s.person_id = w.person_id
               and s.state = 'sent' and s.ended_at > now() - interval '${PAUSE_SECONDS} seconds')
       order by w.due_at limit 1
    ), mine as materialized (
      select w.account_id, w.notification_id, w.person_id from who join notification_mail w using (account_id, person_id)
       where w.state = 'pending' and w.due_at <= now() and (w.leased_until is null or w.leased_until < now())
       order by w.notification_id limit ${ITEMS_MAX} for update of w skip locked
    ), claimed as (
      update notification_mail w set attempts = w.attempts + 1, leased_until = now() + interval '${LEASE_SECONDS} seconds'
        from mine where w.account_id = mine.account_id and w.notification_id = mine.notification_id and w.person_id = mine.person_id
      returning w.account_id, w.notification_id, w.person_id, w.attempts
    )
    select n.account_id as "accountId", a.name as "accountName", a.mode, c.person_id as "personId", p.email, m.role is not null as "isMember",
        coalesce(o.language, '${LANGUAGE_DEFAULT}') as language, c.attempts, n.id as "notificationId", n.kind, n.subject, n.facts, n.at,
        coalesce(k.name, e.url) as name
      from claimed c join notification n on n.account_id = c.account_id and n.id = c.notification_id
      join account a on a.id = n.account_id join person p on p.id = c.person_id
      left join membership m on m.account_id = c.account_id and m.person_id = c.person_id
      left join notification_choice o on o.account_id = c.account_id and o.person_id = c.person_id
      left join api_key k on n.kind = 'key' and k.account_id = n.account_id and k.id = n.subject
      left join webhook_endpoint e on n.kind = 'endpoint' and e.account_id = n.account_id and e.id = n.subject
     order by n.id`,
};
const END: Statement = {
  name: 'notification_end',
  text: `update notification_mail w set state = $4, last_error = $5, leased_until = null,
      ended_at = case when $4 <> 'pending' then now() end,
      due_at = case when $4 = 'pending' then now() + make_interval(secs => $6::double precision / 1000) else w.due_at end
    from unnest($3::bigint[], $7::int[]) e(notification_id, attempts)
    where w.account_id = $1 and w.person_id = $2 and w.notification_id = e.notification_id and w.attempts = e.attempts
      and w.state = 'pending'`,
};

/** Chooses the recipients of new notifications, by role and choice. @returns the number of new notifications. */
export async function addressNotifications(database: Database): Promise<number> {
  return (await database.query(ADDRESS, [JSON.stringify(kindsByRole())])).length;
}

interface ClaimedRow extends MailItem, Omit<ClaimedMail, 'items' | 'attempt'> {
  readonly isMember: boolean;
}

/**
 * Claims the due notifications of one person. @returns undefined if nothing is due; null if the person is no longer a member.
 */
export async function claimMail(database: Database): Promise<ClaimedMail | null | undefined> {
  const rows = await database.query<ClaimedRow>(CLAIM, []);
  const [first] = rows;
  if (!first) return undefined;
  const { accountId, accountName, mode, personId, email, language, isMember } = first;
  const mail = { accountId, accountName, mode, personId, email, language, items: rows, attempt: 1 };
  if (!isMember) {
    await endMail(database, mail, { state: 'failed', error: 'the person is no member any more' });
    return null;
  }
  return { ...mail, attempt: Math.min(...rows.map(({ attempts }) => attempts)) };
}

/** Stores the outcome of the attempt for those notifications of the e-mail that have no newer attempt. */
export async function endMail(
  database: Tx,
  { accountId, personId, items }: Pick<ClaimedMail, 'accountId' | 'personId' | 'items'>,
  end: AttemptEnd,
): Promise<void> {
  const ids = items.map(({ notificationId }) => notificationId);
  const error = end.state === 'sent' ? null : end.error;
  const delayMs = end.state === 'pending' ? end.delayMs : null;
  const attempts = items.map((item) => item.attempts);
  await database.query(END, [accountId, personId, ids, end.state, error, delayMs, attempts]);
}
