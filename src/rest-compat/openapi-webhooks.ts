/** Webhooks in OpenAPI: an operation for each event and each notification. */

import {
  NOTIFICATION_KINDS,
  NOTIFICATIONS,
  type NotificationKind,
} from '../base/access/notification-kinds.ts';
import { eventName } from '../base/ids/step-name.ts';
import { nameOfNotification } from '../events/notification-names.ts';
import type { Template } from '../templates/define.ts';
import { extraEvents } from '../templates/event-names.ts';
import type { Registry } from '../templates/registry.ts';
import { WEBHOOK_HEADERS } from './openapi-body.ts';

type Schema = Record<string, unknown>;
type Webhook = readonly [name: string, item: Schema];

/**
 * @returns every event by name, with the single-record body of its template (docs/events.md), and every notification
 * (decision 0094).
 */
export function webhooksOf(registry: Registry): Schema {
  const events = registry.templates.flatMap((template) => [
    ...template.steps.map((step) => {
      const name = eventName({ template: template.name, ...step });
      return eventOf(template, name, `${step.substatus.en}: ${step.message.en}`);
    }),
    ...extraEvents(template).map(({ name, doc }) => eventOf(template, name, doc)),
  ]);
  return Object.fromEntries([...events, ...NOTIFICATION_KINDS.map(notificationOf)]);
}

function eventOf({ typeName }: Template, name: string, summary: string): Webhook {
  const description =
    'Signed by Standard Webhooks; the body is byte for byte that of the single-record GET (C-9, C-60).';
  return [name, { post: webhookOperation(name, { summary, description, schema: typeName }) }];
}

function notificationOf(kind: NotificationKind): Webhook {
  const name = nameOfNotification(kind);
  const { description: summary } = NOTIFICATIONS[kind];
  const description =
    'Signed by Standard Webhooks. Only for endpoints without a template whose `event_names` name it.';
  return [name, { post: webhookOperation(name, { summary, description, schema: 'Notification' }) }];
}

function webhookOperation(
  name: string,
  { schema, ...texts }: Readonly<Record<'summary' | 'description' | 'schema', string>>,
): Schema {
  return {
    operationId: `on_${name.replaceAll('.', '_')}`,
    tags: ['events'],
    ...texts,
    security: [],
    parameters: WEBHOOK_HEADERS.map((header) => ({ $ref: `#/components/parameters/${header.name}` })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
    },
    responses: { '2XX': { description: 'Accepted. Anything else is attempted again (C-62).' } },
  };
}
