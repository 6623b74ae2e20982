/** The mutations that let a customer pay by PIX: `createCheckout`, `createOnramp`. */

import { hostedPage, qrImage } from '../base/pages/pay-links.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { CHECKOUT_MEMBERS, ONRAMP_MEMBERS } from '../resolvers/checks/creation-members.ts';
import { createOnramp, type OnrampInput, type OnrampOptions } from '../resolvers/orders/create-onramp.ts';
import { FAMILY_TRAITS } from '../templates/families.ts';
import { AMOUNT_PATHS, type AmountInputRefs, type AmountMember, namedAmount } from './amount-input.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import {
  type InputFields,
  memberFields,
  membersWithout,
  type PayloadFields,
  replayedField,
  rowOf,
  templateField,
} from './creation.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { defineMutation } from './mutation.ts';
import { namedMembers, pathsOf } from './named.ts';
import { type Done, KEY_ARGUMENT, moveOnce } from './once.ts';
import type { TemplateRef } from './template.ts';
import type { TransactionRef } from './transaction.ts';
import {
  type RecordArgument,
  recordField,
  type TransactionRecordInputRef,
  withRecord,
} from './transaction-record.ts';

const NAMES = {
  ...pathsOf('input', ['currency', 'clientName', 'clientTaxId']),
  amountPayment: AMOUNT_PATHS.brl,
  amountReceived: AMOUNT_PATHS.crypto,
};

/** Members of `/v2` that `amount` replaces. */
const AMOUNTS = ['amountPayment', 'amountReceived'] as const;

interface Refs {
  readonly template: TemplateRef;
  readonly record: TransactionRecordInputRef;
  readonly orderAmount: AmountInputRefs['orderAmount'];
}

/** Defines `Mutation.createCheckout` and `Mutation.createOnramp`. */
export function defineOnrampCreations(builder: Builder, transaction: TransactionRef, refs: Refs): void {
  defineCreateCheckout(builder, transaction, refs);
  defineCreateOnramp(builder, transaction, refs);
}

function defineCreateCheckout(builder: Builder, transaction: TransactionRef, refs: Refs): void {
  defineMutation(builder, 'createCheckout', {
    result: ['transaction', transaction],
    resultOf: rowOf,
    more: (t) => ({
      replayed: replayedField(t),
      paymentLink: t.string({
        nullable: true,
        description: 'URL of the hosted page: send the customer there.',
        resolve: ({ result }, _args, context) => (result ? hostedPage(context, result.row) : null),
      }),
      ...pixFields(t),
    }),
    description:
      'Creates a checkout session: the customer pays BRL by PIX, crypto is credited to the balance. Needs the scope `create`.',
    inputDescription:
      'A checkout session on a hosted page. Data that is not given here is entered there by the customer, or given by the caller with `provideIdentity`.',
    input: (t) => ({
      ...memberFields(t, membersWithout(CHECKOUT_MEMBERS, AMOUNTS)),
      amount: t.field({
        type: refs.orderAmount,
        description: 'Amount of the order. Default: the customer enters it on the page.',
      }),
      ...inputFields(t, refs),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      create(context, 'createCheckout', args, { family: 'checkouts', needsAmount: false }),
  });
}

function defineCreateOnramp(builder: Builder, transaction: TransactionRef, refs: Refs): void {
  defineMutation(builder, 'createOnramp', {
    result: ['transaction', transaction],
    resultOf: rowOf,
    more: (t) => ({ replayed: replayedField(t), ...pixFields(t) }),
    description:
      'Creates an onramp: the customer pays BRL by PIX, crypto is credited to the balance or delivered to `wallet`. Needs the scope `create`.',
    inputDescription: 'An onramp. Without `clientTaxId` the process waits for `provideIdentity`.',
    input: (t) => ({
      ...memberFields(t, membersWithout(ONRAMP_MEMBERS, AMOUNTS)),
      amount: t.field({ type: refs.orderAmount, required: true, description: 'Amount of the order.' }),
      ...inputFields(t, refs),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      create(context, 'createOnramp', args, { family: 'onramps', needsAmount: true }),
  });
}

function inputFields(t: InputFields, { template, record }: Refs) {
  return {
    template: templateField(t, template),
    accept: t.boolean({ required: true, defaultValue: true, description: DESCRIPTIONS.accept }),
    record: recordField(t, record),
  };
}

function pixFields(t: PayloadFields) {
  return {
    pixCopyPaste: t.string({
      nullable: true,
      description:
        'PIX code to pay (copy and paste); null until the charge exists, which needs an amount and a customer.',
      resolve: ({ result }) => result?.row.process?.brCode ?? null,
    }),
    pixQrSvgUrl: t.string({
      nullable: true,
      description: 'URL of the PIX code as a QR image, SVG; null until the charge exists.',
      resolve: ({ result }, _args, context) => (result ? qrImage(context, result.row) : null),
    }),
  };
}

/** Adds the members of the order, which are passed on by name. */
interface Args {
  readonly accept: boolean;
  readonly amount?: AmountMember | null | undefined;
  readonly record?: RecordArgument;
  readonly idempotencyKey?: string | null | undefined;
}

function create(
  context: GraphqlContext,
  mutation: string,
  args: Args,
  options: Pick<OnrampOptions, 'family' | 'needsAmount'>,
): Promise<Done> {
  const { accept, amount, record, idempotencyKey: _key, ...members } = args;
  return moveOnce(
    context,
    { mutation, action: FAMILY_TRAITS[options.family].permissions.create, args },
    async (attempt) => {
      const { brl, crypto, quoteId } = namedAmount(amount);
      const input = {
        ...namedMembers<OnrampInput>('input', members),
        ...{ amountPayment: brl, amountReceived: crypto, quoteId },
      };
      const checks = checksOf(context);
      const stored = await withRecord(context, attempt, record, checks);
      return createOnramp(context, stored, input, checks, {
        ...options,
        names: NAMES,
        isAccepted: accept,
        needsCustomer: false,
      });
    },
  );
}
