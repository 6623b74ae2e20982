/** The AsyncAPI 3.0 document of webhooks and event streams, generated from the templates. */
import { VERSION } from '../base/process/version.ts';
import { NOTIFICATION_NAMES } from '../events/notification-names.ts';
import { eventNamesOf } from '../templates/event-names.ts';
import type { Registry } from '../templates/registry.ts';
import { WEBHOOK_HEADERS } from './openapi-body.ts';
import { bodySchemas, NOTIFICATION } from './openapi-schemas.ts';
import type { RestPolicy } from './route.ts';

type Schema = Record<string, unknown>;

/**
 * @param publicUrl - base URL of the instance.
 * @param policy - whether the integers of the offramps are printed exactly (C-4).
 * @returns the document as plain data, including the schema of every body.
 */
export function asyncApiDocument(
  registry: Registry,
  publicUrl: string,
  policy: Pick<RestPolicy, 'exactIntegers'> = { exactIntegers: false },
): Schema {
  const { host, protocol } = new URL(publicUrl);
  const messages = Object.fromEntries(
    registry.templates.map(({ typeName }) => [typeName, { $ref: `#/components/messages/${typeName}` }]),
  );
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Crossramp Gateway',
      version: VERSION,
      description: 'Events of transactions. docs/events.md describes the protocol.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: { gateway: { host, protocol: protocol.slice(0, -1) } },
    channels: {
      webhook: {
        address: null,
        description:
          'The URL of an endpoint, or of a transaction (C-61). Notifications go to endpoints that name them.',
        messages: { ...messages, Notification: { $ref: '#/components/messages/Notification' } },
      },
      events: {
        address: '/v2/events',
        description: 'The same bodies by polling. Subscriptions at /graphql send them as server-sent events.',
        messages,
      },
    },
    operations: {
      sendWebhook: { action: 'send', channel: { $ref: '#/channels/webhook' } },
      giveEvents: { action: 'send', channel: { $ref: '#/channels/events' } },
    },
    components: {
      schemas: { ...bodySchemas(registry, policy), Notification: NOTIFICATION },
      messages: Object.fromEntries([
        ...registry.templates.map((template) => [
          template.typeName,
          {
            title: template.product,
            summary: template.direction,
            headers: HEADERS,
            payload: { $ref: `#/components/schemas/${template.typeName}` },
            'x-event-names': eventNamesOf(template),
          },
        ]),
        ['Notification', NOTIFICATION_MESSAGE],
      ]),
    },
  };
}

const HEADERS: Schema = {
  type: 'object',
  properties: Object.fromEntries(
    WEBHOOK_HEADERS.map(({ name, description }) => [name, { type: 'string', description }]),
  ),
  required: WEBHOOK_HEADERS.filter(({ required }) => required).map(({ name }) => name),
};

const NOTIFICATION_MESSAGE: Schema = {
  title: 'Notification',
  summary: 'Account to its people and systems',
  headers: HEADERS,
  payload: { $ref: '#/components/schemas/Notification' },
  'x-event-names': NOTIFICATION_NAMES,
};
