/** Webhooks: endpoints, and the mutations that change them (contract section 8). */

import { publicHalf } from '../base/access/webhook-keys.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { EVENT_NAMES_MAX } from '../resolvers/checks/check-event-names.ts';
import { bounded, REFERENCE_LENGTH_MAX, URL_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import { requireScope } from '../resolvers/services/context.ts';
import {
  createEndpoint,
  ENDPOINTS_MAX,
  type EndpointInput,
  pauseWebhookEndpoint,
  removeWebhookEndpoint,
  resumeWebhookEndpoint,
  updateEndpoint,
} from '../resolvers/webhooks/manage-webhooks.ts';
import { prismaOf } from '../store/connection/prisma.ts';
import { secretOwner } from '../store/webhooks/sealed-secrets.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import type { InputFields } from './creation.ts';
import { DESCRIPTIONS, ENDPOINT_FIELDS as FIELDS } from './descriptions.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { named } from './named.ts';
import { nodeType } from './node.ts';
import { KEY_ARGUMENT, makeOnce } from './once.ts';
import type { TemplateRef } from './template.ts';
import type { AccountRef } from './viewer.ts';
import { defineWebhookSecrets } from './webhook-secret.ts';
import { ENDPOINT_LIST, readEndpoints } from './whole-lists.ts';

const KINDS = { TRANSACTION: 'transaction', TEMPLATE: 'template', GENERAL: 'general' } as const;
const STATES = { ENABLED: 'enabled', PAUSED: 'paused', DISABLED: 'disabled' } as const;

/** Defines `WebhookEndpoint`, its fields of `Account`, the mutations that change it, and its secrets. */
export function defineWebhooks(builder: Builder, account: AccountRef, template: TemplateRef): EndpointRef {
  const order = defineOrder(builder);
  const endpoint = defineEndpoint(builder, template, order);
  builder.prismaObjectField(account, 'webhookEndpoints', (t) =>
    t.prismaField({
      type: [endpoint],
      ...ENDPOINT_LIST,
      resolve: (query, { id }, _args, { database }) => readEndpoints(database, query, id),
    }),
  );
  builder.prismaObjectField(account, 'webhookEndpoint', (t) =>
    t.prismaField({
      type: endpoint,
      nullable: true,
      description: 'One endpoint of the account; null where it has none of this id, or it was removed.',
      args: { endpointId: t.arg.string({ required: true, description: 'The endpoint, `whe_…`.' }) },
      resolve: (query, { id: accountId }, { endpointId: id }, { database }) =>
        prismaOf(database).webhookEndpoint.findFirst({ ...query, where: { accountId, id, removedAt: null } }),
    }),
  );
  defineCreate(builder, endpoint, template, order);
  defineUpdate(builder, endpoint, order);
  defineActions(builder, endpoint);
  defineWebhookSecrets(builder, account);
  return endpoint;
}

function defineKind(builder: Builder) {
  return builder.enumType('WebhookEndpointKind', {
    description:
      'Kind of transactions of an endpoint. The events of a transaction go to the most specific kind that exists.',
    values: {
      TRANSACTION: {
        value: KINDS.TRANSACTION,
        description: 'For transactions that were created with its URL as `webhook`.',
      },
      TEMPLATE: {
        value: KINDS.TEMPLATE,
        description: 'For transactions of its template without a `webhook` of their own.',
      },
      GENERAL: { value: KINDS.GENERAL, description: 'For all other transactions.' },
    } as const,
  });
}

function defineState(builder: Builder) {
  return builder.enumType('WebhookEndpointState', {
    description: 'Whether events are sent to an endpoint.',
    values: {
      ENABLED: { value: STATES.ENABLED, description: 'Events are sent.' },
      PAUSED: { value: STATES.PAUSED, description: 'Events wait until it is resumed.' },
      DISABLED: {
        value: STATES.DISABLED,
        description: 'Events are skipped until it is resumed or recovered.',
      },
    } as const,
  });
}

function defineEndpoint(builder: Builder, template: TemplateRef, order: OrderRef) {
  const kind = defineKind(builder);
  const node = nodeType<{ id: string }>(builder, 'WebhookEndpoint', {
    rawId: ({ id }) => id,
    read: async (context, id) => {
      requireScope(context, 'read');
      const where = { accountId_id: { accountId: context.caller.accountId, id } };
      return prismaOf(context.database).webhookEndpoint.findUnique({ where });
    },
  });
  const endpoint = builder.prismaObject('WebhookEndpoint', {
    description: 'A webhook endpoint: a URL that events are sent to.',
    interfaces: [node],
    fields: (t) => {
      return {
        endpointId: t.exposeString('id', { description: 'Identifier of the endpoint, `whe_…`.' }),
        url: t.exposeString('url', { description: 'URL that receives the requests.' }),
        description: t.exposeString('description', { nullable: true, description: 'Your own description.' }),
        kind: t.field({
          type: kind,
          description: 'Kind of its transactions.',
          resolve: (row) => row.kind as 'general',
        }),
        template: t.field({
          type: template,
          nullable: true,
          description: 'The template of kind `TEMPLATE`; null otherwise.',
          resolve: (row) => row.template,
        }),
        eventNames: t.exposeStringList('eventNames', { description: FIELDS.eventNames }),
        order: t.field({
          type: order,
          description: 'Order in which deliveries wait for each other.',
          resolve: (row) => row.orderMode as 'transaction',
        }),
        maxConcurrency: t.exposeInt('maxConcurrency', { description: FIELDS.maxConcurrency }),
        maxPerSecond: t.exposeInt('maxPerSecond', { nullable: true, description: FIELDS.maxPerSecond }),
        publicKey: t.string({
          nullable: true,
          description:
            'Public key that signatures `v1a` are verified with, `whpk_…`; null without such signatures.',
          resolve: ({ accountId, id, signingKey }, _, { secrets }) =>
            signingKey && publicHalf(secrets.open(signingKey, secretOwner(accountId, id))),
        }),
        createdAt: t.field({
          type: 'DateTime',
          description: DESCRIPTIONS.createdAt,
          resolve: (row) => isoOf(row.createdAt),
        }),
        removedAt: t.field({
          type: 'DateTime',
          nullable: true,
          description: 'When it was removed; null while it exists.',
          resolve: ({ removedAt }) => removedAt && isoOf(removedAt),
        }),
      };
    },
  });
  defineHealth(builder, endpoint);
  return endpoint;
}

/** Whether webhooks are sent to an endpoint, with the reason if not. */
function defineHealth(builder: Builder, endpoint: EndpointRef): void {
  const state = defineState(builder);
  builder.prismaObjectFields(endpoint, (t) => {
    const instantField = (name: 'disabledAt' | 'failingSince' | 'blockedUntil', description: string) =>
      t.field({
        type: 'DateTime',
        nullable: true,
        description,
        resolve: (row) => row[name] && isoOf(row[name]),
      });
    return {
      state: t.field({
        type: state,
        description: 'Whether events are sent to it.',
        resolve: (row) => row.state as 'enabled',
      }),
      disabledReason: t.exposeString('disabledReason', {
        nullable: true,
        description: 'Reason of the last disabling; null: never.',
      }),
      disabledAt: instantField('disabledAt', 'When it was disabled last; null: never.'),
      isRecoverable: t.boolean({
        description: 'Whether it missed events while it was disabled. `recoverWebhookEndpoint` sends them.',
        resolve: ({ disabledFromSeq }) => disabledFromSeq !== null,
      }),
      failingSince: instantField(
        'failingSince',
        'Time since which every delivery has failed; after 5 days it is disabled. Null while deliveries succeed.',
      ),
      consecutiveFailures: t.exposeInt('consecutiveFailures', {
        description: 'Attempts that failed since the last success.',
      }),
      blockedUntil: instantField(
        'blockedUntil',
        'Nothing is sent before this moment: it failed often, or its `Retry-After` asked for it. Null: no pause.',
      ),
    };
  });
}

/** The type `WebhookEndpoint`. */
export type EndpointRef = ReturnType<typeof defineEndpoint>;

function defineOrder(builder: Builder) {
  return builder.enumType('WebhookOrder', {
    description:
      'Order in which deliveries wait for each other. A failed delivery holds back later ones until it is delivered or dead.',
    values: {
      TRANSACTION: {
        value: 'transaction',
        description: 'Events of the same transaction are sent one after another.',
      },
      ACCOUNT: { value: 'account', description: 'All events are sent one after another.' },
      PARALLEL: { value: 'parallel', description: 'No delivery waits for another.' },
    } as const,
  });
}

type OrderRef = ReturnType<typeof defineOrder>;

/** Members of both inputs. */
interface EndpointMembers {
  readonly url?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly eventNames?: readonly string[] | null | undefined;
  readonly order?: EndpointInput['orderMode'] | null | undefined;
  readonly maxConcurrency?: number | null | undefined;
  readonly maxPerSecond?: number | null | undefined;
  readonly isSignedByKey?: boolean | null | undefined;
}

function inputOf(members: EndpointMembers): EndpointInput {
  const { description, eventNames, maxConcurrency, maxPerSecond } = members;
  return {
    url: named('input.url', members.url),
    description: description === null ? null : named('input.description', description),
    eventNames: eventNames ? { name: 'input.eventNames', values: eventNames } : undefined,
    orderMode: members.order ?? undefined,
    maxConcurrency: numbered('input.maxConcurrency', maxConcurrency),
    maxPerSecond: maxPerSecond === null ? null : numbered('input.maxPerSecond', maxPerSecond),
    isSignedByKey: members.isSignedByKey ?? undefined,
  };
}

function numbered(name: string, value: number | null | undefined) {
  return value == null ? undefined : { name, value };
}

/** Members of an endpoint that are set at its creation, and can be changed. */
function manners(t: InputFields, order: OrderRef) {
  return {
    description: t.string({ description: bounded('Your own description.', REFERENCE_LENGTH_MAX) }),
    eventNames: t.stringList({ description: bounded(FIELDS.eventNames, EVENT_NAMES_MAX, 'names') }),
    order: t.field({ type: order, description: FIELDS.orderMode }),
    maxConcurrency: t.int({ description: FIELDS.maxConcurrency }),
    maxPerSecond: t.int({ description: FIELDS.maxPerSecond }),
    isSignedByKey: t.boolean({ description: FIELDS.isSignedByKey }),
  };
}

function defineCreate(builder: Builder, endpoint: EndpointRef, template: TemplateRef, order: OrderRef): void {
  defineMutation(builder, 'createWebhookEndpoint', {
    result: ['webhookEndpoint', endpoint],
    description: `Creates an endpoint with its own signing secret. It receives events from now on. An account can have at most ${ENDPOINTS_MAX}, those that came with transactions not counted. Needs the scope \`admin\`.`,
    inputDescription: 'A new webhook endpoint.',
    input: (t) => ({
      url: t.string({
        required: true,
        description: bounded(
          'An https URL without user name or password; in a sandbox also http to this machine (C-63).',
          URL_LENGTH_MAX,
        ),
      }),
      template: t.field({ type: template, description: 'Template that it is for. Default: all templates.' }),
      ...manners(t, order),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context, query) => {
      const members = { ...inputOf(args), template: args.template ?? undefined };
      const keyed = { mutation: 'createWebhookEndpoint', action: 'webhook.create', args } as const;
      const id = await makeOnce(context, keyed, (attempt) =>
        createEndpoint(context, members, checksOf(context), 'input.url', attempt),
      );
      return readEndpoint(context, query(), id);
    },
  });
}

function defineUpdate(builder: Builder, endpoint: EndpointRef, order: OrderRef): void {
  defineMutation(builder, 'updateWebhookEndpoint', {
    result: ['webhookEndpoint', endpoint],
    description: 'Changes an endpoint. Pending deliveries follow the new rules. Needs the scope `admin`.',
    inputDescription: 'Changes. Members that are not given stay as they are.',
    input: (t) => ({
      endpointId: t.string({ required: true, description: 'The endpoint, `whe_…`.' }),
      url: t.string({
        description: bounded(
          'A new https URL. Not accepted for an endpoint that came with a transaction.',
          URL_LENGTH_MAX,
        ),
      }),
      ...manners(t, order),
    }),
    resolve: async (args, context, query) => {
      await updateEndpoint(context, args.endpointId, inputOf(args), checksOf(context));
      return readEndpoint(context, query(), args.endpointId);
    },
  });
}

const ENDPOINT_ACTIONS = {
  removeWebhookEndpoint: [
    removeWebhookEndpoint,
    'Removes an endpoint and skips its pending deliveries. Repeating it changes nothing.',
  ],
  pauseWebhookEndpoint: [pauseWebhookEndpoint, 'Pauses an endpoint: its deliveries wait.'],
  resumeWebhookEndpoint: [
    resumeWebhookEndpoint,
    'Resumes an endpoint: a paused one with its waiting deliveries, a disabled one with events from now on.',
  ],
} as const;

function defineActions(builder: Builder, endpoint: EndpointRef): void {
  for (const [name, [perform, description]] of Object.entries(ENDPOINT_ACTIONS)) {
    defineMutation(builder, name, {
      result: ['webhookEndpoint', endpoint],
      description: `${description} Needs the scope \`admin\`.`,
      input: (t) => ({ endpointId: t.string({ required: true, description: 'The endpoint, `whe_…`.' }) }),
      resolve: async ({ endpointId }, context, query) => {
        await perform(context, endpointId);
        return readEndpoint(context, query(), endpointId);
      },
    });
  }
}

function readEndpoint({ database, caller }: GraphqlContext, query: object, id: string) {
  const where = { accountId_id: { accountId: caller.accountId, id } };
  return prismaOf(database).webhookEndpoint.findUniqueOrThrow({ ...query, where });
}
