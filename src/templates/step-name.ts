/** Names of steps as the machines use them. */
import type { ProcessRow } from './facts.ts';
import type { StepName } from './transition.ts';

/** @returns the step where a transaction stands; `start` for one that is not made yet. */
export function stepNameOf({ component, state }: Pick<ProcessRow, 'component' | 'state'>): StepName {
  return component === '' ? 'start' : `${component}/${state}`;
}
