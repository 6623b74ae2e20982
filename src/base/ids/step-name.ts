/** Names of steps, in the form of the machines and in the form of events. */

/** `component/STATE`; `start` is the step before the creation of a transaction. */
export type StepName = `${string}/${string}` | 'start';

/** A step of a transaction, in two words; both are empty before the first. */
interface Step {
  readonly component: string;
  readonly state: string;
}

/** @returns the current step of a transaction; `start` before it is created. */
export function stepNameOf({ component, state }: Step): StepName {
  return component === '' ? 'start' : `${component}/${state}`;
}

/** @returns the name of the event of a change to this step (C-61). */
export function eventName({ template, component, state }: Step & { readonly template: string }): string {
  return `${template}.${component}.${state}`.toLowerCase();
}
