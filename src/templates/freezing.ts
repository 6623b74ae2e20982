/**
 * Money of a sanctioned payer or sender is frozen: it is not refunded, and continues only after two people have
 * released it. Money out to a sanctioned destination stays in the account, which may cancel it.
 */
import { type StepName, stepNameOf } from '../base/ids/step-name.ts';
import type { Process } from './facts.ts';
import type { Change, Transition, View } from './transition.ts';
import { when } from './transition.ts';

/** @returns whether a release needs two people. */
export function isFrozen({ process }: View): boolean {
  return process.isFrozen === true;
}

/** @returns whether a single person may decide. */
export function isNotFrozen(view: View): boolean {
  return !isFrozen(view);
}

/** Freezes held money; an earlier request for a release is void. */
export function freeze(): Change {
  return { process: { isFrozen: true, release: undefined } };
}

/** Freezes money that was being refunded, and stores the step from which it continues after its release. */
export function freezeFrom({ row }: Pick<View, 'row'>): Change {
  return { process: { ...freeze().process, stoppedAt: stepNameOf(row) } };
}

/** Releases held money; the earlier hits no longer stop it. */
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
    when: (view) => isFrozen(view) && firstReleaser(view) === undefined,
    set: ({ trigger: { by = '', reason = '' } }) => ({ process: { release: { by, reason } } }),
  });
}

/**
 * @returns whether a release takes effect: for a transaction that is not frozen, or by another person than the first
 * one.
 */
export function mayRelease(view: View<'released'>): boolean {
  const first = firstReleaser(view);
  return isNotFrozen(view) || (first !== undefined && first !== view.trigger.by);
}

/** @returns the author of the first release; undefined if there is none that counts. */
export function firstReleaser({
  process: { release },
  trigger,
}: Pick<View<'released'>, 'process' | 'trigger'>): string | undefined {
  return release?.by === trigger.replaces ? undefined : release?.by;
}
