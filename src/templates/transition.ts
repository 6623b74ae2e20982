/** Transitions between steps as data, with a plain function for the postings of each. */
import type { StepName } from '../base/ids/step-name.ts';
import type { Journal } from '../ledger/posting.ts';
import type { EffectName } from './effects.ts';
import type { Facts, Process, ProcessRow } from './facts.ts';
import type { OutKind } from './out-kinds.ts';
import type { StayEvent } from './stay-events.ts';
import type { TriggerFacts, TriggerName } from './triggers.ts';

/** Input of a transition. */
export interface View<Name extends TriggerName = TriggerName> {
  /** The transaction before the transition. */
  readonly row: ProcessRow;
  readonly process: Process;
  readonly trigger: TriggerFacts[Name];
  /** Milliseconds on the clock of the processes. */
  readonly nowMs: number;
  /** Time limit of a step-up's decision. Unit: ms. */
  readonly stepUpMs: number;
  /** Whether senders are screened, which comes before any decision about a wrong deposit. */
  readonly screensSenders?: boolean;
  /** Code of the house's bank in the Brazilian payments system, with which ids of refunds begin. */
  readonly ispb: string;
  /**
   * Available balance of the account in a currency, minor units; only `dispute_opened` and `dispute_accepted` read it.
   */
  readonly available: (currencyCode: string) => bigint;
}

/** Input of journals: the transaction after `set`, and its working facts before it. */
export interface PostView<Name extends TriggerName = TriggerName> extends View<Name> {
  readonly before: Process;
}

/** Facts that a transition sets, both published and working ones. */
export interface Change {
  readonly facts?: Partial<Facts> & { readonly depositFrom?: string };
  readonly process?: Partial<Process>;
}

/**
 * One transition from a step to another. If several transitions have the same trigger, the first whose `when` is true
 * applies.
 */
export interface Transition<Name extends TriggerName = TriggerName> {
  readonly from: readonly StepName[];
  readonly on: Name;
  /** The target step; `stay` if only facts or effects follow. */
  readonly to: StepName | 'stay';
  readonly when?: (view: View<Name>) => boolean;
  readonly set?: (view: View<Name>) => Change;
  /** Journals, computed from the transaction after `set`. */
  readonly post?: (view: PostView<Name>) => readonly Journal[];
  /** Effects in addition to those of the target step. */
  readonly effects?: readonly EffectName[];
  /** The target step if the balance does not cover the journal; `refused` refuses the trigger. */
  readonly shortfall?: StepName | 'refused';
  /** Kind of money out (C-25); undefined if no money leaves. */
  readonly moneyOut?: OutKind;
  /** Whether the transition ends a process that runs in parallel to the step, which does not wait for it. */
  readonly parallel?: true;
  /** Event that is published without a change of step: the last two parts of its name. */
  readonly event?: StayEvent;
  /**
   * Whether the transition converts at the price of the session; then the trigger must bring a new price after the lock
   * (C-21).
   */
  readonly setsPrice?: true;
  /** Whether the same trigger is applied again, from the target step. */
  readonly again?: true;
}

/** Effects of a target step. */
export type Entering = { readonly [Name in StepName]?: readonly EffectName[] };

/** Parts of a machine. */
export interface Machine {
  readonly transitions: readonly Transition[];
  readonly entering: Entering;
}

/** @returns a transition; the trigger's name determines the argument type of its functions. */
export function when<Name extends TriggerName>(
  on: Name,
  from: readonly StepName[] | StepName,
  to: StepName | 'stay',
  rest: Omit<Transition<Name>, 'on' | 'from' | 'to'> = {},
): Transition {
  // A machine passes each transition only triggers of its own name.
  return { on, from: typeof from === 'string' ? [from] : from, to, ...rest } as unknown as Transition;
}
