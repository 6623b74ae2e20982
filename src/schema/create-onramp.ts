/** The mutations that let a customer pay by PIX: `createCheckout`, `createOnramp`. */
import { checksOf } from '../resolvers/check-creation.ts';
import { createOnramp, type OnrampInput, type OnrampOptions } from '../resolvers/create-onramp.ts';
import { hostedPage, qrImage } from '../resolvers/pay-links.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { DESCRIPTIONS, definePayload, type InputFields, refuseBesides, sessionFields } from './creation.ts';
import { namedMembers, pathsOf } from './named.ts';
import { type Done, KEY_ARGUMENT, moveOnce } from './once.ts';
import type { TransactionRef } from './transaction.ts';

const NAMES = pathsOf('input', ['amountPayment', 'amountReceived', 'currency', 'clientName', 'clientTaxId']);

/** Defines `Mutation.createCheckout` and `Mutation.createOnramp`. */
export function defineOnrampCreations(builder: Builder, transaction: TransactionRef): void {
  defineCreateCheckout(builder, transaction);
  defineCreateOnramp(builder, transaction);
}

function defineCreateCheckout(builder: Builder, transaction: TransactionRef): void {
  const input = builder.inputType('CreateCheckoutInput', {
    description: 'A hosted session. What is not given, the customer enters there.',
    fields: inputFields,
  });
  const payload = definePayload(builder, transaction, 'CreateCheckoutPayload');
  builder.objectField(payload, 'paymentLink', (t) =>
    t.string({
      description: 'URL of the hosted page.',
      resolve: ({ row }, _args, context) => hostedPage(context, row),
    }),
  );
  addPixFields(builder, payload);
  builder.mutationField('createCheckout', (t) =>
    t.field({
      type: payload,
      description:
        'Makes a checkout session: the customer pays by PIX, crypto is credited. Needs the scope `create`.',
      args: { input: t.arg({ type: input, required: true }), idempotencyKey: t.arg.string(KEY_ARGUMENT) },
      resolve: (_root, args, context) =>
        create(context, 'createCheckout', args, { family: 'checkouts', needsAmount: false }),
    }),
  );
}

function defineCreateOnramp(builder: Builder, transaction: TransactionRef): void {
  const input = builder.inputType('CreateOnrampInput', {
    description: 'An onramp of one of the amounts, or of a quote.',
    fields: (t) => ({
      ...inputFields(t),
      wallet: t.string({
        description:
          'Where the crypto is delivered on the network of the currency; to the balance when not given.',
      }),
    }),
  });
  const payload = definePayload(builder, transaction, 'CreateOnrampPayload');
  addPixFields(builder, payload);
  builder.mutationField('createOnramp', (t) =>
    t.field({
      type: payload,
      description:
        'Makes an onramp: the customer pays by PIX, crypto is credited or delivered. Needs the scope `create`.',
      args: { input: t.arg({ type: input, required: true }), idempotencyKey: t.arg.string(KEY_ARGUMENT) },
      resolve: (_root, args, context) =>
        create(context, 'createOnramp', args, { family: 'onramps', needsAmount: true }),
    }),
  );
}

function inputFields(t: InputFields) {
  return {
    amountPayment: t.field({ type: 'Decimal', description: 'BRL that the customer pays.' }),
    amountReceived: t.field({
      type: 'Decimal',
      description: 'Crypto that is received; instead of `amountPayment`.',
    }),
    currency: t.string({ required: true, description: `What is received. ${DESCRIPTIONS.currency}` }),
    clientName: t.string({ description: 'Name of the customer.' }),
    clientTaxId: t.string({
      description: `${DESCRIPTIONS.clientTaxId} Without it the process waits for \`provideIdentity\`.`,
    }),
    quoteId: t.string({ description: DESCRIPTIONS.quoteId }),
    accept: t.boolean({ required: true, defaultValue: true, description: DESCRIPTIONS.accept }),
    ...sessionFields(t),
  };
}

function addPixFields(builder: Builder, payload: ReturnType<typeof definePayload>): void {
  builder.objectFields(payload, (t) => ({
    pixCopyPaste: t.string({
      nullable: true,
      description:
        'The PIX code to pay; null until the charge is made, which customer and amount are needed for.',
      resolve: ({ row }) => row.process?.brCode ?? null,
    }),
    pixQrSvgUrl: t.string({
      nullable: true,
      description: 'URL of the image of the PIX code.',
      resolve: ({ row }, _args, context) => qrImage(context, row),
    }),
  }));
}

interface Args {
  readonly input: Readonly<Record<string, string | number | boolean | null | undefined>> & {
    readonly accept: boolean;
  };
  readonly idempotencyKey?: string | null | undefined;
}

function create(
  context: GraphqlContext,
  mutation: string,
  args: Args,
  options: Pick<OnrampOptions, 'family' | 'needsAmount'>,
): Promise<Done> {
  const { accept, ...members } = args.input;
  return moveOnce(context, { mutation, scope: 'create', args }, (attempt) => {
    const input = namedMembers<OnrampInput>('input', members);
    const checks = checksOf(context);
    refuseBesides(checks, input.quoteId, [input.amountPayment, input.amountReceived]);
    return createOnramp(context, attempt, input, checks, {
      ...options,
      names: NAMES,
      isAccepted: accept,
      needsCustomer: false,
    });
  });
}
