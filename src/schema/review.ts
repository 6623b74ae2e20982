/** The review queue: `Query.reviewQueue`, `reviewCounts`, `reviewCase`, and the mutations by which people divide and note cases. */
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { bounded, inProse, LISTED_MAX } from '../resolvers/checks/lengths.ts';
import { MED_LISTED_MAX } from '../resolvers/med/read-med-cases.ts';
import {
  assignCase,
  NOTE_LENGTH_MAX,
  noteCase,
  readNote,
  releaseCase,
} from '../resolvers/review/assign-case.ts';
import { CASES_MAX } from '../resolvers/review/found-case.ts';
import { REVIEW_KINDS } from '../resolvers/review/queue-sources.ts';
import { type CaseFact, type CaseFile, readCaseFile } from '../resolvers/review/read-case.ts';
import {
  countReviewQueue,
  type KindCount,
  type ReviewCase,
  readReviewQueue,
  sortKeyOf,
} from '../resolvers/review/read-queue.ts';
import { NOTES_MAX, type ReviewNote } from '../store/account/review.ts';
import { RELATED_MAX } from '../store/engine/related.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { describedValues } from './described-values.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { refuseLonger } from './named.ts';
import { KEY_ARGUMENT, makeOnce } from './once.ts';
import {
  COUNT_POINTS,
  type Connection,
  connectionOf,
  countedArguments,
  countedSlice,
  decodeCursor,
  encodeCursor,
  exactConnection,
  type PositionedArgs,
  pageComplexity,
} from './pagination.ts';
import { defineItem, type ItemRef, type KindRef, type ReviewRefs as Refs } from './review-item.ts';

const KEY = { required: true, description: 'Key of the case, as `ReviewCase.caseKey` has it.' } as const;
const SEEN =
  'With scopes of the platform, cases of all accounts of your mode, of the kinds that these scopes decide about; otherwise those of your account.';
/** Every kind has a list of its own to read. */
const READ_POINTS = COUNT_POINTS / 4;
const RELATED = { field: 1, multiplier: RELATED_MAX };

/** Defines the queue and its cases. */
export function defineReview(builder: Builder, refs: Refs): void {
  const kind = builder.enumType('ReviewKind', {
    description: 'Kind of a case of the review queue.',
    values: describedValues(
      Object.fromEntries(Object.entries(REVIEW_KINDS).map(([name, { description }]) => [name, description])),
    ),
  });
  const item = defineItem(builder, refs, kind as never);
  const note = defineNote(builder);
  defineQueue(builder, item, kind as never);
  defineCounts(builder, kind as never);
  defineCase(builder, refs, { item, note, kind: kind as never });
  defineActions(builder, item, note);
}

function defineNote(builder: Builder) {
  return builder.objectRef<ReviewNote>('ReviewNote').implement({
    description: 'A note about the subject of a case. It stays when the case is decided.',
    fields: (t) => ({
      noteId: t.string({ description: 'Identifier of the note.', resolve: ({ id }) => String(id) }),
      author: t.exposeString('author', { description: 'Id of the key or person that wrote it.' }),
      authorName: t.string({
        nullable: true,
        description: 'Name of that key or person, as it is now.',
        resolve: ({ author }, _args, { loaders }) => loaders.actorName.load(author),
      }),
      body: t.exposeString('body', { description: 'Text of the note.' }),
      writtenAt: t.field({
        type: 'DateTime',
        description: 'When it was written.',
        resolve: ({ writtenAt }) => isoOf(writtenAt),
      }),
    }),
  });
}

