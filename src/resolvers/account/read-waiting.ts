/** What waits for a person: approvals, what screening holds, and counts of everything that needs attention. */
import { ACTS } from '../../base/acts.ts';
import { readOneMaker } from '../../store/account/api-keys.ts';
import { type AttentionRow, readAttention } from '../../store/account/attention.ts';
import {
  readOpenRefunds,
  readOpenRefundsOfMode,
  readUnapproved,
  readWaiting,
  readWaitingOfMode,
} from '../../store/engine/waiting.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { storableId } from '../checks/check-filter.ts';
import { type Context, requireScope } from '../services/context.ts';
import { stepsAwaiting, stepsWaiting, waitingFor } from '../transactions/awaiting.ts';
import { approvesFrom } from './protections.ts';

/** A withdrawal that waits for a second approver. */
export interface Approval {
  readonly row: ProcessRow;
  /** Id of the key or the person that asked for it. */
  readonly requestedBy: string | null;
  /** Why the caller may not approve it; null where it may. */
  readonly bar: ApprovalBar | null;
}

/** Why a caller may not approve a withdrawal. */
export const APPROVAL_BARS = {
  scope: 'Your key lacks the scope `move`.',
  same_maker: 'Your key requested it, or counts as one maker with the key that did (C-40).',
  newcomer: 'Your key, or you as a person, is newer to the account than its cooling time (C-40).',
} as const;
/** One of APPROVAL_BARS. */
export type ApprovalBar = keyof typeof APPROVAL_BARS;

/** Most records of a list of what waits. */
export const WAITING_MAX = 100;
/** Keys that end within so many days need attention. */
export const KEY_DAYS = 14;
const DAY_MS = 86_400_000;

/**
 * @param end2end - of the one withdrawal that is asked for.
 * @returns the account's withdrawals that wait for a second approver, the one that has waited longest first.
 */
export async function readApprovals(context: Context, end2end?: string): Promise<readonly Approval[]> {
  requireScope(context, 'read');
  const { database, registry, caller } = context;
  const waiting = waitingFor(registry, 'withdrawal.approve');
  const rows = await readUnapproved(database, caller.accountId, waiting, storableId(end2end), WAITING_MAX);
  const mayApprove = caller.scopes.includes(ACTS['withdrawal.approve'].scope);
  const own = mayApprove ? await readOneMaker(database, caller.accountId, caller.id) : [];
  const nowMs = await context.clock.nowMs();
  const isNew = mayApprove && nowMs < (await approvesFrom(context, database, nowMs));
  const barOf = (requestedBy: string | null): ApprovalBar | null => {
    if (!mayApprove) return 'scope';
    if (requestedBy !== null && own.includes(requestedBy)) return 'same_maker';
    return isNew ? 'newcomer' : null;
  };
  return rows.map((row) => {
    const requestedBy = row.process?.createdBy ?? null;
    return { row, requestedBy, bar: barOf(requestedBy) };
  });
}

/** @returns what screening holds: of the account, or with the scope `platform:risk` of all accounts of its mode. */
export async function readHolds(context: Context): Promise<readonly ProcessRow[]> {
  const { database, registry, caller, mode } = context;
  const waiting = waitingFor(registry, 'hold.release');
  if (caller.scopes.includes('platform:risk')) return readWaitingOfMode(database, mode, waiting, WAITING_MAX);
  requireScope(context, 'read');
  return readWaiting(database, caller.accountId, waiting, WAITING_MAX);
}

/**
 * @returns transactions of which something goes back to a payer, and is not back yet, or failed to go and is owed: of the account,
 *   or with the scope `platform:risk` of all accounts of its mode.
 */
export async function readRefundsUnderWay(context: Context): Promise<readonly ProcessRow[]> {
  const { database, caller, mode } = context;
  if (caller.scopes.includes('platform:risk')) return readOpenRefundsOfMode(database, mode, WAITING_MAX);
  requireScope(context, 'read');
  return readOpenRefunds(database, caller.accountId, WAITING_MAX);
}

/** @returns how much of the account waits for somebody. */
export async function countAttention(context: Context): Promise<AttentionRow> {
  requireScope(context, 'read');
  const { database, registry, caller } = context;
  return readAttention(database, caller.accountId, {
    families: [...new Set(registry.templates.map(({ family }) => family))],
    steps: {
      approvals: stepsAwaiting(registry, 'withdrawal.approve'),
      heldDeposits: stepsWaiting(registry, 'held_deposit'),
      holds: stepsWaiting(registry, 'hold'),
      stepUps: stepsWaiting(registry, 'step_up'),
    },
    keysBefore: new Date(Date.now() + KEY_DAYS * DAY_MS),
    now: new Date(),
  });
}
