/** Counts of what waits for somebody at an account. */
import type { Family } from '../../templates/define.ts';
import type { Statement, Tx } from '../database.ts';
import { OWES_RETURN } from '../engine/merged-lists.ts';

/** What waits at steps of transactions: steps at which they can still go on. */
export const WAITING_STEPS = ['approvals', 'heldDeposits', 'holds', 'stepUps'] as const;

/** Everything that is counted. */
export const COUNTED = [
  ...WAITING_STEPS,
  'failedRefunds',
  'suspense',
  'disabledWebhookEndpoints',
  'failedJobs',
  'expiringKeys',
] as const;
/** One of COUNTED. */
export type CountedName = (typeof COUNTED)[number];

/** How much waits, by kind. */
export type AttentionRow = Readonly<Record<CountedName, number>>;

/** What counts as waiting. */
export interface AttentionAsked {
  readonly families: readonly Family[];
  /** As `component/state`. */
  readonly steps: Readonly<Record<(typeof WAITING_STEPS)[number], readonly string[]>>;
  readonly keysBefore: Date;
  readonly now: Date;
}

const ATTENTION: Statement = {
  name: 'attention',
  text: `select ${WAITING_STEPS.map(
    (name, at) =>
      `coalesce(sum(s.n) filter (where s.step = any ($${at + 3}::text[])${name === 'approvals' ? ' and not s.is_approved' : ''}), 0)::int as "${name}"`,
  ).join(', ')},
      (select count(*)::int from transaction t where t.account_id = $1 and ${OWES_RETURN}) as "failedRefunds",
      (select count(*)::int from suspense_entry e where e.account_id = $1 and e.state = 'open') as suspense,
      (select count(*)::int from webhook_endpoint w where w.account_id = $1 and w.removed_at is null and w.state = 'disabled')
        as "disabledWebhookEndpoints",
      (select count(*)::int from job j where j.account_id = $1 and j.last_error is not null) as "failedJobs",
      (select count(*)::int from api_key k where k.account_id = $1 and k.revoked_at is null and k.expires_at > $7 and k.expires_at <= $8)
        as "expiringKeys"
    from (select t.component || '/' || t.state as step, t.process ->> 'isApproved' is not distinct from 'true' as is_approved,
        count(*) as n
      from unnest($2::text[]) f(family)
      join list_outcome o on o.account_id = $1 and o.family = f.family and o.outcome = 'OPEN'
      join transaction t on t.account_id = $1 and t.family = o.family and t.list_seq = o.list_seq group by 1, 2) s`,
};

/** @returns the counts of an account. */
export async function readAttention(
  tx: Tx,
  accountId: bigint,
  { families, steps, keysBefore, now }: AttentionAsked,
): Promise<AttentionRow> {
  const values = [accountId, families, ...WAITING_STEPS.map((name) => steps[name]), now, keysBefore];
  const [row] = await tx.query<AttentionRow>(ATTENTION, values);
  if (!row) throw new Error('an aggregate always gives a row');
  return row;
}
