/** Event: one change of a transaction's state. */
import { eventHeadlineOf } from '../templates/headlines.ts';
import type { Registry } from '../templates/registry.ts';
import type { Builder } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { isoOf } from './iso-of.ts';
import type { LabelRef } from './label.ts';
import { awaitedAt, type StepEnums } from './step-enums.ts';

/** Defines `Event`. */
export function defineEvent(
  builder: Builder,
  registry: Registry,
  { label, status, awaited }: StepEnums & { readonly label: LabelRef },
) {
  return builder.prismaObject('Event', {
    description: 'One change of component or state of a transaction.',
    include: { transaction: { select: { template: true } } },
    fields: (t) => ({
      name: t.exposeString('name', {
        description: 'Name of the event: `<template>.<component>.<state>` in lower case.',
      }),
      sequence: t.exposeInt('sequence', { description: 'Position in the transaction, from 1.' }),
      component: t.exposeString('component', { description: DESCRIPTIONS.step }),
      state: t.exposeString('state', { description: DESCRIPTIONS.state }),
      occurredAt: t.field({
        type: 'DateTime',
        description: 'When the change was committed.',
        resolve: (event) => isoOf(event.occurredAt),
      }),
      status: t.field({
        type: label,
        description: DESCRIPTIONS.status,
        resolve: ({ transaction, component, state }) =>
          registry.stepOf(transaction.template, component, state).status,
      }),
      substatus: t.field({
        type: label,
        description: DESCRIPTIONS.substatus,
        resolve: ({ transaction, component, state }) =>
          registry.stepOf(transaction.template, component, state).substatus,
      }),
      statusCode: t.field({
        type: status,
        description: DESCRIPTIONS.statusCode,
        resolve: ({ transaction, component, state }) =>
          registry.stepOf(transaction.template, component, state).statusCode,
      }),
      awaits: t.field({
        type: awaited,
        nullable: true,
        description: DESCRIPTIONS.awaits,
        resolve: ({ transaction, component, state }) =>
          awaitedAt(registry, { template: transaction.template, component, state }),
      }),
      headline: t.field({
        type: label,
        description: DESCRIPTIONS.headline,
        resolve: ({ name, transaction, component, state }) =>
          eventHeadlineOf(name, registry.stepOf(transaction.template, component, state)),
      }),
    }),
  });
}
