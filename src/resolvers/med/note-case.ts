/**
 * Opens a case for each dispute and each report of fraud that a rail reports, and notes its decision. The case is there before the
 * report is settled, and however often the report comes.
 */
import { instantOf, millisOf } from '../../base/time/instant.ts';
import { platformAccount } from '../../store/account/accounts.ts';
import type { RailEventTarget } from '../../store/engine/rail-events.ts';
import { stopMedAnswer } from '../../store/rails/med-answers.ts';
import {
  addMedCase,
  addMedEvent,
  findMedCase,
  lockMedCase,
  type MedCase,
  type MedDecision,
  type MedKey,
  setMedState,
} from '../../store/rails/med-cases.ts';
import { MED_ALARMS } from '../../templates/triggers.ts';
import type { Services } from '../services/context.ts';
import type { DisputeEvent, InfractionEvent } from '../services/rail-event.ts';
import { type CaseStep, isAt, medNameOf, stepCase } from './case-step.ts';
import { linkCase } from './link-case.ts';

/**
 * Time to answer where the provider does not say it: of the 7 days in which the receiving bank analyses a case, a bank leaves its client
 * 5. Unit: ms.
 */
export const ANSWER_MS = 5 * 86_400_000;
const HOUR_MS = 3_600_000;
const REASON_MAX = 500;

/** A report of a rail about a case. */
type MedReport = DisputeEvent | InfractionEvent;

/**
 * Opens the case of a report, and closes it where the report is of its decision.
 *
 * @returns false where the case is about another payment: the report changes nothing.
 */
export async function noteMedCase(
  services: Services,
  report: MedReport,
  target: RailEventTarget | undefined,
): Promise<boolean> {
  const key = keyOf(services, report);
  const before = await findMedCase(services.database, key);
  if (before && before.pixE2e !== report.endToEndId) return false;
  if (!before) await openCase(services, key, report, target);
  else if (before.transactionId === null && target) await linkCase(services, before, target);
  const decision = decisionOf(report);
  const known = decision && (await findMedCase(services.database, key));
  if (!decision || !known || !mayDecide(known, decision)) return true;
  if (await stepCase(services, closing(services, known, { decision }))) return true;
  const now = await findMedCase(services.database, key);
  if (now && mayDecide(now, decision)) throw new Error('the case was linked to its payment meanwhile');
  return true;
}

/** Decision about a case. */
export interface MedOutcome {
  readonly decision: MedDecision;
  /** Key or person that recorded it, and why; the provider reported it where both are missing. */
  readonly actor?: string;
  readonly reason?: string;
}

/** @returns the step that closes a case; its answer is dropped where it was not sent. */
export function closing(
  services: Pick<Services, 'mode'>,
  row: MedCase,
  { decision, actor, reason }: MedOutcome,
): CaseStep {
  return {
    place: row,
    trigger: { on: 'med_closed', name: medNameOf(row), isReport: row.kind === 'infraction' },
    holds: async (tx) => {
      const now = await lockMedCase(tx, services.mode, row.id);
      return now !== undefined && isAt(now, row) && mayDecide(now, decision);
    },
    write: async (tx, at) => {
      if (await stopMedAnswer(tx, row.id, 'dropped', at))
        await addMedEvent(tx, row.id, { at, event: 'answer_dropped' });
      await setMedState(tx, row.id, decision, at, actor);
      await addMedEvent(tx, row.id, { at, event: decision, actor: actor ?? null, detail: reason ?? null });
    },
  };
}

/** @returns whether a case takes a decision: a bank may still accept what was rejected or withdrawn, and nothing follows an acceptance. */
export function mayDecide({ state }: Pick<MedCase, 'state'>, decision: MedDecision): boolean {
  const isOpen = state === 'open' || state === 'answered';
  return isOpen || (decision === 'accepted' && state !== 'accepted');
}

async function openCase(
  services: Services,
  key: MedKey,
  report: MedReport,
  target: RailEventTarget | undefined,
): Promise<void> {
  const { database, clock, mode } = services;
  const accountId = target?.accountId ?? (await platformAccount(database, mode));
  const transactionId = target?.transactionId ?? null;
  const { openedMs, dueMs } = timesOf(report, await clock.nowMs());
  const input = {
    ...key,
    ...{ accountId, transactionId, pixE2e: report.endToEndId, amount: report.amount },
    reason: report.reason?.slice(0, REASON_MAX) ?? null,
    openedAt: instantOf(new Date(openedMs)),
    dueAt: instantOf(new Date(dueMs)),
  };
  const alarmAt = instantOf(new Date(dueMs - MED_ALARMS[0] * HOUR_MS));
  await stepCase(services, {
    place: { accountId, transactionId },
    trigger: { on: 'med_opened', name: medNameOf(key), isReport: key.kind === 'infraction' },
    holds: async (tx) => (await findMedCase(tx, key)) === undefined,
    write: async (tx, at) => {
      const id = await addMedCase(tx, input, alarmAt);
      if (id !== undefined) await addMedEvent(tx, id, { at, event: 'opened', detail: input.reason });
    },
  });
}

/** A provider's clock is not believed about the future, nor an answer that is due before its case. */
function timesOf(report: MedReport, nowMs: number): { readonly openedMs: number; readonly dueMs: number } {
  const reported = report.kind === 'infraction' ? report.reportedAt : report.openedAt;
  const openedMs = reported === undefined ? nowMs : Math.min(Math.max(millisOf(reported), 0), nowMs);
  const dueMs = report.dueAt === undefined ? openedMs + ANSWER_MS : millisOf(report.dueAt);
  return { openedMs, dueMs: Math.max(dueMs, openedMs) };
}

function keyOf({ mode }: Pick<Services, 'mode'>, report: MedReport): MedKey {
  return report.kind === 'infraction'
    ? { mode, kind: 'infraction', reference: report.infractionId }
    : { mode, kind: 'dispute', reference: report.disputeId };
}

function decisionOf(report: MedReport): MedDecision | undefined {
  switch (report.kind) {
    case 'infraction':
      return report.decision;
    case 'dispute_accepted':
      return 'accepted';
    case 'dispute_rejected':
      return report.isCancelled ? 'cancelled' : 'rejected';
    case 'dispute_opened':
      return undefined;
  }
}
