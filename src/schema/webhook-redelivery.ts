/** Mutations that send events to webhook endpoints again (C-64). */

import { encodeEventCursor } from '../events/cursor.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { EVENT_NAMES_MAX } from '../resolvers/checks/check-event-names.ts';
import { bounded, LISTED_MAX } from '../resolvers/checks/lengths.ts';
import {
  listRedeliveries,
  recoverWebhookEndpoint,
  redeliverWebhook,
  redeliverWebhooks,
  sendTestWebhook,
} from '../resolvers/webhooks/redeliver-webhooks.ts';
import { prismaOf } from '../store/connection/prisma.ts';
import { REDELIVERIES_LISTED, type Redelivered } from '../store/webhooks/redeliveries.ts';
import type { RedeliveryProgress } from '../store/webhooks/redelivery-progress.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { named } from './named.ts';
import { KEY_ARGUMENT, makeOnce, performOnce } from './once.ts';
import type { AccountRef } from './viewer.ts';
import type { DeliveryRefs } from './webhook-delivery.ts';

/** Defines `WebhookRedelivery` and its progress, and the mutations that send deliveries again. */
export function defineRedeliveries(
  builder: Builder,
  account: AccountRef,
  { delivery, state }: DeliveryRefs,
): void {
  defineSingle(builder, delivery);
  defineProgress(builder, account);
  defineMany(builder, state);
}

function defineSingle(builder: Builder, delivery: DeliveryRefs['delivery']): void {
  const mutations = {
    redeliverWebhook: {
      action: 'webhook.redeliver',
      perform: redeliverWebhook,
      description:
        'Sends the event of a delivery to its endpoint again, as a new delivery. A pending delivery is attempted at once instead. Neither waits for an open breaker. Error `STEP_CONFLICT` when the endpoint is disabled or removed.',
      member: 'deliveryId',
      argument: 'The delivery.',
    },
    sendTestWebhook: {
      action: 'webhook.test',
      perform: sendTestWebhook,
      description:
        'Sends the newest event of the account to an endpoint as a test, with the header `crossramp-test: true`. There is one attempt, ahead of other deliveries and of an open breaker; a failure does not count against the endpoint. Error `STEP_CONFLICT` when the endpoint is disabled, or the account has no event yet.',
      member: 'endpointId',
      argument: 'The endpoint, `whe_…`.',
    },
  } as const;
  for (const [name, { action, perform, description, member, argument }] of Object.entries(mutations)) {
    defineMutation(builder, name, {
      result: ['webhookDelivery', delivery],
      description: `${description} Needs the scope \`admin\`.`,
      input: (t) => ({
        ...({ [member]: t.string({ required: true, description: argument }) } as Record<
          'target',
          ReturnType<typeof t.string<true>>
        >),
        idempotencyKey: t.string(KEY_ARGUMENT),
      }),
      resolve: async (args, context, query) => {
        const made = await makeOnce(context, { mutation: name, action, args }, async (attempt) =>
          String(await perform(context, (args as Readonly<Record<string, string>>)[member] ?? '', attempt)),
        );
        const id = BigInt(made);
        const where = { accountId_id: { accountId: context.caller.accountId, id } };
        return prismaOf(context.database).webhookDelivery.findUniqueOrThrow({ ...query(), where });
      },
    });
  }
}

function defineProgress(builder: Builder, account: AccountRef): void {
  const progress = builder.objectRef<RedeliveryProgress>('WebhookRedeliveryProgress').implement({
    description: 'A redelivery of many events, and the current states of its deliveries.',
    fields: (t) => ({
      redeliveryId: t.string({
        description: 'Identifier of the redelivery.',
        resolve: ({ id }) => String(id),
      }),
      requestedAt: t.field({
        type: 'DateTime',
        description: 'When it was requested.',
        resolve: (row) => isoOf(row.requestedAt),
      }),
      matched: t.exposeInt('matched', {
        description: 'Number of deliveries, or missed events, that matched.',
      }),
      redelivered: t.exposeInt('redelivered', { description: 'Number of deliveries that it made.' }),
      pending: t.exposeInt('pending', { description: 'Deliveries that wait for their next attempt.' }),
      delivered: t.exposeInt('delivered', { description: 'Deliveries that the receiver accepted.' }),
      dead: t.exposeInt('dead', { description: 'Deliveries that were given up.' }),
      skipped: t.exposeInt('skipped', {
        description: 'Deliveries that were skipped, because their endpoint was disabled or removed.',
      }),
    }),
  });
  builder.prismaObjectField(account, 'webhookRedeliveries', (t) =>
    t.field({
      type: [progress],
      complexity: { field: 20, multiplier: REDELIVERIES_LISTED },
      description: `Redeliveries of many events and of missed ones, newest first; at most ${REDELIVERIES_LISTED}. Needs the scope \`admin\`.`,
      resolve: (_account, _args, context) => listRedeliveries(context, REDELIVERIES_LISTED),
    }),
  );
}

