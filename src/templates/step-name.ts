/** Names of steps: as the machines use them, and as events have them. */
import type { ProcessRow } from './facts.ts';
import type { StepName } from './transition.ts';

/** @returns the step where a transaction stands; `start` for one that is not made yet. */
export function stepNameOf({ component, state }: Pick<ProcessRow, 'component' | 'state'>): StepName {
  return component === '' ? 'start' : `${component}/${state}`;
}

/** @returns the name of the event of a change to this step (C-61). */
export function eventName(step: {
  readonly template: string;
  readonly component: string;
  readonly state: string;
}): string {
  return `${step.template}.${step.component}.${step.state}`.toLowerCase();
}
