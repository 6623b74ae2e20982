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
import { type CaseFact, readCaseFile } from '../resolvers/review/read-case.ts';
import { DECISIONS_MAX } from '../resolvers/review/read-decisions.ts';
import {
  countReviewQueue,
  type KindCount,
  type ReviewCase,
  readReviewQueue,
  sortKeyOf,
} from '../resolvers/review/read-queue.ts';
import { NOTES_MAX, type ReviewNote } from '../store/account/review.ts';
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
import { describedWith, PLATFORM_ONLY } from './platform-only.ts';
import { defineReviewEvidence } from './review-evidence.ts';
import { defineItem, type ItemRef, type KindRef, type ReviewRefs as Refs } from './review-item.ts';
import { addRelated, type FileRef, fileRef } from './review-related.ts';

const KEY = { required: true, description: 'Key of the case, from `ReviewCase.caseKey`.' } as const;
const SEEN =
  'With scopes of the platform, cases of all accounts of your mode, of the kinds that these scopes decide about.';
/** Every kind reads a list of its own. */
const READ_POINTS = COUNT_POINTS / 4;

/** Defines the queue and its cases. */
export function defineReview(builder: Builder, refs: Refs): void {
  const kind = builder.enumType('ReviewKind', {
    description: 'Kind of a case of the review queue.',
    values: Object.fromEntries(
      Object.entries(REVIEW_KINDS).map(([value, { description, isOfAccounts }]) => [
        value.toUpperCase(),
        { value, description, ...(!isOfAccounts && PLATFORM_ONLY) },
      ]),
    ),
  });
  const item = defineItem(builder, refs, kind as never);
  const note = defineNote(builder);
  defineQueue(builder, item, kind as never);
  defineCounts(builder, kind as never);
  defineCase(builder, refs, { item, note, kind: kind as never });
  defineActions(builder, item, note);
  defineReviewEvidence(builder, refs);
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
      ...describedWith(
        `Everything of your account that waits for a person: what is due first, then what has waited longest. Of each kind the oldest ${CASES_MAX} are read.`,
        SEEN,
      ),
      args: {
        kinds: t.arg({
          type: [kind],
          description: bounded('Only cases of these kinds.', LISTED_MAX, 'kinds'),
        }),
        assignee: t.arg({ type: assignee, description: 'Only cases that you, or no one, works on.' }),
        waitingHours: t.arg.int({ description: 'Only cases that have waited at least this many hours.' }),
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
      ...describedWith(
        'Number of cases of your account that wait, one entry for each kind that you see.',
        SEEN,
      ),
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
        'A case of the review queue, whether it still waits or not. A view by the operator of a transaction, money in suspense, a customer or a hit of an account is written into the audit logs of both (`transaction.view`, `suspense.view`, `case.view`, `hit.view`), once in 15 minutes; likewise of each listed transaction of a further account. Error `NOT_FOUND` for a case that you may not see.',
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

function defineFile(builder: Builder, refs: Refs, { item, note, kind }: CaseTypes) {
  const { transaction, suspense, medCase, auditEntry } = refs;
  const fact = defineFact(builder);
  const file = fileRef(builder).implement({
    description: 'A case with all data for a decision.',
    fields: (t) => ({
      caseKey: t.exposeString('id', { description: 'Key of the case.' }),
      kind: t.field({ type: kind, description: 'Kind.', resolve: (row) => row.kind as never }),
      account: t.string({
        nullable: true,
        description: 'Identifier of its account; null for the house.',
        resolve: ({ accountId }) => (accountId === null ? null : String(accountId)),
      }),
      reference: t.exposeString('reference', {
        description: '`end2end` of its transaction; otherwise the id, day or name of its subject.',
      }),
      waiting: t.field({
        type: item,
        nullable: true,
        description: 'The case in the queue; null if it was decided.',
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
        ...PLATFORM_ONLY,
        description: 'For money in suspense, the rail’s data about payer and payment; only for the operator.',
        resolve: (row) => [...row.facts],
      }),
    }),
  });
  addRelated(builder, file, refs, kind);
  addLists(builder, file, { note, medCase, auditEntry });
  return file;
}

function addLists(
  builder: Builder,
  file: FileRef,
  { note, medCase, auditEntry }: Pick<CaseTypes, 'note'> & Pick<Refs, 'medCase' | 'auditEntry'>,
): void {
  builder.objectFields(file, (t) => ({
    medCases: t.field({
      type: [medCase],
      complexity: { field: 1, multiplier: 5 },
      description: `Cases of MED about its transaction, the first first; at most ${MED_LISTED_MAX}.`,
      resolve: (row) => [...row.medCases],
    }),
    decisions: t.field({
      type: [auditEntry],
      complexity: { field: 1, multiplier: 5 },
      ...describedWith(
        `Decisions of people about it, newest first; at most ${DECISIONS_MAX}. Empty without \`admin\`.`,
        'A scope of the platform stands for `admin`.',
      ),
      resolve: (row) => [...row.decisions],
    }),
    notes: t.field({
      type: [note],
      complexity: { field: 1, multiplier: 20 },
      description: `Notes about it that people of your account, or of the platform, wrote; newest first, at most ${NOTES_MAX}.`,
      resolve: (row) => [...row.notes],
    }),
  }));
}

type NoteRef = ReturnType<typeof defineNote>;

function defineActions(builder: Builder, item: ItemRef, note: NoteRef): void {
  defineMutation(builder, 'assignReviewCase', {
    result: ['reviewCase', item],
    description:
      'Assigns a case of the review queue to you, whoever had it. Error `NOT_FOUND` unless it waits. Needs the scope `read`.',
    input: (t) => ({ caseKey: t.string(KEY) }),
    resolve: ({ caseKey }, context) => assignCase(context, caseKey),
  });
  defineMutation(builder, 'releaseReviewCase', {
    result: ['reviewCase', item],
    description:
      'Releases a case of the review queue: no one works on it. Error `NOT_FOUND` unless it waits. Needs the scope `read`.',
    input: (t) => ({ caseKey: t.string(KEY) }),
    resolve: ({ caseKey }, context) => releaseCase(context, caseKey),
  });
  defineMutation(builder, 'addReviewNote', {
    result: ['reviewNote', note],
    description:
      'Adds a note about the subject of a case. Only people of your account read notes, which cannot be changed. Needs the scope `read`.',
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
