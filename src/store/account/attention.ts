/** Counts of an account's records that need a person. */
import type { Family } from '../../templates/define.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { OWES_RETURN } from '../engine/merged-lists.ts';

/** Waiting steps of transactions that can still continue. */
export const WAITING_STEPS = ['heldDeposits', 'holds', 'stepUps'] as const;

/** Conditions of everything that is counted. */
export const COUNTED = [
  'approvals',
  ...WAITING_STEPS,
  'failedRefunds',
  'suspense',
  'disabledWebhookEndpoints',
  'failedJobs',
  'expiringKeys',
] as const;
/** A member of COUNTED. */
export type CountedName = (typeof COUNTED)[number];

/** Number of waiting items, by kind. */
export type AttentionRow = Readonly<Record<CountedName, number>>;

/** Conditions of waiting items. */
export interface AttentionFilter {
  readonly families: readonly Family[];
  /** As `component/state`. */
  readonly steps: Readonly<Record<(typeof WAITING_STEPS)[number], readonly string[]>>;
  readonly keysBefore: Date;
  readonly now: Date;
  /** Lapsed requests for approval do not wait. */
  readonly approvalsSince: Date;
}

const ATTENTION: Statement = {
  name: 'attention',
  text: `select ${WAITING_STEPS.map(
    (name, at) => `coalesce(sum(s.n) filter (where s.step = any ($${at + 3}::text[])), 0)::int as "${name}"`,
  ).join(', ')},
      (select count(*)::int from money_out m where m.account_id = $1 and m.state = 'held' and m.at > $8) as approvals,
      (select count(*)::int from transaction t where t.account_id = $1 and ${OWES_RETURN}) as "failedRefunds",
      (select count(*)::int from suspense_entry e where e.account_id = $1 and e.state = 'open') as suspense,
      (select count(*)::int from webhook_endpoint w where w.account_id = $1 and w.removed_at is null and w.state = 'disabled')
        as "disabledWebhookEndpoints",
      (select count(*)::int from job j where j.account_id = $1 and j.last_error is not null) as "failedJobs",
      (select count(*)::int from api_key k where k.account_id = $1 and k.revoked_at is null and k.expires_at > $6 and k.expires_at <= $7)
        as "expiringKeys"
    from (select t.component || '/' || t.state as step, count(*) as n
      from unnest($2::text[]) f(family)
      join list_outcome o on o.account_id = $1 and o.family = f.family and o.outcome = 'OPEN'
      join transaction t on t.account_id = $1 and t.family = o.family and t.list_seq = o.list_seq group by 1) s`,
};

/** @returns the counts of an account. */
export async function readAttention(
  tx: Tx,
  accountId: bigint,
  { families, steps, keysBefore, now, approvalsSince }: AttentionFilter,
): Promise<AttentionRow> {
  const waiting = WAITING_STEPS.map((name) => steps[name]);
  const values = [accountId, families, ...waiting, now, keysBefore, approvalsSince];
  const [row] = await tx.query<AttentionRow>(ATTENTION, values);
  if (!row) throw new Error('an aggregate always gives a row');
  return row;
}
