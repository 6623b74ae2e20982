/** Plans: faults of future orders. The first order that matches a plan uses it up. */
import type { PspStore } from './store.ts';

/**
 * Orders that can be planned to fail: a charge is refused; a payout or refund is accepted, and fails when it settles.
 */
export const PLANNED_ORDERS = ['charge', 'payout', 'refund'] as const;
/** A member of PLANNED_ORDERS. */
export type PlannedOrder = (typeof PLANNED_ORDERS)[number];

/** Conditions of an order: a missing member matches any value. */
export type PlanFacts = Readonly<Record<string, string>>;

/** Stores a plan. @returns its number. */
export function addPlan(
  store: PspStore,
  action: PlannedOrder,
  facts: PlanFacts,
  reason: string | null,
): number {
  return store.run(
    'insert into plan (act, facts, reason) values (?, ?, ?)',
    action,
    JSON.stringify(facts),
    reason,
  ).id;
}

/** Uses up the oldest plan that matches an order. @returns the plan; undefined without a match. */
export function consumePlan(
  store: PspStore,
  action: PlannedOrder,
  order: PlanFacts,
): { readonly reason: string | null } | undefined {
  const plans = store.all<{ id: number; facts: string; reason: string | null }>(
    'select id, facts, reason from plan where act = ? order by id',
    action,
  );
  const plan = plans.find(({ facts }) =>
    Object.entries(JSON.parse(facts) as PlanFacts).every(([name, value]) => order[name] === value),
  );
  if (plan) store.run('delete from plan where id = ?', plan.id);
  return plan;
}
