/** MED cases: `Query.medCases`, `Query.medCase`, `Query.medFile`, and the types behind them. */
import { trimDecimal } from '../base/money/money.ts';
import { bounded, LISTED_MAX } from '../resolvers/checks/lengths.ts';
import { blockedBy } from '../resolvers/med/blocked.ts';
import {
  answersTo,
  contentOf,
  filesOf,
  findMedCaseFor,
  findMedFileFor,
  historyOf,
  MED_LISTED_MAX,
  readMedCases,
  transactionOf,
} from '../resolvers/med/read-med-cases.ts';
import { MED_ANALYSES, MED_ANSWER_STATES, type MedAnswer } from '../store/rails/med-answers.ts';
import {
  MED_KINDS,
  MED_STATES,
  type MedCase,
  type MedEvent,
  type MedState,
} from '../store/rails/med-cases.ts';
import type { MedFile } from '../store/rails/med-files.ts';
import type { Builder } from './builder.ts';
import { type CurrencyRefs, moneyOf } from './currency.ts';
import { describedValues } from './described-values.ts';
import { isoOf } from './iso-of.ts';
import { refuseLonger } from './named.ts';
import { nodeType } from './node.ts';
import { countedArguments, countedComplexity, exactConnection, idConnection } from './pagination.ts';
import { describedWith, FOR_ALL, PLATFORM_ONLY } from './platform-only.ts';
import type { TransactionRef } from './transaction.ts';

/** Types that cases lead to. */
interface Refs extends CurrencyRefs {
  readonly transaction: TransactionRef;
}

/** The type of cases. */
export type MedCaseRef = ReturnType<typeof defineCase>;

/** Description of the id of a case. */
export const MED_CASE_ID = 'Identifier of the case, as `MedCase.caseId` has it.';
const LIST_COMPLEXITY = { field: 5, multiplier: 10 };
/** A file is read whole. */
const CONTENT_COMPLEXITY = 50;

/** Defines the types and queries. @returns the type of cases, and that of standpoints. */
export function defineMedCases(builder: Builder, refs: Refs) {
  const state = builder.enumType('MedCaseState', {
    description: 'State of a case of MED.',
    values: describedValues(MED_STATES),
  });
  const analysis = builder.enumType('MedAnalysis', {
    description: 'Standpoint of an answer to a case of MED.',
    values: describedValues(MED_ANALYSES),
  });
  const file = defineFile(builder);
  const answer = defineAnswer(builder, analysis);
  const node = defineCase(builder, refs, { state, file, answer, event: defineEvent(builder) });
  defineList(builder, node, state);
  builder.queryField('medCase', (t) =>
    t.field({
      type: node,
      nullable: true,
      ...describedWith('A case of MED of your account; null where there is none.', FOR_ALL),
      args: { caseId: t.arg.string({ required: true, description: MED_CASE_ID }) },
      resolve: async (_root, { caseId }, context) => (await findMedCaseFor(context, caseId)) ?? null,
    }),
  );
  builder.queryField('medFile', (t) =>
    t.field({
      type: file,
      nullable: true,
      description: 'A file of a case of MED that you may see; null where there is none.',
      args: { fileId: t.arg.string({ required: true, description: 'Identifier of the file.' }) },
      resolve: async (_root, { fileId }, context) => (await findMedFileFor(context, fileId)) ?? null,
    }),
  );
  return { node, analysis };
}

function defineList(builder: Builder, node: MedCaseRef, state: StateRef): void {
  const connection = exactConnection(builder, node, {
    name: 'MedCase',
    page: 'A page of cases of MED.',
    edge: 'A case and its cursor.',
    total: 'Number of all cases that match, not only of this page. Exact.',
  });
  builder.queryField('medCases', (t) =>
    t.field({
      type: connection,
      ...describedWith('Cases of MED of your account, newest first.', FOR_ALL),
      args: {
        account: t.arg.string({
          description: 'Only cases of this account; default: all that you may see.',
          ...PLATFORM_ONLY,
        }),
        end2end: t.arg.string(
          describedWith(
            '`end2end` of a transaction: only cases about it.',
            'The operator gives the account with it; otherwise there are none.',
          ),
        ),
        states: t.arg({
          type: [state],
          description: bounded('Only cases in one of these states; default: all.', LISTED_MAX, 'states'),
        }),
        ...countedArguments(t.arg),
      },
      complexity: countedComplexity,
      resolve: async (_root, { account, end2end, states, ...args }, context) => {
        refuseLonger('states', states, 'states');
        const wanted = {
          account: account ?? null,
          end2end: end2end ?? null,
          states: (states as readonly MedState[] | null | undefined) ?? null,
        };
        return (await idConnection(args, (slice) => readMedCases(context, wanted, slice))) as never;
      },
    }),
  );
}

