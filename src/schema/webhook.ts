/** Webhooks: endpoints and their secrets, and the mutations that change them (contract section 8). */

import { publicHalf } from '../base/webhook-keys.ts';
import { checksOf } from '../resolvers/check-creation.ts';
import {
  createEndpoint,
  type EndpointInput,
  listWebhookSecrets,
  OVERLAP_SECONDS,
  pauseWebhookEndpoint,
  removeWebhookEndpoint,
  resumeWebhookEndpoint,
  rotateWebhookSecret,
  updateEndpoint,
} from '../resolvers/manage-webhooks.ts';
import type { SecretRow } from '../store/webhooks.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import type { InputFields } from './creation.ts';
import { isoOf } from './moment.ts';
import { named } from './named.ts';
import { KEY_ARGUMENT, keepOnce } from './once.ts';
import type { TemplateRef } from './template.ts';
import type { AccountRef } from './viewer.ts';

const KINDS = { TRANSACTION: 'transaction', TEMPLATE: 'template', GENERAL: 'general' } as const;
const STATES = { ENABLED: 'enabled', PAUSED: 'paused', DISABLED: 'disabled' } as const;
const FIELDS = {
  eventNames:
    'Names of the events that are wanted, such as `onramp.payment.*`, with `*` for any part or any characters of one; empty means all.',
  orderMode: 'Default `TRANSACTION`.',
  maxConcurrency: 'Most deliveries under way at once, 1 to 100; default 20.',
  maxPerSecond: 'Most deliveries in a second, 1 to 1000; null for no bound.',
  isSignedByKey: 'Whether signatures by a public key (`v1a`, Ed25519) are added.',
} as const;

/** Defines `WebhookEndpoint`, `WebhookSecret`, their fields of `Account`, and the mutations that change them. */
export function defineWebhooks(builder: Builder, account: AccountRef, template: TemplateRef): EndpointRef {
  const order = defineOrder(builder);
  const endpoint = defineEndpoint(builder, template, order);
  const secret = defineSecret(builder);
  builder.prismaObjectField(account, 'webhookEndpoints', (t) =>
    t.prismaField({
      type: [endpoint],
      description: 'Where events are sent to, those that came with transactions too; without removed ones.',
      resolve: (query, { id }, _args, { database }) =>
        database.prisma.webhookEndpoint.findMany({
          ...query,
          where: { accountId: id, removedAt: null },
          orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
          take: LIST_MAX,
        }),
    }),
  );
  builder.prismaObjectField(account, 'webhookSecrets', (t) =>
    t.field({
      type: [secret],
      description: 'The valid secrets of an endpoint, the newest first. Needs the scope `admin`.',
      args: { endpointId: t.arg.string({ description: OF_TRANSACTIONS }) },
      resolve: (_account, { endpointId }, context) => listWebhookSecrets(context, endpointId ?? undefined),
    }),
  );
  defineCreate(builder, endpoint, template, order);
  defineUpdate(builder, endpoint, order);
  defineActs(builder, endpoint);
  defineRotate(builder, secret);
  return endpoint;
}

const LIST_MAX = 1_000;
const OF_TRANSACTIONS = 'Not given: the secrets that all endpoints share which came with transactions.';

