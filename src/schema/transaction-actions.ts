/** Mutations that change an existing transaction. */

import { ACTIONS, type ActionName } from '../base/access/actions.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { contextOnAccount } from '../resolvers/checks/context-on-account.ts';
import { AMOUNT_LENGTH_MAX, bounded, NAME_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import type { Attempt } from '../resolvers/checks/once.ts';
import type { Target } from '../resolvers/engine/advance-for-caller.ts';
import {
  approveMoneyOut,
  approveWithdrawal,
  rejectMoneyOut,
  rejectWithdrawal,
} from '../resolvers/orders/approve-money-out.ts';
import { enterAmountOf } from '../resolvers/orders/enter-amount.ts';
import {
  acceptQuote,
  cancelTransaction,
  confirmIdentity,
  decideStepUp,
  provideIdentity,
  rejectHold,
  releaseHold,
  resolveDeposit,
} from '../resolvers/orders/transaction-actions.ts';
import type { ProcessRow } from '../templates/facts.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { defineMutation } from './mutation.ts';
import { named, REASON_ARGUMENT, reasonOf } from './named.ts';
import { KEY_ARGUMENT, type Keyed, moveOnce } from './once.ts';
import type { PixKeyTypeRef } from './pix-key-type.ts';
import type { TransactionRef } from './transaction.ts';

/** An action whose only input is the transaction. */
interface Action {
  readonly mutation: string;
  /** Null if the transaction determines the action. */
  readonly action: ActionName | null;
  readonly description: string;
  readonly perform: (context: GraphqlContext, target: Target) => Promise<ProcessRow>;
}

const ON_TRANSACTIONS: readonly Action[] = [
  {
    mutation: 'cancelTransaction',
    action: null,
    description:
      'Cancels a transaction before anything is paid or sent. Error `STEP_CONFLICT` after that. Needs the scope `create`; for a withdrawal, `move`.',
    perform: cancelTransaction,
  },
  {
    mutation: 'acceptQuote',
    action: null,
    description:
      'Accepts the quote of a transaction that was created with `accept: false`. Needs the scope `create`; for an offramp from the balance, `move`.',
    perform: acceptQuote,
  },
  {
    mutation: 'confirmIdentity',
    action: 'transaction.confirm_identity',
    description: 'Confirms the customer whom `provideIdentity` named last. Needs the scope `create`.',
    perform: confirmIdentity,
  },
  {
    mutation: 'approveWithdrawal',
    action: 'withdrawal.approve',
    description:
      'Approves a withdrawal as the second approver. The key must differ from the one that created it, and neither may have made the other, directly or through other keys. Needs the scope `move`.',
    perform: approveWithdrawal,
  },
  {
    mutation: 'rejectWithdrawal',
    action: 'withdrawal.reject',
    description: 'Rejects a withdrawal that waits for approval, and ends it. Needs the scope `move`.',
    perform: rejectWithdrawal,
  },
  {
    mutation: 'rejectMoneyOut',
    action: 'money_out.reject',
    description: 'Rejects money out in `approvals`, of any kind: nothing leaves. Needs the scope `move`.',
    perform: rejectMoneyOut,
  },
];

/** Defines the mutations that change a transaction; each returns its new state. */
export function defineActions(
  builder: Builder,
  transaction: TransactionRef,
  pixKeyType: PixKeyTypeRef,
): void {
  for (const action of ON_TRANSACTIONS) defineAction(builder, transaction, action);
  defineApproveMoneyOut(builder, transaction);
  defineHolds(builder, transaction);
  defineStepUps(builder, transaction);
  defineEnterAmount(builder, transaction);
  defineProvideIdentity(builder, transaction, pixKeyType);
  defineResolveDeposit(builder, transaction);
}

function defineAction(builder: Builder, transaction: TransactionRef, mutated: Action): void {
  const { mutation, action, description, perform } = mutated;
  defineMutation(builder, mutation, {
    result: ['transaction', transaction],
    description,
    input: (t) => ({
      end2end: t.string({ required: true, description: DESCRIPTIONS.end2end }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      move(context, { mutation, action, args }, (attempt) =>
        perform(context, { end2end: args.end2end, attempt }),
      ),
  });
}

function defineApproveMoneyOut(builder: Builder, transaction: TransactionRef): void {
  const mutation = 'approveMoneyOut';
  defineMutation(builder, mutation, {
    result: ['transaction', transaction],
    description:
      'Approves money out in `approvals`, of any kind. The key must differ from the requesting one and from each approving one, and none may have made another, directly or through other keys. Error `STEP_CONFLICT` if another request than that of `requestedAt` waits by now. Needs the scope `move`.',
    input: (t) => ({
      end2end: t.string({ required: true, description: DESCRIPTIONS.end2end }),
      requestedAt: t.field({
        type: 'DateTime',
        description:
          '`requestedAt` of the approval that you read, because its maker can replace it by another amount or destination. If missing, any request of the transaction is approved.',
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      move(context, { mutation, action: 'money_out.approve', args }, (attempt) =>
        approveMoneyOut(context, { end2end: args.end2end, attempt }, args.requestedAt),
      ),
  });
}

/** The platform decides about screening holds, on the account that it names. */
function defineHolds(builder: Builder, transaction: TransactionRef): void {
  const needed = (action: ActionName) => `Needs the scope \`${ACTIONS[action].scope}\`.`;
  defineMutation(builder, 'releaseHold', {
    result: ['transaction', transaction],
    description: `Releases a transaction that compliance screening holds; it continues. The deposit of an \`offramp_instant\` is credited to the balance instead, and nothing is paid out. A transaction of a sanctioned person is frozen: it continues after the releases of two people whose access lasts. ${needed('hold.release')}`,
    input: (t) => ({
      account: t.string({ required: true, description: DESCRIPTIONS.actedOn }),
      end2end: t.string({ required: true, description: DESCRIPTIONS.end2end }),
      reason: t.string(REASON_ARGUMENT),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const own = await contextOnAccount(context, 'hold.release', args.account);
      return move(own, { mutation: 'releaseHold', action: 'hold.release', args }, (attempt) =>
        releaseHold(own, { end2end: args.end2end, attempt }, reasonOf(args), checksOf(own)),
      );
    },
  });
  defineMutation(builder, 'rejectHold', {
    result: ['transaction', transaction],
    description: `Rejects a transaction that compliance screening holds; the paid or reserved amount is returned. Error \`LIMIT_EXCEEDED\` when a deposit does not cover the network fee: it can be released. Error \`STEP_CONFLICT\` for money of a sanctioned person, which is frozen. ${needed('hold.reject')}`,
    input: (t) => ({
      account: t.string({ required: true, description: DESCRIPTIONS.actedOn }),
      end2end: t.string({ required: true, description: DESCRIPTIONS.end2end }),
      reason: t.string(REASON_ARGUMENT),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const own = await contextOnAccount(context, 'hold.reject', args.account);
      return move(own, { mutation: 'rejectHold', action: 'hold.reject', args }, (attempt) =>
        rejectHold(own, { end2end: args.end2end, attempt }, reasonOf(args), checksOf(own)),
      );
    },
  });
}

/** The platform decides about step-ups, on the account that it names. */
const STEP_UPS = {
  approveStepUp: [
    'step_up.approve',
    'Approves the extra verification of a customer or payee; the transaction continues, and the customer counts as verified.',
  ],
  denyStepUp: [
    'step_up.deny',
    'Denies the extra verification of a customer or payee; the transaction ends, and what was paid or reserved goes back.',
  ],
} as const;

function defineStepUps(builder: Builder, transaction: TransactionRef): void {
  for (const [mutation, [action, description]] of Object.entries(STEP_UPS))
    defineMutation(builder, mutation, {
      result: ['transaction', transaction],
      description: `${description} Error \`STEP_CONFLICT\` unless it waits for that decision. Needs the scope \`${ACTIONS[action].scope}\`.`,
      input: (t) => ({
        account: t.string({ required: true, description: DESCRIPTIONS.actedOn }),
        end2end: t.string({ required: true, description: DESCRIPTIONS.end2end }),
        reason: t.string(REASON_ARGUMENT),
        idempotencyKey: t.string(KEY_ARGUMENT),
      }),
      resolve: async (args, context) => {
        const own = await contextOnAccount(context, action, args.account);
        return move(own, { mutation, action, args }, (attempt) =>
          decideStepUp(
            own,
            { end2end: args.end2end, attempt },
            action === 'step_up.approve',
            reasonOf(args),
            checksOf(own),
          ),
        );
      },
    });
}

function defineEnterAmount(builder: Builder, transaction: TransactionRef): void {
  defineMutation(builder, 'enterAmount', {
    result: ['transaction', transaction],
    description:
      'Sets the amount of a checkout session that was created without one. The session ends when the amount cannot be priced. Needs the scope `create`.',
    input: (t) => ({
      end2end: t.string({ required: true, description: DESCRIPTIONS.end2end }),
      amountPayment: t.field({
        type: 'Decimal',
        required: true,
        description: `BRL that the customer pays, above 0, at most 2 decimals and ${AMOUNT_LENGTH_MAX} characters.`,
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      move(context, { mutation: 'enterAmount', action: 'transaction.enter_amount', args }, (attempt) =>
        enterAmountOf(
          context,
          { end2end: args.end2end, attempt },
          { name: 'input.amountPayment', value: args.amountPayment },
        ),
      ),
  });
}

function defineProvideIdentity(
  builder: Builder,
  transaction: TransactionRef,
  pixKeyType: PixKeyTypeRef,
): void {
  defineMutation(builder, 'provideIdentity', {
    result: ['transaction', transaction],
    description:
      'Names the customer or payee that a transaction waits for. The transaction ends when that person is over the daily limit. Needs the scope `create`; for an offramp from the balance, `move`.',
    input: (t) => ({
      end2end: t.string({ required: true, description: DESCRIPTIONS.end2end }),
      clientName: t.string({
        required: true,
        description: bounded('Full name of the customer or payee.', NAME_LENGTH_MAX),
      }),
      clientTaxId: t.string({ required: true, description: DESCRIPTIONS.clientTaxId }),
      pixKey: t.string({
        description: 'PIX key of a payee. Required for offramps, not accepted otherwise.',
      }),
      pixKeyType: t.field({ type: pixKeyType, description: DESCRIPTIONS.pixKeyType }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      move(context, { mutation: 'provideIdentity', action: null, args }, (attempt) => {
        const identity = {
          clientName: named('input.clientName', args.clientName),
          clientTaxId: named('input.clientTaxId', args.clientTaxId),
          pixKey: named('input.pixKey', args.pixKey),
          pixKeyType: named('input.pixKeyType', args.pixKeyType),
        };
        return provideIdentity(context, { end2end: args.end2end, attempt }, identity, checksOf(context));
      }),
  });
}

function defineResolveDeposit(builder: Builder, transaction: TransactionRef): void {
  const resolution = builder.enumType('DepositResolution', {
    description:
      'Resolution of a deposit that is held because its amount was wrong, it was late, or the payout failed.',
    values: {
      KEEP: { value: 'keep', description: 'Credit the deposit to the balance, unconverted.' },
      REFUND: { value: 'refund', description: 'Send the deposit back on-chain, less the network fee.' },
      REQUOTE: { value: 'requote', description: 'Convert the deposit at a new price and pay it out.' },
    } as const,
  });
  defineMutation(builder, 'resolveDeposit', {
    result: ['transaction', transaction],
    description:
      'Decides about the held deposit of an offramp: keep, refund or re-quote it. Needs the scope `move`.',
    input: (t) => ({
      end2end: t.string({ required: true, description: DESCRIPTIONS.end2end }),
      resolution: t.field({ type: resolution, required: true, description: 'Resolution of the deposit.' }),
      address: t.string({
        description: 'Address that a refund is sent to. Default: the address that the deposit came from.',
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      move(context, { mutation: 'resolveDeposit', action: 'deposit.resolve', args }, (attempt) => {
        const address = named('input.address', args.address);
        return resolveDeposit(
          context,
          { end2end: args.end2end, attempt },
          args.resolution,
          address,
          checksOf(context),
        );
      }),
  });
}

async function move(context: GraphqlContext, keyed: Keyed, work: (attempt: Attempt) => Promise<ProcessRow>) {
  return (await moveOnce(context, keyed, work)).row as never;
}