type StateRef = ReturnType<Builder['enumType']>;

interface Parts {
  readonly state: StateRef;
  readonly file: ReturnType<typeof defineFile>;
  readonly answer: ReturnType<typeof defineAnswer>;
  readonly event: ReturnType<typeof defineEvent>;
}

function defineCase(builder: Builder, { transaction, money }: Refs, parts: Parts) {
  const kind = builder.enumType('MedKind', {
    description: 'Kind of a case of MED.',
    values: describedValues(MED_KINDS),
  });
  const node = caseRef(builder).implement({
    interfaces: [nodeOfCase(builder)],
    description:
      'A case of the special return mechanism of PIX (MED): a dispute or a report of fraud about a payment. While it is open the payment cannot be refunded.',
    fields: (t) => ({
      caseId: t.string({ description: 'Identifier of the case.', resolve: ({ id }) => String(id) }),
      account: t.string({
        description: 'Identifier of the account of the payment; the platform if no account has it.',
        resolve: ({ accountId }) => String(accountId),
      }),
      transaction: t.field({
        type: transaction,
        nullable: true,
        description: 'Transaction of the payment; null where no account has it.',
        resolve: async (row, _args, context) => (await transactionOf(context, row)) as never,
      }),
      kind: t.field({ type: kind, description: 'Kind.', resolve: (row) => row.kind as never }),
      reference: t.exposeString('reference', { description: 'Identifier at the provider.' }),
      pixE2e: t.exposeString('pixE2e', { description: 'EndToEndId of the payment.' }),
      amount: t.field({
        type: 'Decimal',
        nullable: true,
        description: 'BRL of the case; null for the whole rest of the payment.',
        resolve: ({ amount }) => amount && trimDecimal(amount),
      }),
      blocked: t.field({
        type: money,
        nullable: true,
        description: 'Currently blocked amount; null without one.',
        resolve: async (row, _args, context) => {
          const found = blockedBy(await transactionOf(context, row), row);
          return found && moneyOf(found.amount, found.currency);
        },
      }),
      reason: t.exposeString('reason', {
        nullable: true,
        description: 'Reason that the payer’s bank gave; null where the provider reports none.',
      }),
      state: t.field({ type: parts.state, description: 'State.', resolve: (row) => row.state as never }),
    }),
  });
  defineTimes(builder, node);
  defineLists(builder, node, parts);
  return node;
}

function defineTimes(builder: Builder, node: ReturnType<ReturnType<typeof caseRef>['implement']>): void {
  builder.objectFields(node, (t) => ({
    openedAt: t.field({
      type: 'DateTime',
      description: 'When it was opened.',
      resolve: (row) => isoOf(row.openedAt),
    }),
    dueAt: t.field({
      type: 'DateTime',
      description: 'Deadline for an answer: the provider’s, or five days after the opening.',
      resolve: (row) => isoOf(row.dueAt),
    }),
    closedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was decided or cancelled; null before.',
      resolve: ({ closedAt }) => closedAt && isoOf(closedAt),
    }),
    closedBy: t.exposeString('closedBy', {
      nullable: true,
      description: 'Key or person that recorded the decision; null where the provider reported it.',
    }),
  }));
}

function defineLists(
  builder: Builder,
  node: ReturnType<ReturnType<typeof caseRef>['implement']>,
  { file, answer, event }: Parts,
): void {
  builder.objectFields(node, (t) => ({
    answers: t.field({
      type: [answer],
      complexity: LIST_COMPLEXITY,
      description: `Answers, the first first; at most ${MED_LISTED_MAX}.`,
      resolve: async (row, _args, context) => [...(await answersTo(context, row))],
    }),
    files: t.field({
      type: [file],
      complexity: LIST_COMPLEXITY,
      description: `Attachments and evidence packs, the first first; at most ${MED_LISTED_MAX}.`,
      resolve: async (row, _args, context) => [...(await filesOf(context, row))],
    }),
    history: t.field({
      type: [event],
      complexity: LIST_COMPLEXITY,
      description: `History of the case, the first entry first; at most ${MED_LISTED_MAX}. An entry is never changed.`,
      resolve: async (row, _args, context) => [...(await historyOf(context, row))],
    }),
  }));
}

