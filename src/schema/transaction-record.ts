/**
 * Recorded facts of a transaction for authorities: `Transaction.record`, the input of creations, `recordFacts` and
 * `correctFacts`.
 */
import { ACTIONS } from '../base/access/actions.ts';
import { isoMillis } from '../base/time/instant.ts';
import { type CreationChecks, checksOf } from '../resolvers/checks/check-creation.ts';
import { contextOnAccount } from '../resolvers/checks/context-on-account.ts';
import { NAME_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import type { Attempt } from '../resolvers/checks/once.ts';
import {
  checkRecord,
  type RecordInput,
  recordFacts,
  recordingFacts,
  USD_DIGITS,
} from '../resolvers/orders/record-facts.ts';
import type { RecordFacts, TransactionRecord, WalletCustody } from '../store/engine/transaction-records.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import type { InputFields } from './creation.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { defineMutation } from './mutation.ts';
import type { TransactionRef } from './transaction.ts';

const TEXTS = {
  walletHolder: `Owner of the wallet: name of a person or business, at most ${NAME_LENGTH_MAX} characters.`,
  walletVasp: `Provider of virtual-asset services (VASP) that holds the wallet, at most ${NAME_LENGTH_MAX} characters.`,
  walletCountry: 'Country of the wallet: two letters of ISO 3166-1, such as `BR`.',
  purposeCode: 'Code of the purpose of the operation, 5 digits.',
  counterpartyCountry: 'Country of the counterparty: two letters of ISO 3166-1, such as `BR`.',
} as const;
type TextName = keyof typeof TEXTS;
const NAMES = Object.keys(TEXTS) as readonly TextName[];
const CUSTODY = 'Whether the owner or a provider holds the wallet.';

/** The facts in the form of the GraphQL input. */
export type RecordArgument = RecordValues | null | undefined;

type RecordValues = { readonly [Name in TextName | 'usdValue']?: string | null | undefined } & {
  readonly walletCustody?: WalletCustody | null | undefined;
  readonly usdValueAt?: Date | null | undefined;
};

/**
 * Defines `TransactionRecord`, `Transaction.record`, `recordFacts` and `correctFacts`.
 *
 * @returns the input of the recorded facts.
 */
export function defineTransactionRecord(builder: Builder, transaction: TransactionRef) {
  const custody = defineCustody(builder);
  const record = defineType(builder, custody);
  builder.prismaInterfaceField(transaction, 'record', (t) =>
    t.field({
      type: record,
      nullable: true,
      description:
        'Facts recorded for reports to authorities; null if there are none. Data, not an official file.',
      complexity: 5,
      resolve: (row, _args, { loaders }) => loaders.record.load(row),
    }),
  );
  const input = defineInput(builder, custody);
  defineMutations(builder, transaction, custody);
  return input;
}

function defineCustody(builder: Builder) {
  return builder.enumType('WalletCustody', {
    description: 'Holder of the keys of a wallet.',
    values: {
      SELF_CUSTODY: { value: 'self_custody', description: 'Its owner.' },
      CUSTODIAL: { value: 'custodial', description: 'A provider.' },
    } as const satisfies Record<string, { value: WalletCustody; description: string }>,
  });
}

type CustodyRef = ReturnType<typeof defineCustody>;

const RECORDED =
  'Recorded facts for reports to authorities. Later, members that are not given stay as they are, and null takes one away.';

function defineInput(builder: Builder, custody: CustodyRef) {
  return builder.inputType('TransactionRecordInput', {
    description: RECORDED,
    fields: (t) => recordFields(t, custody),
  });
}

function recordFields(t: InputFields, custody: CustodyRef) {
  return {
    walletCustody: t.field({ type: custody, description: CUSTODY }),
    ...(Object.fromEntries(NAMES.map((name) => [name, t.string({ description: TEXTS[name] })])) as Record<
      TextName,
      ReturnType<InputFields['string']>
    >),
    usdValue: t.field({
      type: 'Decimal',
      description: `Value in USD, with \`usdValueAt\`. At most ${USD_DIGITS.whole} digits before the point and ${USD_DIGITS.decimals} decimals. At creation, default: by the rate of USD, where a source of rates has one.`,
    }),
    usdValueAt: t.field({ type: 'DateTime', description: 'The time for which `usdValue` was computed.' }),
  };
}

/** The input type of the recorded facts. */
export type TransactionRecordInputRef = ReturnType<typeof defineInput>;

/** Defines the member of the input of a creation. */
export function recordField(t: InputFields, input: TransactionRecordInputRef) {
  return t.field({ type: input, description: 'Facts to record for reports to authorities.' });
}

/** @returns the attempt at a creation that stores the given facts, if any; their violations are collected. */
export async function withRecord(
  context: GraphqlContext,
  attempt: Attempt,
  values: RecordArgument,
  checks: CreationChecks,
): Promise<Attempt> {
  if (!values || attempt.made !== null) return attempt;
  return recordingFacts(context, attempt, checked(checks, values, 'input.record'));
}

function checked(checks: CreationChecks, values: RecordValues, path: string): Partial<RecordFacts> {
  const texts = [...NAMES, 'usdValue' as const].map((name) => {
    const value = values[name];
    return [name, value == null ? value : { name: `${path}.${name}`, value }];
  });
  const { walletCustody, usdValueAt } = values;
  const input: RecordInput = { walletCustody, usdValueAt, ...Object.fromEntries(texts) };
  return checkRecord(checks, input, {
    usdValue: `${path}.usdValue`,
    usdValueAt: `${path}.usdValueAt`,
  });
}

function defineMutations(builder: Builder, transaction: TransactionRef, custody: CustodyRef): void {
  const what =
    'Records facts of a transaction for reports to authorities, or corrects them, at any step; the audit log keeps the old values.';
  defineMutation(builder, 'recordFacts', {
    result: ['transaction', transaction],
    description: `${what} Needs the scope \`${ACTIONS['facts.record'].scope}\`.`,
    inputDescription: RECORDED,
    input: (t) => ({
      end2end: t.string({ required: true, description: DESCRIPTIONS.end2end }),
      ...recordFields(t, custody),
    }),
    resolve: (args, context) => {
      const checks = checksOf(context);
      const facts = checked(checks, args, 'input');
      return recordFacts(context, 'facts.record', args.end2end, facts, checks) as never;
    },
  });
  defineMutation(builder, 'correctFacts', {
    result: ['transaction', transaction],
    description: `${what} Needs the scope \`${ACTIONS['facts.correct'].scope}\`.`,
    inputDescription: RECORDED,
    input: (t) => ({
      account: t.string({ required: true, description: DESCRIPTIONS.actedOn }),
      end2end: t.string({ required: true, description: DESCRIPTIONS.end2end }),
      ...recordFields(t, custody),
    }),
    resolve: async (args, context) => {
      const own = await contextOnAccount(context, 'facts.correct', args.account);
      const checks = checksOf(own);
      const facts = checked(checks, args, 'input');
      return recordFacts(own, 'facts.correct', args.end2end, facts, checks) as never;
    },
  });
}

function defineType(builder: Builder, custody: CustodyRef) {
  return builder.objectRef<TransactionRecord>('TransactionRecord').implement({
    description: 'Recorded facts of a transaction for reports to authorities; null where nothing is known.',
    fields: (t) => ({
      walletCustody: t.expose('walletCustody', { type: custody, nullable: true, description: CUSTODY }),
      ...(Object.fromEntries(
        NAMES.map((name) => [name, t.exposeString(name, { nullable: true, description: TEXTS[name] })]),
      ) as object),
      usdValue: t.expose('usdValue', { type: 'Decimal', nullable: true, description: 'Value in USD.' }),
      usdValueAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'The time for which `usdValue` was computed.',
        resolve: ({ usdValueAt }) => usdValueAt && isoMillis(usdValueAt),
      }),
      usdRate: t.expose('usdRate', {
        type: 'Decimal',
        nullable: true,
        description: 'BRL for one USD, the rate of the value; null if the value was given.',
      }),
    }),
  });
}
