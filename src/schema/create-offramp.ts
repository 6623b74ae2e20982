/** The mutation that pays a person by PIX out of crypto: `createOfframp`. */

import { depositUri } from '../base/pages/pay-links.ts';
import { type CreationChecks, checksOf } from '../resolvers/checks/check-creation.ts';
import { OFFRAMP_MEMBERS } from '../resolvers/checks/creation-members.ts';
import { createOfframp, type OfframpInput, PAYEE } from '../resolvers/orders/create-offramp.ts';
import { AMOUNT_PATHS, type AmountInputRefs, namedAmount } from './amount-input.ts';
import type { Builder } from './builder.ts';
import { memberFields, membersWithout, replayedField, rowOf, templateField } from './creation.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { defineMutation } from './mutation.ts';
import { namedMembers, pathsOf } from './named.ts';
import { KEY_ARGUMENT, moveOnce } from './once.ts';
import type { PixKeyTypeRef } from './pix-key-type.ts';
import type { TemplateRef } from './template.ts';
import type { TransactionRef } from './transaction.ts';
import { recordField, type TransactionRecordInputRef, withRecord } from './transaction-record.ts';

const NAMES = {
  ...pathsOf('input', ['currency', ...PAYEE]),
  amountPaid: AMOUNT_PATHS.crypto,
  amountSent: AMOUNT_PATHS.brl,
};

interface Refs {
  readonly template: TemplateRef;
  readonly pixKeyType: PixKeyTypeRef;
  readonly record: TransactionRecordInputRef;
  readonly orderAmount: AmountInputRefs['orderAmount'];
}

/** Defines `Mutation.createOfframp`. */
export function defineOfframpCreation(builder: Builder, transaction: TransactionRef, refs: Refs): void {
  const source = defineSource(builder);
  defineMutation(builder, 'createOfframp', {
    result: ['transaction', transaction],
    resultOf: rowOf,
    more: (t) => ({
      replayed: replayedField(t),
      depositUri: t.string({
        nullable: true,
        description:
          'Link that opens a wallet with the address and the exact amount of the deposit. Null when no deposit is expected yet, or the network has no such form.',
        resolve: ({ result }) => (result && depositUri(result.row)) ?? null,
      }),
    }),
    description:
      'Creates an offramp: crypto is debited from the balance or deposited on-chain, and a payee receives BRL by PIX. Needs the scope `create`; for an offramp from the balance `move`, unless it has `accept: false`.',
    inputDescription:
      'An offramp. Give all data of the payee (`pixKey`, `pixKeyType`, `clientName`, `clientTaxId`), or none and name the payee later by `provideIdentity`.',
    input: (t) => ({
      ...memberFields(t, membersWithout(OFFRAMP_MEMBERS, ['amountPaid', 'amountSent']), {
        from: source,
        pixKeyType: refs.pixKeyType,
      }),
      amount: t.field({ type: refs.orderAmount, required: true, description: 'Amount of the order.' }),
      template: templateField(t, refs.template),
      accept: t.boolean({ required: true, defaultValue: true, description: DESCRIPTIONS.accept }),
      record: recordField(t, refs.record),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) => {
      const { accept, amount, record, idempotencyKey: _key, ...members } = args;
      const keyed = { mutation: 'createOfframp', action: null, args } as const;
      return moveOnce(context, keyed, async (attempt) => {
        const { brl, crypto, quoteId } = namedAmount(amount);
        const member = {
          ...namedMembers<OfframpInput>('input', members),
          ...{ amountPaid: crypto, amountSent: brl, quoteId },
        };
        const checks = checksOf(context);
        refuseHalfPayee(checks, member);
        const options = { names: NAMES, isAccepted: accept, needsPayee: false };
        const stored = await withRecord(context, attempt, record, checks);
        return createOfframp(context, stored, member, checks, options);
      });
    },
  });
}

function defineSource(builder: Builder) {
  return builder.enumType('OfframpSource', {
    description: 'Source of the crypto of an offramp.',
    values: {
      BALANCE: { value: 'balance', description: 'The balance of the account is debited.' },
      EXTERNAL: { value: 'external', description: 'A payer deposits the exact amount on-chain.' },
    } as const,
  });
}

/** A payee must be complete or missing: with a partial one, the process could neither request the rest nor continue. */
function refuseHalfPayee(checks: CreationChecks, input: OfframpInput): void {
  const member = PAYEE.find((name) => input[name]);
  if (!member) return;
  for (const name of PAYEE)
    if (!input[name])
      checks.add({ parameter: NAMES[name], message: `is required together with ${NAMES[member]}` });
}
