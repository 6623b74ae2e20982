/**
 * Actions of callers on a transaction: the trigger that each sends to its machine, its permission, its mutation and the
 * mutation's input. The machine itself decides whether an action is possible and which amounts it moves: it plans the
 * trigger.
 */
import { type ActionName, isPlatformMutation } from '../base/access/actions.ts';
import { BRL } from '../base/money/currency.ts';
import { accepts, hasPayer } from './accepts.ts';
import { type ActionEffect, effectsOf } from './action-effects.ts';
import type { Template } from './define.ts';
import { STEP_UP_MS } from './effects.ts';
import type { ProcessRow } from './facts.ts';
import { FAMILY_TRAITS } from './families.ts';
import { isRefundable } from './lateness.ts';
import { acceptsTrigger, type PlannedStep, plan, type Situation } from './machine.ts';
import { pendingApproval } from './money-out.ts';
import { isRuled } from './out-kinds.ts';
import { brlText, leftOf, PARTS_MAX, partsOf } from './returns.ts';
import type { Trigger, TriggerName } from './triggers.ts';

/** Every action by its name, with its meaning. */
export const CALLER_ACTIONS = {
  enter_amount: 'Sets the amount of a session that its customer enters.',
  accept_quote: 'Accepts the quote.',
  provide_identity: 'Names the customer, or the payee with their PIX key.',
  confirm_identity: 'Confirms the customer who was named.',
  approve_money_out: 'Approves money out that waits for you.',
  reject_money_out: 'Rejects money out that waits for approval: nothing leaves.',
  requote_deposit: 'Converts a held deposit at a new price, and pays it out.',
  keep_deposit: 'Credits a held deposit to the balance, unconverted.',
  refund_deposit: 'Sends a held deposit back.',
  refund_payment: 'Refunds a finished payment to its payer, whole or in part.',
  cancel: 'Ends the transaction before anything is paid or sent.',
  release_hold: 'Releases a transaction that compliance screening holds.',
  reject_hold: 'Rejects a transaction that compliance screening holds.',
  approve_step_up: 'Approves the extra verification of a customer or payee.',
  deny_step_up: 'Denies the extra verification of a customer or payee.',
  retry_refund: 'Orders failed returns to the payer again.',
  settle_refund_by_hand: 'Books failed returns as paid to the payer by hand.',
} as const;
/** Name of an action. */
export type CallerActionName = keyof typeof CALLER_ACTIONS;

/** One argument of a mutation, with the parts that the transaction determines. */
export interface ArgumentRule {
  /** The only possible value. */
  readonly value?: string;
  /** Whether it is required here, although the mutation does not require it in general. */
  readonly isRequired?: true;
  /** Whether it has no meaning here. */
  readonly isLeftOut?: true;
  /** The largest amount. */
  readonly max?: string;
}

/** An action that is possible now. */
export interface CallerAction {
  readonly name: CallerActionName;
  readonly permission: ActionName;
  readonly mutation: string;
  /** Arguments by name; all others are as in the schema. */
  readonly rules: Readonly<Record<string, ArgumentRule>>;
  /** Effects of the default input; if an amount is required, of the largest amount. */
  readonly effects: readonly ActionEffect[];
}

/** An action, whether or not it is possible. */
interface Sheet {
  /** Actions whose scope depends on the template. */
  readonly permission: (template: Template, row: ProcessRow) => ActionName;
  readonly mutation: string | ((row: ProcessRow) => string);
  readonly on: TriggerName;
  /** Triggers for the default input first, then alternatives if the machine does not accept that. */
  readonly triggers: (row: ProcessRow, nowMs: number) => readonly Trigger[];
  readonly rules?: (row: ProcessRow, trigger: Trigger) => CallerAction['rules'];
  readonly isPriced?: true;
}

const always = (action: ActionName) => () => action;
const outOfBalance = (otherwise: ActionName) => (template: Template) =>
  hasPayer(template) ? otherwise : 'balance.pay_out';
const triggering = (trigger: Trigger) => () => [trigger];
const isWithdrawal = ({ process }: ProcessRow) => process?.approval?.trigger === undefined;
/** Argument with the account, which the operator names. */
const onAccount = (row: ProcessRow) => ({ account: { value: String(row.accountId) } });

