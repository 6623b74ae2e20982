/**
 * MED cases about a payment: while one is open, the account holder cannot refund the payment. A dispute has steps and
 * events of its own; a report of fraud has only the events in this file.
 */
import type { StepName } from '../base/ids/step-name.ts';
import type { Process } from './facts.ts';
import type { StayEvent } from './stay-events.ts';
import { type Change, type Transition, type View, when } from './transition.ts';
import { MED_ALARMS, type MedAlarm } from './triggers.ts';

const ALARM_EVENTS: Readonly<Record<MedAlarm, StayEvent>> = {
  48: 'med_case.due_48h',
  24: 'med_case.due_24h',
  6: 'med_case.due_6h',
};

/** @param all - every step: a bank opens and decides cases at any step. */
export function medTransitions(all: readonly StepName[]): readonly Transition[] {
  return [
    when('med_opened', all, 'stay', {
      parallel: true,
      when: isOpening(true),
      set: opened,
      event: 'med_case.opened',
    }),
    when('med_opened', all, 'stay', { parallel: true, when: isOpening(false), set: opened }),
    ...MED_ALARMS.map((hours) =>
      when('med_due', all, 'stay', {
        parallel: true,
        when: (view) => view.trigger.hours === hours && isOpen(view),
        event: ALARM_EVENTS[hours],
      }),
    ),
    when('med_closed', all, 'stay', {
      parallel: true,
      when: (view) => view.trigger.isReport && isOpen(view),
      set: closed,
      event: 'med_case.closed',
    }),
    when('med_closed', all, 'stay', { parallel: true, when: isOpen, set: closed }),
  ];
}

function isOpening(isReport: boolean) {
  return (view: View<'med_opened'>) => view.trigger.isReport === isReport && !isOpen(view);
}

function isOpen({
  process,
  trigger,
}: {
  readonly process: Process;
  readonly trigger: { readonly name: string };
}): boolean {
  return process.medCases?.includes(trigger.name) === true;
}

function opened({ process, trigger }: View<'med_opened'>): Change {
  return { process: { medCases: [...(process.medCases ?? []), trigger.name] } };
}

function closed({ process, trigger }: View<'med_closed'>): Change {
  return { process: { medCases: process.medCases?.filter((each) => each !== trigger.name) ?? [] } };
}
