/** The mutations that act on a transaction that exists. */

import { ACTS, type ActName } from '../base/acts.ts';
import { actOnAccount } from '../resolvers/checks/act-on-account.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { AMOUNT_LENGTH_MAX, bounded, NAME_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import type { Attempt } from '../resolvers/checks/once.ts';
import type { Target } from '../resolvers/engine/advance-for-caller.ts';
import {
  acceptQuote,
  approveWithdrawal,
  cancelTransaction,
  confirmIdentity,
  decideHold,
  provideIdentity,
  rejectWithdrawal,
  resolveDeposit,
} from '../resolvers/orders/act-on-transaction.ts';
import { enterAmountOf } from '../resolvers/orders/enter-amount.ts';
import type { ProcessRow } from '../templates/facts.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { named } from './named.ts';
import { KEY_ARGUMENT, type Keyed, moveOnce } from './once.ts';
import type { PixKeyTypeRef } from './pix-key-type.ts';
import type { TransactionRef } from './transaction.ts';

/** An act that takes nothing but the transaction. */
interface Act {
  readonly mutation: string;
  /** Null where the transaction says which act it is. */
  readonly act: ActName | null;
  readonly description: string;
  readonly perform: (context: GraphqlContext, target: Target) => Promise<ProcessRow>;
}

const ON_TRANSACTIONS: readonly Act[] = [
  {
    mutation: 'cancelTransaction',
    act: null,
    description:
      'Cancels a transaction before anything is paid or sent. Error `STEP_CONFLICT` after that. Needs the scope `create`; for a withdrawal, `move`.',
    perform: cancelTransaction,
  },
  {
    mutation: 'acceptQuote',
    act: 'transaction.accept_quote',
    description:
      'Accepts the quote of a transaction that was created with `accept: false`. Needs the scope `create`.',
    perform: acceptQuote,
  },
  {
    mutation: 'confirmIdentity',
    act: 'transaction.confirm_identity',
    description: 'Confirms the customer whom `provideIdentity` named last. Needs the scope `create`.',
    perform: confirmIdentity,
  },
  {
    mutation: 'approveWithdrawal',
    act: 'withdrawal.approve',
    description:
      'Approves a withdrawal as the second approver. The key must differ from the one that created it, and neither may have made the other, directly or through other keys. Needs the scope `move`.',
    perform: approveWithdrawal,
  },
  {
    mutation: 'rejectWithdrawal',
    act: 'withdrawal.reject',
    description: 'Rejects a withdrawal that waits for approval, and ends it. Needs the scope `move`.',
    perform: rejectWithdrawal,
  },
];

/** Defines the mutations that act on a transaction; each gives it as it is then. */
export function defineActs(builder: Builder, transaction: TransactionRef, pixKeyType: PixKeyTypeRef): void {
  for (const act of ON_TRANSACTIONS) defineAct(builder, transaction, act);
  defineHolds(builder, transaction);
  defineEnterAmount(builder, transaction);
  defineProvideIdentity(builder, transaction, pixKeyType);
  defineResolveDeposit(builder, transaction);
}