function defineQueue(builder: Builder, item: ItemRef, kind: KindRef): void {
  const assignee = builder.enumType('ReviewAssignee', {
    description: 'Assignee of a case.',
    values: describedValues({ me: 'You do.', no_one: 'No one does.' }),
  });
  const connection = exactConnection(builder, item, {
    name: 'ReviewQueue',
    page: 'A page of the review queue.',
    edge: 'A case and its cursor.',
    total: `Number of all cases that match; of each kind at most ${CASES_MAX} are read.`,
  });
  builder.queryField('reviewQueue', (t) =>
    t.field({
      type: connection,
      description: `Everything that waits for a person: what is due first, then what has waited longest. ${SEEN} Of each kind the oldest ${CASES_MAX} are read.`,
      args: {
        kinds: t.arg({
          type: [kind],
          description: bounded('Only cases of these kinds.', LISTED_MAX, 'kinds'),
        }),
        assignee: t.arg({ type: assignee, description: 'Only cases that you, or no one, works on.' }),
        waitingHours: t.arg.int({ description: 'Only cases that have waited so many hours at least.' }),
        ...countedArguments(t.arg),
      },
      complexity: (args) => {
        const { field, multiplier } = pageComplexity(args);
        return { field: field + READ_POINTS, multiplier };
      },
      resolve: async (_root, { kinds, assignee: wanted, waitingHours, ...args }, context) => {
        refuseLonger('kinds', kinds, 'kinds');
        const filter = {
          kinds: (kinds ?? undefined) as never,
          assignee: (wanted ?? undefined) as 'me' | undefined,
          waitingHours: waitingHours ?? undefined,
        };
        return (await readPage(context, args, filter)) as never;
      },
    }),
  );
}

/** The whole queue is read and sorted; a page is a part of it. */
async function readPage(
  context: GraphqlContext,
  args: PositionedArgs,
  filter: Parameters<typeof readReviewQueue>[1],
): Promise<Connection<ReviewCase>> {
  const slice = countedSlice(args, decodeCursor);
  const all = await readReviewQueue(context, filter);
  const { after, before, size, skip, isBackward } = slice;
  const within = all
    .slice(skip)
    .filter(
      (each) =>
        (after === undefined || sortKeyOf(each) > after) &&
        (before === undefined || sortKeyOf(each) < before),
    );
  const nodes = isBackward ? within.toReversed() : within;
  return connectionOf(nodes.slice(0, size + 1), slice, {
    totalCount: () => all.length,
    cursorOf: (each) => encodeCursor(sortKeyOf(each)),
    isPreceded: skip > 0 || (after !== undefined && all.some((each) => sortKeyOf(each) <= after)),
    isFollowed: before !== undefined && all.some((each) => sortKeyOf(each) >= before),
  });
}

function defineCounts(builder: Builder, kind: KindRef): void {
  const count = builder.objectRef<KindCount>('ReviewCount').implement({
    description: 'Number of cases of a kind that wait.',
    fields: (t) => ({
      kind: t.field({ type: kind, description: 'The kind.', resolve: (row) => row.kind as never }),
      count: t.exposeInt('count', { description: `Number of cases, at most ${CASES_MAX}.` }),
    }),
  });
  builder.queryField('reviewCounts', (t) =>
    t.field({
      type: [count],
      complexity: { field: READ_POINTS, multiplier: 1 },
      description: `Number of cases that wait, one entry for each kind that you see. ${SEEN}`,
      resolve: async (_root, _args, context) => [...(await countReviewQueue(context))],
    }),
  );
}

/** Types of a case's members. */
interface CaseTypes {
  readonly item: ItemRef;
  readonly note: NoteRef;
  readonly kind: KindRef;
}

function defineCase(builder: Builder, refs: Refs, types: CaseTypes): void {
  const file = defineFile(builder, refs, types);
  builder.queryField('reviewCase', (t) =>
    t.field({
      type: file,
      complexity: { field: READ_POINTS, multiplier: 1 },
      description:
        'A case of the review queue, whether it still waits or not. A look of the operator at a transaction or money in suspense of an account is written into the audit logs of both (`transaction.view`, `suspense.view`), once in 15 minutes. Error `NOT_FOUND` for what you do not see.',
      args: { caseKey: t.arg.string(KEY) },
      resolve: (_root, { caseKey }, context) => readCaseFile(context, caseKey),
    }),
  );
}

function defineFact(builder: Builder) {
  return builder.objectRef<CaseFact>('CaseFact').implement({
    description: 'A fact that a rail reported with the money.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Name of the fact, such as `payerTaxId`.' }),
      value: t.exposeString('value', { description: 'The fact.' }),
    }),
  });
}

