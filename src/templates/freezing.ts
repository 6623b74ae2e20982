/**
 * Money of a sanctioned payer or sender is frozen: it is not returned, and continues only when two people have released it.
 * Money out to a sanctioned destination stays in the account, which may cancel it.
 */
import { type StepName, stepNameOf } from '../base/ids/step-name.ts';
import type { Process } from './facts.ts';
import type { Change, Transition, View } from './transition.ts';
import { when } from './transition.ts';

/** @returns whether two people have to release it. */
export function isFrozen({ process }: View): boolean {
  return process.isFrozen === true;
}

/** @returns whether one person alone may decide. */
export function isNotFrozen(view: View): boolean {
  return !isFrozen(view);
}

/** Freezes held money; an earlier request for a release is void. */
export function freeze(): Change {
  return { process: { isFrozen: true, release: undefined } };
}

/** Freezes money that was being returned, and stores the step from which it continues once it is released. */
export function freezeFrom({ row }: Pick<View, 'row'>): Change {
  return { process: { ...freeze().process, stoppedAt: stepNameOf(row) } };
}

/** Lets held money continue; the earlier hits no longer stop it. */
export function thaw(view: View): Change {
  const from = isFrozen(view) ? 'frozen' : 'held';
  return {
    process: { isFrozen: false, release: undefined, stoppedAt: undefined, ...releasedFrom(from, view) },
  };
}

/** A person has reviewed the customer or payee, and their hits. */
export function reviewed(view: View): Pick<Process, 'released'> {
  return releasedFrom('held', view);
}

function releasedFrom(from: 'held' | 'frozen', { nowMs }: View): Pick<Process, 'released'> {
  return { released: { from, at: new Date(nowMs).toISOString() } };
}

/** @returns the transition by which the first of two people requests the release; the second one performs it. */
export function firstRelease(held: StepName): Transition {
  return when('released', held, 'stay', {
    when: (view) => isFrozen(view) && view.process.release === undefined,
    set: ({ trigger: { by = '', reason = '' } }) => ({ process: { release: { by, reason } } }),
  });
}

/**
 * @returns whether a release takes effect: for a transaction that is not frozen, or by another person than the first
 * one.
 */
export function mayRelease(view: View<'released'>): boolean {
  const { release } = view.process;
  return isNotFrozen(view) || (release !== undefined && release.by !== view.trigger.by);
}
