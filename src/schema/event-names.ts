/** Names of events that an endpoint can choose: `Query.webhookEventNames`. */
import { LONGEST_TEXT, Violations } from '../base/errors/violations.ts';
import { bounded } from '../resolvers/checks/lengths.ts';
import { requireScope } from '../resolvers/services/context.ts';
import { type EventNameRow, findEventNames } from '../resolvers/webhooks/event-names.ts';
import type { Registry } from '../templates/registry.ts';
import type { Builder } from './builder.ts';
import type { LabelRef } from './label.ts';
import { named } from './named.ts';
import type { TemplateRef } from './template.ts';

/** Defines `WebhookEventName` and `Query.webhookEventNames`. */
export function defineEventNames(
  builder: Builder,
  registry: Registry,
  { label, template }: { readonly label: LabelRef; readonly template: TemplateRef },
): void {
  const eventName = builder.objectRef<EventNameRow>('WebhookEventName').implement({
    description: 'A name that events can have.',
    fields: (t) => ({
      name: t.exposeString('name', {
        description: '`<template>.<component>.<state>` in lower case, or `account.notification.<kind>`.',
      }),
      template: t.expose('template', {
        type: template,
        nullable: true,
        description: 'Template of its transactions; null for a notification of the account.',
      }),
      headline: t.field({
        type: label,
        description: 'Movement of the money, in a few words for people.',
        resolve: ({ headline }) => headline,
      }),
    }),
  });
  builder.queryField('webhookEventNames', (t) =>
    t.field({
      type: [eventName],
      // Cost factor: about the number of names of the templates.
      complexity: { field: 1, multiplier: 200 },
      description:
        'Names that `eventNames` of an endpoint can have, in the order of the templates and their steps; notifications last, for endpoints without a template.',
      args: {
        text: t.arg.string({
          description: bounded(
            'Only names of which every word of the text is a part: of the name, or of the headline in either language, whatever its case and accents. Default: all.',
            LONGEST_TEXT,
          ),
        }),
        template: t.arg({ type: template, description: 'Only names of this template. Default: all.' }),
      },
      resolve: (_root, { text, template: only }, context) => {
        requireScope(context, 'read');
        const violations = new Violations();
        violations.text(named('text', text));
        violations.refuse();
        return findEventNames(registry, { text: text ?? '', template: only ?? undefined });
      },
    }),
  );
}
