/** Money out under the rule (C-25): its worth and destination, and the count of its approvals. */
import { assert, known } from '../base/errors/assert.ts';
import { BRL, currencyOfLedger } from '../base/money/currency.ts';
import { toMinor } from '../base/money/money.ts';
import { isMaskedTaxId } from '../base/pix/tax-id.ts';
import { depositOf } from './amounts.ts';
import type { Step, Template } from './define.ts';
import type { Approval, ApprovalReason, Process, ProcessRow } from './facts.ts';
import type { RuledKind } from './out-kinds.ts';
import { returnsOf } from './returns.ts';
import { UNDONE } from './status.ts';
import type { Trigger } from './triggers.ts';

/** Money out in the form that the rule compares. */
export interface Outflow {
  readonly kind: RuledKind;
  /** Worth in BRL, decimal text. */
  readonly brl: string;
  readonly destination: Destination;
}

/** Destination of money. */
export interface Destination {
  /** Network of an address, type of a PIX key, or `payer`. */
  readonly type: string;
  /** Canonical address or PIX key; for a payer, the tax id. */
  readonly target: string;
  /** The only group of the whitelist that counts; null for any group. */
  readonly groupId: string | null;
}

/**
 * @param row - the transaction after the transition of this kind.
 * @returns the outflow.
 */
export function outflowOf(kind: RuledKind, row: ProcessRow): Outflow {
  return { kind, ...FLOWS[kind](row) };
}

const FLOWS: Readonly<Record<RuledKind, (row: ProcessRow) => Omit<Outflow, 'kind'>>> = {
  withdrawal: (row) => ({
    brl: known(row.process?.worth, 'the worth of a withdrawal'),
    destination: {
      type: row.pixKeyType ?? currencyNetwork(row),
      target: known(row.wallet, 'a destination'),
      groupId: row.groupId,
    },
  }),
  payout: (row) => ({
    brl: known(row.targetAmount, 'an amount'),
    destination: {
      type: known(row.pixKeyType, 'a type'),
      target: known(row.pixKey, 'a PIX key'),
      groupId: null,
    },
  }),
  refund: (row) => ({
    brl: known(returnsOf(row.process ?? {}).at(-1), 'a return').amount,
    destination: {
      type: 'payer',
      target: payerOf(row),
      groupId: null,
    },
  }),
  redirect: (row) => {
    const { currency } = depositOf(row);
    return {
      // The rate of its quote is not used, because a deposit can be held for a long time.
      brl: known(row.process?.refundWorth, 'the worth of a redirected deposit'),
      destination: {
        type: currency.network,
        target: known(row.process?.refundAddress, 'an address'),
        groupId: null,
      },
    };
  },
};

/**
 * @returns the payer as a target. A masked tax id fits many people, so the payment itself then stands for its payer.
 */
function payerOf({ process, pixE2e, clientTaxId }: ProcessRow): string {
  const taxId = process?.payerTaxId;
  if (taxId && isMaskedTaxId(taxId)) return known(pixE2e, 'a payment');
  return taxId ?? known(clientTaxId, 'a customer');
}

/** @returns whether a withdrawal or payout of the template is back in the balance at this step. */
export function isBackInBalance({ machine }: Pick<Template, 'machine'>, step: Step): boolean {
  return (
    UNDONE.includes(step.statusCode) &&
    machine.transitions.some(({ moneyOut }) => moneyOut === 'withdrawal' || moneyOut === 'payout')
  );
}

/** @returns the key or person that requested the waiting money out; otherwise the creator of the transaction. */
export function makerOf({ process }: ProcessRow): string | null {
  return process?.approval?.maker ?? process?.createdBy ?? null;
}

/** @returns the requester of waiting money out and its approvers so far, by the id of key or person. */
export function decidersOf(row: ProcessRow): readonly string[] {
  return [makerOf(row) ?? [], row.process?.approval?.by ?? []].flat();
}

/** Time limit of approvals, the same as for a withdrawal. Unit: ms. */
export const APPROVAL_MS = 72 * 3_600_000;

/**
 * @param isAbandoned - whether the access of the requester has ended: then another approval takes the place of the request.
 * @returns the number of approvals that money out needs in all.
 */
export function approversFor(reason: ApprovalReason, isAbandoned: boolean): number {
  return reason === 'ceiling' || isAbandoned ? 2 : 1;
}

/** Outcome of a decision about waiting money out. */
export type Decided =
  /** An approval is recorded, or the wait has ended without money out. */
  | { readonly approval: Approval | undefined }
  /** Enough makers have approved, or the approval has lapsed: the trigger is applied now, to these facts. */
  | { readonly process: Process; readonly trigger: Trigger };

/**
 * @returns the approval that money out waits for; undefined after it has lapsed. The approval of a withdrawal does not
 * lapse, because a timer ends the withdrawal at its own step.
 */
export function pendingApproval({ approval }: Process, nowMs: number): Approval | undefined {
  return approval?.trigger && hasLapsed(approval, nowMs) ? undefined : approval;
}

function hasLapsed({ askedAt }: Approval, nowMs: number): boolean {
  return nowMs > Date.parse(askedAt) + APPROVAL_MS;
}

/**
 * @returns the trigger's decision about waiting money out; `too_late` for an approval after its time; undefined if the
 * trigger is no such decision. Any other trigger is applied without a lapsed approval.
 */
export function decided(process: Process, trigger: Trigger, nowMs: number): Decided | 'too_late' | undefined {
  const { approval, ...rest } = process;
  if (!approval) return undefined;
  if (trigger.on !== 'approved' && trigger.on !== 'rejected')
    return pendingApproval(process, nowMs) ? undefined : { process: rest, trigger };
  if (trigger.on === 'rejected') return approval.trigger && { approval: undefined };
  if (hasLapsed(approval, nowMs)) return 'too_late';
  const by = [...approval.by, trigger.by];
  if (by.length < approval.needed) return { approval: { ...approval, by } };
  const { trigger: waited } = approval;
  if (!waited) return { process: withWorth(rest, trigger.worth), trigger };
  return {
    process: rest,
    trigger: waited.on === 'refund_ordered' ? withWorth(waited, trigger.worth) : waited,
  };
}

/** Crypto that waited counts its worth at the request or at the approval, whichever is greater. */
function withWorth<Facts extends { readonly worth?: string }>(facts: Facts, now: string | undefined): Facts {
  const { worth } = facts;
  return worth !== undefined && now !== undefined && centsOf(now) > centsOf(worth)
    ? { ...facts, worth: now }
    : facts;
}

function centsOf(brl: string): bigint {
  return toMinor(brl, BRL.decimals);
}

function currencyNetwork(row: ProcessRow): string {
  const { network } = currencyOfLedger(known(row.sourceCurrency, 'a currency'));
  assert(network !== '', 'BRL goes to a PIX key');
  return network;
}
