/** The mutation that takes money out: `createWithdrawal`. */
import { checksOf } from '../resolvers/check-creation.ts';
import { createWithdrawal, type WithdrawalInput } from '../resolvers/create-withdrawal.ts';
import type { Builder } from './builder.ts';
import { DESCRIPTIONS, definePayload } from './creation.ts';
import { namedMembers, pathsOf } from './named.ts';
import { KEY_ARGUMENT, moveOnce } from './once.ts';
import type { TransactionRef } from './transaction.ts';

const NAMES = pathsOf('input', ['amountReceived', 'currency', 'groupId', 'address']);

/** Defines `Mutation.createWithdrawal`. */
export function defineWithdrawalCreation(builder: Builder, transaction: TransactionRef): void {
  const input = builder.inputType('CreateWithdrawalInput', {
    description: 'A withdrawal to a destination of a whitelist group.',
    fields: (t) => ({
      amountReceived: t.field({
        type: 'Decimal',
        required: true,
        description: 'What leaves the balance; on-chain the network fee is taken from it.',
      }),
      currency: t.string({ required: true, description: DESCRIPTIONS.currency }),
      groupId: t.string({ required: true, description: 'The whitelist group, `grp_…`.' }),
      address: t.string({
        description:
          'Address, or for BRL the PIX key; needed where several entries of the group fit the currency.',
      }),
      notes: t.string({ description: 'At most 500 characters.' }),
    }),
  });
  const payload = definePayload(builder, transaction, 'CreateWithdrawalPayload');
  builder.mutationField('createWithdrawal', (t) =>
    t.field({
      type: payload,
      description:
        'Makes a withdrawal from the balance to a whitelisted wallet or PIX key. Needs the scope `move`.',
      args: { input: t.arg({ type: input, required: true }), idempotencyKey: t.arg.string(KEY_ARGUMENT) },
      resolve: (_root, args, context) => {
        const keyed = { mutation: 'createWithdrawal', scope: 'move', args } as const;
        return moveOnce(context, keyed, (attempt) =>
          createWithdrawal(
            context,
            attempt,
            namedMembers<WithdrawalInput>('input', args.input),
            checksOf(context),
            NAMES,
          ),
        );
      },
    }),
  );
}
