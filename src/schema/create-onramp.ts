/** The mutations that let a customer pay by PIX: `createCheckout`, `createOnramp`. */

import { hostedPage, qrImage } from '../base/pay-links.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { CHECKOUT_MEMBERS, ONRAMP_MEMBERS } from '../resolvers/checks/creation-members.ts';
import { createOnramp, type OnrampInput, type OnrampOptions } from '../resolvers/orders/create-onramp.ts';
import { FAMILY_TRAITS } from '../templates/families.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { definePayload, type InputFields, memberFields, refuseBesides, templateField } from './creation.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { namedMembers, pathsOf } from './named.ts';
import { type Done, KEY_ARGUMENT, moveOnce } from './once.ts';
import type { TemplateRef } from './template.ts';
import type { TransactionRef } from './transaction.ts';
import {
  type RecordGiven,
  recordField,
  type TransactionRecordInputRef,
  withRecord,
} from './transaction-record.ts';

const NAMES = pathsOf('input', ['amountPayment', 'amountReceived', 'currency', 'clientName', 'clientTaxId']);

interface Refs {
  readonly template: TemplateRef;
  readonly record: TransactionRecordInputRef;
}

/** Defines `Mutation.createCheckout` and `Mutation.createOnramp`. */
export function defineOnrampCreations(builder: Builder, transaction: TransactionRef, refs: Refs): void {
  defineCreateCheckout(builder, transaction, refs);
  defineCreateOnramp(builder, transaction, refs);
}

function defineCreateCheckout(builder: Builder, transaction: TransactionRef, refs: Refs): void {
  const input = builder.inputType('CreateCheckoutInput', {
    description:
      'A checkout session on a hosted page. Data that is not given here is entered there by the customer, or given by the caller with `provideIdentity`.',
    fields: (t) => ({ ...memberFields(t, CHECKOUT_MEMBERS), ...inputFields(t, refs) }),
  });
  const payload = definePayload(builder, transaction, 'CreateCheckoutPayload');
  builder.objectField(payload, 'paymentLink', (t) =>
    t.string({
      description: 'URL of the hosted page: send the customer there.',
      resolve: ({ row }, _args, context) => hostedPage(context, row),
    }),
  );
  addPixFields(builder, payload);
  builder.mutationField('createCheckout', (t) =>
    t.field({
      type: payload,
      description:
        'Creates a checkout session: the customer pays BRL by PIX, crypto is credited to the balance. Needs the scope `create`.',
      args: {
        input: t.arg({ type: input, required: true, description: 'The order.' }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: (_root, args, context) =>
        create(context, 'createCheckout', args, { family: 'checkouts', needsAmount: false }),
    }),
  );
}

function defineCreateOnramp(builder: Builder, transaction: TransactionRef, refs: Refs): void {
  const input = builder.inputType('CreateOnrampInput', {
    description:
      'An onramp. Give one of the two amounts, or a quote. Without `clientTaxId` the process waits for `provideIdentity`.',
    fields: (t) => ({ ...memberFields(t, ONRAMP_MEMBERS), ...inputFields(t, refs) }),
  });
  const payload = definePayload(builder, transaction, 'CreateOnrampPayload');
  addPixFields(builder, payload);
  builder.mutationField('createOnramp', (t) =>
    t.field({
      type: payload,
      description:
        'Creates an onramp: the customer pays BRL by PIX, crypto is credited to the balance or delivered to `wallet`. Needs the scope `create`.',
      args: {
        input: t.arg({ type: input, required: true, description: 'The order.' }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: (_root, args, context) =>
        create(context, 'createOnramp', args, { family: 'onramps', needsAmount: true }),
    }),
  );
}

function inputFields(t: InputFields, { template, record }: Refs) {
  return {
    template: templateField(t, template),
    quoteId: t.string({ description: DESCRIPTIONS.quoteId }),
    accept: t.boolean({ required: true, defaultValue: true, description: DESCRIPTIONS.accept }),
    record: recordField(t, record),
  };
}

function addPixFields(builder: Builder, payload: ReturnType<typeof definePayload>): void {
  builder.objectFields(payload, (t) => ({
    pixCopyPaste: t.string({
      nullable: true,
      description:
        'PIX code to pay (copy and paste); null until the charge exists, which needs an amount and a customer.',
      resolve: ({ row }) => row.process?.brCode ?? null,
    }),
    pixQrSvgUrl: t.string({
      nullable: true,
      description: 'URL of the PIX code as a QR image, SVG; null until the charge exists.',
      resolve: ({ row }, _args, context) => qrImage(context, row),
    }),
  }));
}

interface Args {
  /** With the members of the order besides, which are handed on by name. */
  readonly input: { readonly accept: boolean; readonly record?: RecordGiven };
  readonly idempotencyKey?: string | null | undefined;
}

function create(
  context: GraphqlContext,
  mutation: string,
  args: Args,
  options: Pick<OnrampOptions, 'family' | 'needsAmount'>,
): Promise<Done> {
  const { accept, record, ...members } = args.input;
  return moveOnce(
    context,
    { mutation, act: FAMILY_TRAITS[options.family].acts.create, args },
    async (attempt) => {
      const input = namedMembers<OnrampInput>('input', members);
      const checks = checksOf(context);
      refuseBesides(checks, input.quoteId, [input.amountPayment, input.amountReceived]);
      const kept = await withRecord(context, attempt, record, checks);
      return createOnramp(context, kept, input, checks, {
        ...options,
        names: NAMES,
        isAccepted: accept,
        needsCustomer: false,
      });
    },
  );
}
