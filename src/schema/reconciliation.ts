/** Reconciliation: `Query.reconciliations` and `Mutation.reconcile`. */

import { ACTIONS } from '../base/access/actions.ts';
import type { Named } from '../base/errors/violations.ts';
import { inProse } from '../resolvers/checks/lengths.ts';
import { type ComparedBalance, FINDINGS_MAX } from '../resolvers/reconciliation/compare-statement.ts';
import { FINDING_KINDS, type Finding } from '../resolvers/reconciliation/finding.ts';
import {
  CHECKLIST_MAX,
  type CloseChecklist,
  type RailOfDay,
  readCloseChecklist,
} from '../resolvers/reconciliation/read-checklist.ts';
import {
  isOpen,
  type Reconciliation,
  readReconciliation,
  readReconciliations,
  reconcile,
} from '../resolvers/reconciliation/reconcile.ts';
import { ENTRY_KINDS } from '../resolvers/services/statement.ts';
import type { RunProgress } from '../store/rails/reconciliation-run.ts';
import { actorNameField } from './actor-name.ts';
import type { Builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { nodeType } from './node.ts';
import { KEY_ARGUMENT, performOnce } from './once.ts';
import { countedArguments, countedComplexity, exactConnection, idConnection } from './pagination.ts';
import { PLATFORM_ONLY } from './platform-only.ts';

/** Defines `Reconciliation`, `Query.reconciliations` and `Mutation.reconcile`. */
export function defineReconciliation(builder: Builder): void {
  const report = defineReport(builder);
  const connection = exactConnection(builder, report, {
    name: 'Reconciliation',
    page: 'A page of reports of reconciliation.',
    edge: 'A report and its cursor.',
    total: 'Number of all reports that match, not only of this page. Exact.',
  });
  builder.queryField('reconciliations', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: connection,
      description: 'Reports of reconciliation, the newest first. Needs the scope `platform:books`.',
      args: {
        day: t.arg({ type: 'Date', description: 'Only of this day in Brasília.' }),
        rail: t.arg.string({
          description: 'Only of this rail: `pix`, the name of a network, or `bank` for files of the bank.',
        }),
        ...countedArguments(t.arg),
      },
      complexity: countedComplexity,
      resolve: async (_root, { day, rail, ...args }, context) => {
        const filter = { day: namedOf('day', day), rail: namedOf('rail', rail) };
        return (await idConnection(args, (slice) => readReconciliations(context, filter, slice))) as never;
      },
    }),
  );
  defineChecklist(builder, report);
  defineMutation(builder, 'reconcile', {
    result: ['reconciliation', report],
    description: `Compares the statement of a rail for a day, of the PIX provider or of a network, with the ledger, and stores the report; it changes nothing else. Error \`RAILS_MISSING\` where there is no statement, \`UNAVAILABLE\` while it cannot be read. Needs the scope \`${ACTIONS['books.reconcile'].scope}\`.`,
    input: (t) => ({
      day: t.field({
        type: 'Date',
        description:
          'The day, in Brasília, from 2000-01-01 on; default: yesterday. Today is reconciled up to now.',
      }),
      rail: t.string({
        description: '`pix`, or the name of a network such as `TRX`. Default: `pix`.',
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const keyed = { mutation: 'reconcile', action: 'books.reconcile', args } as const;
      const input = { day: namedOf('input.day', args.day), rail: namedOf('input.rail', args.rail) };
      const { stored } = await performOnce(context, keyed, (attempt) => reconcile(context, input, attempt));
      return stored;
    },
  });
}

function defineRun(builder: Builder) {
  const phase = builder.enumType('ReconciliationPhase', {
    description: 'Phase of a reconciliation.',
    values: describedValues({
      rows: 'It reads rows of the statement.',
      blocks: 'It reads blocks of the network.',
      comparing: 'It compares the rows with the ledger.',
    } satisfies Record<RunProgress['phase'], string>),
  });
  return builder.objectRef<RunProgress>('ReconciliationRun').implement({
    description: 'The progress of a reconciliation that is made now.',
    fields: (t) => ({
      phase: t.field({ type: phase, description: 'Its phase.', resolve: (row) => row.phase }),
      done: t.exposeInt('done', { description: 'Rows or blocks of the phase that are done.' }),
      total: t.exposeInt('total', {
        nullable: true,
        description: 'Number of rows or blocks of the phase; null while it is not known.',
      }),
    }),
  });
}

function defineChecklist(builder: Builder, report: ReturnType<typeof defineReport>): void {
  const run = defineRun(builder);
  const rail = builder.objectRef<RailOfDay>('RailOfDay').implement({
    description: 'A rail with a statement, and its reconciliation of a day.',
    fields: (t) => ({
      rail: t.exposeString('rail', { description: '`pix`, or the name of a network such as `TRX`.' }),
      report: t.field({
        type: report,
        nullable: true,
        description: 'Its newest report of the day; null where it was not reconciled yet.',
        resolve: (row) => row.report,
      }),
      run: t.field({
        type: run,
        nullable: true,
        description: 'Progress of its reconciliation of the day that is made now; null while none is.',
        resolve: (row) => row.run,
      }),
    }),
  });
  const checklist = builder.objectRef<CloseChecklist>('CloseChecklist').implement({
    description: 'Work before a day is closed.',
    fields: (t) => ({
      day: t.expose('day', { type: 'Date', description: 'The day to close next, in Brasília.' }),
      isOver: t.exposeBoolean('isOver', {
        description: 'Whether the day is over: only then it can be closed.',
      }),
      rails: t.field({
        type: [rail],
        description: 'Every rail that has a statement.',
        resolve: (row) => [...row.rails],
      }),
      suspense: t.exposeInt('suspense', {
        description: `Money in suspense that waits for a decision; at most ${CHECKLIST_MAX} are counted.`,
      }),
      journals: t.exposeInt('journals', {
        description: `Manual journals that wait for approval; at most ${CHECKLIST_MAX} are counted.`,
      }),
    }),
  });
  builder.queryField('closeChecklist', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: checklist,
      complexity: 100,
      description:
        'Work before the next day is closed: the day after the last closed one; before the first close, yesterday. Needs the scope `platform:books`.',
      resolve: (_root, _args, context) => readCloseChecklist(context),
    }),
  );
}

