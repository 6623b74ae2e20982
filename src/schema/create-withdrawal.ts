/** The mutation for money out: `createWithdrawal`. */
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { WITHDRAWAL_MEMBERS } from '../resolvers/checks/creation-members.ts';
import { AMOUNT_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import {
  createWithdrawal,
  readWithdrawalFee,
  type WithdrawalInput,
} from '../resolvers/orders/create-withdrawal.ts';
import type { Builder } from './builder.ts';
import { memberFields, replayedField, rowOf, templateField } from './creation.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { defineMutation } from './mutation.ts';
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
  builder.queryField('withdrawalFee', (t) =>
    t.field({
      type: 'Decimal',
      description:
        'Network fee that a withdrawal pays now, deducted from its amount; 0 by PIX. Needs the scope `read`.',
      args: { currency: t.arg.string({ required: true, description: DESCRIPTIONS.currency }) },
      resolve: (_root, { currency }, context) =>
        readWithdrawalFee(context, { name: 'currency', value: currency }, checksOf(context)),
    }),
  );
  defineMutation(builder, 'createWithdrawal', {
    result: ['transaction', transaction],
    resultOf: rowOf,
    more: (t) => ({ replayed: replayedField(t) }),
    description:
      'Creates a withdrawal from the balance to a whitelisted wallet or PIX key. Above the limit of the account it waits for `approveWithdrawal`. Needs the scope `move`.',
    inputDescription: 'A withdrawal to a destination of a whitelist group.',
    input: (t) => ({
      ...memberFields(t, WITHDRAWAL_MEMBERS),
      networkFeeMax: t.field({
        type: 'Decimal',
        description: `Maximum network fee that you accept, in the currency. Error \`LIMIT_EXCEEDED\` above it. At most ${AMOUNT_LENGTH_MAX} characters.`,
      }),
      template: templateField(t, template),
      record: recordField(t, record),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) => {
      const keyed = { mutation: 'createWithdrawal', action: 'withdrawal.create', args } as const;
      const { record, idempotencyKey: _key, ...members } = args;
      return moveOnce(context, keyed, async (attempt) => {
        const checks = checksOf(context);
        const input = namedMembers<WithdrawalInput>('input', members);
        const stored = await withRecord(context, attempt, record, checks);
        return createWithdrawal(context, stored, input, checks, NAMES);
      });
    },
  });
}