const SHEETS: Readonly<Record<CallerActionName, Sheet>> = {
  enter_amount: {
    permission: always('transaction.enter_amount'),
    mutation: 'enterAmount',
    on: 'amount_given',
    triggers: (row, nowMs) => {
      const { quote, refQuote, fees, sourceAmount, targetAmount, networkFee, expiresAt } = row;
      const price = { quote, refQuote, fees, sourceAmount, targetAmount, networkFee };
      return [{ on: 'amount_given', price, pricedAt: new Date(nowMs).toISOString(), expiresAt }];
    },
  },
  accept_quote: {
    permission: outOfBalance('transaction.accept_quote'),
    mutation: 'acceptQuote',
    on: 'accepted',
    triggers: triggering({ on: 'accepted' }),
  },
  provide_identity: {
    permission: outOfBalance('transaction.provide_identity'),
    mutation: 'provideIdentity',
    on: 'identity_given',
    triggers: (row) => {
      const person = { clientName: '', clientTaxId: '' };
      const payout = isPaidToPayee(row) && { payout: { pixKey: '', pixKeyType: '' } };
      return [{ on: 'identity_given', ...person, ...payout }];
    },
    rules: (row) => {
      const rule = isPaidToPayee(row) ? ({ isRequired: true } as const) : ({ isLeftOut: true } as const);
      return { pixKey: rule, pixKeyType: rule };
    },
  },
  confirm_identity: {
    permission: always('transaction.confirm_identity'),
    mutation: 'confirmIdentity',
    on: 'identity_confirmed',
    triggers: triggering({ on: 'identity_confirmed' }),
  },
  approve_money_out: {
    permission: (_template, row) => (isWithdrawal(row) ? 'withdrawal.approve' : 'money_out.approve'),
    mutation: (row) => (isWithdrawal(row) ? 'approveWithdrawal' : 'approveMoneyOut'),
    on: 'approved',
    triggers: triggering({ on: 'approved', by: '' }),
    rules: ({ process }) =>
      process?.approval?.trigger ? { requestedAt: { value: process.approval.askedAt } } : {},
  },
  reject_money_out: {
    permission: (_template, row) => (isWithdrawal(row) ? 'withdrawal.reject' : 'money_out.reject'),
    mutation: (row) => (isWithdrawal(row) ? 'rejectWithdrawal' : 'rejectMoneyOut'),
    on: 'rejected',
    triggers: triggering({ on: 'rejected' }),
  },
  requote_deposit: {
    permission: always('deposit.resolve'),
    mutation: 'resolveDeposit',
    on: 'requoted',
    triggers: ({ quote, refQuote, fees, targetAmount, networkFee, process }) => {
      const sourceAmount = process?.deposit?.amount ?? null;
      const price = { quote, refQuote, fees, sourceAmount, targetAmount, networkFee };
      return [{ on: 'requoted', price }];
    },
    rules: () => ({ resolution: { value: 'REQUOTE' }, address: { isLeftOut: true } }),
    isPriced: true,
  },
  keep_deposit: {
    permission: always('deposit.resolve'),
    mutation: 'resolveDeposit',
    on: 'kept',
    triggers: triggering({ on: 'kept' }),
    rules: () => ({ resolution: { value: 'KEEP' }, address: { isLeftOut: true } }),
  },
  refund_deposit: {
    permission: always('deposit.resolve'),
    mutation: 'resolveDeposit',
    on: 'refund_ordered',
    triggers: ({ depositFrom }) => (depositFrom ? [{ on: 'refund_ordered', address: depositFrom }] : []),
    rules: () => ({ resolution: { value: 'REFUND' } }),
  },
  refund_payment: {
    permission: always('payment.refund'),
    mutation: 'refundPayment',
    on: 'payment_refunded',
    triggers: (row, nowMs) => {
      const { process } = row;
      if (!process || !isRefundable({ row, process, nowMs })) return [];
      const left = leftOf(row);
      return left <= 1n
        ? [{ on: 'payment_refunded' }]
        : [{ on: 'payment_refunded' }, { on: 'payment_refunded', amount: brlText(left - 1n) }];
    },
    rules: (row, trigger) => {
      if ('amount' in trigger && trigger.amount !== undefined)
        return { amount: { isRequired: true, max: trigger.amount } };
      if (partsOf(row.process ?? {}) >= PARTS_MAX) return { amount: { isLeftOut: true } };
      return { amount: { max: brlText(leftOf(row)) } };
    },
  },
  cancel: {
    permission: ({ family }) => FAMILY_TRAITS[family].permissions.cancel,
    mutation: 'cancelTransaction',
    on: 'cancelled',
    triggers: triggering({ on: 'cancelled' }),
  },
  release_hold: {
    permission: always('hold.release'),
    mutation: 'releaseHold',
    on: 'released',
    triggers: triggering({ on: 'released', by: '' }),
    rules: onAccount,
  },
  reject_hold: {
    permission: always('hold.reject'),
    mutation: 'rejectHold',
    on: 'hold_rejected',
    triggers: triggering({ on: 'hold_rejected' }),
    rules: onAccount,
  },
  approve_step_up: {
    permission: always('step_up.approve'),
    mutation: 'approveStepUp',
    on: 'step_up_approved',
    triggers: triggering({ on: 'step_up_approved' }),
    rules: onAccount,
  },
  deny_step_up: {
    permission: always('step_up.deny'),
    mutation: 'denyStepUp',
    on: 'step_up_denied',
    triggers: triggering({ on: 'step_up_denied' }),
    rules: onAccount,
  },
  retry_refund: {
    permission: always('refund.retry'),
    mutation: 'retryRefund',
    on: 'refund_retried',
    triggers: triggering({ on: 'refund_retried' }),
    rules: onAccount,
  },
  settle_refund_by_hand: {
    permission: always('refund.settle_by_hand'),
    mutation: 'settleRefundByHand',
    on: 'refund_paid_by_hand',
    triggers: triggering({ on: 'refund_paid_by_hand', reference: '' }),
    rules: onAccount,
  },
};

