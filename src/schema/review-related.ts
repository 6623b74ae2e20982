/** Records that a case leads to: payments of the same customer or wallet, orders that money may be for, other cases. */
import { trimDecimal } from '../base/money/money.ts';
import type { OtherCase } from '../resolvers/review/other-cases.ts';
import { CANDIDATE_DAYS } from '../resolvers/review/payment-candidates.ts';
import type { CaseFile } from '../resolvers/review/read-case.ts';
import { OUTCOMES, type OutcomeSum, type RelatedPayments } from '../resolvers/review/related-payments.ts';
import { OTHER_CASES_MAX } from '../store/account/cases-of-customer.ts';
import { CANDIDATES_MAX, type CandidateRow } from '../store/engine/payment-candidates.ts';
import { RELATED_COUNTED, RELATED_MAX } from '../store/engine/related.ts';
import type { ProcessRow } from '../templates/facts.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { describedValues } from './described-values.ts';
import { isoOf } from './iso-of.ts';
import { describedWith, PLATFORM_ONLY } from './platform-only.ts';
import type { KindRef, ReviewRefs } from './review-item.ts';

const ACCOUNT = 'Identifier of its account.';
const ACCOUNT_NAME = 'Name of the holder of its account.';
const OVER_ALL = 'With the scope `platform:risk`, over all accounts of your mode.';

/** @returns the type of case files, before its fields. */
export function fileRef(builder: Builder) {
  return builder.objectRef<CaseFile>('CaseFile');
}

/** The type of case files. */
export type FileRef = ReturnType<ReturnType<typeof fileRef>['implement']>;

/** Adds the records that a case leads to. */
export function addRelated(builder: Builder, file: FileRef, refs: ReviewRefs, kind: KindRef): void {
  const { transaction } = refs;
  const types = {
    related: defineRelated(builder, transaction),
    candidate: defineCandidate(builder, transaction),
    otherCase: defineOtherCase(builder, kind),
  };
  addFields(builder, file, types);
}

function addFields(
  builder: Builder,
  file: FileRef,
  {
    related,
    candidate,
    otherCase,
  }: {
    readonly related: ReturnType<typeof defineRelated>;
    readonly candidate: ReturnType<typeof defineCandidate>;
    readonly otherCase: ReturnType<typeof defineOtherCase>;
  },
): void {
  builder.objectFields(file, (t) => ({
    samePayer: t.field({
      type: related,
      ...describedWith('Other transactions of your account with the same customer.', OVER_ALL),
      resolve: (row) => row.samePayer,
    }),
    sameWallet: t.field({
      type: related,
      ...describedWith('Other transactions of your account with the same wallet.', OVER_ALL),
      resolve: (row) => row.sameWallet,
    }),
    candidates: t.field({
      type: [candidate],
      ...PLATFORM_ONLY,
      complexity: { field: 1, multiplier: CANDIDATES_MAX },
      description: `Of money in suspense, orders of any account that it may be for, created within ${CANDIDATE_DAYS} days and open, expired or cancelled; the best first, at most ${CANDIDATES_MAX}. For the operator.`,
      resolve: (row) => [...row.candidates],
    }),
    otherCases: t.field({
      type: [otherCase],
      complexity: { field: 1, multiplier: 5 },
      ...describedWith(
        `Other cases of the same customer in your account, newest first; at most ${OTHER_CASES_MAX}. Decisions about transactions need \`admin\`.`,
        `${OVER_ALL} A scope of the platform stands for \`admin\`.`,
      ),
      resolve: (row) => [...row.otherCases],
    }),
  }));
}

function nameOf({ accountId }: { readonly accountId: bigint }, { loaders }: GraphqlContext) {
  return loaders.accountName.load(accountId);
}

