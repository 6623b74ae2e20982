/** Work that waits for a person: approvals, screening holds, and counts of everything that needs attention. */
import { ACTIONS } from '../../base/access/actions.ts';
import { type AttentionRow, readAttention } from '../../store/account/attention.ts';
import {
  readOpenRefunds,
  readOpenRefundsOfMode,
  readUnapproved,
  readUndecided,
  readUndecidedOfMode,
  readWaiting,
  readWaitingOfMode,
} from '../../store/engine/waiting.ts';
import type { ApprovalReason, ProcessRow } from '../../templates/facts.ts';
import { APPROVAL_MS, approversFor, decidersOf, makerOf } from '../../templates/money-out.ts';
import type { RuledKind } from '../../templates/out-kinds.ts';
import { endedDeciders } from '../checks/access.ts';
import { storableId } from '../checks/check-filter.ts';
import { type Context, requireScope } from '../services/context.ts';
import { type ApprovalBar, approvalBars } from '../settings/approvers.ts';
import { stepsWaiting, waitingFor } from '../transactions/awaiting.ts';

/** Money out that waits for people other than its maker. */
export interface Approval {
  readonly row: ProcessRow;
  readonly kind: RuledKind;
  /** Worth in BRL. */
  readonly brl: string;
  /** Address or PIX key; null for a refund, which goes to its payer. */
  readonly destination: string | null;
  /** ISO 8601; null where it is not known. */
  readonly requestedAt: string | null;
  readonly reason: ApprovalReason;
  /** Number of approvals still needed; those of people whose access has ended do not count. */
  readonly needed: number;
  /** Id of the key or the person that requested it. */
  readonly requestedBy: string | null;
  /** Reason that keeps the caller from approving it; null if the caller may. */
  readonly bar: ApprovalBar | null;
}

/** Maximum number of records in a list of waiting work. */
export const WAITING_MAX = 100;
/** Keys that expire within this many days need attention. */
export const KEY_DAYS = 14;
const DAY_MS = 86_400_000;

/**
 * @param end2end - id of the one requested transaction.
 * @returns money out of the account that waits for approvals, the one that has waited longest first.
 */
export async function readApprovals(context: Context, end2end?: string): Promise<readonly Approval[]> {
  requireScope(context, 'read');
  const { database, caller } = context;
  const nowMs = await context.clock.nowMs();
  const since = new Date(nowMs - APPROVAL_MS);
  const filter = { since, end2end: storableId(end2end), limit: WAITING_MAX };
  const rows = await readUnapproved(database, caller.accountId, filter);
  const barOf = await approvalBars(context, nowMs);
  const deciders = rows.flatMap((row) => decidersOf(row).map((id) => ({ accountId: caller.accountId, id })));
  const isEnded = await endedDeciders(database, deciders, ACTIONS['money_out.approve'].scope);
  const hasEnded = (id: string | null) => id !== null && isEnded({ accountId: caller.accountId, id });
  return rows.map((row) => {
    const requestedBy = makerOf(row);
    const { outKind: kind, outBrl: brl, outTarget } = row;
    const { reason = 'threshold', by = [], askedAt: requestedAt = null } = row.process?.approval ?? {};
    const approvals = by.filter((id) => !hasEnded(id)).length;
    const destination = kind === 'refund' ? null : outTarget;
    return {
      row,
      kind,
      brl,
      destination,
      reason,
      needed: approversFor(reason, hasEnded(requestedBy)) - approvals,
      requestedBy,
      requestedAt,
      bar: barOf(row),
    };
  });
}

/**
 * @returns transactions held by screening: of the account, or with the scope `platform:risk` of all accounts of its
 *   mode.
 */
export async function readHolds(context: Context): Promise<readonly ProcessRow[]> {
  const { database, registry, caller, mode } = context;
  const waiting = waitingFor(registry, 'hold.release');
  if (caller.scopes.includes('platform:risk')) return readWaitingOfMode(database, mode, waiting, WAITING_MAX);
  requireScope(context, 'read');
  return readWaiting(database, caller.accountId, waiting, WAITING_MAX);
}

/** @returns transactions whose customer or payee waits for extra verification: of the same accounts as `readHolds`. */
export async function readStepUps(context: Context): Promise<readonly ProcessRow[]> {
  const { database, registry, caller, mode } = context;
  const waiting = waitingFor(registry, 'step_up.approve');
  if (caller.scopes.includes('platform:risk'))
    return readUndecidedOfMode(database, mode, waiting, WAITING_MAX);
  requireScope(context, 'read');
  return readUndecided(database, caller.accountId, waiting, WAITING_MAX);
}

/**
 * @returns transactions with a return to a payer that is under way, or failed and owed: of the account, or with the scope
 * `platform:risk` of all accounts of its mode.
 */
export async function readPendingRefunds(context: Context): Promise<readonly ProcessRow[]> {
  const { database, caller, mode } = context;
  if (caller.scopes.includes('platform:risk')) return readOpenRefundsOfMode(database, mode, WAITING_MAX);
  requireScope(context, 'read');
  return readOpenRefunds(database, caller.accountId, WAITING_MAX);
}

/** @returns the number of the account's items that wait for a person. */
export async function countAttention(context: Context): Promise<AttentionRow> {
  requireScope(context, 'read');
  const { database, registry, caller } = context;
  return readAttention(database, caller.accountId, {
    families: [...new Set(registry.templates.map(({ family }) => family))],
    steps: {
      heldDeposits: stepsWaiting(registry, 'held_deposit'),
      holds: stepsWaiting(registry, 'hold'),
      stepUps: stepsWaiting(registry, 'step_up'),
    },
    keysBefore: new Date(context.database.nowMs() + KEY_DAYS * DAY_MS),
    now: new Date(context.database.nowMs()),
    approvalsSince: new Date((await context.clock.nowMs()) - APPROVAL_MS),
  });
}
