/** Enums of steps: the broad status as a code, and the awaited party. */
import { AWAITED, type Awaited, awaitedOf } from '../templates/awaited.ts';
import type { Registry } from '../templates/registry.ts';
import { STATUS_CODES, type StatusCode } from '../templates/status.ts';
import type { Builder } from './builder.ts';
import { describedValues } from './described-values.ts';

/** A step of a template. */
export interface TemplateStep {
  readonly template: string;
  readonly component: string;
  readonly state: string;
}

/** Defines `TransactionStatus` and `Awaited`. */
export function defineStepEnums(builder: Builder) {
  const status = builder.enumType('TransactionStatus', {
    description: 'The broad status of a transaction.',
    values: describedValues<StatusCode>(STATUS_CODES),
  });
  const awaited = builder.enumType('Awaited', {
    description: 'Party that a step waits for.',
    values: describedValues<Awaited>(AWAITED),
  });
  return { status, awaited };
}

/** The enums of steps. */
export type StepEnums = ReturnType<typeof defineStepEnums>;

/** @returns the party that a step waits for; null for an unknown template. */
export function awaitedAt(registry: Registry, { template, component, state }: TemplateStep): Awaited | null {
  const found = registry.find(template);
  return found ? awaitedOf(found, { component, state }) : null;
}

/** The enum `TransactionStatus`. */
export type StatusRef = StepEnums['status'];
