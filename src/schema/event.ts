/** Event: one change of a transaction's state. */
import type { Registry } from '../templates/registry.ts';
import type { Builder } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import type { LabelRef } from './label.ts';
import { isoOf } from './moment.ts';

/** Defines `Event`. */
export function defineEvent(builder: Builder, registry: Registry, label: LabelRef) {
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
    }),
  });
}
