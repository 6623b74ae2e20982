/** Transitions of a case: by answers of a provider, by people, by time. Pure functions: they read and write no data. */
import { instantOf, millisOf } from '../../base/time/instant.ts';
import type { CaseEvent } from '../../store/account/case-evidence.ts';
import type { CaseDecision, CaseState, CustomerCase } from '../../store/account/customer-cases.ts';

/** Answer of a provider. */
export interface CaseAnswer {
  readonly decision: CaseDecision;
  /** Id of the customer at the provider. */
  readonly reference: string | null;
  readonly reasons: readonly string[];
  /** Decimal text. */
  readonly score: string | null;
  /** SHA-256 of the answer, hex. */
  readonly hash: string;
}

/** A case after an event. */
export interface CaseChange {
  readonly row: CustomerCase;
  readonly event: CaseEvent;
  /** Whether transactions of the customer have to check it again. */
  readonly isDecided: boolean;
  /** Whether an approval was revoked. */
  readonly isLowered: boolean;
}

type Unfrozen = Exclude<CaseState, 'frozen'>;

/** @returns the state apart from a freeze. */
export function stateBelow({ state, frozenState }: Pick<CustomerCase, 'state' | 'frozenState'>): Unfrozen {
  return state === 'frozen' ? (frozenState as Unfrozen) : state;
}

/** @returns whether an approval is valid now. */
export function isApproved(row: CustomerCase, nowMs: number): boolean {
  return row.state === 'approved' && row.validUntil !== null && millisOf(row.validUntil) > nowMs;
}

/** @returns the case in another state; a frozen one stays frozen, and gets that state when it is unfrozen. */
function inState(row: CustomerCase, state: Unfrozen): CustomerCase {
  return row.state === 'frozen' ? { ...row, frozenState: state } : { ...row, state };
}

/**
 * @returns the case after an answer of the provider; undefined if the answer is not new. A decision of a person stays until
 * the provider's own decision changes, and a person's denial until a person decides again.
 */
export function answered(
  row: CustomerCase,
  answer: CaseAnswer,
  { nowMs, validMs }: { readonly nowMs: number; readonly validMs: number },
): CaseChange | undefined {
  const { decision, reference, reasons, score, hash } = answer;
  const before = stateBelow(row);
  const noted = {
    ...{ ...row, decision, reasons, score, answerHash: hash, failures: 0, failure: null },
    providerReference: reference ?? row.providerReference,
  };
  const after = row.decision === decision && before !== 'open' ? before : stateAfter(row, before, decision);
  if (after === before && row.answerHash === hash) return undefined;
  const isMoved = after !== before;
  const at = instantOf(new Date(nowMs));
  const moved: CustomerCase = {
    ...inState(noted, after),
    ...(isMoved && { updatedAt: at }),
    ...(isMoved && DECIDED.includes(after) && { decidedAt: at, decidedBy: row.provider, isByPerson: false }),
    ...(isMoved &&
      after === 'approved' && { validUntil: instantOf(new Date(nowMs + validMs)), isLateDenial: false }),
    ...(isMoved && DECIDED.includes(after) && { sealedLink: null }),
  };
  const isLowered = isMoved && before === 'approved';
  return {
    row: { ...moved, ...(isLowered && after === 'denied' && { isLateDenial: true }) },
    event: 'answered',
    isDecided: isMoved && after !== 'pending',
    isLowered,
  };
}

const DECIDED: readonly CaseState[] = ['approved', 'denied', 'expired'];

function stateAfter(row: CustomerCase, before: Unfrozen, decision: CaseDecision): Unfrozen {
  if (before === 'denied' && row.isByPerson) return before;
  // A provider that starts a customer's check again does not revoke the earlier decision by that.
  if (decision === 'pending' && before === 'approved') return before;
  return decision;
}

/** @returns the case after the provider had its time, without a decision. */
export function expiredCase(row: CustomerCase, nowMs: number): CaseChange {
  const at = instantOf(new Date(nowMs));
  return {
    row: { ...inState(row, 'expired'), updatedAt: at, decidedAt: at, askAt: null, sealedLink: null },
    ...{ event: 'expired', isDecided: true, isLowered: false },
  };
}

/** @returns the case with its check started again: the provider gets another id for it. */
export function begunAgain(row: CustomerCase, externalId: string, nowMs: number): CustomerCase {
  const at = instantOf(new Date(nowMs));
  return {
    ...inState(row, 'open'),
    ...{ attempts: row.attempts + 1, externalId, providerReference: null },
    ...{ decision: null, reasons: [], score: null, answerHash: null },
    ...{ decidedAt: null, decidedBy: null, isByPerson: false, isLateDenial: false, sealedLink: null },
    ...{ validUntil: null, updatedAt: at, attemptAt: at, failures: 0, failure: null },
    askAt: row.provider === null ? null : at,
  };
}

/** Decision of a person about a case. */
export type CaseAction = 'approve' | 'deny' | 'retry' | 'freeze' | 'unfreeze';

/** Facts of an action. */
export interface ActionFacts {
  readonly actor: string;
  readonly reason: string;
  readonly nowMs: number;
  readonly validMs: number;
  /** Id at the provider of a new attempt. */
  readonly externalId: string;
}

/** @returns the case after the action; undefined if its state does not allow the action. */
export function actedOn(row: CustomerCase, action: CaseAction, facts: ActionFacts): CaseChange | undefined {
  const { actor, reason, nowMs, validMs, externalId } = facts;
  const at = instantOf(new Date(nowMs));
  const isFrozen = row.state === 'frozen';
  const wasApproved = row.state === 'approved';
  if (isFrozen !== (action === 'unfreeze')) return undefined;
  const decided = { decidedAt: at, decidedBy: actor, isByPerson: true, isLateDenial: false, updatedAt: at };
  switch (action) {
    case 'approve': {
      if (isApproved(row, nowMs)) return undefined;
      const validUntil = instantOf(new Date(nowMs + validMs));
      const approved = { ...row, ...decided, state: 'approved' as const, validUntil, sealedLink: null };
      return { row: approved, event: 'approved', isDecided: true, isLowered: false };
    }
    case 'deny': {
      if (row.state === 'denied' && !row.isLateDenial) return undefined;
      const denied = { ...row, ...decided, state: 'denied' as const, sealedLink: null };
      return { row: denied, event: 'denied', isDecided: true, isLowered: wasApproved };
    }
    case 'retry':
      return {
        row: begunAgain(row, externalId, nowMs),
        ...{ event: 'retried', isDecided: false, isLowered: wasApproved },
      };
    case 'freeze': {
      const frozen = { ...row, state: 'frozen' as const, frozenState: stateBelow(row), updatedAt: at };
      return { row: frozen, event: 'frozen', isDecided: true, isLowered: wasApproved };
    }
    case 'unfreeze': {
      if (row.unfreezeBy === null) {
        const proposed = { ...row, unfreezeBy: actor, unfreezeReason: reason, updatedAt: at };
        return { row: proposed, event: 'unfreeze_asked', isDecided: false, isLowered: false };
      }
      const released = { state: stateBelow(row), frozenState: null, unfreezeBy: null, unfreezeReason: null };
      const unfrozen = { ...row, ...released, updatedAt: at };
      return { row: unfrozen, event: 'unfrozen', isDecided: true, isLowered: false };
    }
  }
}
