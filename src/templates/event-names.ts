/** Names of the events of a template: one for each of its steps (C-61). */
import { eventName } from '../events/event-name.ts';
import type { Template } from './define.ts';

/** @returns every name that an event of the template can have, in the order of its steps. */
export function eventNamesOf({ name, steps }: Template): readonly string[] {
  return steps.map((step) => eventName({ template: name, ...step }));
}
