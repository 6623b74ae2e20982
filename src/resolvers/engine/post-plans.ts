/** Posts the journals of planned steps, and ends a plan where the balance does not cover a step. */
import { assert } from '../../base/assert.ts';
import type { Tx } from '../../store/database.ts';
import { postJournals } from '../../store/ledger/posting.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { PlannedStep } from '../../templates/machine.ts';
import { stepNameOf } from '../../templates/step-name.ts';

/** A transaction with the steps that it is to take. */
export interface Plan {
  readonly row: ProcessRow;
  readonly steps: readonly PlannedStep[];
}

/**
 * Posts the journals of all plans, in rounds. A round ends, for each plan, with the next step that the balance may not
 * cover: nothing behind such a step is posted before it is covered. Without such steps, and where they are the last, one
 * round posts everything.
 *
 * @param onShort - is told of a plan whose step is not covered, with the steps that hold instead: those before it, and
 *   its shortfall; or that the trigger is refused. It has to change the plan to them, or to none.
 */
export async function postPlans<Each extends Plan>(
  tx: Tx,
  plans: readonly Each[],
  nowMs: number,
  onShort: (plan: Each, steps: readonly PlannedStep[] | 'refused') => void,
): Promise<void> {
  let pending: Stretch<Each>[] = plans.map((plan) => ({ plan, from: 0, to: stretchEnd(plan, 0) }));
  while (pending.length > 0) {
    await postRound(tx, pending, nowMs, onShort);
    pending = pending.flatMap(({ plan, to }) =>
      to < plan.steps.length ? [{ plan, from: to, to: stretchEnd(plan, to) }] : [],
    );
  }
}

/** Steps of a plan that are posted in one round. */
interface Stretch<Each> {
  readonly plan: Each;
  readonly from: number;
  readonly to: number;
}

function stretchEnd({ steps }: Plan, from: number): number {
  const uncertain = steps.findIndex(({ shortfall }, index) => index >= from && shortfall);
  return uncertain < 0 ? steps.length : uncertain + 1;
}

/** Which step it is of its transaction: no two that post have the same. */
function placeOf({ row, isMove, event }: PlannedStep): string {
  const { sequence, posted } = row.process ?? {};
  return isMove || event ? `${sequence}` : `${sequence}.${posted}`;
}

async function postRound<Each extends Plan>(
  tx: Tx,
  stretches: readonly Stretch<Each>[],
  nowMs: number,
  onShort: (plan: Each, steps: readonly PlannedStep[] | 'refused') => void,
): Promise<void> {
  const posted = stretches.flatMap(({ plan, from, to }) =>
    plan.steps.slice(from, to).flatMap((step, place) =>
      step.journals.map((journal, n) => ({
        accountId: plan.row.accountId,
        ref: `${plan.row.end2end}:${placeOf(step)}:${n}`,
        transactionId: plan.row.id,
        journal,
        plan,
        index: from + place,
      })),
    ),
  );
  if (posted.length === 0) return;
  const outcomes = await postJournals(tx, posted, new Date(nowMs));
  for (const [place, { code }] of outcomes.entries()) {
    if (code === 'POSTED') continue;
    const { plan, index, journal } = posted[place] as (typeof posted)[number];
    const shortfall = plan.steps[index]?.shortfall;
    assert(
      shortfall && code === 'INSUFFICIENT_BALANCE',
      `${journal.name} of ${plan.row.template} at ${stepNameOf(plan.row)} posts: ${code}`,
    );
    onShort(plan, shortfall === 'refused' ? shortfall : [...plan.steps.slice(0, index), shortfall()]);
  }
}
