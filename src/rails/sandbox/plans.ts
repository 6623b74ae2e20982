/**
 * Plans: failures of a transaction once it gets there. A plan is armed in the database, and used up by its rail. When
 * that rail has the order already, its outcome is reported immediately instead.
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

/** A plan, and until when it can be made. */
export interface Plan {
  /** Trigger that the plan replaces or leads to: it must still be possible. */
  readonly until: TriggerName;
  /** Steps at which the trigger comes from elsewhere. */
  readonly exceptAt?: readonly StepName[];
  /** Reported at once where `until` is what the transaction waits for. */
  readonly atOnce?: Failure;
  /** Output of the transaction for which the plan has a meaning; any by default. */
  readonly paysOut?: 'BRL' | 'crypto';
}

/** Every plan by the name of its scenario. */
export const PLANS = {
  'step-up-require': {
    until: 'step_up_required',
  },
  // A deposit that waits for its account is compared with lists alone.
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
  // Of the first check alone: a later one is a case's.
  'identity-review': { until: 'identity_irregular' },
  'identity-irregular': { until: 'identity_irregular' },
} as const satisfies Partial<Record<ScenarioName, Plan>>;

/** Name of a plan. */
export type PlanName = keyof typeof PLANS;

const MENTION = /(?<![\w-])sandbox:([a-z-]+(?:,[a-z-]+)*)/g;

/**
 * @returns the beginning of a new transaction: armed with the plans that its reference names, or its notes without
 *   one.
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
 * @returns the plans that it names as `sandbox:hold,swap-fail`, each once; names of anything else are ignored.
 */
export function plansIn(text: string | null): readonly PlanName[] {
  const named = [...(text ?? '').matchAll(MENTION)].flatMap(([, names]) => (names as string).split(','));
  return [...new Set(named.filter((name): name is PlanName => Object.hasOwn(PLANS, name)))];
}

/** @returns whether a plan can still come true: its trigger is ahead of the transaction's step. */
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

/** Imported history takes no trigger, so nothing is ahead of it. */
function transitionsOf(registry: Registry, row: ProcessRow) {
  return row.process ? (registry.find(row.template)?.machine.transitions ?? []) : [];
}
