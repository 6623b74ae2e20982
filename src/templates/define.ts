/** The types of a template file, and the helpers with which it is written. */
import type { StepName } from '../base/ids/step-name.ts';
import { EMPTY_LABEL, type Label, label } from '../base/text/label.ts';
import type { FactName } from './facts.ts';
import type { KindName } from './kinds.ts';
import { STATUS, type StatusCode, statusCodeOf } from './status.ts';
import type { Machine } from './transition.ts';

/** The ending of a step that only a late event (payment, dispute, refund) can leave. */
export const LATE_EVENT = 'final unless a later event arrives';

/** Whether a step can be left: yes, no, or only by a late event. */
export type Ending = 'open' | 'final' | typeof LATE_EVENT;

/** One (component, state) of a template, with its published labels. */
export interface Step {
  readonly component: string;
  readonly state: string;
  readonly status: Label;
  readonly statusCode: StatusCode;
  readonly substatus: Label;
  readonly message: Label;
  /** Equal to `message` if the step is an error, otherwise empty. */
  readonly errorMessage: Label;
  readonly ending: Ending;
  /** Whether the step ends a session without a payment, so that its payer may start again. */
  readonly isRenewable?: true;
  /** Whether the whole payment is being refunded or was refunded to its payer. */
  readonly isReturn?: true;
  /** Whether a part of the payment may have been refunded while the rest stays with the account holder. */
  readonly leavesRest?: true;
  /** Its headline, if steps of this name mean something else in other templates. */
  readonly headline?: Label;
}

/** One published attribute of a template. */
export interface Attribute {
  /** Wire name; camelCase of it is the GraphQL field. */
  readonly name: string;
  readonly kind: KindName;
  readonly fact: FactName;
  /** One sentence, for the GraphQL description, OpenAPI and docs. */
  readonly doc: string;
  /** Whether it is published only with a value (C-1). */
  readonly optional?: true;
}

/** The REST family that serves a template; its name is that of the family's list. */
export type Family = 'checkouts' | 'onramps' | 'offramps' | 'withdrawals';

/** A process template: only data, for the engines that read, move, render and publish all templates in the same way. */
export interface Template {
  /** Wire name. */
  readonly name: string;
  /** Name of the GraphQL object type. */
  readonly typeName: string;
  readonly product: string;
  readonly direction: string;
  readonly family: Family;
  /** Attributes in the order of the published tables. */
  readonly attributes: readonly Attribute[];
  readonly steps: readonly Step[];
  readonly machine: Machine;
  /** Whether extra verification of the customer comes before the payment or after it. */
  readonly stepUp: 'before_payment' | 'after_payment';
  /** Target or source of the crypto: the account's balance, or an external wallet. */
  readonly crypto: 'balance' | 'external';
  /** Raw codes of the currencies that the template supports; all by default. */
  readonly currencies?: readonly string[];
  /** Stages of a deposit until it is paid out, each with its steps, as a payer follows them. */
  readonly stages?: readonly (readonly StepName[])[];
}

/**
 * Checks a template at its definition: names and steps are unique, and its machine moves between them.
 * @throws {Error} when an attribute or a step is defined twice, or a transition names an unknown step.
 */
export function defineTemplate(template: Template): Template {
  refuseRepeats(
    template.name,
    'attribute',
    template.attributes.map((attribute) => attribute.name),
  );
  refuseRepeats(
    template.name,
    'step',
    template.steps.map((step) => `${step.component}/${step.state}`),
  );
  refuseUnknownSteps(template);
  return template;
}

/** @returns an attribute; `fact` is the canonical column (or derived fact) that it publishes. */
export function attribute(name: string, kind: KindName, fact: FactName, doc: string): Attribute {
  return { name, kind, fact, doc };
}

/**
 * @param stepName - component and state, as published.
 * @param status - broad label.
 * @param substatus - detailed label of the step.
 * @param message - meaning of the state for the customer.
 * @param traits - `error`: the message is also the error message; `ending`: default `open`; `renewable`, `return`,
 * `leavesRest`, `headline`: see `Step`.
 */
export function step(
  stepName: readonly [component: string, state: string],
  status: keyof typeof STATUS,
  substatus: Label,
  message: Label,
  traits: {
    error?: true;
    ending?: Ending;
    renewable?: true;
    return?: true;
    leavesRest?: true;
    headline?: Label;
  } = {},
): Step {
  return {
    component: stepName[0],
    state: stepName[1],
    status: label(status, STATUS[status]),
    statusCode: statusCodeOf(status),
    substatus,
    message,
    errorMessage: traits.error ? message : EMPTY_LABEL,
    ending: traits.ending ?? 'open',
    ...(traits.renewable && { isRenewable: true }),
    ...(traits.return && { isReturn: true }),
    ...(traits.leavesRest && { leavesRest: true }),
    ...(traits.headline && { headline: traits.headline }),
  };
}

function refuseUnknownSteps({ name, steps, machine, stages = [] }: Template): void {
  const known = new Set([
    'start',
    'stay',
    'refused',
    ...steps.map((each) => `${each.component}/${each.state}`),
  ]);
  const named = [
    ...machine.transitions.flatMap(({ from, to, shortfall }) => [...from, to, shortfall ?? 'stay']),
    ...Object.keys(machine.entering),
    ...stages.flat(),
  ];
  const unknown = named.find((step) => !known.has(step));
  if (unknown) throw new Error(`the machine of ${name} names the unknown step ${unknown}`);
}

function refuseRepeats(template: string, what: string, names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated) throw new Error(`template ${template} has ${what} ${repeated} twice`);
}
