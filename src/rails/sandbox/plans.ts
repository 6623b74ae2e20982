/**
 * Plans: failures of a transaction at a later step. A plan is stored in the database, and used up by its rail. If the
 * rail already has the order, the failure is reported immediately.
 */

import { type StepName, stepNameOf } from '../../base/ids/step-name.ts';
import { BRL } from '../../base/money/currency.ts';
import type { NewProcess } from '../../resolvers/services/advance.ts';
import type { Beginning, ScenarioName } from '../../resolvers/services/sandbox.ts';
import { arm } from '../../store/rails/sandbox.ts';
import { canStartBy } from '../../templates/accepts.ts';
import { WRONG } from '../../templates/deposit-machine.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Registry } from '../../templates/registry.ts';
import type { TriggerName } from '../../templates/triggers.ts';

/** Failures that a rail can report. */
export type Failure = 'payout' | 'transfer' | 'return';

/** A plan, and the steps at which it can be made. */
export interface Plan {
  /** Trigger that the plan replaces or causes; the trigger must still be possible. */
  readonly until: TriggerName;
  /** Steps at which the trigger has another cause, so the plan has no effect. */
  readonly exceptAt?: readonly StepName[];
  /** Failure to report immediately if the transaction is already waiting for `until`. */
  readonly atOnce?: Failure;
  /** Output of the transactions to which the plan applies; default any. */
  readonly paysOut?: 'BRL' | 'crypto';
}

/** Every plan by the name of its scenario. */
export const PLANS = {
  'step-up-require': {
    until: 'step_up_required',
  },
  // A deposit that waits for its account is only screened against lists, so the plan has no effect.
  hold: { until: 'held', exceptAt: WRONG },
  'quote-fail': {
    until: 'created',
  },
  'charge-fail': { until: 'charge_created' },
  'swap-fail': { until: 'swap_failed' },
  'pix-out-reject': {
    until: 'payout_settled',
    atOnce: 'payout',
    paysOut: 'BRL',
  },
  'delivery-fail': {
    until: 'delivery_confirmed',
    atOnce: 'transfer',
    paysOut: 'crypto',
  },
  'broadcast-fail': {
    until: 'delivery_broadcast',
    atOnce: 'transfer',
    paysOut: 'crypto',
  },
  'refund-fail': {
    until: 'refund_settled',
    atOnce: 'return',
  },
  'excess-fail': { until: 'pix_received' },
  // The plan affects only the first check; a later check belongs to a customer's case.
  'identity-review': { until: 'identity_irregular' },
  'identity-irregular': { until: 'identity_irregular' },
} as const satisfies Partial<Record<ScenarioName, Plan>>;

/** Name of a plan. */
export type PlanName = keyof typeof PLANS;

const MENTION = /(?<![\w-])sandbox:([a-z-]+(?:,[a-z-]+)*)/g;

/**
 * @returns the initial state of a new transaction, with the plans named in its reference, or in its notes if it has no
 *   reference.
 */
export function begin(registry: Registry, create: NewProcess): Beginning {
  const plans = plansIn(create.externalCode ?? create.notes);
  const isPriceless =
    plans.includes('quote-fail') && canStartBy(registry.of(create.template), 'quote_failed');
  return {
    trigger: { on: isPriceless ? 'quote_failed' : 'created' },
    atomically: async (tx, { accountId, id }) => {
      for (const plan of plans) await arm(tx, accountId, id, plan);
    },
  };
}

/**
 * @param text - a reference or notes, of any content.
 * @returns the plans named after `sandbox:`, as in `sandbox:hold,swap-fail`, each once; unknown names are ignored.
 */
export function plansIn(text: string | null): readonly PlanName[] {
  const named = [...(text ?? '').matchAll(MENTION)].flatMap(([, names]) => (names as string).split(','));
  return [...new Set(named.filter((name): name is PlanName => Object.hasOwn(PLANS, name)))];
}

/**
 * @returns whether a plan can still take effect: its trigger is possible at the transaction's present step or later.
 */
export function isAhead(registry: Registry, row: ProcessRow, { until, exceptAt, paysOut }: Plan): boolean {
  const comesOut = row.targetCurrency === BRL.code ? 'BRL' : 'crypto';
  if (paysOut && paysOut !== comesOut) return false;
  const transitions = transitionsOf(registry, row);
  const reached = new Set([stepNameOf(row)]);
  for (const step of reached) {
    const leaving = transitions.filter(({ from, parallel }) => from.includes(step) && !parallel);
    if (!exceptAt?.includes(step) && leaving.some(({ on }) => on === until)) return true;
    for (const { to } of leaving) if (to !== 'stay') reached.add(to);
  }
  return false;
}

/** @returns the transitions of a transaction; imported history accepts no triggers, so it has none. */
function transitionsOf(registry: Registry, row: ProcessRow) {
  return row.process ? (registry.find(row.template)?.machine.transitions ?? []) : [];
}
