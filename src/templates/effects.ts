/**
 * What a machine wants done outside of the database once a step is committed, and when. Each becomes a job; what comes
 * of it is a trigger again.
 */
import { millisOf } from '../base/instant.ts';
import type { ProcessRow } from './facts.ts';

/** A payment that settled this long after the end of the session still counts (C-32). */
export const GRACE_MS = 60_000;
/** How long after the end of a session its deposit address is watched, and its amount given to nobody else. */
export const MONITORING_MS = 24 * 3_600_000;

const HOUR_MS = 3_600_000;
const now = (_row: ProcessRow, nowMs: number) => nowMs;
const after = (ms: number) => (_row: ProcessRow, nowMs: number) => nowMs + ms;
const atExpiry = (graceMs: number) => (row: ProcessRow, nowMs: number) => (expiryOf(row) ?? nowMs) + graceMs;

/** Every effect, with the moment at which it is due, in milliseconds. */
export const EFFECTS = {
  check_identity: now,
  check_payee: now,
  create_charge: now,
  cancel_charge: now,
  allocate_deposit: now,
  screen: now,
  swap: now,
  return_payment: now,
  return_excess: now,
  /** Crypto to a wallet, or BRL to a PIX key: whatever comes out. */
  send_funds: now,
  send_back: now,
  /** The session ends. */
  expire: atExpiry(0),
  /** The session ends for payments: those that settled within the grace were told by then. */
  expire_payable: atExpiry(GRACE_MS),
  /** Nobody decided the step-up. */
  deny_step_up: after(24 * HOUR_MS),
  /** Nobody decided the approval. */
  reject_approval: after(72 * HOUR_MS),
} as const satisfies Record<string, (row: ProcessRow, nowMs: number) => number>;

/** Name of an effect. */
export type EffectName = keyof typeof EFFECTS;

/** Timers of one step: they mean nothing once it was left. */
export const STEP_TIMERS: readonly EffectName[] = ['deny_step_up', 'reject_approval'];

/** @returns the end of the session in milliseconds, or undefined when it has none. */
export function expiryOf({ expiresAt }: ProcessRow): number | undefined {
  return expiresAt === null ? undefined : millisOf(expiresAt);
}
