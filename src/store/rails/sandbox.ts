/**
 * State of the sandbox rails: the lead of their clock, and planned scenarios. Their orders are in sandbox-orders.ts.
 */
import type { Statement, Tx } from '../connection/database.ts';
import type { TransactionJobs } from '../engine/jobs.ts';

/** Limit of the sandbox clock: years keep four digits. Unit: ms. */
const AHEAD_MAX_MS = 100 * 365 * 24 * 3_600_000;
const DUE_MAX = 1_000;

const AHEAD: Statement = {
  name: 'sandbox_ahead',
  text: `select ahead_ms as "aheadMs" from sandbox_clock`,
};
const ADVANCE: Statement = {
  name: 'sandbox_advance',
  text: `update sandbox_clock set ahead_ms = ahead_ms + $1::bigint where ahead_ms + $1::bigint <= ${AHEAD_MAX_MS}
    returning ahead_ms as "aheadMs"`,
};
const SET: Statement = { name: 'sandbox_set', text: `update sandbox_clock set ahead_ms = $1::bigint` };
const ARM: Statement = {
  name: 'sandbox_arm',
  text: `insert into sandbox_plan (account_id, transaction_id, scenario) values ($1, $2, $3) on conflict do nothing`,
};
const DUE: Statement = {
  name: 'sandbox_due',
  text: `select distinct j.account_id as "accountId", j.transaction_id as "transactionId"
    from job j where not j.is_live and j.due_at <= $1::timestamptz and j.transaction_id <> 0 limit ${DUE_MAX}`,
};
const THESE = `account_id = $1 and transaction_id = $2 and kind = $3 and payload @> any ($4::jsonb[])`;
const REMOVE_JOBS: Statement = { name: 'sandbox_take_back', text: `delete from job where ${THESE}` };
const REPLACE: Statement = {
  name: 'sandbox_replace',
  text: `update job set payload = $5::jsonb where ${THESE}`,
};

/** @returns the lead of the sandbox clock over the database's clock. Unit: ms. */
export async function readAheadMs(database: Tx): Promise<number> {
  const [row] = await database.query<{ aheadMs: bigint }>(AHEAD, []);
  return Number(row?.aheadMs ?? 0n);
}

/** Sets the sandbox clock, also to an earlier time. Only for `--demo`, before any other use. */
export async function setAheadMs(database: Tx, aheadMs: number): Promise<void> {
  await database.query(SET, [aheadMs]);
}

/**
 * Moves the sandbox clock forward.
 * @param byMs - whole milliseconds, zero or more.
 * @returns the new lead. Unit: ms.
 * @throws {RangeError} when `byMs` is not such a number, or the clock would be more than 100 years ahead.
 */
export async function advanceAheadMs(database: Tx, byMs: number): Promise<number> {
  const isStep = Number.isSafeInteger(byMs) && byMs >= 0;
  const [row] = isStep ? await database.query<{ aheadMs: bigint }>(ADVANCE, [byMs]) : [];
  if (!row) throw new RangeError('expected whole milliseconds from zero, at most 100 years in all');
  return Number(row.aheadMs);
}

/** Plans a scenario for a transaction, to be played at its step; the same plan is stored once. */
export async function arm(tx: Tx, accountId: bigint, transactionId: bigint, scenario: string): Promise<void> {
  await tx.query(ARM, [accountId, transactionId, scenario]);
}

/** @returns the transactions of sandbox accounts that have a due job, at most 1,000. */
export function readDueTransactions(
  database: Tx,
  nowMs: number,
): Promise<{ readonly accountId: bigint; readonly transactionId: bigint }[]> {
  return database.query(DUE, [new Date(nowMs).toISOString()]);
}

/** Removes the jobs of a transaction that have this kind and a payload with these members. */
export async function removeJobs(
  tx: Tx,
  { accountId, transactionId }: TransactionJobs,
  kind: string,
  payload: object,
): Promise<void> {
  await tx.query(REMOVE_JOBS, [accountId, transactionId, kind, [JSON.stringify(payload)]]);
}

/**
 * Replaces the payload of a transaction's jobs of this kind that contain the members of one of these; their due time
 * stays.
 */
export async function replaceJobs(
  tx: Tx,
  { accountId, transactionId }: TransactionJobs,
  kind: string,
  { from, to }: { readonly from: readonly object[]; readonly to: object },
): Promise<void> {
  const these = from.map((payload) => JSON.stringify(payload));
  await tx.query(REPLACE, [accountId, transactionId, kind, these, JSON.stringify(to)]);
}