function defineEndpoint(builder: Builder, template: TemplateRef, order: OrderRef) {
  const kind = builder.enumType('WebhookEndpointKind', {
    description:
      'For which transactions an endpoint is: the most specific kind that there is gets the events.',
    values: {
      TRANSACTION: { value: KINDS.TRANSACTION, description: 'Those that were made with its URL.' },
      TEMPLATE: { value: KINDS.TEMPLATE, description: 'Those of its template that came without a URL.' },
      GENERAL: { value: KINDS.GENERAL, description: 'All others.' },
    } as const,
  });
  const state = builder.enumType('WebhookEndpointState', {
    description: 'Whether an endpoint is sent to.',
    values: {
      ENABLED: { value: STATES.ENABLED },
      PAUSED: { value: STATES.PAUSED, description: 'Events wait for it.' },
      DISABLED: { value: STATES.DISABLED, description: 'Events pass it by, until it is recovered.' },
    } as const,
  });
  return builder.prismaObject('WebhookEndpoint', {
    description: 'A URL that events are sent to.',
    fields: (t) => {
      const moment = (name: 'disabledAt' | 'failingSince' | 'blockedUntil', description: string) =>
        t.field({
          type: 'DateTime',
          nullable: true,
          description,
          resolve: (row) => row[name] && isoOf(row[name]),
        });
      return {
        id: t.exposeString('id', { description: '`whe_…`.' }),
        url: t.exposeString('url'),
        description: t.exposeString('description', { nullable: true }),
        kind: t.field({ type: kind, resolve: (row) => row.kind as 'general' }),
        template: t.field({ type: template, nullable: true, resolve: (row) => row.template }),
        eventNames: t.exposeStringList('eventNames', { description: FIELDS.eventNames }),
        order: t.field({ type: order, resolve: (row) => row.orderMode as 'transaction' }),
        maxConcurrency: t.exposeInt('maxConcurrency', { description: FIELDS.maxConcurrency }),
        maxPerSecond: t.exposeInt('maxPerSecond', { nullable: true, description: FIELDS.maxPerSecond }),
        publicKey: t.string({
          nullable: true,
          description: '`whpk_…`, which signatures `v1a` are checked with; null where there are none.',
          resolve: ({ signingKey }) => signingKey && publicHalf(signingKey),
        }),
        state: t.field({ type: state, resolve: (row) => row.state as 'enabled' }),
        disabledReason: t.exposeString('disabledReason', { nullable: true }),
        disabledAt: moment('disabledAt', 'When it was disabled last.'),
        isRecoverable: t.boolean({
          description: 'Whether it missed events by being disabled that `recoverWebhookEndpoint` sends.',
          resolve: ({ disabledFromSeq }) => disabledFromSeq !== null,
        }),
        failingSince: moment(
          'failingSince',
          'Since when every delivery failed; after 5 days it is disabled.',
        ),
        consecutiveFailures: t.exposeInt('consecutiveFailures'),
        blockedUntil: moment('blockedUntil', 'Nothing is sent before: it failed often, or asked for that.'),
        createdAt: t.field({ type: 'DateTime', resolve: (row) => isoOf(row.createdAt) }),
        removedAt: t.field({
          type: 'DateTime',
          nullable: true,
          resolve: ({ removedAt }) => removedAt && isoOf(removedAt),
        }),
      };
    },
  });
}

/** The type `WebhookEndpoint`. */
export type EndpointRef = ReturnType<typeof defineEndpoint>;

function defineOrder(builder: Builder) {
  return builder.enumType('WebhookOrder', {
    description:
      'What waits for what: a delivery that failed holds those behind it until it is delivered or dead.',
    values: {
      TRANSACTION: { value: 'transaction', description: 'Events of a transaction one after another.' },
      ACCOUNT: { value: 'account', description: 'All events one after another.' },
      PARALLEL: { value: 'parallel', description: 'Nothing waits.' },
    } as const,
  });
}

type OrderRef = ReturnType<typeof defineOrder>;

function defineSecret(builder: Builder) {
  return builder.objectRef<SecretRow>('WebhookSecret').implement({
    description: 'A secret that webhooks are signed with.',
    fields: (t) => ({
      secret: t.exposeString('secret', {
        description: '`whsec_…`, as libraries of Standard Webhooks take it.',
      }),
      createdAt: t.field({ type: 'DateTime', resolve: (row) => isoOf(row.createdAt) }),
      validUntil: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Null for the present one; others end here.',
        resolve: ({ validUntil }) => validUntil && isoOf(validUntil),
      }),
    }),
  });
}

type SecretRef = ReturnType<typeof defineSecret>;

/** Members of both inputs. */
interface Given {
  readonly url?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly eventNames?: readonly string[] | null | undefined;
  readonly order?: EndpointInput['orderMode'] | null | undefined;
  readonly maxConcurrency?: number | null | undefined;
  readonly maxPerSecond?: number | null | undefined;
  readonly isSignedByKey?: boolean | null | undefined;
}

function inputOf(given: Given): EndpointInput {
  const { description, eventNames, maxConcurrency, maxPerSecond } = given;
  return {
    url: named('input.url', given.url),
    description: description === null ? null : named('input.description', description),
    eventNames: eventNames ? { name: 'input.eventNames', values: eventNames } : undefined,
    orderMode: given.order ?? undefined,
    maxConcurrency: numbered('input.maxConcurrency', maxConcurrency),
    maxPerSecond: maxPerSecond === null ? null : numbered('input.maxPerSecond', maxPerSecond),
    isSignedByKey: given.isSignedByKey ?? undefined,
  };
}

function numbered(name: string, value: number | null | undefined) {
  return value == null ? undefined : { name, value };
}

