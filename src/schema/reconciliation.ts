/** Reconciliation: `Query.reconciliations` and `Mutation.reconcile`. */
import { ACTS } from '../base/acts.ts';
import type { Named } from '../base/violations.ts';
import { type ComparedBalance, FINDINGS_MAX } from '../resolvers/rails/compare-statement.ts';
import { FINDING_KINDS, type Finding } from '../resolvers/rails/finding.ts';
import {
  isOpen,
  RECONCILIATIONS_MAX,
  type Reconciliation,
  readReconciliations,
  reconcile,
} from '../resolvers/rails/reconcile.ts';
import { ENTRY_KINDS } from '../resolvers/services/statement.ts';
import type { Builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { isoOf } from './moment.ts';
import { KEY_ARGUMENT, keepOnce } from './once.ts';

/** Defines `Reconciliation`, `Query.reconciliations` and `Mutation.reconcile`. */
export function defineReconciliation(builder: Builder): void {
  const report = defineReport(builder);
  builder.queryField('reconciliations', (t) =>
    t.field({
      type: [report],
      description:
        'Reports of reconciliation, those of the newest day first. Needs the scope `platform:books`.',
      args: {
        day: t.arg.string({ description: 'Only of this day in Brasília, `YYYY-MM-DD`.' }),
        rail: t.arg.string({
          description: 'Only of this rail: `pix`, the name of a network, or `bank` for files of the bank.',
        }),
        first: t.arg.int({ defaultValue: 10, description: `How many, 1 to ${RECONCILIATIONS_MAX}.` }),
      },
      complexity: ({ first }) => ({ field: 1, multiplier: Math.max(1, first ?? 10) }),
      resolve: (_root, { day, rail, first }, context) =>
        readReconciliations(context, {
          day: namedOf('day', day),
          rail: namedOf('rail', rail),
          first: { name: 'first', value: first ?? 10 },
        }),
    }),
  );
  builder.mutationField('reconcile', (t) =>
    t.field({
      type: report,
      description: `Holds the statement of a rail for a day, of the PIX provider or of a network, against the ledger, and keeps the report; it changes nothing else. Error \`RAILS_MISSING\` where there is no statement, \`UNAVAILABLE\` while it cannot be read. Needs the scope \`${ACTS['books.reconcile'].scope}\`.`,
      args: {
        day: t.arg.string({
          description:
            'The day, in Brasília, `YYYY-MM-DD`, from 2000-01-01 on; yesterday when not given. Today is reconciled up to now.',
        }),
        rail: t.arg.string({
          description: '`pix`, or the name of a network such as `TRX`; `pix` when not given.',
        }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: async (_root, args, context) => {
        const keyed = { mutation: 'reconcile', act: 'books.reconcile', args } as const;
        const input = { day: namedOf('day', args.day), rail: namedOf('rail', args.rail) };
        const { kept } = await keepOnce(context, keyed, (attempt) => reconcile(context, input, attempt));
        return kept;
      },
    }),
  );
}

function namedOf(name: string, value: string | null | undefined): Named | undefined {
  return value == null ? undefined : { name, value };
}

function defineReport(builder: Builder) {
  const finding = defineFinding(builder);
  const balance = defineBalance(builder);
  return builder.objectRef<Reconciliation>('Reconciliation').implement({
    description: 'The statement of a rail for a day, held against the ledger. It never changes.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Identifier.' }),
      rail: t.exposeString('rail', { description: '`pix`, or the name of a network.' }),
      day: t.exposeString('day', { description: 'The day, in Brasília, `YYYY-MM-DD`.' }),
      until: t.field({
        type: 'DateTime',
        description: 'Up to when the day was compared: its end, or when the report was made.',
        resolve: ({ until }) => isoOf(until),
      }),
      madeAt: t.field({
        type: 'DateTime',
        description: 'When it was made.',
        resolve: ({ madeAt }) => isoOf(madeAt),
      }),
      madeBy: t.exposeString('madeBy', { description: 'Who asked for it, as the audit log names actors.' }),
      isOpen: t.boolean({ description: 'Whether somebody has to look at something.', resolve: isOpen }),
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
        description: 'Entries that went to another address than here, or are another currency.',
      }),
      balancesDiffer: t.exposeInt('balancesDiffer', {
        description: 'Currencies of which there is not as much as the ledger says.',
      }),
      balances: t.field({
        type: [balance],
        description:
          'What there was in all when the report was made, where the rail tells; nothing for a day before yesterday.',
        resolve: ({ balances }) => balances,
      }),
      inSuspense: t.exposeInt('inSuspense', {
        description:
          'Money of this rail, of this day or before, that nobody has decided about, or that is on its way back.',
      }),
      oldestOpenAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Since when the oldest of what is open is open; null where nothing is.',
        resolve: ({ oldestOpenAt }) => (oldestOpenAt === null ? null : isoOf(oldestOpenAt)),
      }),
      findings: t.field({
        type: [finding],
        description: `What does not agree, the oldest first; ${FINDINGS_MAX} at most, the numbers are exact.`,
        resolve: ({ findings }) => findings,
      }),
    }),
  });
}

