/** The mutation that takes money out: `createWithdrawal`. */
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { WITHDRAWAL_MEMBERS } from '../resolvers/checks/creation-members.ts';
import { createWithdrawal, type WithdrawalInput } from '../resolvers/orders/create-withdrawal.ts';
import type { Builder } from './builder.ts';
import { definePayload, memberFields, templateField } from './creation.ts';
import { namedMembers, pathsOf } from './named.ts';
import { KEY_ARGUMENT, moveOnce } from './once.ts';
import type { TemplateRef } from './template.ts';
import type { TransactionRef } from './transaction.ts';
import { recordField, type TransactionRecordInputRef, withRecord } from './transaction-record.ts';

const NAMES = pathsOf('input', ['amountReceived', 'currency', 'groupId', 'address']);

/** Defines `Mutation.createWithdrawal`. */
export function defineWithdrawalCreation(
  builder: Builder,
  transaction: TransactionRef,
  { template, record }: { readonly template: TemplateRef; readonly record: TransactionRecordInputRef },
): void {
  const input = builder.inputType('CreateWithdrawalInput', {
    description: 'A withdrawal to a destination of a whitelist group.',
    fields: (t) => ({
      ...memberFields(t, WITHDRAWAL_MEMBERS),
      template: templateField(t, template),
      record: recordField(t, record),
    }),
  });
  const payload = definePayload(builder, transaction, 'CreateWithdrawalPayload');
  builder.mutationField('createWithdrawal', (t) =>
    t.field({
      type: payload,
      description:
        'Creates a withdrawal from the balance to a whitelisted wallet or PIX key. Above the limit of the account it waits for `approveWithdrawal`. Needs the scope `move`.',
      args: {
        input: t.arg({ type: input, required: true, description: 'The withdrawal.' }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: (_root, args, context) => {
        const keyed = { mutation: 'createWithdrawal', act: 'withdrawal.create', args } as const;
        const { record: given, ...members } = args.input;
        return moveOnce(context, keyed, async (attempt) => {
          const checks = checksOf(context);
          const input = namedMembers<WithdrawalInput>('input', members);
          const kept = await withRecord(context, attempt, given, checks);
          return createWithdrawal(context, kept, input, checks, NAMES);
        });
      },
    }),
  );
}
