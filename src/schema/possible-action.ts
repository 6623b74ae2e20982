/**
 * PossibleAction: a caller's possible action on a transaction, the input that it takes, and its effects in figures.
 */
import DataLoader from 'dataloader';
import { type GraphQLInputObjectType, type GraphQLSchema, getNamedType, isNonNullType } from 'graphql';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { AMOUNT_LENGTH_MAX, bounded, LISTED_MAX } from '../resolvers/checks/lengths.ts';
import { type PossibleAction, possibleActions } from '../resolvers/engine/possible-actions.ts';
import { previewRefund } from '../resolvers/orders/refund-payment.ts';
import { type ActionEffect, EFFECT_KINDS } from '../templates/action-effects.ts';
import type { ArgumentRule } from '../templates/caller-actions.ts';
import type { ProcessRow } from '../templates/facts.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { type CurrencyRefs, moneyOf } from './currency.ts';
import { describedValues } from './described-values.ts';
import type { LedgerRefs } from './ledger-line.ts';
import type { Loaders } from './loaders.ts';
import { named, refuseLonger } from './named.ts';
import { describedWith } from './platform-only.ts';
import type { ActionRef } from './refusal.ts';
import type { TransactionRef } from './transaction.ts';

/** A member of a mutation's input, as an action needs it. */
interface ActionArgument extends ArgumentRule {
  readonly name: string;
  readonly type: string;
}

type Refs = Pick<CurrencyRefs, 'money'> & Pick<LedgerRefs, 'subAccount'> & { readonly action: ActionRef };

/** Actions by the loaders of a request: those of a page of transactions are computed together. */
const LOADERS = new WeakMap<Loaders, DataLoader<ProcessRow, readonly PossibleAction[]>>();

/** Defines `PossibleAction`, `Transaction.possibleActions` and `Transaction.refundEffects`. */
export function definePossibleActions(builder: Builder, transaction: TransactionRef, refs: Refs): void {
  const effect = defineEffect(builder, refs);
  const action = defineAction(builder, refs.action, effect);
  defineRefundEffects(builder, transaction, effect);
  builder.prismaInterfaceField(transaction, 'possibleActions', (t) =>
    t.field({
      type: [action],
      ...describedWith(
        'The actions that your key or role can take on it now, by its step, the time, your scopes and the rules for approvers. The balance, prices, limits of customers and limits of money out are judged when an action is performed. Empty for imported history.',
        'For another account than your own, only actions of the platform.',
      ),
      args: {
        only: t.arg({
          type: [refs.action],
          description: bounded('Only these actions; default: all.', LISTED_MAX, 'actions'),
        }),
      },
      complexity: ({ only }) => ({ field: 5, multiplier: Math.min(only?.length ?? 4, 4) }),
      resolve: async (row, { only }, context) => {
        refuseLonger('only', only, 'actions');
        const process = await context.loaders.process.load(row);
        const actions = process?.process ? await loaderOf(context).load(process) : [];
        return actions.filter(({ name }) => !only || only.includes(name));
      },
    }),
  );
}

function loaderOf(context: GraphqlContext): DataLoader<ProcessRow, readonly PossibleAction[]> {
  const found = LOADERS.get(context.loaders);
  if (found) return found;
  const made = new DataLoader<ProcessRow, readonly PossibleAction[]>((rows) =>
    possibleActions(context, rows),
  );
  LOADERS.set(context.loaders, made);
  return made;
}

function defineRefundEffects(
  builder: Builder,
  transaction: TransactionRef,
  effect: ReturnType<typeof defineEffect>,
): void {
  builder.prismaInterfaceField(transaction, 'refundEffects', (t) =>
    t.field({
      type: [effect],
      nullable: true,
      description:
        'Exact amounts that `refundPayment` would move now: the refunded one, and the one that the balance is debited. Null if the payment cannot be refunded, or not by this amount. Error `LIMIT_EXCEEDED` above `refundable`.',
      args: {
        amount: t.arg({
          type: 'Decimal',
          description: `BRL to refund, as in \`refundPayment\`: at most 2 decimals and ${AMOUNT_LENGTH_MAX} characters. Default: the whole rest of the payment.`,
        }),
      },
      complexity: { field: 5, multiplier: 4 },
      resolve: async (row, { amount }, context) => {
        const process = await context.loaders.process.load(row);
        if (!process?.process) return null;
        const effects = await previewRefund(context, process, named('amount', amount), checksOf(context));
        return effects && [...effects];
      },
    }),
  );
}

