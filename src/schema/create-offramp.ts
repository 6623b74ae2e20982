/** The mutation that pays somebody by PIX out of crypto: `createOfframp`. */
import { type CreationChecks, checksOf } from '../resolvers/check-creation.ts';
import { createOfframp, type OfframpInput } from '../resolvers/create-offramp.ts';
import { depositUri } from '../resolvers/pay-links.ts';
import type { Builder } from './builder.ts';
import { DESCRIPTIONS, definePayload, refuseBesides, sessionFields } from './creation.ts';
import { namedMembers, pathsOf } from './named.ts';
import { KEY_ARGUMENT, moveOnce } from './once.ts';
import type { TransactionRef } from './transaction.ts';

const PAYEE = ['pixKey', 'pixKeyType', 'clientName', 'clientTaxId'] as const;
const NAMES = pathsOf('input', ['amountPaid', 'amountSent', 'currency', ...PAYEE]);

/** Defines `Mutation.createOfframp`. */
export function defineOfframpCreation(builder: Builder, transaction: TransactionRef): void {
  const input = defineInput(builder);
  const payload = definePayload(builder, transaction, 'CreateOfframpPayload');
  builder.objectField(payload, 'depositUri', (t) =>
    t.string({
      nullable: true,
      description:
        'What wallets open to make the deposit; null where there is none to make (yet), or its network has no such form.',
      resolve: ({ row }) => depositUri(row) ?? null,
    }),
  );
  builder.mutationField('createOfframp', (t) =>
    t.field({
      type: payload,
      description:
        'Makes an offramp: crypto is debited or deposited, a payee gets BRL. Needs the scope `create`.',
      args: { input: t.arg({ type: input, required: true }), idempotencyKey: t.arg.string(KEY_ARGUMENT) },
      resolve: (_root, args, context) => {
        const { accept, ...members } = args.input;
        const keyed = { mutation: 'createOfframp', scope: 'create', args } as const;
        return moveOnce(context, keyed, (attempt) => {
          const given = namedMembers<OfframpInput>('input', members);
          const checks = checksOf(context);
          refuseBesides(checks, given.quoteId, [given.amountPaid, given.amountSent]);
          refuseHalfPayee(checks, given);
          const options = { names: NAMES, isAccepted: accept, needsPayee: false };
          return createOfframp(context, attempt, given, checks, options);
        });
      },
    }),
  );
}

function defineInput(builder: Builder) {
  const source = builder.enumType('OfframpSource', {
    description: 'Where the crypto of an offramp comes from.',
    values: {
      BALANCE: { value: 'balance', description: 'The balance of the account.' },
      EXTERNAL: { value: 'external', description: 'A deposit of an exact amount.' },
    } as const,
  });
  return builder.inputType('CreateOfframpInput', {
    description: 'An offramp of one of the amounts, or of a quote.',
    fields: (t) => ({
      amountPaid: t.field({ type: 'Decimal', description: 'Crypto that is paid.' }),
      amountSent: t.field({
        type: 'Decimal',
        description: 'BRL that the payee receives; instead of `amountPaid`.',
      }),
      currency: t.string({ required: true, description: `What is paid. ${DESCRIPTIONS.currency}` }),
      from: t.field({ type: source, required: true, defaultValue: 'balance' }),
      pixKey: t.string({
        description: 'PIX key of the payee. The payee is named whole, or later by `provideIdentity`.',
      }),
      pixKeyType: t.string({ description: DESCRIPTIONS.pixKeyType }),
      clientName: t.string({ description: 'Name of the payee.' }),
      clientTaxId: t.string({ description: DESCRIPTIONS.clientTaxId }),
      quoteId: t.string({ description: DESCRIPTIONS.quoteId }),
      accept: t.boolean({ required: true, defaultValue: true, description: DESCRIPTIONS.accept }),
      ...sessionFields(t),
    }),
  });
}

/** A payee of whom only a part is known could neither be asked for any more nor pass. */
function refuseHalfPayee(checks: CreationChecks, input: OfframpInput): void {
  const given = PAYEE.find((name) => input[name]);
  if (!given) return;
  for (const name of PAYEE)
    if (!input[name])
      checks.add({ parameter: NAMES[name], message: `is required together with ${NAMES[given]}` });
}
