/** Finds the message of a step, the reason for a refund, and the progress of a deposit. */
import { stepNameOf } from '../../base/ids/step-name.ts';
import type { Label } from '../../base/text/label.ts';
import type { Step, Template } from '../define.ts';
import type { Flow, StepMessage } from './message.ts';
import { PAY_IN } from './pay-in.ts';
import { PAY_OUT } from './pay-out.ts';
import { REASONS, RETURNS } from './returns.ts';

const STEP_MESSAGES = { ...PAY_IN, ...PAY_OUT, ...RETURNS };
const VERSION = /_v\d+$/;

/** @returns the message of a step; undefined if it has none, which a test does not allow. */
export function messageOf(step: Pick<Step, 'component' | 'state'>, flow: Flow): StepMessage | undefined {
  const name = nameOf(step);
  return STEP_MESSAGES[`${name}:${flow}`] ?? STEP_MESSAGES[name];
}

/**
 * @param isReturned - whether the excess over the price has been refunded, or is being refunded.
 * @returns the message of a successful payment whose excess is refunded; undefined at any other step.
 */
export function excessMessageOf(step: Step, isReturned: boolean): StepMessage | undefined {
  if (step.statusCode !== 'SUCCESS') return undefined;
  return STEP_MESSAGES[isReturned ? 'success/DONE+returned' : 'success/DONE+excess'];
}

/**
 * @param errorEn - message of the error, which stays through the refund (C-31). @returns the reason for the refund of
 * the payment.
 */
export function reasonOf({ steps }: Template, errorEn: string): Label | undefined {
  const decided = steps.find(({ errorMessage }) => errorMessage.en === errorEn);
  return decided && REASONS[nameOf(decided)];
}

/** @returns the progress of a deposit that is paid out, from 0; undefined at any other step. */
export function stageOf(
  { stages = [] }: Template,
  step: Pick<Step, 'component' | 'state'>,
): number | undefined {
  const stage = stages.findIndex((names) => names.includes(stepNameOf(step)));
  return stage < 0 ? undefined : stage;
}

function nameOf({ component, state }: Pick<Step, 'component' | 'state'>): string {
  return `${component.replace(VERSION, '')}/${state}`;
}
