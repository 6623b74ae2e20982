/** Names of the events of a template: one for each of its steps (C-61), and those of `stay-events.ts` that its transitions publish. */

import { eventName } from '../base/ids/step-name.ts';
import type { Template } from './define.ts';
import { isRuled } from './out-kinds.ts';
import { STAY_EVENTS, type StayEvent } from './stay-events.ts';

/** Event of money out that is held by a ceiling. */
export const HELD_EVENT: StayEvent = 'money_out.held';

/** @returns every name of an event of the template: those of its steps in order, then the additional events. */
export function eventNamesOf(template: Template): readonly string[] {
  const ofSteps = template.steps.map((step) => eventName({ template: template.name, ...step }));
  return [...ofSteps, ...extraEvents(template).map(({ name }) => name)];
}

/** @returns the additional events of a template, which change no step, with their descriptions. */
export function extraEvents({ name, machine }: Template): readonly { name: string; doc: string }[] {
  const events = new Set<StayEvent>(
    machine.transitions.flatMap(({ event, moneyOut }) => [
      ...(event ? [event] : []),
      ...(isRuled(moneyOut) ? [HELD_EVENT] : []),
    ]),
  );
  return (Object.keys(STAY_EVENTS) as StayEvent[])
    .filter((event) => events.has(event))
    .map((event) => ({ name: extraEventName(name, event), doc: STAY_EVENTS[event].doc }));
}

/** @returns the full name of an additional event. */
export function extraEventName(template: string, event: StayEvent): string {
  return `${template.toLowerCase()}.${event}`;
}
