/**
 * Party that a step waits for: its payer, a person's decision, or only the gateway and its rails. The party follows
 * from the step alone. A step with a decision that does not leave it waits for the decision until the rails have
 * answered.
 */
import { stepNameOf } from '../base/ids/step-name.ts';
import { hasPayer, stepAccepts } from './accepts.ts';
import type { Step, Template } from './define.ts';
import type { TriggerName } from './triggers.ts';

/** Each party, with its meaning. */
export const AWAITED = {
  payer: 'Its payer: an amount, a name, the acceptance of the quote, or the payment.',
  decision:
    'A decision: of a person, of compliance, or of a bank about a dispute. An offramp from the balance has no payer: the account decides about its quote, and names the payee.',
} as const;
/** A member of AWAITED. */
export type Awaited = keyof typeof AWAITED;

/** Triggers by which a payer answers a page; without a payer, the account sends them. */
const ANSWERS: readonly TriggerName[] = ['amount_given', 'accepted', 'identity_given', 'identity_confirmed'];
const PAYMENTS: readonly TriggerName[] = ['pix_received', 'deposit_seen'];
const DECISIONS: readonly TriggerName[] = [
  'approved',
  'kept',
  'released',
  'step_up_approved',
  'dispute_accepted',
];

/**
 * @returns whether the step accepts a payment and ends without one: after its end it still accepts a late payment, and
 * requests none.
 */
export function requestsPayment(
  template: Template,
  step: Pick<Step, 'component' | 'state'>,
  by: readonly TriggerName[] = PAYMENTS,
): boolean {
  return stepAccepts(template, step, 'expired') && by.some((on) => stepAccepts(template, step, on));
}

const KNOWN = new WeakMap<Template, Map<string, Awaited | null>>();

/** @returns the party that a step of the template waits for; null without one, and for steps of imported history. */
export function awaitedOf(template: Template, step: Pick<Step, 'component' | 'state'>): Awaited | null {
  const known = KNOWN.get(template) ?? new Map<string, Awaited | null>();
  KNOWN.set(template, known);
  const name = stepNameOf(step);
  const found = known.get(name);
  if (found !== undefined) return found;
  const awaited = findAwaited(template, step);
  // Imported history has an unlimited number of names.
  if (template.steps.some((each) => stepNameOf(each) === name)) known.set(name, awaited);
  return awaited;
}

function findAwaited(template: Template, step: Pick<Step, 'component' | 'state'>): Awaited | null {
  const acceptsOn = (on: TriggerName) => stepAccepts(template, step, on);
  const isRequested = ANSWERS.some(acceptsOn);
  if (DECISIONS.some(acceptsOn) || (isRequested && !hasPayer(template))) return 'decision';
  return isRequested || requestsPayment(template, step) ? 'payer' : null;
}
