/** Cases that are due for a poll of their provider. Each process that runs jobs claims some; a claim expires. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';
import { CASE_COLUMNS, type CustomerCase } from './customer-cases.ts';

const CLAIM: Statement = {
  name: 'identity_claim',
  text: `update customer_case c set failures = c.failures + 1, ask_at = $3::timestamptz + make_interval(secs => $4)
    where c.id = any (array(select d.id from customer_case d join account a on a.id = d.account_id and a.mode = $1
      where d.ask_at <= $3 order by d.ask_at limit $2 for update of d skip locked))
    returning ${CASE_COLUMNS}`,
};
const POSTPONE: Statement = {
  name: 'identity_postpone',
  text: `update customer_case set ask_at = $3, failure = $4 where id = $1 and external_id = $2 and ask_at is not null`,
};
const HASTEN: Statement = {
  name: 'identity_hasten',
  text: `update customer_case set ask_at = $2 where id = $1 and provider is not null`,
};
const OPEN_CASES: Statement = {
  name: 'identity_standing',
  text: `select count(*)::int as waiting, count(*) filter (where c.failures > 1 and c.failure is not null)::int as failing,
      coalesce(extract(epoch from now() - min(c.attempt_at))::int, 0) as "oldestSeconds", max(c.failure) as failure
    from (select c.* from customer_case c join account a on a.id = c.account_id and a.mode = $1
      where c.ask_at is not null and coalesce(c.frozen_state, c.state) in ('open', 'pending', 'retry', 'review') limit $2) c`,
};

/** Open cases at a provider. */
export interface OpenCaseCounts {
  readonly waiting: number;
  /** Number of these cases whose last poll failed. */
  readonly failing: number;
  readonly oldestSeconds: number;
  /** A failure of one of them. */
  readonly failure: string | null;
}

/**
 * Claims due cases, and counts each poll as failed until it is answered: `failures` above 1 means that an earlier
 * request may have been sent.
 * @param leaseSeconds - time after which another process may claim them.
 */
export function claimCases(
  database: Database,
  mode: AccountMode,
  limit: number,
  leaseSeconds: number,
): Promise<CustomerCase[]> {
  return database.query<CustomerCase>(CLAIM, [mode, limit, new Date(database.nowMs()), leaseSeconds]);
}

/** Postpones a failed request. */
export async function postponeCase(
  tx: Tx,
  { id, externalId }: Pick<CustomerCase, 'id' | 'externalId'>,
  askAt: Date,
  failure: string,
): Promise<void> {
  await tx.query(POSTPONE, [id, externalId, askAt, failure]);
}

/** Makes a case due for a poll immediately. */
export async function hastenCase(tx: Tx, id: bigint, at: Date): Promise<void> {
  await tx.query(HASTEN, [id, at]);
}

/** @param limit - maximum number of counted cases. */
export async function readOpenCaseCounts(tx: Tx, mode: AccountMode, limit: number): Promise<OpenCaseCounts> {
  const [row] = await tx.query<OpenCaseCounts>(OPEN_CASES, [mode, limit]);
  return row ?? { waiting: 0, failing: 0, oldestSeconds: 0, failure: null };
}
