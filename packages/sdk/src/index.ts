/** Client of a Crossramp Gateway. */
export { type Client, type ClientOptions, createClient } from './client.ts';
export type { EventName, EventPage, GatewayEvent } from './event.ts';
export type { EventOptions } from './events.ts';
export type { ErrorCode } from './generated/facts.ts';
export type * as Schema from './generated/graphql.ts';
export type * as V2 from './generated/rest.ts';
export type { NotificationName } from './generated/rest.ts';
export { accepted, type TypedDocument } from './graphql.ts';
export {
  type Action,
  CrossrampError,
  type CursorProblem,
  type Limit,
  NoAnswer,
  type Problem,
  type Refusal,
  Refused,
} from './refusal.ts';
export type { ReadOptions, Rest, WriteOptions } from './rest.ts';
export {
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookNotification,
  WebhookRefused,
  type WebhookRequest,
} from './webhook.ts';
