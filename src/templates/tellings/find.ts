/** Finds the telling of a step, the reason why a payment goes back, and how far a deposit has come. */
import { stepNameOf } from '../../base/ids/step-name.ts';
import type { Label } from '../../base/text/label.ts';
import type { Step, Template } from '../define.ts';
import { PAY_IN } from './pay-in.ts';
import { PAY_OUT } from './pay-out.ts';
import { REASONS, RETURNS } from './returns.ts';
import type { Flow, Telling } from './telling.ts';

const TELLINGS = { ...PAY_IN, ...PAY_OUT, ...RETURNS };
const VERSION = /_v\d+$/;

/** @returns the telling of a step; undefined where it has none, which a test does not allow. */
export function tellingOf(step: Pick<Step, 'component' | 'state'>, flow: Flow): Telling | undefined {
  const name = nameOf(step);
  return TELLINGS[`${name}:${flow}`] ?? TELLINGS[name];
}

/**
 * @param isReturned - whether what was paid beyond the price is back with its payer, or on its way.
 * @returns the telling of a payment that has succeeded, and of which an excess goes back; undefined at any other step.
 */
export function excessTellingOf(step: Step, isReturned: boolean): Telling | undefined {
  if (step.statusCode !== 'SUCCESS') return undefined;
  return TELLINGS[isReturned ? 'success/DONE+returned' : 'success/DONE+excess'];
}

/** @param errorEn - message of the error that is kept through the refund (C-31). @returns the reason for which the payment goes back. */
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
