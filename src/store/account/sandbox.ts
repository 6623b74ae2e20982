/**
 * State of the sandbox rails: how far their clock is ahead, the orders that they received, and the scenarios that are planned.
 */
import type { Statement, Tx } from '../database.ts';

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
const PLACE: Statement = {
  name: 'sandbox_place_order',
  text: `insert into sandbox_order (account_id, transaction_id, key, kind, request) values ($1, $2, $3, $4, $5::jsonb)
    on conflict do nothing returning key`,
};
const KEEP_ANSWER: Statement = {
  name: 'sandbox_keep_answer',
  text: `update sandbox_order set request = request || jsonb_build_object('answer', $3::text)
    where account_id = $1 and key = $2`,
};
const ANSWER: Statement = {
  name: 'sandbox_answer',
  text: `select request ->> 'answer' as answer from sandbox_order where account_id = $1 and key = $2`,
};
const ARM: Statement = {
  name: 'sandbox_arm',
  text: `insert into sandbox_plan (account_id, transaction_id, scenario) values ($1, $2, $3) on conflict do nothing`,
};
const TAKE_PLAN: Statement = {
  name: 'sandbox_take_plan',
  text: `delete from sandbox_plan where account_id = $1 and transaction_id = $2 and scenario = (
      select scenario from sandbox_plan where account_id = $1 and transaction_id = $2 and scenario = any ($3::text[])
        order by array_position($3::text[], scenario) limit 1)
    returning scenario`,
};
const DUE: Statement = {
  name: 'sandbox_due',
  text: `select distinct j.account_id as "accountId", j.transaction_id as "transactionId"
    from job j where not j.is_live and j.due_at <= $1::timestamptz and j.transaction_id is not null limit ${DUE_MAX}`,
};
const TAKE_BACK: Statement = {
  name: 'sandbox_take_back',
  text: `delete from job where account_id = $1 and transaction_id = $2 and kind = $3 and payload @> $4::jsonb`,
};

/** @returns how far the sandbox clock is ahead of the system clock. Unit: ms. */
export async function readAheadMs(database: Tx): Promise<number> {
  const [row] = await database.query<{ aheadMs: bigint }>(AHEAD, []);
  return Number(row?.aheadMs ?? 0n);
}

/** Sets the sandbox clock, also back. Only for `--demo`, before anything has happened. */
export async function setAheadMs(database: Tx, aheadMs: number): Promise<void> {
  await database.query(SET, [aheadMs]);
}

/**
 * Moves the sandbox clock forward.
 *
 * @param byMs - whole milliseconds, zero or more.
 * @returns how far it is ahead then. Unit: ms.
 * @throws {RangeError} when `byMs` is not such a number, or the clock would be more than 100 years ahead.
 */
export async function advanceAheadMs(database: Tx, byMs: number): Promise<number> {
  const isStep = Number.isSafeInteger(byMs) && byMs >= 0;
  const [row] = isStep ? await database.query<{ aheadMs: bigint }>(ADVANCE, [byMs]) : [];
  if (!row) throw new RangeError('expected whole milliseconds from zero, at most 100 years in all');
  return Number(row.aheadMs);
}

/** An order that the sandbox received. */
export interface SandboxOrder {
  readonly accountId: bigint;
  /** Null for money that no transaction took. */
  readonly transactionId: bigint | null;
  /** Idempotency key. */
  readonly key: string;
  readonly kind: string;
  /** What was asked for, as JSON. */
  readonly request: Readonly<Record<string, unknown>>;
}

/**
 * Stores an order. When the same order comes twice at once, the second waits until the first is committed or rolled back.
 *
 * @returns whether it is new; false when there is an order with this key.
 */
export async function placeOrder(
  tx: Tx,
  { accountId, transactionId, key, kind, request }: SandboxOrder,
): Promise<boolean> {
  const placed = await tx.query(PLACE, [accountId, transactionId, key, kind, JSON.stringify(request)]);
  return placed.length > 0;
}

/** Remembers the answer to an order, so that it is the same when asked again. */
export async function keepAnswer(tx: Tx, accountId: bigint, key: string, answer: string): Promise<void> {
  await tx.query(KEEP_ANSWER, [accountId, key, answer]);
}

/** @returns the answer that was given to an order, or undefined. */
export async function readAnswer(tx: Tx, accountId: bigint, key: string): Promise<string | undefined> {
  const [row] = await tx.query<{ answer: string | null }>(ANSWER, [accountId, key]);
  return row?.answer ?? undefined;
}

/** Plans a scenario for a transaction, to be played when it fits; the same plan is stored once. */
export async function arm(tx: Tx, accountId: bigint, transactionId: bigint, scenario: string): Promise<void> {
  await tx.query(ARM, [accountId, transactionId, scenario]);
}

/** Removes the first of these scenarios that is planned. @returns it; undefined when none is planned. */
export async function takePlan(
  tx: Tx,
  accountId: bigint,
  transactionId: bigint,
  scenarios: readonly string[],
): Promise<string | undefined> {
  if (scenarios.length === 0) return undefined;
  const [row] = await tx.query<{ scenario: string }>(TAKE_PLAN, [accountId, transactionId, scenarios]);
  return row?.scenario;
}

/** @returns the transactions of sandbox accounts that have a due job, at most 1,000. */
export function readDueTransactions(
  database: Tx,
  nowMs: number,
): Promise<{ readonly accountId: bigint; readonly transactionId: bigint }[]> {
  return database.query(DUE, [new Date(nowMs).toISOString()]);
}

/** Removes the jobs of a transaction that have this kind and a payload that contains these members. */
export async function takeBackJobs(
  tx: Tx,
  accountId: bigint,
  transactionId: bigint,
  kind: string,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  await tx.query(TAKE_BACK, [accountId, transactionId, kind, JSON.stringify(payload)]);
}