function defineFile(
  builder: Builder,
  { transaction, suspense, medCase }: Refs,
  { item, note, kind }: CaseTypes,
) {
  const fact = defineFact(builder);
  const file = fileRef(builder).implement({
    description: 'A case with everything that a person decides by.',
    fields: (t) => ({
      caseKey: t.exposeString('id', { description: 'Key of the case.' }),
      kind: t.field({ type: kind, description: 'Kind.', resolve: (row) => row.kind as never }),
      account: t.string({
        nullable: true,
        description: 'Identifier of the account that it is about; null for what is of the house.',
        resolve: ({ accountId }) => (accountId === null ? null : String(accountId)),
      }),
      reference: t.exposeString('reference', {
        description: '`end2end` of its transaction, or the id, day or name of what else it is about.',
      }),
      waiting: t.field({
        type: item,
        nullable: true,
        description: 'The case as it stands in the queue; null where it was decided.',
        resolve: (row) => row.waiting,
      }),
      transaction: t.field({
        type: transaction,
        nullable: true,
        description: 'Its transaction; null where it is about none.',
        resolve: ({ row }) => row as never,
      }),
      suspense: t.field({
        type: suspense,
        nullable: true,
        description: 'The money in suspense that it is about; null where it is about none.',
        resolve: (row) => row.suspense,
      }),
      facts: t.field({
        type: [fact],
        description:
          'Of money in suspense, what the rail reported about payer and payment; for the operator.',
        resolve: (row) => [...row.facts],
      }),
      samePayer: t.field({
        type: [transaction],
        complexity: RELATED,
        description: `Other transactions of the account with the same customer, newest first; at most ${RELATED_MAX}.`,
        resolve: (row) => [...row.samePayer] as never,
      }),
      sameWallet: t.field({
        type: [transaction],
        complexity: RELATED,
        description: `Other transactions of the account with the same wallet, newest first; at most ${RELATED_MAX}.`,
        resolve: (row) => [...row.sameWallet] as never,
      }),
      candidates: t.field({
        type: [transaction],
        complexity: RELATED,
        description: `Of money in suspense, open transactions of the account that wait for exactly this amount, newest first; at most ${RELATED_MAX}. For the operator.`,
        resolve: (row) => [...row.candidates] as never,
      }),
    }),
  });
  addLists(builder, file, { note, medCase });
  return file;
}

function addLists(
  builder: Builder,
  file: ReturnType<ReturnType<typeof fileRef>['implement']>,
  { note, medCase }: Pick<CaseTypes, 'note'> & Pick<Refs, 'medCase'>,
): void {
  builder.objectFields(file, (t) => ({
    medCases: t.field({
      type: [medCase],
      complexity: { field: 1, multiplier: 5 },
      description: `Cases of MED about its transaction, the first first; at most ${MED_LISTED_MAX}.`,
      resolve: (row) => [...row.medCases],
    }),
    notes: t.field({
      type: [note],
      complexity: { field: 1, multiplier: 20 },
      description: `Notes about it that people of your account, or of the platform, wrote; newest first, at most ${NOTES_MAX}.`,
      resolve: (row) => [...row.notes],
    }),
  }));
}

function fileRef(builder: Builder) {
  return builder.objectRef<CaseFile>('CaseFile');
}

type NoteRef = ReturnType<typeof defineNote>;

function defineActions(builder: Builder, item: ItemRef, note: NoteRef): void {
  defineMutation(builder, 'assignReviewCase', {
    result: ['reviewCase', item],
    description:
      'Takes a case of the review queue, whoever had it: you work on it. Error `NOT_FOUND` unless it waits. Needs the scope `read`.',
    input: (t) => ({ caseKey: t.string(KEY) }),
    resolve: ({ caseKey }, context) => assignCase(context, caseKey),
  });
  defineMutation(builder, 'releaseReviewCase', {
    result: ['reviewCase', item],
    description:
      'Gives a case of the review queue back: no one works on it. Error `NOT_FOUND` unless it waits. Needs the scope `read`.',
    input: (t) => ({ caseKey: t.string(KEY) }),
    resolve: ({ caseKey }, context) => releaseCase(context, caseKey),
  });
  defineMutation(builder, 'addReviewNote', {
    result: ['reviewNote', note],
    description:
      'Adds a note about the subject of a case. Notes are read by people of your account alone, and cannot be changed. Needs the scope `read`.',
    input: (t) => ({
      caseKey: t.string(KEY),
      body: t.string({
        required: true,
        description: `Text of the note, 1 to ${inProse(NOTE_LENGTH_MAX)} characters.`,
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const keyed = { mutation: 'addReviewNote', action: 'review.note', args } as const;
      const body = { name: 'input.body', value: args.body };
      const made = await makeOnce(context, keyed, (attempt) =>
        noteCase(context, { id: args.caseKey, body }, attempt, checksOf(context)),
      );
      return readNote(context, made);
    },
  });
}