function defineBalance(builder: Builder) {
  return builder.objectRef<ComparedBalance>('ReconciledBalance').implement({
    description: 'What there is of a currency in all, and what the ledger says.',
    fields: (t) => ({
      currency: t.exposeString('currency', { description: 'Raw ledger code.' }),
      there: t.exposeString('there', { description: 'What the bank has, or all addresses together.' }),
      here: t.exposeString('here', { description: 'What the ledger has: `A.pix`, or `A.custody`.' }),
      inFlight: t.exposeString('inFlight', {
        description:
          'Difference explained by movements not booked yet: above zero for money that came, below for money that left. What is booked and not `there` yet counts the other way round.',
      }),
      agrees: t.exposeBoolean('agrees', {
        description: 'Whether `there` is `here` and `inFlight` together.',
      }),
    }),
  });
}

function defineFinding(builder: Builder) {
  const kind = builder.enumType('FindingKind', {
    description: 'What is wrong between a statement and the ledger.',
    values: describedValues(FINDING_KINDS),
  });
  const entry = builder.enumType('StatementEntryKind', {
    description: 'What an entry of a statement is.',
    values: describedValues(ENTRY_KINDS),
  });
  return builder.objectRef<Finding>('Finding').implement({
    description: 'Something that a statement and the ledger do not agree about.',
    fields: (t) => ({
      finding: t.field({ type: kind, description: 'What is wrong.', resolve: (row) => row.finding }),
      kind: t.field({ type: entry, description: 'What it is.', resolve: (row) => row.kind }),
      id: t.exposeString('id', {
        nullable: true,
        description:
          "The rail's name for it: EndToEndId, id of a return, or network and hash; null where the statement does not have it.",
      }),
      currency: t.exposeString('currency', { description: 'Raw ledger code of the amounts.' }),
      amountThere: t.exposeString('amountThere', {
        nullable: true,
        description: 'Amount on the statement; null where it is not there, or not told.',
      }),
      amountHere: t.exposeString('amountHere', {
        nullable: true,
        description: 'Amount in the ledger; null where it is not there.',
      }),
      at: t.field({ type: 'DateTime', description: 'When it happened.', resolve: ({ at }) => isoOf(at) }),
      account: t.exposeString('account', {
        nullable: true,
        description: 'Identifier of the account; null where nobody knows it.',
      }),
      transaction: t.exposeString('transaction', {
        nullable: true,
        description: 'Id of the transaction (`end2end`); null where there is none.',
      }),
      journal: t.exposeString('journal', {
        nullable: true,
        description: 'Number of the journal in the account; null where there is none.',
      }),
      why: t.exposeString('why', { description: 'The same in words.' }),
    }),
  });
}