/** @returns the permission that an action needs on such a transaction. */
export function permissionOf(name: CallerActionName, template: Template, row: ProcessRow): ActionName {
  return SHEETS[name].permission(template, row);
}

/** @returns whether only the platform may perform the action. */
export function isPlatformAction(name: CallerActionName): boolean {
  const { mutation } = SHEETS[name];
  return typeof mutation === 'string' && isPlatformMutation(mutation);
}

/**
 * Lists actions without checking the caller, the balance, limits, prices or the rules for money out.
 * @returns the actions that the machine accepts at the current step and time, in the order for display; none for
 * imported history.
 */
export function callerActions(template: Template, row: ProcessRow, nowMs: number): readonly CallerAction[] {
  const names = Object.keys(SHEETS) as CallerActionName[];
  return names.flatMap((name) => callerAction(name, template, row, nowMs) ?? []);
}

/**
 * @param amount - BRL of a part; undefined means the whole rest of the payment.
 * @returns the effects of a refund of exactly that amount, from the plan of the refund itself; undefined if the machine
 * accepts no such refund now.
 */
export function refundEffects(
  template: Template,
  row: ProcessRow,
  amount: string | undefined,
  nowMs: number,
): readonly ActionEffect[] | undefined {
  const trigger: Trigger = { on: 'payment_refunded', ...(amount !== undefined && { amount }) };
  const steps = planned(template, row, trigger, nowMs);
  return steps && effectsOf(template, row, steps, false);
}

/** @returns the actions that the machine accepts, without their figures, which a page does not show. */
export function acceptedActions(
  template: Template,
  row: ProcessRow,
  nowMs: number,
  names: readonly CallerActionName[],
): readonly CallerActionName[] {
  return names.filter((name) =>
    triggersOf(name, template, row, nowMs).some((trigger) =>
      acceptsTrigger(template, row, trigger, situationAt(nowMs)),
    ),
  );
}

function callerAction(
  name: CallerActionName,
  template: Template,
  row: ProcessRow,
  nowMs: number,
): CallerAction | undefined {
  const { permission: action, mutation, rules, isPriced } = SHEETS[name];
  for (const trigger of triggersOf(name, template, row, nowMs)) {
    const steps = planned(template, row, trigger, nowMs);
    if (steps)
      return {
        name,
        permission: action(template, row),
        mutation: typeof mutation === 'string' ? mutation : mutation(row),
        rules: { end2end: { value: row.end2end }, ...rules?.(row, trigger) },
        effects: effectsOf(template, row, steps, isPriced === true),
      };
  }
  return undefined;
}

/** The list is empty if the step accepts no such trigger at all; then facts of later steps are not read. */
function triggersOf(
  name: CallerActionName,
  template: Template,
  row: ProcessRow,
  nowMs: number,
): readonly Trigger[] {
  const { on, triggers } = SHEETS[name];
  const isAwaited = isDecision(on) && row.process?.approval !== undefined;
  return isAwaited || accepts(template, row, on) ? triggers(row, nowMs) : [];
}

function planned(
  template: Template,
  row: ProcessRow,
  trigger: Trigger,
  nowMs: number,
): readonly PlannedStep[] | undefined {
  const steps = plan(template, row, trigger, situationAt(nowMs));
  // Other money out of the transaction has to wait until this is decided.
  const waits = row.process !== null && pendingApproval(row.process, nowMs) !== undefined;
  const isBarred = waits && !isDecision(trigger.on) && steps?.some(({ moneyOut }) => isRuled(moneyOut));
  return isBarred ? undefined : steps;
}

function isDecision(on: TriggerName): boolean {
  return on === 'approved' || on === 'rejected';
}

/** Ids of returns and due times are generated anew when the action is performed. */
function situationAt(nowMs: number): Situation {
  return { nowMs, stepUpMs: STEP_UP_MS, ispb: '00000000', available: () => 0n };
}

function isPaidToPayee({ targetCurrency }: ProcessRow): boolean {
  return targetCurrency === BRL.code;
}
