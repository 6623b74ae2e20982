/** The mutations that act on a transaction that exists. */

import type { Scope } from '../base/api-key.ts';
import {
  acceptQuote,
  approveWithdrawal,
  cancelTransaction,
  confirmIdentity,
  decideHold,
  provideIdentity,
  rejectWithdrawal,
  resolveDeposit,
} from '../resolvers/act-on-transaction.ts';
import { checksOf } from '../resolvers/check-creation.ts';
import { enterAmountOf } from '../resolvers/enter-amount.ts';
import type { Target } from '../resolvers/move-transaction.ts';
import type { Attempt } from '../resolvers/once.ts';
import type { ProcessRow } from '../templates/facts.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { DESCRIPTIONS } from './creation.ts';
import { named } from './named.ts';
import { KEY_ARGUMENT, type Keyed, moveOnce } from './once.ts';
import type { TransactionRef } from './transaction.ts';

/** An act that takes nothing but the transaction. */
interface Act {
  readonly mutation: string;
  readonly scope: Scope;
  readonly description: string;
  readonly perform: (context: GraphqlContext, target: Target) => Promise<ProcessRow>;
}

const ACTS: readonly Act[] = [
  {
    mutation: 'cancelTransaction',
    // To see it; to cancel it needs more, which depends on its family.
    scope: 'read',
    description:
      'Cancels it while nothing was paid or sent. Needs the scope `create`, for a withdrawal `move`.',
    perform: cancelTransaction,
  },
  {
    mutation: 'acceptQuote',
    scope: 'create',
    description: 'Accepts the quote of a transaction that was made without that. Needs the scope `create`.',
    perform: acceptQuote,
  },
  {
    mutation: 'confirmIdentity',
    scope: 'create',
    description: 'Confirms the customer that `provideIdentity` named. Needs the scope `create`.',
    perform: confirmIdentity,
  },
  {
    mutation: 'approveWithdrawal',
    scope: 'move',
    description:
      'Approves a withdrawal as the second approver: with another key than it was made with. Needs the scope `move`.',
    perform: approveWithdrawal,
  },
  {
    mutation: 'rejectWithdrawal',
    scope: 'move',
    description: 'Refuses the approval of a withdrawal. Needs the scope `move`.',
    perform: rejectWithdrawal,
  },
  {
    mutation: 'releaseHold',
    scope: 'admin',
    description: 'Lets a transaction go that screening held. Needs the scope `admin`.',
    perform: (context, target) => decideHold(context, target, true),
  },
  {
    mutation: 'rejectHold',
    scope: 'admin',
    description: 'Turns down a transaction that screening held. Needs the scope `admin`.',
    perform: (context, target) => decideHold(context, target, false),
  },
];

/** Defines the mutations that act on a transaction; each gives it as it is then. */
export function defineActs(builder: Builder, transaction: TransactionRef): void {
  for (const act of ACTS) defineAct(builder, transaction, act);
  defineEnterAmount(builder, transaction);
  defineProvideIdentity(builder, transaction);
  defineResolveDeposit(builder, transaction);
}

function defineAct(builder: Builder, transaction: TransactionRef, act: Act): void {
  const { mutation, scope, description, perform } = act;
  builder.mutationField(mutation, (t) =>
    t.field({
      type: transaction,
      description,
      args: { end2end: t.arg.string({ required: true }), idempotencyKey: t.arg.string(KEY_ARGUMENT) },
      resolve: (_root, args, context) =>
        move(context, { mutation, scope, args }, (attempt) =>
          perform(context, { end2end: args.end2end, attempt }),
        ),
    }),
  );
}

function defineEnterAmount(builder: Builder, transaction: TransactionRef): void {
  builder.mutationField('enterAmount', (t) =>
    t.field({
      type: transaction,
      description:
        'Gives a checkout session the amount that it collects; one that cannot be priced ends it. Needs the scope `create`.',
      args: {
        end2end: t.arg.string({ required: true }),
        amountPayment: t.arg({ type: 'Decimal', required: true, description: 'BRL that the customer pays.' }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: (_root, args, context) =>
        move(context, { mutation: 'enterAmount', scope: 'create', args }, (attempt) =>
          enterAmountOf(
            context,
            { end2end: args.end2end, attempt },
            { name: 'amountPayment', value: args.amountPayment },
          ),
        ),
    }),
  );
}

function defineProvideIdentity(builder: Builder, transaction: TransactionRef): void {
  builder.mutationField('provideIdentity', (t) =>
    t.field({
      type: transaction,
      description:
        'Names the customer or payee of a transaction that waits for that; one who is over the limit of the day ends it. Needs the scope `create`.',
      args: {
        end2end: t.arg.string({ required: true }),
        clientName: t.arg.string({ required: true }),
        clientTaxId: t.arg.string({ required: true, description: DESCRIPTIONS.clientTaxId }),
        pixKey: t.arg.string({ description: 'Of a payee.' }),
        pixKeyType: t.arg.string({ description: DESCRIPTIONS.pixKeyType }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: (_root, args, context) =>
        move(context, { mutation: 'provideIdentity', scope: 'create', args }, (attempt) => {
          const identity = {
            clientName: named('clientName', args.clientName),
            clientTaxId: named('clientTaxId', args.clientTaxId),
            pixKey: named('pixKey', args.pixKey),
            pixKeyType: named('pixKeyType', args.pixKeyType),
          };
          return provideIdentity(context, { end2end: args.end2end, attempt }, identity, checksOf(context));
        }),
    }),
  );
}

function defineResolveDeposit(builder: Builder, transaction: TransactionRef): void {
  const resolution = builder.enumType('DepositResolution', {
    description:
      'What becomes of a deposit that is held because it was wrong or late, or could not be paid out.',
    values: {
      KEEP: { value: 'keep', description: 'It is credited to the balance as it is.' },
      REFUND: { value: 'refund', description: 'It goes back on-chain, less the network fee.' },
      REQUOTE: { value: 'requote', description: 'It is converted at a new price, and paid out.' },
    } as const,
  });
  builder.mutationField('resolveDeposit', (t) =>
    t.field({
      type: transaction,
      description: 'Resolves the held deposit of an offramp. Needs the scope `move`.',
      args: {
        end2end: t.arg.string({ required: true }),
        resolution: t.arg({ type: resolution, required: true }),
        address: t.arg.string({ description: 'Where a refund goes to; by default where it came from.' }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: (_root, args, context) =>
        move(context, { mutation: 'resolveDeposit', scope: 'move', args }, (attempt) => {
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