/** What of an endpoint is said when it is made, and can be changed. */
function manners(t: InputFields, order: OrderRef) {
  return {
    description: t.string({ description: 'Your own, at most 200 characters.' }),
    eventNames: t.stringList({ description: FIELDS.eventNames }),
    order: t.field({ type: order, description: FIELDS.orderMode }),
    maxConcurrency: t.int({ description: FIELDS.maxConcurrency }),
    maxPerSecond: t.int({ description: FIELDS.maxPerSecond }),
    isSignedByKey: t.boolean({ description: FIELDS.isSignedByKey }),
  };
}

function defineCreate(builder: Builder, endpoint: EndpointRef, template: TemplateRef, order: OrderRef): void {
  const input = builder.inputType('CreateWebhookEndpointInput', {
    description: 'A new endpoint.',
    fields: (t) => ({
      url: t.string({ required: true, description: 'An https URL.' }),
      template: t.field({ type: template, description: 'Not given: for all templates.' }),
      ...manners(t, order),
    }),
  });
  builder.mutationField('createWebhookEndpoint', (t) =>
    t.prismaField({
      type: endpoint,
      description:
        'Makes an endpoint with a secret of its own: events from now on are sent there. Needs the scope `admin`.',
      args: {
        input: t.arg({ type: input, required: true }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: async (query, _root, args, context) => {
        const given = { ...inputOf(args.input), template: args.input.template ?? undefined };
        const keyed = { mutation: 'createWebhookEndpoint', scope: 'admin', args } as const;
        const { kept } = await keepOnce(context, keyed, async () => ({
          id: await createEndpoint(context, given, checksOf(context), 'input.url'),
        }));
        return readEndpoint(context, query, kept.id);
      },
    }),
  );
}

function defineUpdate(builder: Builder, endpoint: EndpointRef, order: OrderRef): void {
  const input = builder.inputType('UpdateWebhookEndpointInput', {
    description: 'What is to change; what is not given stays.',
    fields: (t) => ({
      url: t.string({ description: 'Not of one that came with transactions.' }),
      ...manners(t, order),
    }),
  });
  builder.mutationField('updateWebhookEndpoint', (t) =>
    t.prismaField({
      type: endpoint,
      description:
        'Changes an endpoint; what waits for it is sent by the new rules. Needs the scope `admin`.',
      args: { id: t.arg.string({ required: true }), input: t.arg({ type: input, required: true }) },
      resolve: async (query, _root, args, context) => {
        await updateEndpoint(context, args.id, inputOf(args.input), checksOf(context));
        return readEndpoint(context, query, args.id);
      },
    }),
  );
}

const ACTS = {
  removeWebhookEndpoint: [
    removeWebhookEndpoint,
    'Ends an endpoint and gives up what waits for it; again is the same.',
  ],
  pauseWebhookEndpoint: [pauseWebhookEndpoint, 'Holds what is to be sent to an endpoint; events wait.'],
  resumeWebhookEndpoint: [
    resumeWebhookEndpoint,
    'Lets a paused endpoint go on with what waits, and a disabled one with what happens from now on.',
  ],
} as const;

function defineActs(builder: Builder, endpoint: EndpointRef): void {
  for (const [name, [perform, description]] of Object.entries(ACTS)) {
    builder.mutationField(name, (t) =>
      t.prismaField({
        type: endpoint,
        description: `${description} Needs the scope \`admin\`.`,
        args: { id: t.arg.string({ required: true }) },
        resolve: async (query, _root, { id }, context) => {
          await perform(context, id);
          return readEndpoint(context, query, id);
        },
      }),
    );
  }
}

function defineRotate(builder: Builder, secret: SecretRef): void {
  builder.mutationField('rotateWebhookSecret', (t) =>
    t.field({
      type: [secret],
      description:
        'Makes a new secret. Until the one before ends, webhooks are signed under both. Gives the valid secrets, the new one first. Needs the scope `admin`.',
      args: {
        endpointId: t.arg.string({ description: OF_TRANSACTIONS }),
        overlapSeconds: t.arg.int({
          required: true,
          defaultValue: OVERLAP_SECONDS.default,
          description: `How long the one before stays valid: 0 to ${OVERLAP_SECONDS.max}.`,
        }),
      },
      resolve: (_root, { endpointId, overlapSeconds }, context) =>
        rotateWebhookSecret(context, endpointId ?? undefined, {
          name: 'overlapSeconds',
          value: overlapSeconds,
        }),
    }),
  );
}

function readEndpoint({ database, caller }: GraphqlContext, query: object, id: string) {
  const where = { accountId_id: { accountId: caller.accountId, id } };
  return database.prisma.webhookEndpoint.findUniqueOrThrow({ ...query, where });
}
