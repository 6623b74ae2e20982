/** Orders to the PIX provider whose outcome is not known yet: `Query.openPixOrders`, and `settlePixOrder` by hand. */

import { ACTIONS } from '../base/access/actions.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import {
  findOrder,
  ORDERS_MAX,
  openOrders,
  SETTLED_AS,
  type SettledAs,
  settleOrder,
} from '../resolvers/inbound/settle-order.ts';
import { requirePlatform } from '../resolvers/services/context.ts';
import type { PixOrder } from '../store/rails/pix-orders.ts';
import type { Builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { defineMutation } from './mutation.ts';
import { nodeType } from './node.ts';
import { KEY_ARGUMENT, performOnce } from './once.ts';
import { PLATFORM_ONLY } from './platform-only.ts';

const KINDS = {
  payout: 'BRL is paid to a PIX key.',
  return: 'A payment that came goes back to its payer, whole or in part.',
} as const;

/** Defines `PixOrder`, `Query.openPixOrders` and `Mutation.settlePixOrder`. */
export function definePixOrders(builder: Builder): void {
  const order = defineOrder(builder);
  builder.queryField('openPixOrders', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: [order],
      description: `Orders that the provider of PIX has not decided, the oldest first; at most ${ORDERS_MAX}. Needs a scope of the platform.`,
      complexity: { field: 1, multiplier: 100 },
      resolve: (_root, _args, context) => openOrders(context),
    }),
  );
  const outcome = builder.enumType('PixOrderOutcome', {
    description: 'Outcome of an order, from the operator.',
    values: describedValues<SettledAs>(SETTLED_AS),
  });
  defineMutation(builder, 'settlePixOrder', {
    result: ['pixOrder', order],
    description: `Settles an order by hand when the provider cannot tell its outcome: its transaction continues as if the provider had reported it. The provider is queried first. Error \`STEP_CONFLICT\` if its answer contradicts this, if the order is decided, and within two minutes after the order was sent; \`UNAVAILABLE\` if the provider cannot be asked. Needs the scope \`${ACTIONS['order.settle'].scope}\`.`,
    input: (t) => ({
      key: t.string({ required: true, description: 'Key of the order.' }),
      outcome: t.field({ type: outcome, required: true, description: 'Its outcome.' }),
      evidence: t.string({
        required: true,
        description: `With \`DONE\` the provider’s id: the EndToEndId of a payout, the rtrId of a return. With \`NOT_DONE\` the person who confirmed it, 1 to ${REFERENCE_LENGTH_MAX} characters.`,
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const keyed = { mutation: 'settlePixOrder', action: 'order.settle', args } as const;
      const { stored } = await performOnce(context, keyed, async (attempt) => {
        const evidence = { name: 'input.evidence', value: args.evidence };
        const input = { key: args.key, as: args.outcome, evidence };
        const { key } = await settleOrder(context, input, checksOf(context), attempt);
        return { key };
      });
      return findOrder(context, stored.key);
    },
  });
}

function defineOrder(builder: Builder) {
  const kind = builder.enumType('PixOrderKind', {
    description: 'Kind of an order to the PIX provider.',
    values: describedValues(KINDS),
  });
  const node = nodeType<PixOrder>(builder, 'PixOrder', {
    rawId: ({ key }) => key,
    read: async (context, key) => {
      requirePlatform(context);
      return findOrder(context, key);
    },
  });
  return builder.objectRef<PixOrder>('PixOrder').implement({
    interfaces: [node],
    description: 'An order to the provider of PIX.',
    fields: (t) => ({
      key: t.exposeString('key', {
        description:
          'Key of the order: the id of a refund, or one that begins with the `end2end` of its transaction.',
      }),
      kind: t.field({ type: kind, description: 'Kind of the order.', resolve: (row) => row.kind }),
      account: t.string({
        description: 'Identifier of the account that it is for.',
        resolve: ({ accountId }) => String(accountId),
      }),
      pspId: t.exposeString('pspId', { description: 'Id of the order at the provider.' }),
      amount: t.field({ type: 'Decimal', description: 'BRL.', resolve: ({ amount }) => amount }),
      endToEndId: t.exposeString('endToEndId', {
        nullable: true,
        description:
          'EndToEndId of the refunded payment, or of the payout; null until that of a payout is known.',
      }),
      placedAt: t.field({
        type: 'DateTime',
        description: 'When it was first sent, by the clock of the database.',
        resolve: ({ placedAtMs }) => new Date(placedAtMs).toISOString(),
      }),
      sentAt: t.field({
        type: 'DateTime',
        description: 'When it was last sent, by the clock of the database.',
        resolve: ({ sentAtMs }) => new Date(sentAtMs).toISOString(),
      }),
      isDone: t.exposeBoolean('isDone', {
        nullable: true,
        description: 'Whether it was executed; null until that is known.',
      }),
    }),
  });
}