function nodeOfCase(builder: Builder) {
  return nodeType<MedCase>(builder, 'MedCase', {
    rawId: ({ id }) => String(id),
    read: async (context, caseId) => (await findMedCaseFor(context, caseId)) ?? null,
  });
}

function caseRef(builder: Builder) {
  return builder.objectRef<MedCase>('MedCase');
}

function defineFile(builder: Builder) {
  return builder.objectRef<MedFile>('MedFile').implement({
    description: 'A file of a case of MED. It is never changed.',
    fields: (t) => ({
      fileId: t.string({ description: 'Identifier of the file.', resolve: ({ id }) => String(id) }),
      isEvidence: t.boolean({
        description: 'Whether it is an evidence pack that the gateway made.',
        resolve: ({ kind }) => kind === 'evidence',
      }),
      name: t.exposeString('name', { description: 'Name, such as `receipt.pdf`.' }),
      type: t.exposeString('type', { description: 'Media type, such as `application/pdf`.' }),
      size: t.exposeInt('size', { description: 'Size in bytes.' }),
      sha256: t.exposeString('hash', { description: 'SHA-256 of the content, hexadecimal.' }),
      author: t.exposeString('author', { description: 'Id of the key or person that added it.' }),
      authorName: t.string({
        nullable: true,
        description: 'Name of that key or person, as it is now.',
        resolve: ({ author }, _args, { loaders }) => loaders.actorName.load(author),
      }),
      addedAt: t.field({
        type: 'DateTime',
        description: 'When it was added.',
        resolve: ({ addedAt }) => isoOf(addedAt),
      }),
      content: t.string({
        complexity: CONTENT_COMPLEXITY,
        description: 'Content as base64: the same bytes each time.',
        resolve: async (row, _args, context) => (await contentOf(context, row)).toString('base64'),
      }),
    }),
  });
}

function defineAnswer(builder: Builder, analysis: StateRef) {
  const state = builder.enumType('MedAnswerState', {
    description: 'State of an answer to a case of MED.',
    values: describedValues(MED_ANSWER_STATES),
  });
  return builder.objectRef<MedAnswer>('MedAnswer').implement({
    description: 'An answer to a case of MED.',
    fields: (t) => ({
      answerId: t.exposeString('id', {
        description: 'Identifier of the answer; the provider accepts it once under this identifier.',
      }),
      analysis: t.field({
        type: analysis,
        description: 'Standpoint.',
        resolve: (row) => row.analysis as never,
      }),
      body: t.exposeString('body', { description: 'Text.' }),
      fileIds: t.stringList({
        description: 'Identifiers of the files that are sent with it.',
        resolve: ({ fileIds }) => [...fileIds],
      }),
      author: t.exposeString('author', { description: 'Id of the key or person that gave it.' }),
      authorName: t.string({
        nullable: true,
        description: 'Name of that key or person, as it is now.',
        resolve: ({ author }, _args, { loaders }) => loaders.actorName.load(author),
      }),
      givenAt: t.field({
        type: 'DateTime',
        description: 'When it was given.',
        resolve: (row) => isoOf(row.givenAt),
      }),
      state: t.field({ type: state, description: 'State.', resolve: (row) => row.state as never }),
      failure: t.exposeString('failure', {
        nullable: true,
        description: 'Refusal of the provider, or the last failure to reach it; null where there was none.',
      }),
    }),
  });
}

function defineEvent(builder: Builder) {
  return builder.objectRef<MedEvent>('MedEvent').implement({
    description: 'Something that happened to a case of MED. It is never changed.',
    fields: (t) => ({
      n: t.exposeInt('n', { description: 'Position in the history of the case, from 1.' }),
      at: t.field({ type: 'DateTime', description: 'When it happened.', resolve: ({ at }) => isoOf(at) }),
      event: t.exposeString('event', {
        description:
          'Event: `opened`, `payment_found`, `due_48h`, `due_24h`, `due_6h`, `attached`, `evidence_made`, `answered`, `answer_sent`, `answer_refused`, `answer_dropped`, `answer_withdrawn`, `answered_elsewhere`, `accepted`, `rejected` or `cancelled`.',
      }),
      actor: t.exposeString('actor', {
        nullable: true,
        description: 'Id of the key or person; null for the provider and for a timer.',
      }),
      actorName: t.string({
        nullable: true,
        description: 'Name of that key or person, as it is now.',
        resolve: ({ actor }, _args, { loaders }) => actor && loaders.actorName.load(actor),
      }),
      detail: t.exposeString('detail', {
        nullable: true,
        description: 'Reason, standpoint, or name and SHA-256 of a file; null where there is none.',
      }),
    }),
  });
}