/** Result of a redelivery in its stored form. */
interface StoredRedelivery {
  readonly matched: number;
  readonly redelivered: number;
  readonly lastCursor: string | null;
  readonly redeliveryId?: string | null;
}

function storedOf(
  { caller }: GraphqlContext,
  { matched, redelivered, lastSeq, lastToken, redeliveryId }: Redelivered,
): StoredRedelivery {
  const last = lastSeq === null ? null : { seq: lastSeq, token: lastToken ?? '' };
  const lastCursor = last && encodeEventCursor(caller.accountId, last);
  return { matched, redelivered, lastCursor, redeliveryId: redeliveryId?.toString() ?? null };
}

function defineRedelivery(builder: Builder) {
  const payload = builder.objectRef<StoredRedelivery>('WebhookRedelivery');
  payload.implement({
    description: 'Deliveries to send again.',
    fields: (t) => ({
      matched: t.exposeInt('matched', { description: 'Number of deliveries, or missed events, that match.' }),
      redelivered: t.exposeInt('redelivered', {
        description:
          'Number of deliveries that are sent again, oldest events first: at most 10,000, and 0 in a dry run.',
      }),
      redeliveryId: t.string({
        nullable: true,
        description:
          'Identifier by which `webhookRedeliveries` of the account has its progress; null when nothing is sent.',
        resolve: ({ redeliveryId }) => redeliveryId ?? null,
      }),
      lastCursor: t.exposeString('lastCursor', {
        nullable: true,
        description:
          'Cursor of the last event that is sent again; pass it as `after` to continue. Null if there is none.',
      }),
    }),
  });
  return payload;
}

type RedeliveryRef = ReturnType<typeof defineRedelivery>;

function defineMany(builder: Builder, state: DeliveryRefs['state']): void {
  const payload = defineRedelivery(builder);
  const filter = builder.inputType('WebhookRedeliveryFilter', {
    description:
      'Filters of a redelivery. The latest delivery of an event to an endpoint must meet all given ones.',
    fields: (t) => ({
      endpointId: t.string({ description: 'Only deliveries to this endpoint, `whe_…`.' }),
      states: t.field({
        type: [state],
        description: bounded(
          'Only deliveries in these states. Default: `DEAD` and `SKIPPED`. Pending ones are sent anyway.',
          LISTED_MAX,
          'states',
        ),
      }),
      since: t.field({ type: 'DateTime', description: 'Only events that occurred then or later.' }),
      until: t.field({ type: 'DateTime', description: 'Only events that occurred before.' }),
      after: t.string({ description: 'Only events after this cursor of the event log.' }),
      eventNames: t.stringList({
        description: bounded(
          'Only events with these names; `*` stands for any part, as in `onramp.depositpix.*`.',
          EVENT_NAMES_MAX,
          'names',
        ),
      }),
    }),
  });
  defineMutation(builder, 'redeliverWebhooks', {
    result: ['redelivery', payload],
    description:
      'Sends events again to their endpoints, the oldest 10,000 per call; `after` reads on. Needs the scope `admin`.',
    input: (t) => ({
      filter: t.field({ type: filter, required: true, description: 'Selected deliveries.' }),
      dryRun: t.boolean({
        required: true,
        defaultValue: false,
        description: 'Only counts; nothing is sent.',
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const { endpointId, states, since, until, after, eventNames } = args.filter;
      const checks = checksOf(context);
      if (states) checks.atMost('input.filter.states', states, LISTED_MAX, 'states');
      const input = {
        endpointId: endpointId ?? undefined,
        states: states ? [...new Set(states)].filter((each) => each !== 'pending') : undefined,
        since: since ?? undefined,
        until: until ?? undefined,
        after: named('input.filter.after', after),
        eventNames: eventNames ? { name: 'input.filter.eventNames', values: eventNames } : undefined,
      };
      const keyed = { mutation: 'redeliverWebhooks', action: 'webhook.redeliver', args } as const;
      const { stored } = await performOnce(context, keyed, async (attempt) =>
        storedOf(
          context,
          await redeliverWebhooks(context, input, checks, { isDryRun: args.dryRun, attempt }),
        ),
      );
      return stored;
    },
  });
  defineRecover(builder, payload);
}

function defineRecover(builder: Builder, payload: RedeliveryRef): void {
  defineMutation(builder, 'recoverWebhookEndpoint', {
    result: ['redelivery', payload],
    description:
      'Enables a disabled endpoint and sends it the events that it missed, at most 10,000 per call: repeat for the rest. Needs the scope `admin`.',
    input: (t) => ({
      endpointId: t.string({ required: true, description: 'The endpoint, `whe_…`.' }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const keyed = { mutation: 'recoverWebhookEndpoint', action: 'webhook.recover', args } as const;
      const { stored } = await performOnce(context, keyed, async (attempt) =>
        storedOf(context, await recoverWebhookEndpoint(context, args.endpointId, attempt)),
      );
      return stored;
    },
  });
}