function defineAct(builder: Builder, transaction: TransactionRef, mutated: Act): void {
  const { mutation, act, description, perform } = mutated;
  builder.mutationField(mutation, (t) =>
    t.field({
      type: transaction,
      description,
      args: {
        end2end: t.arg.string({ required: true, description: DESCRIPTIONS.end2end }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: (_root, args, context) =>
        move(context, { mutation, act, args }, (attempt) =>
          perform(context, { end2end: args.end2end, attempt }),
        ),
    }),
  );
}

/** What screening holds is the platform's to decide, on the account that it names. */
const HOLDS = {
  releaseHold: ['hold.release', 'Releases a transaction that compliance screening holds; it continues.'],
  rejectHold: [
    'hold.reject',
    'Rejects a transaction that compliance screening holds; what was paid or reserved goes back. Error `LIMIT_EXCEEDED` when a deposit does not cover the network fee: it can be released.',
  ],
} as const;

function defineHolds(builder: Builder, transaction: TransactionRef): void {
  for (const [mutation, [act, description]] of Object.entries(HOLDS))
    builder.mutationField(mutation, (t) =>
      t.field({
        type: transaction,
        description: `${description} Needs the scope \`${ACTS[act].scope}\`.`,
        args: {
          account: t.arg.string({ required: true, description: DESCRIPTIONS.actedOn }),
          end2end: t.arg.string({ required: true, description: DESCRIPTIONS.end2end }),
          idempotencyKey: t.arg.string(KEY_ARGUMENT),
        },
        resolve: async (_root, args, context) => {
          const own = await actOnAccount(context, act, args.account);
          return move(own, { mutation, act, args }, (attempt) =>
            decideHold(own, { end2end: args.end2end, attempt }, act === 'hold.release'),
          );
        },
      }),
    );
}

function defineEnterAmount(builder: Builder, transaction: TransactionRef): void {
  builder.mutationField('enterAmount', (t) =>
    t.field({
      type: transaction,
      description:
        'Sets the amount of a checkout session that was created without one. The session ends when the amount cannot be priced. Needs the scope `create`.',
      args: {
        end2end: t.arg.string({ required: true, description: DESCRIPTIONS.end2end }),
        amountPayment: t.arg({
          type: 'Decimal',
          required: true,
          description: `BRL that the customer pays, above 0, at most 2 decimals and ${AMOUNT_LENGTH_MAX} characters.`,
        }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: (_root, args, context) =>
        move(context, { mutation: 'enterAmount', act: 'transaction.enter_amount', args }, (attempt) =>
          enterAmountOf(
            context,
            { end2end: args.end2end, attempt },
            { name: 'amountPayment', value: args.amountPayment },
          ),
        ),
    }),
  );
}

function defineProvideIdentity(
  builder: Builder,
  transaction: TransactionRef,
  pixKeyType: PixKeyTypeRef,
): void {
  builder.mutationField('provideIdentity', (t) =>
    t.field({
      type: transaction,
      description:
        'Names the customer or payee of a transaction that waits for one. The transaction ends when that person is over the daily limit. Needs the scope `create`.',
      args: {
        end2end: t.arg.string({ required: true, description: DESCRIPTIONS.end2end }),
        clientName: t.arg.string({
          required: true,
          description: bounded('Full name of the customer or payee.', NAME_LENGTH_MAX),
        }),
        clientTaxId: t.arg.string({ required: true, description: DESCRIPTIONS.clientTaxId }),
        pixKey: t.arg.string({
          description: 'PIX key of a payee. Required for offramps, not accepted otherwise.',
        }),
        pixKeyType: t.arg({ type: pixKeyType, description: DESCRIPTIONS.pixKeyType }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: (_root, args, context) =>
        move(
          context,
          { mutation: 'provideIdentity', act: 'transaction.provide_identity', args },
          (attempt) => {
            const identity = {
              clientName: named('clientName', args.clientName),
              clientTaxId: named('clientTaxId', args.clientTaxId),
              pixKey: named('pixKey', args.pixKey),
              pixKeyType: named('pixKeyType', args.pixKeyType),
            };
            return provideIdentity(context, { end2end: args.end2end, attempt }, identity, checksOf(context));
          },
        ),
    }),
  );
}

function defineResolveDeposit(builder: Builder, transaction: TransactionRef): void {
  const resolution = builder.enumType('DepositResolution', {
    description:
      'What to do with a deposit that is held because its amount was wrong, it was late, or the payout failed.',
    values: {
      KEEP: { value: 'keep', description: 'Credit the deposit to the balance, unconverted.' },
      REFUND: { value: 'refund', description: 'Send the deposit back on-chain, less the network fee.' },
      REQUOTE: { value: 'requote', description: 'Convert the deposit at a new price and pay it out.' },
    } as const,
  });
  builder.mutationField('resolveDeposit', (t) =>
    t.field({
      type: transaction,
      description:
        'Decides about the held deposit of an offramp: keep, refund or re-quote it. Needs the scope `move`.',
      args: {
        end2end: t.arg.string({ required: true, description: DESCRIPTIONS.end2end }),
        resolution: t.arg({ type: resolution, required: true, description: 'What to do with the deposit.' }),
        address: t.arg.string({
          description: 'Address that a refund is sent to. Default: the address that the deposit came from.',
        }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: (_root, args, context) =>
        move(context, { mutation: 'resolveDeposit', act: 'deposit.resolve', args }, (attempt) => {
          const address = named('address', args.address);
          return resolveDeposit(
            context,
            { end2end: args.end2end, attempt },
            args.resolution,
            address,
            checksOf(context),
          );
        }),
    }),
  );
}

async function move(context: GraphqlContext, keyed: Keyed, work: (attempt: Attempt) => Promise<ProcessRow>) {
  return (await moveOnce(context, keyed, work)).row as never;
}