function namedOf(name: string, value: string | null | undefined): Named | undefined {
  return value == null ? undefined : { name, value };
}

function nodeOfReconciliation(builder: Builder) {
  return nodeType<Reconciliation>(builder, 'Reconciliation', {
    rawId: ({ id }) => String(id),
    read: readReconciliation,
  });
}

function defineReport(builder: Builder) {
  const finding = defineFinding(builder);
  const balance = defineBalance(builder);
  return builder.objectRef<Reconciliation>('Reconciliation').implement({
    interfaces: [nodeOfReconciliation(builder)],
    description: 'The comparison of the statement of a rail for a day with the ledger. It never changes.',
    fields: (t) => ({
      reconciliationId: t.exposeString('id', { description: 'Identifier of the report.' }),
      rail: t.exposeString('rail', {
        description: '`pix`, the name of a network, or `bank` for a file of the bank.',
      }),
      day: t.field({
        type: 'Date',
        description: 'The day, in Brasília.',
        resolve: ({ day }) => day,
      }),
      until: t.field({
        type: 'DateTime',
        description: 'End of the compared period: the end of the day, or the time of the report.',
        resolve: ({ until }) => isoOf(until),
      }),
      madeAt: t.field({
        type: 'DateTime',
        description: 'When it was made.',
        resolve: ({ madeAt }) => isoOf(madeAt),
      }),
      madeBy: t.exposeString('madeBy', { description: 'Requester, as the audit log names actors.' }),
      madeByName: t.field(actorNameField<Reconciliation>(({ madeBy }) => madeBy)),
      isOpen: t.boolean({ description: 'Whether the report needs a person.', resolve: isOpen }),
      matched: t.exposeInt('matched', { description: 'Entries of the day that the ledger has, too.' }),
      missingHere: t.exposeInt('missingHere', {
        description: 'Entries that the ledger does not have.',
      }),
      missingThere: t.exposeInt('missingThere', {
        description: 'Lines of the ledger that the statement does not have.',
      }),
      amountDiffers: t.exposeInt('amountDiffers', {
        description: 'Entries that the ledger has with another amount.',
      }),
      detailsDiffer: t.exposeInt('detailsDiffer', {
        description: 'Entries with another address than in the ledger, or another currency.',
      }),
      balancesDiffer: t.exposeInt('balancesDiffer', {
        description: 'Number of currencies whose total balance differs from that of the ledger.',
      }),
      balances: t.field({
        type: [balance],
        description:
          'Total balances at the time of the report, if the rail gives them; empty for a day before yesterday.',
        resolve: ({ balances }) => balances,
      }),
      inSuspense: t.exposeInt('inSuspense', {
        description:
          'Money in suspense of this rail, of this day or earlier, that is undecided or on its way back.',
      }),
      oldestOpenAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time since which the oldest open entry is open; null if nothing is open.',
        resolve: ({ oldestOpenAt }) => (oldestOpenAt === null ? null : isoOf(oldestOpenAt)),
      }),
      findings: t.field({
        type: [finding],
        description: `The differences, the oldest first; at most ${inProse(FINDINGS_MAX)}. The numbers of the report are exact.`,
        complexity: { field: 1, multiplier: 100 },
        resolve: ({ findings }) => findings,
      }),
    }),
  });
}

