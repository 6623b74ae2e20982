/** Refund: money that is being or was returned to the payer of a transaction; and the mutations that order it. */
import { ACTIONS } from '../base/access/actions.ts';
import { BRL } from '../base/money/currency.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { contextOnAccount } from '../resolvers/checks/context-on-account.ts';
import { AMOUNT_LENGTH_MAX, REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import {
  refundableOf,
  refundPayment,
  retryRefund,
  settleRefundManually,
} from '../resolvers/orders/refund-payment.ts';
import type { PixReturn } from '../templates/facts.ts';
import { brlText, returnsOf } from '../templates/returns.ts';
import type { Builder } from './builder.ts';
import { type CurrencyRefs, moneyOf } from './currency.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { defineMutation } from './mutation.ts';
import { named, REASON_ARGUMENT, reasonOf } from './named.ts';
import { KEY_ARGUMENT, moveOnce } from './once.ts';
import type { TransactionRef } from './transaction.ts';

/** Defines `Refund`, `Transaction.refunds`, and the mutations about them. */
export function defineRefunds(
  builder: Builder,
  transaction: TransactionRef,
  { money }: Pick<CurrencyRefs, 'money'>,
): void {
  const refund = defineRefund(builder, money);
  defineMending(builder, transaction);
  builder.prismaInterfaceField(transaction, 'refunds', (t) =>
    t.field({
      type: [refund],
      description:
        'Returns to the payer by PIX, in the order of their requests: a payment that was not converted, an amount paid beyond the price, refunds, accepted disputes. Empty when there is none, and for imported history.',
      complexity: 5,
      resolve: async (row, _args, { loaders }) => returnsOf((await loaders.process.load(row))?.process ?? {}),
    }),
  );
  builder.prismaInterfaceField(transaction, 'refundable', (t) =>
    t.field({
      type: money,
      nullable: true,
      description:
        'The amount of the payment that was not refunded. The balance must cover the amount of `refundPayment`; while a partial refund is under way, only a part of this amount can be refunded. Null if nothing can be refunded: the payment is not finished, not by PIX, older than 90 days, or was refunded whole.',
      complexity: 5,
      resolve: async (row, _args, context) => {
        const process = await context.loaders.process.load(row);
        const left = process && refundableOf(context, process, await context.clock.nowMs());
        return left ? (moneyOf(brlText(left), BRL) as never) : null;
      },
    }),
  );
  defineMutation(builder, 'refundPayment', {
    result: ['transaction', transaction],
    description:
      'Refunds a finished PIX payment to its payer, out of the balance: at the locked rate, with the fee in proportion. Without an amount, the whole rest of the payment is refunded, which ends the transaction. A partial refund does not change the step. Error `STEP_CONFLICT` when the payment is not finished, is older than 90 days, or the whole rest is requested while a partial refund is under way; `LIMIT_EXCEEDED` above the rest, and for more than 90 parts; `INSUFFICIENT_BALANCE`. Needs the scope `move`.',
    input: (t) => ({
      end2end: t.string({ required: true, description: DESCRIPTIONS.end2end }),
      amount: t.field({
        type: 'Decimal',
        description: `BRL to refund, at least 0.01, at most 2 decimals and ${AMOUNT_LENGTH_MAX} characters. Default: the whole rest of the payment.`,
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const keyed = { mutation: 'refundPayment', action: 'payment.refund', args } as const;
      const { row } = await moveOnce(context, keyed, (attempt) =>
        refundPayment(
          context,
          { end2end: args.end2end, attempt },
          named('input.amount', args.amount),
          checksOf(context),
        ),
      );
      return row as never;
    },
  });
}

/** The platform resolves failed refunds, on the account that it names. */
function defineMending(builder: Builder, transaction: TransactionRef): void {
  defineMutation(builder, 'retryRefund', {
    result: ['transaction', transaction],
    description: `Orders failed refunds that are still owed to the payer again, each under a new return id. Error \`STEP_CONFLICT\` when there is none. Needs the scope \`${ACTIONS['refund.retry'].scope}\`.`,
    input: (t) => ({
      account: t.string({ required: true, description: DESCRIPTIONS.actedOn }),
      end2end: t.string({ required: true, description: DESCRIPTIONS.end2end }),
      reason: t.string(REASON_ARGUMENT),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const own = await contextOnAccount(context, 'refund.retry', args.account);
      const keyed = { mutation: 'retryRefund', action: 'refund.retry', args } as const;
      const { row } = await moveOnce(own, keyed, (attempt) =>
        retryRefund(own, { end2end: args.end2end, attempt }, reasonOf(args), checksOf(own)),
      );
      return row as never;
    },
  });
  defineMutation(builder, 'settleRefundByHand', {
    result: ['transaction', transaction],
    description: `Books failed refunds that are still owed to the payer as paid by hand. Error \`STEP_CONFLICT\` when there is none. Needs the scope \`${ACTIONS['refund.settle_by_hand'].scope}\`.`,
    input: (t) => ({
      account: t.string({ required: true, description: DESCRIPTIONS.actedOn }),
      end2end: t.string({ required: true, description: DESCRIPTIONS.end2end }),
      reference: t.string({
        required: true,
        description: `Reference of the payment, such as its EndToEndId; 1 to ${REFERENCE_LENGTH_MAX} characters.`,
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const own = await contextOnAccount(context, 'refund.settle_by_hand', args.account);
      const keyed = { mutation: 'settleRefundByHand', action: 'refund.settle_by_hand', args } as const;
      const reference = { name: 'input.reference', value: args.reference };
      const { row } = await moveOnce(own, keyed, (attempt) =>
        settleRefundManually(own, { end2end: args.end2end, attempt }, reference, checksOf(own)),
      );
      return row as never;
    },
  });
}

function defineKind(builder: Builder) {
  return builder.enumType('RefundKind', {
    description: 'Reason of a return to the payer.',
    values: {
      PAYMENT: { value: 'payment', description: 'The payment was not converted; all of it goes back.' },
      EXCESS: { value: 'excess', description: 'An amount paid beyond the price.' },
      REFUND: { value: 'refund', description: 'A refund of the whole rest of a finished payment.' },
      PARTIAL_REFUND: { value: 'part', description: 'A refund of a part of a finished payment.' },
      DISPUTE: { value: 'dispute', description: 'A dispute (MED) that was accepted.' },
    } as const,
  });
}

function defineState(builder: Builder) {
  return builder.enumType('RefundState', {
    description: 'State of a return to the payer.',
    values: {
      REQUESTED: { value: 'requested', description: 'Ordered; the bank has not confirmed it yet.' },
      DONE: { value: 'done', description: 'The payer has the money back.' },
      FAILED: {
        value: 'failed',
        description: 'It failed permanently; the money is still owed to the payer.',
      },
      RETRIED: { value: 'retried', description: 'It failed, and was ordered again under another return id.' },
      PAID_BY_HAND: {
        value: 'paid_by_hand',
        description: 'It failed; the operator paid it by hand, or a dispute (MED) paid it.',
      },
      CREDITED_BACK: {
        value: 'credited_back',
        description: 'It failed, and the amount was credited back to the balance.',
      },
    } as const,
  });
}

function defineRefund(builder: Builder, money: CurrencyRefs['money']) {
  const kind = defineKind(builder);
  const state = defineState(builder);
  return builder.objectRef<PixReturn>('Refund').implement({
    description: 'A return of BRL to the payer of a transaction.',
    fields: (t) => ({
      returnId: t.exposeString('returnId', { description: 'Return id of PIX, `D…`.' }),
      kind: t.field({ type: kind, description: 'Reason of the return.', resolve: (row) => row.kind }),
      state: t.field({ type: state, description: 'Its state.', resolve: (row) => row.state }),
      amount: t.field({
        type: money,
        description: 'Amount that the payer gets.',
        resolve: ({ amount }) => moneyOf(amount, BRL) as never,
      }),
      requestedAt: t.field({
        type: 'DateTime',
        description: 'When it was requested.',
        resolve: (row) => row.requestedAt,
      }),
      endedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it ended; null while it is under way.',
        resolve: (row) => row.endedAt ?? null,
      }),
      reference: t.string({
        nullable: true,
        description:
          'The operator’s reference of a manual payment, or `MED` with the id of the dispute; null otherwise.',
        resolve: (row) => row.reference ?? null,
      }),
    }),
  });
}
