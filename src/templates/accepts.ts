/**
 * Inputs that a transaction accepts at its step: the forms of payers and the scenarios of the sandbox follow from
 * them.
 */

import { stepNameOf } from '../base/ids/step-name.ts';
import type { Step, Template } from './define.ts';
import type { ProcessRow } from './facts.ts';
import type { TriggerName } from './triggers.ts';

/**
 * @returns whether its step can accept the trigger, apart from conditions of time and of parallel processes; imported
 * history accepts none.
 */
export function accepts(template: Template, row: ProcessRow, on: TriggerName): boolean {
  return row.process !== null && stepAccepts(template, row, on);
}

/** @returns whether a step of a native (not imported) transaction can accept the trigger, in the sense of `accepts`. */
export function stepAccepts(
  { machine }: Template,
  step: Pick<Step, 'component' | 'state'>,
  on: TriggerName,
): boolean {
  const at = stepNameOf(step);
  return machine.transitions.some(
    (transition) => transition.on === on && transition.from.includes(at) && !transition.parallel,
  );
}

/** @returns whether a transaction can begin with the trigger. */
export function canStartBy({ machine }: Template, on: TriggerName): boolean {
  return machine.transitions.some((transition) => transition.on === on && transition.from.includes('start'));
}

/** @returns whether a person outside of the account pays: by PIX, or with a deposit. */
export function hasPayer({ machine }: Template): boolean {
  return machine.transitions.some(({ on }) => on === 'pix_received' || on === 'deposit_seen');
}