function defineBalance(builder: Builder) {
  return builder.objectRef<ComparedBalance>('ReconciledBalance').implement({
    description: 'The total balance of a currency at the rail and in the ledger.',
    fields: (t) => ({
      currency: t.exposeString('currency', { description: 'Raw ledger code.' }),
      there: t.exposeString('there', { description: 'Balance at the bank, or of all addresses together.' }),
      here: t.exposeString('here', { description: 'Balance in the ledger: `A.pix`, or `A.custody`.' }),
      inFlight: t.exposeString('inFlight', {
        description:
          'Difference explained by movements that are not booked yet: positive for incoming money, negative for outgoing money. Amounts that are booked but not `there` yet count with the opposite sign.',
      }),
      agrees: t.exposeBoolean('agrees', {
        description: 'Whether `there` equals the sum of `here` and `inFlight`.',
      }),
    }),
  });
}

function defineFinding(builder: Builder) {
  const kind = builder.enumType('FindingKind', {
    description: 'Difference between a statement and the ledger.',
    values: describedValues(FINDING_KINDS),
  });
  const entry = builder.enumType('StatementEntryKind', {
    description: 'Kind of an entry of a statement.',
    values: describedValues(ENTRY_KINDS),
  });
  return builder.objectRef<Finding>('Finding').implement({
    description: 'A difference between a statement and the ledger.',
    fields: (t) => ({
      finding: t.field({ type: kind, description: 'Kind of the difference.', resolve: (row) => row.finding }),
      kind: t.field({ type: entry, description: 'Kind.', resolve: (row) => row.kind }),
      id: t.exposeString('id', {
        nullable: true,
        description:
          "The rail's name for it: EndToEndId, id of a return, or network and hash; null where the statement does not have it.",
      }),
      currency: t.exposeString('currency', { description: 'Raw ledger code of the amounts.' }),
      amountThere: t.exposeString('amountThere', {
        nullable: true,
        description: 'Amount on the statement; null if it is missing there or not reported.',
      }),
      amountHere: t.exposeString('amountHere', {
        nullable: true,
        description: 'Amount in the ledger; null if it is missing there.',
      }),
      at: t.field({ type: 'DateTime', description: 'When it happened.', resolve: ({ at }) => isoOf(at) }),
      account: t.exposeString('account', {
        nullable: true,
        description: 'Identifier of the account; null if it is not known.',
      }),
      transaction: t.exposeString('transaction', {
        nullable: true,
        description: 'Id of the transaction (`end2end`); null where there is none.',
      }),
      journal: t.exposeString('journal', {
        nullable: true,
        description: 'Number of the journal in the account; null where there is none.',
      }),
      why: t.exposeString('why', { description: 'The difference in words.' }),
    }),
  });
}
