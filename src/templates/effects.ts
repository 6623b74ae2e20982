/**
 * Work outside of the database that a machine orders with a committed step, with its due time: each effect becomes a
 * job, and its outcome becomes the next trigger. The file also computes the end of a session, which some effects wait
 * for; times are milliseconds on the clock of the processes.
 */

import { BRL, currencyOfLedger } from '../base/money/currency.ts';
import { millisOf } from '../base/time/instant.ts';
import type { Process, ProcessRow } from './facts.ts';

/** Time after the end of the session until which a settled payment still counts (C-32). */
export const GRACE_MS = 60_000;
/** Time after the end of a session during which its deposit address is watched, and its amount reserved. Unit: ms. */
export const MONITORING_MS = 24 * 3_600_000;

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Pauses before a failed refund is retried: five times over 24 hours (domain.md 2.10). */
const RETRY_PAUSES_MS = [15, 60, 180, 420, 765].map((minutes) => minutes * MINUTE_MS);
/** Batch time, and the wait of a step-up for its decision. Unit: ms. */
export interface Timing {
  readonly nowMs: number;
  readonly stepUpMs: number;
}

/** Default wait of a step-up for its decision. Unit: ms. */
export const STEP_UP_MS = 24 * 3_600_000;

const now = (_row: ProcessRow, { nowMs }: Timing) => nowMs;
const after =
  (ms: number) =>
  (_row: ProcessRow, { nowMs }: Timing) =>
    nowMs + ms;

/** Every effect, with its due time in milliseconds. */
export const EFFECTS = {
  check_identity: now,
  check_payee: now,
  /** The customer's case was decided, so transactions that wait for it continue. */
  ask_case: now,
  create_charge: now,
  cancel_charge: now,
  allocate_deposit: now,
  screen: now,
  swap: now,
  return_payment: now,
  /** Every refund that the step ordered; ordering one again has no effect. */
  order_returns: now,
  /** The payout: crypto to a wallet, or BRL to a PIX key. */
  send_funds: now,
  /** Failed refunds, as long as `mayRetry`. */
  retry_returns: (row, { nowMs }) => nowMs + (RETRY_PAUSES_MS[retriesOf(row.process)] ?? 0),
  send_back: now,
  /** The session ends before it can be paid. */
  expire: (row, { nowMs }) => unpaidEndOf(row) ?? nowMs,
  /** The session ends for payments: those that settled within the grace period were reported by then. */
  expire_payable: (row, { nowMs }) => (expiryOf(row) ?? nowMs) + GRACE_MS,
  /** The step-up was not decided in time (`STEP_UP_HOURS`). */
  deny_step_up: (_row, { nowMs, stepUpMs }) => nowMs + stepUpMs,
  /** End of an approval without a decision. */
  reject_approval: after(72 * HOUR_MS),
} as const satisfies Record<string, (row: ProcessRow, timing: Timing) => number>;

/** Name of an effect. */
export type EffectName = keyof typeof EFFECTS;

/** Effects of one step: their outcome is ignored after the step was left. */
export const STEP_EFFECTS: readonly EffectName[] = ['deny_step_up', 'reject_approval', 'send_back'];

/**
 * Effects that order money out of a rail: after they have failed for a day, a person checks before they are ordered
 * again.
 */
export const MONEY_OUT_EFFECTS: readonly EffectName[] = [
  'return_payment',
  'order_returns',
  'send_funds',
  'send_back',
];

/**
 * Effects that may be given up in any state of the transaction: a charge that stays payable may be paid late, and such
 * money is held.
 */
const DISPENSABLE_EFFECTS: readonly EffectName[] = ['cancel_charge'];
/** Effects that prepare a payment or end its time: after the end of their transaction, no money waits for them. */
const PREPARING_EFFECTS: readonly EffectName[] = [
  'check_identity',
  'check_payee',
  'ask_case',
  'create_charge',
  'allocate_deposit',
  'expire',
  'expire_payable',
  'deny_step_up',
  'reject_approval',
];

/** @returns whether giving up a job of this kind loses no money and leaves no transaction open. */
export function mayCancelJob(kind: string, isTransactionEnded: boolean): boolean {
  const kinds: readonly string[] = isTransactionEnded
    ? [...DISPENSABLE_EFFECTS, ...PREPARING_EFFECTS]
    : DISPENSABLE_EFFECTS;
  return kinds.includes(kind);
}

/** @returns whether a failed refund is now retried automatically. */
export function mayRetry(process: Pick<Process, 'returns'>): boolean {
  return retriesOf(process) < RETRY_PAUSES_MS.length;
}

/** Number of retries of refunds; parallel refunds count once. */
function retriesOf(process: Pick<Process, 'returns'> | null): number {
  const retried = (process?.returns ?? []).filter(({ state }) => state === 'retried');
  return new Set(retried.map(({ endedAt }) => endedAt)).size;
}

/** @returns the end of the session; undefined without one. */
export function expiryOf({ expiresAt }: Pick<ProcessRow, 'expiresAt'>): number | undefined {
  return expiresAt === null ? undefined : millisOf(expiresAt);
}

/**
 * @returns the end of the price's lock: the lock time of the crypto currency after the price was made (C-21). The
 * result is undefined if there is no price yet.
 */
export function lockEndOf({
  process,
  sourceCurrency,
  targetCurrency,
}: Pick<ProcessRow, 'sourceCurrency' | 'targetCurrency'> & {
  readonly process: Pick<Process, 'pricedAt'> | null;
}): number | undefined {
  const crypto = sourceCurrency === BRL.code ? targetCurrency : sourceCurrency;
  if (process?.pricedAt === undefined || crypto === null) return undefined;
  return Date.parse(process.pricedAt) + currencyOfLedger(crypto).lockSeconds * 1_000;
}

/** @returns the end of the session before a payment: a quote that is not accepted ends with its lock. */
export function unpaidEndOf(row: ProcessRow): number | undefined {
  const lockEnd = row.process?.isAccepted ? undefined : lockEndOf(row);
  const ends = [expiryOf(row), lockEnd].filter((end) => end !== undefined);
  return ends.length > 0 ? Math.min(...ends) : undefined;
}