function defineRelated(builder: Builder, transaction: ReviewRefs['transaction']) {
  const payment = builder.objectRef<ProcessRow>('RelatedPayment').implement({
    description: 'A transaction with its account.',
    fields: (t) => ({
      account: t.string({ description: ACCOUNT, resolve: ({ accountId }) => String(accountId) }),
      accountName: t.string({
        nullable: true,
        description: ACCOUNT_NAME,
        resolve: (row, _args, context) => nameOf(row, context),
      }),
      transaction: t.field({
        type: transaction,
        description: 'The transaction.',
        resolve: (row) => row as never,
      }),
    }),
  });
  const outcome = builder.enumType('PaymentOutcome', {
    description: 'Outcome of a transaction.',
    values: Object.fromEntries(
      Object.entries(OUTCOMES).map(([value, description]) => [value, { description }]),
    ),
  });
  const sums = builder.objectRef<OutcomeSum>('OutcomeSum').implement({
    description: 'Number and BRL of transactions that have ended alike.',
    fields: (t) => ({
      outcome: t.field({
        type: outcome,
        description: 'Outcome of the transactions.',
        resolve: (row) => row.outcome as never,
      }),
      count: t.exposeInt('count', { description: 'Number of transactions.' }),
      brl: t.field({
        type: 'Decimal',
        description: 'Their BRL; those without BRL add nothing.',
        resolve: ({ brl }) => trimDecimal(brl),
      }),
    }),
  });
  return builder.objectRef<RelatedPayments>('RelatedPayments').implement({
    description: 'Transactions that have something in common with a case.',
    fields: (t) => ({
      payments: t.field({
        type: [payment],
        complexity: { field: 1, multiplier: RELATED_MAX },
        description: `The newest, newest first; at most ${RELATED_MAX}.`,
        resolve: ({ rows }) => [...rows],
      }),
      accounts: t.exposeInt('accounts', { description: 'Number of accounts that have any.' }),
      sums: t.field({
        type: [sums],
        description: `Sums over all of them by outcome, the most first; of each list of an account the newest ${RELATED_COUNTED} count.`,
        resolve: (row) => [...row.sums],
      }),
    }),
  });
}

function defineCandidate(builder: Builder, transaction: ReviewRefs['transaction']) {
  const reason = builder.enumType('CandidateReason', {
    ...PLATFORM_ONLY,
    description: 'Reason for which money may be for an order.',
    values: describedValues({
      same_payer: 'Its customer has the CPF or CNPJ of the payer.',
      same_address: 'Its wallet is the address that the money came from.',
      same_name: 'Its customer has the name of the payer, in any order of words.',
      same_amount: 'It waits for exactly this amount.',
      near_amount: 'It waits for an amount that differs by 5 % at most.',
      same_bank: 'Its customer paid from the bank of the payer before.',
    }),
  });
  return builder.objectRef<CandidateRow>('PaymentCandidate').implement({
    ...PLATFORM_ONLY,
    description: 'An order that money in suspense may be for.',
    fields: (t) => ({
      account: t.string({ description: ACCOUNT, resolve: ({ accountId }) => String(accountId) }),
      accountName: t.string({
        nullable: true,
        description: ACCOUNT_NAME,
        resolve: (row, _args, context) => nameOf(row, context),
      }),
      isOpen: t.exposeBoolean('isOpen', { description: 'Whether it can still be paid.' }),
      reasons: t.field({
        type: [reason],
        description: 'Reasons, the strongest first.',
        resolve: (row) => [...row.reasons] as never,
      }),
      transaction: t.field({
        type: transaction,
        description: 'The order.',
        resolve: (row) => row as never,
      }),
    }),
  });
}

function defineOtherCase(builder: Builder, kind: KindRef) {
  return builder.objectRef<OtherCase>('OtherCase').implement({
    description: 'Another case of the same customer.',
    fields: (t) => ({
      caseKey: t.exposeString('id', { description: 'Key of the case, for `reviewCase`.' }),
      kind: t.field({ type: kind, description: 'Kind.', resolve: (row) => row.kind as never }),
      account: t.string({ description: ACCOUNT, resolve: ({ accountId }) => String(accountId) }),
      accountName: t.string({
        nullable: true,
        description: ACCOUNT_NAME,
        resolve: (row, _args, context) => nameOf(row, context),
      }),
      title: t.exposeString('title', {
        nullable: true,
        description: 'Customer, entry of a list, reason of a bank, or `end2end` of its transaction.',
      }),
      at: t.field({
        type: 'DateTime',
        description: 'When it was decided; when it began if it was not.',
        resolve: ({ at }) => isoOf(at),
      }),
      decision: t.exposeString('decision', {
        nullable: true,
        description:
          'Its state, or the name of the last action that decided its transaction; null where there are notes only.',
      }),
      notes: t.exposeInt('notes', { description: 'Number of notes of people of your account about it.' }),
      files: t.exposeInt('files', { description: 'Number of its files.' }),
    }),
  });
}
