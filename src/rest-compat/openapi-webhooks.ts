/** Webhooks in OpenAPI: an operation for each event. */

import { eventName } from '../base/ids/step-name.ts';
import type { Template } from '../templates/define.ts';
import { extraEvents } from '../templates/event-names.ts';
import type { Registry } from '../templates/registry.ts';
import { WEBHOOK_HEADERS } from './openapi-body.ts';

type Schema = Record<string, unknown>;

/** @returns every event by name, with the single-record body of its template (docs/events.md). */
export function webhooksOf(registry: Registry): Schema {
  return Object.fromEntries(
    registry.templates.flatMap((template) => [
      ...template.steps.map((step) => {
        const name = eventName({ template: template.name, ...step });
        const summary = `${step.substatus.en}: ${step.message.en}`;
        return [name, { post: webhookOperation(template, name, summary) }];
      }),
      ...extraEvents(template).map(({ name, doc }) => [
        name,
        { post: webhookOperation(template, name, doc) },
      ]),
    ]),
  );
}

function webhookOperation(template: Template, name: string, summary: string): Schema {
  return {
    operationId: `on_${name.replaceAll('.', '_')}`,
    tags: ['events'],
    summary,
    description:
      'Signed by Standard Webhooks; the body is byte for byte that of the single-record GET (C-9, C-60).',
    security: [],
    parameters: WEBHOOK_HEADERS.map((header) => ({ $ref: `#/components/parameters/${header.name}` })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${template.typeName}` } } },
    },
    responses: { '2XX': { description: 'Accepted. Anything else is attempted again (C-62).' } },
  };
}
