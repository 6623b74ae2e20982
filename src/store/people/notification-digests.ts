/** Accounts that are due for a digest of waiting work, once a Brasília day. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import { kindsByRole } from '../../base/access/notification-kinds.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { namesNotification } from '../engine/notifications.ts';

/** Number of accounts that one process claims together. */
const DIGESTS_MAX = 20;

/** Accounts with a person or an endpoint that gets digests, and without a digest of this day. */
const DUE: Statement = {
  name: 'notification_digest_due',
  text: `select a.id as "accountId" from account a where a.mode = $2 and a.id > $4
       and not exists (select from notification_digest d where d.account_id = a.id and d.day >= $1::date)
       and (exists (select from webhook_endpoint p where p.account_id = a.id and p.kind = 'general' and p.removed_at is null
           and p.state <> 'disabled' and ${namesNotification('p.event_names', "'waiting'")})
         or exists (select from membership m
         join jsonb_to_recordset($3::jsonb) r(role text, kind text, "isDefault" boolean) on r.role = m.role and r.kind = 'waiting'
         left join notification_choice c on c.account_id = m.account_id and c.person_id = m.person_id
        where m.account_id = a.id and m.joined_at is not null
          and case when c.kinds is null then r."isDefault" else 'waiting' = any (c.kinds) end))
     order by a.id limit ${DIGESTS_MAX}`,
};
const CLAIM: Statement = {
  name: 'notification_digest_claim',
  text: `insert into notification_digest (account_id, day) values ($1, $2::date)
    on conflict (account_id) do update set day = excluded.day where notification_digest.day < excluded.day returning account_id`,
};

/** Filter of accounts: of a mode, with ids above `after`; `day` of Brasília, `YYYY-MM-DD`. */
export interface DigestsWanted {
  readonly day: string;
  readonly mode: AccountMode;
  readonly after: bigint;
}

/** @returns accounts without a digest of the day, a few at a time, by id. */
export async function accountsDueForDigest(
  database: Tx,
  { day, mode, after }: DigestsWanted,
): Promise<bigint[]> {
  const values = [day, mode, JSON.stringify(kindsByRole()), after];
  const rows = await database.query<{ accountId: bigint }>(DUE, values);
  return rows.map(({ accountId }) => accountId);
}

/** @returns whether the caller makes the account's digest of the day; false if another process has made it. */
export async function claimDigest(tx: Tx, accountId: bigint, day: string): Promise<boolean> {
  return (await tx.query(CLAIM, [accountId, day])).length > 0;
}
