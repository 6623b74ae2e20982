/**
 * The machine of every template: computes the next steps, their journals and the work after the commit from a
 * transaction, a trigger and the clock. Pure functions: they read and write no data.
 */
import { assert } from '../base/errors/assert.ts';
import { type StepName, stepNameOf } from '../base/ids/step-name.ts';
import { type Instant, instantOf, millisOf } from '../base/time/instant.ts';
import type { Journal } from '../ledger/posting.ts';
import type { Template } from './define.ts';
import { EFFECTS, type EffectName } from './effects.ts';
import type { Approval, Process, ProcessRow } from './facts.ts';
import { decided } from './money-out.ts';
import type { OutKind } from './out-kinds.ts';
import { FINISHED } from './status.ts';
import type { StayEvent } from './stay-events.ts';
import type { Change, Transition, View } from './transition.ts';
import type { Trigger } from './triggers.ts';

/** An effect and its due time, milliseconds. */
export interface DueEffect {
  readonly name: EffectName;
  readonly dueMs: number;
}

/** One transition, ready to be committed. */
export interface PlannedStep {
  /** The transaction after it. */
  readonly row: ProcessRow;
  /** See `Transition`. */
  readonly setsPrice: boolean;
  /** Whether (component, state) changed, which makes it an event. */
  readonly isMove: boolean;
  /** See `Transition`. */
  readonly moneyOut?: OutKind;
  /** Event without a change of (component, state); see `Transition`. */
  readonly event?: StayEvent;
  readonly journals: readonly Journal[];
  readonly effects: readonly DueEffect[];
  /** The plan to use instead if the balance does not cover the journal; `refused`: the whole plan is refused. */
  readonly shortfall?: (() => PlannedStep) | 'refused';
}

/** Inputs of a machine in addition to the transaction and the trigger. */
export type Situation = Pick<View, 'nowMs' | 'stepUpMs' | 'screensSenders' | 'available' | 'ispb'>;

const STEPS_MAX = 12;
/** Component of refunded money in every template. */
const REFUND = 'refund';

/** @returns the steps of the trigger, in order; undefined if the transaction's step does not accept it. */
export function plan(
  template: Template,
  row: ProcessRow,
  trigger: Trigger,
  situation: Situation,
): readonly PlannedStep[] | undefined {
  const outcome = row.process?.approval ? decided(row.process, trigger, situation.nowMs) : undefined;
  if (outcome === 'too_late') return undefined;
  if (outcome && 'approval' in outcome) return [waiting(template, row, outcome.approval, situation.nowMs)];
  const planned: PlannedStep[] = [];
  let present = outcome ? { ...row, process: outcome.process } : row;
  let next: Trigger = outcome?.trigger ?? trigger;
  for (;;) {
    const transition = transitionFor(template, present, next, situation);
    if (!transition) break;
    const step = stepOf(template, present, transition, viewOf(present, next, situation));
    planned.push(step);
    assert(planned.length <= STEPS_MAX, `${template.name} comes to rest`);
    present = step.row;
    if (!transition.again) next = { on: 'reached' };
  }
  return planned.length > 0 ? planned : undefined;
}

/** @returns whether the machine accepts the trigger, without planning the consequences. */
export function acceptsTrigger(
  template: Template,
  row: ProcessRow,
  trigger: Trigger,
  situation: Situation,
): boolean {
  const outcome = row.process?.approval ? decided(row.process, trigger, situation.nowMs) : undefined;
  if (outcome === 'too_late') return false;
  if (outcome && 'approval' in outcome) return true;
  const present = outcome ? { ...row, process: outcome.process } : row;
  return transitionFor(template, present, outcome?.trigger ?? trigger, situation) !== undefined;
}

/**
 * @param event - published if the account is notified of the wait.
 * @returns the unchanged step, while money out waits for approval or no longer waits.
 */
export function waiting(
  template: Template,
  row: ProcessRow,
  approval: Approval | undefined,
  nowMs: number,
  event?: StayEvent,
): PlannedStep {
  const waits = apply(row, { process: { approval } });
  return {
    row: event ? happen(template, waits, nowMs) : waits,
    setsPrice: false,
    isMove: false,
    ...(event && { event }),
    journals: [],
    effects: [],
  };
}

