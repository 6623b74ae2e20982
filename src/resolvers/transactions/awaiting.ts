/**
 * Waits for a person's decision: the steps at which each action is possible, and the decisions that a caller may make.
 */
import { ACTIONS, type ActionName } from '../../base/access/actions.ts';
import { readOneMaker } from '../../store/account/api-keys.ts';
import type { WaitingAt } from '../../store/engine/waiting.ts';
import type { Registry } from '../../templates/registry.ts';
import type { TriggerName } from '../../templates/triggers.ts';
import type { Context } from '../services/context.ts';
import { isNewcomer } from '../settings/protections.ts';

/** Actions by which a person decides how a transaction continues, with the trigger of each. */
const DECISIONS = {
  'withdrawal.approve': ['approved'],
  'deposit.resolve': ['kept', 'refund_ordered', 'requoted'],
  'hold.release': ['released'],
  'step_up.approve': ['step_up_approved'],
  'refund.retry': ['refund_retried'],
} as const satisfies { readonly [Action in ActionName]?: readonly TriggerName[] };
/** A member of DECISIONS. */
export type DecisionName = keyof typeof DECISIONS;

/** @returns the steps, as `component/state`, at which the action can be done. */
export function stepsAwaiting(registry: Registry, action: DecisionName): readonly string[] {
  const triggers: readonly TriggerName[] = DECISIONS[action];
  const steps = registry.templates.flatMap(({ machine }) =>
    machine.transitions
      // A failed return can be ordered again at any step; only steps at which nothing else is under way count as waiting for
      // it.
      .filter(({ on, to }) => triggers.includes(on) && (on !== 'refund_retried' || to !== 'stay'))
      .flatMap(({ from }) => from),
  );
  return [...new Set(steps)].filter((step) => step !== 'start');
}

/** @returns the steps at which transactions wait for the action, and the families that have such a step. */
export function waitingFor(registry: Registry, action: DecisionName): WaitingAt {
  const steps = stepsAwaiting(registry, action);
  const templates = registry.templates.filter((template) =>
    template.steps.some(({ component, state }) => steps.includes(`${component}/${state}`)),
  );
  return { steps, families: [...new Set(templates.map(({ family }) => family))] };
}

/** Reasons why a transaction can wait for a person. */
export const WAITS = {
  held_deposit: 'A deposit of a wrong amount or too late, which waits for `resolveDeposit`.',
  hold: 'Compliance screening holds it.',
  step_up: 'Its customer or payee waits for extra verification.',
  failed_refund: 'A return to the payer failed, and is still owed.',
  failed_job: 'A job of it failed, and is tried again.',
} as const;
/** A member of WAITS. */
export type Wait = keyof typeof WAITS;

/** Waits that are found by their failure, not by the step. */
export const TROUBLES = { failed_refund: 'refund', failed_job: 'job' } as const satisfies {
  readonly [Each in Wait]?: string;
};
/** Waits that are found by the step. */
export type StepWait = Exclude<Wait, keyof typeof TROUBLES>;

/** Decision that ends each wait. */
const DECISION_OF = {
  hold: 'hold.release',
  held_deposit: 'deposit.resolve',
  step_up: 'step_up.approve',
} as const satisfies Readonly<Record<StepWait, DecisionName>>;

/** @returns whether it is found by the step. */
export function isStepWait(wait: Wait): wait is StepWait {
  return !Object.hasOwn(TROUBLES, wait);
}

/** @returns the steps, as `component/state`, at which transactions wait for it. */
export function stepsWaiting(registry: Registry, wait: StepWait): readonly string[] {
  return stepsAwaiting(registry, DECISION_OF[wait]);
}

/**
 * @returns the steps at which the caller can decide: its scopes allow it, and it is not newer to the account than the cooling time
 * where the decision is an approval (C-40).
 */
export async function stepsForCaller(context: Context): Promise<readonly string[]> {
  const { registry, caller } = context;
  const actions = Object.keys(DECISIONS) as DecisionName[];
  const own = actions.filter((action) => caller.scopes.includes(ACTIONS[action].scope));
  const isNew =
    own.includes('withdrawal.approve') && (await isNewcomer(context, await context.clock.nowMs()));
  const possible = isNew ? own.filter((action) => action !== 'withdrawal.approve') : own;
  return [...new Set(possible.flatMap((action) => stepsAwaiting(registry, action)))];
}

/**
 * The withdrawals that the caller may not approve, because it counts as one maker with their requester or with an approver
 * (C-40).
 *
 * @returns the steps that wait for approvals, and the makers that count as one with the caller.
 */
export async function ownApprovals(
  context: Context,
): Promise<{ readonly steps: readonly string[]; readonly makers: readonly string[] }> {
  const { database, registry, caller } = context;
  return {
    steps: stepsAwaiting(registry, 'withdrawal.approve'),
    makers: await readOneMaker(database, caller.accountId, caller.id),
  };
}