function defineAction(builder: Builder, name: ActionRef, effect: ReturnType<typeof defineEffect>) {
  const argument = defineArgument(builder);
  return builder.objectRef<PossibleAction>('PossibleAction').implement({
    description: 'An action that you can perform on a transaction now.',
    fields: (t) => ({
      action: t.field({ type: name, description: 'The action.', resolve: (row) => row.name }),
      mutation: t.exposeString('mutation', { description: 'Name of the mutation that performs it.' }),
      arguments: t.field({
        type: [argument],
        description: 'Members of the `input` of the mutation for this action.',
        // Maximum number of members, apart from the transaction and the key.
        complexity: { field: 1, multiplier: 4 },
        resolve: (row, _args, _context, { schema }) => argumentsOf(schema, row),
      }),
      needsPasskey: t.exposeBoolean('needsPasskey', {
        description:
          'Whether you must present your passkey first: otherwise the mutation answers `STEP_UP_REQUIRED`. False for keys. A deposit that is sent to another address than its own needs the passkey, too.',
      }),
      effects: t.field({
        type: [effect],
        description:
          'Amounts that it moves with its default input; with the largest amount if `amount` is required. Empty when nothing moves.',
        // Maximum number of effects: a debit, a credit and an outgoing amount; only repeated refunds can have more.
        complexity: { field: 1, multiplier: 3 },
        resolve: async ({ effects }) => [...(await effects())],
      }),
    }),
  });
}

function argumentsOf(schema: GraphQLSchema, { mutation, rules }: PossibleAction): ActionArgument[] {
  const input = schema.getMutationType()?.getFields()[mutation]?.args[0]?.type;
  const members = Object.values(
    (getNamedType(input) as GraphQLInputObjectType | undefined)?.getFields() ?? {},
  );
  return members.flatMap(({ name, type }) => {
    const { isLeftOut, ...rule } = rules[name] ?? {};
    if (isLeftOut) return [];
    const isRequired = isNonNullType(type) || rule.isRequired;
    return [{ name, type: String(type), ...rule, ...(isRequired && { isRequired }) }];
  });
}

function defineArgument(builder: Builder) {
  return builder.objectRef<ActionArgument>('ActionArgument').implement({
    description: 'A member of the input of the mutation of an action.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Name of the member.' }),
      type: t.exposeString('type', {
        description: 'Type that a variable for it must have, such as `String!`.',
      }),
      isRequired: t.boolean({
        description:
          'Whether this action needs it. The type does not show it: a payee needs a PIX key, a customer has none.',
        resolve: (row) => row.isRequired === true,
      }),
      value: t.exposeString('value', {
        nullable: true,
        description: 'The value to send unchanged; null if you choose it.',
      }),
      max: t.expose('max', {
        type: 'Decimal',
        nullable: true,
        description: 'The maximum amount; null if it is no amount, or has no such limit.',
      }),
    }),
  });
}

function defineEffect(
  builder: Builder,
  { money, subAccount }: Pick<CurrencyRefs, 'money'> & Pick<LedgerRefs, 'subAccount'>,
) {
  const kind = builder.enumType('ActionEffectKind', {
    description: 'Movement of an amount by an action.',
    values: describedValues(EFFECT_KINDS),
  });
  return builder.objectRef<ActionEffect>('ActionEffect').implement({
    description: 'An amount that an action moves.',
    fields: (t) => ({
      kind: t.field({ type: kind, description: 'Kind of its movement.', resolve: (row) => row.kind }),
      subAccount: t.field({
        type: subAccount,
        nullable: true,
        description: 'Part of the balance for a credit or debit; null for others.',
        resolve: (row) => row.subAccount,
      }),
      money: t.field({
        type: money,
        nullable: true,
        description:
          'The amount. For an action with a new price, the amount at the current price; null without a price.',
        resolve: ({ amount, currency }) => moneyOf(amount, currency) as never,
      }),
      quote: t.field({
        type: 'Decimal',
        nullable: true,
        description:
          'BRL for one unit of crypto from which `money` was calculated, if the action makes a new price; null for others.',
        resolve: ({ quote }) => quote ?? null,
      }),
    }),
  });
}
