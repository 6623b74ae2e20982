/** Sample events that test a receiver: `WebhookSample` and `sendSampleWebhook`. */

import { notFound } from '../base/errors/errors.ts';
import { sampleWebhookId } from '../events/webhook-id.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { requireScope } from '../resolvers/services/context.ts';
import { sendSample } from '../resolvers/webhooks/send-sample.ts';
import { prismaOf } from '../store/connection/prisma.ts';
import { SAMPLES_LISTED } from '../store/webhooks/samples.ts';
import type { Builder } from './builder.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { KEY_ARGUMENT, makeOnce } from './once.ts';
import type { EndpointRef } from './webhook.ts';

/** Defines `WebhookSample`, `WebhookEndpoint.samples` and `sendSampleWebhook`. */
export function defineSamples(builder: Builder, endpoint: EndpointRef): void {
  const sample = defineSample(builder);
  builder.prismaObjectField(endpoint, 'samples', (t) =>
    t.prismaField({
      type: [sample],
      complexity: { field: 1, multiplier: SAMPLES_LISTED },
      description: `Sample events that were sent to it, newest first; at most ${SAMPLES_LISTED}. Needs the scope \`admin\`.`,
      resolve: (query, { accountId, id }, _args, context) => {
        requireScope(context, 'admin');
        return prismaOf(context.database).webhookSample.findMany({
          ...query,
          where: { accountId, endpointId: id },
          orderBy: { id: 'desc' },
          take: SAMPLES_LISTED,
        });
      },
    }),
  );
  defineMutation(builder, 'sendSampleWebhook', {
    result: ['webhookSample', sample],
    description:
      'Sends a sample event to an endpoint as a test, with the header `crossramp-test: true`: its body has the published form, and belongs to no transaction. There is one attempt, ahead of deliveries and of an open breaker; a failure does not count against the endpoint. Error `STEP_CONFLICT` when the endpoint is disabled. Needs the scope `admin`.',
    input: (t) => ({
      endpointId: t.string({ required: true, description: 'The endpoint, `whe_…`.' }),
      eventName: t.string({
        required: true,
        description: 'Name of the event, from `webhookEventNames` of the endpoint.',
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context, query) => {
      const name = { name: 'input.eventName', value: args.eventName };
      const keyed = { mutation: 'sendSampleWebhook', action: 'webhook.test', args } as const;
      const id = await makeOnce(context, keyed, async (attempt) =>
        String(await sendSample(context, args.endpointId, name, checksOf(context), attempt)),
      );
      const where = { accountId_id: { accountId: context.caller.accountId, id: BigInt(id) } };
      const sent = await prismaOf(context.database).webhookSample.findUnique({ ...query(), where });
      // Newer ones may have replaced it since the first request under the key.
      if (!sent) throw notFound();
      return sent;
    },
  });
}

function defineSample(builder: Builder) {
  return builder.prismaObject('WebhookSample', {
    description: 'A sample event that was sent to an endpoint as a test.',
    fields: (t) => ({
      sampleId: t.string({ description: 'Identifier of the test.', resolve: ({ id }) => String(id) }),
      eventName: t.exposeString('eventName', { description: 'Name of the event.' }),
      webhookId: t.string({
        description: 'Value of the header `webhook-id`, `evt_0_…`: no event has the number 0.',
        resolve: ({ token }) => sampleWebhookId(token),
      }),
      body: t.exposeString('payload', { description: 'Body of the request, JSON text.' }),
      requestedAt: t.field({
        type: 'DateTime',
        description: 'When it was requested.',
        resolve: (row) => isoOf(row.requestedAt),
      }),
      attemptedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When its attempt began; null until then.',
        resolve: ({ attemptedAt }) => attemptedAt && isoOf(attemptedAt),
      }),
      durationMs: t.exposeInt('durationMs', {
        nullable: true,
        description: 'Duration of the attempt, in ms; null until it has ended.',
      }),
      status: t.exposeInt('status', {
        nullable: true,
        description: 'HTTP status of the answer; null without an answer.',
      }),
      error: t.exposeString('error', {
        nullable: true,
        description: 'Reason that no complete answer came; null when one did.',
      }),
      answer: t.exposeString('answer', { nullable: true, description: 'First 4 KiB of the answer.' }),
    }),
  });
}