function transitionFor(
  template: Template,
  row: ProcessRow,
  trigger: Trigger,
  situation: Situation,
): Transition | undefined {
  // History accepts no trigger: its working facts were never published.
  if (!row.process) return undefined;
  const at = stepNameOf(row);
  return template.machine.transitions.find(
    ({ on, from, when }) =>
      on === trigger.on && from.includes(at) && (!when || when(viewOf(row, trigger, situation))),
  );
}

function viewOf(row: ProcessRow, trigger: Trigger, situation: Situation): View {
  assert(row.process, 'a process has working facts');
  return { row, process: row.process, trigger, ...situation } as unknown as View;
}

function stepOf(template: Template, row: ProcessRow, transition: Transition, view: View): PlannedStep {
  const isMove = transition.to !== 'stay';
  const { shortfall, event, moneyOut } = transition;
  const changed = apply(row, transition.set?.(view) ?? {});
  const posted =
    transition.post?.({ ...view, row: changed, process: changed.process as Process, before: view.process }) ??
    [];
  // A journal without an amount (free gas, a fee of zero) is left out.
  const journals = posted.filter(({ postings }) => postings.length > 0);
  const reached = isMove
    ? reach(template, changed, transition.to as StepName, view.nowMs)
    : event
      ? happen(template, changed, view.nowMs)
      : journals.length > 0
        ? apply(changed, { process: { posted: (view.process.posted ?? 0) + 1 } })
        : changed;
  const names = [
    ...(isMove ? (template.machine.entering[transition.to as StepName] ?? []) : []),
    ...(transition.effects ?? []),
  ];
  // A step of several journals could be covered only in part.
  assert(!shortfall || journals.length <= 1, 'a step without cover posts one journal');
  return {
    row: reached,
    setsPrice: transition.setsPrice === true,
    isMove,
    ...(moneyOut && { moneyOut }),
    ...(event && { event }),
    journals,
    effects: names.map((name) => ({ name, dueMs: EFFECTS[name](reached, view) })),
    ...(shortfall && {
      shortfall: shortfall === 'refused' ? shortfall : () => ending(template, row, shortfall, view),
    }),
  };
}

/** Reaches the step without postings or consequences. */
function ending(template: Template, row: ProcessRow, step: StepName, { nowMs }: View): PlannedStep {
  return {
    row: reach(template, row, step, nowMs),
    setsPrice: false,
    isMove: true,
    journals: [],
    effects: [],
  };
}

function apply(row: ProcessRow, { facts, process }: Change): ProcessRow {
  return { ...row, ...facts, process: { ...(row.process as Process), ...process } };
}

/**
 * The row at a step: the message of an error stays through the refund that follows, and is cleared otherwise (C-31).
 */
function reach(template: Template, row: ProcessRow, name: StepName, nowMs: number): ProcessRow {
  const step = template.steps.find((each) => `${each.component}/${each.state}` === name);
  assert(step, `${template.name} has the step ${name}`);
  const isRefund = step.component === REFUND;
  // A pending approval belongs to the previous step.
  const left = row.process?.approval ? apply(row, { process: { approval: undefined } }) : row;
  return {
    ...happen(template, left, nowMs),
    component: step.component,
    state: step.state,
    errorEn: step.errorMessage.en || (isRefund ? row.errorEn : ''),
    errorPt: step.errorMessage.pt || (isRefund ? row.errorPt : ''),
  };
}

/**
 * The row at its next event. The time of completion stays the same at later events: a refund, a dispute, a second
 * payment.
 */
function happen(template: Template, row: ProcessRow, nowMs: number): ProcessRow {
  const process = row.process as Process;
  const { finishedAt = isFinished(template, row) ? row.updatedAt : undefined } = process;
  return {
    ...row,
    updatedAt: later(row.updatedAt, nowMs),
    process: { ...process, sequence: process.sequence + 1, ...(finishedAt && { finishedAt }) },
  };
}

function isFinished({ steps }: Template, { component, state }: ProcessRow): boolean {
  const step = steps.find((each) => each.component === component && each.state === state);
  return step !== undefined && FINISHED.includes(step.statusCode);
}

/** Times of a transaction rise with every step, even if the clock is set back, so that receivers can drop stale events. */
function later(before: Instant, nowMs: number): Instant {
  return instantOf(new Date(Math.max(nowMs, millisOf(before) + 1)));
}
