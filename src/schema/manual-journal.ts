/** Journals by hand: `Query.manualJournals`, `Mutation.proposeJournal`, `approveJournal` and `rejectJournal`. */
import { ACTS } from '../base/acts.ts';
import { currencyOfLedger } from '../base/currency.ts';
import { isoMillis } from '../base/instant.ts';
import { MANUAL_ACCOUNTS } from '../base/manual-accounts.ts';
import { fromMinor } from '../base/money.ts';
import {
  approveJournal,
  findOwnJournal,
  listManualJournals,
  MANUAL_JOURNALS_MAX,
  proposeJournal,
  rejectJournal,
} from '../resolvers/account/manual-journals.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { AMOUNT_LENGTH_MAX, bounded, REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import type { Attempt } from '../resolvers/checks/once.ts';
import type { Context } from '../resolvers/services/context.ts';
import type { ManualJournal, ManualJournalState } from '../store/ledger/manual-journals.ts';
import type { Builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { KEY_ARGUMENT, type Keyed, keepOnce } from './once.ts';

const ACCOUNTS = MANUAL_ACCOUNTS.map((each) => `\`${each}\``).join(', ');

/** Defines `ManualJournal` and what is done with it. */
export function defineManualJournals(builder: Builder): void {
  const state = defineState(builder);
  const journal = defineJournal(builder, state);
  builder.queryField('manualJournals', (t) =>
    t.field({
      type: [journal],
      description: `Manual journals, the newest first, at most ${MANUAL_JOURNALS_MAX}. Needs the scope \`platform:books\`.`,
      args: { state: t.arg({ type: state, description: 'Only those in this state.' }) },
      complexity: { field: 1, multiplier: MANUAL_JOURNALS_MAX },
      resolve: (_root, args, context) => listManualJournals(context, args.state ?? undefined),
    }),
  );
  definePropose(builder, journal);
  defineDecisions(builder, journal);
}

function defineState(builder: Builder) {
  return builder.enumType('ManualJournalState', {
    description: 'State of a manual journal.',
    values: describedValues({
      proposed: 'It waits for somebody who approves it.',
      posted: 'It was approved, and is in the books.',
      rejected: 'It was rejected: nothing was posted.',
    } satisfies Record<ManualJournalState, string>),
  });
}

function defineJournal(builder: Builder, state: ReturnType<typeof defineState>) {
  return builder.objectRef<ManualJournal>('ManualJournal').implement({
    description:
      'A manual journal on house accounts of an account: one person or key proposes it, another one approves it.',
    fields: (t) => ({
      id: t.id({ description: 'Identifier.', resolve: ({ id }) => String(id) }),
      accountId: t.string({
        description: 'Identifier of the account whose books it is about.',
        resolve: ({ accountId }) => String(accountId),
      }),
      debit: t.exposeString('debit', { description: 'House account that is debited, such as `A.pix`.' }),
      credit: t.exposeString('credit', { description: 'House account that is credited.' }),
      currency: t.exposeString('currency', { description: 'Raw code of the currency, `USDT_TRX`.' }),
      amount: t.field({
        type: 'Decimal',
        description: 'How much.',
        resolve: ({ amountMinor, currency }) => fromMinor(amountMinor, currencyOfLedger(currency).decimals),
      }),
      reason: t.exposeString('reason', { description: 'Reason that was given with the proposal.' }),
      state: t.field({ type: state, description: 'Its state.', resolve: (row) => row.state }),
      maker: t.exposeString('maker', { description: 'Who proposed it, by the id of key or person.' }),
      madeAt: t.field({
        type: 'DateTime',
        description: 'When it was proposed.',
        resolve: ({ madeAt }) => isoMillis(madeAt),
      }),
      decidedBy: t.exposeString('decidedBy', {
        nullable: true,
        description: 'Who approved or rejected it; null while it waits.',
      }),
      decidedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When; null while it waits.',
        resolve: ({ decidedAt }) => decidedAt && isoMillis(decidedAt),
      }),
      journalId: t.string({
        nullable: true,
        description: 'Id of the journal within its account; null unless it was posted.',
        resolve: ({ journalId }) => (journalId === null ? null : String(journalId)),
      }),
    }),
  });
}

type JournalRef = ReturnType<typeof defineJournal>;

function definePropose(builder: Builder, journal: JournalRef): void {
  builder.mutationField('proposeJournal', (t) =>
    t.field({
      type: journal,
      description: `Proposes a manual journal: nothing is posted until \`approveJournal\`. Needs the scope \`${ACTS['journal.propose'].scope}\`.`,
      args: {
        account: t.arg.string({ required: true, description: DESCRIPTIONS.actedOn }),
        debit: t.arg.string({ required: true, description: `House account to debit: ${ACCOUNTS}.` }),
        credit: t.arg.string({ required: true, description: 'House account to credit: one of the same.' }),
        currency: t.arg.string({ required: true, description: DESCRIPTIONS.currency }),
        amount: t.arg({
          type: 'Decimal',
          required: true,
          description: bounded('How much, above 0.', AMOUNT_LENGTH_MAX),
        }),
        reason: t.arg.string({
          required: true,
          description: `Why, 1 to ${REFERENCE_LENGTH_MAX} characters.`,
        }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: async (_root, args, context) => {
        const named = (name: 'account' | 'debit' | 'credit' | 'currency' | 'amount' | 'reason') => ({
          name,
          value: args[name],
        });
        const input = {
          account: named('account'),
          debit: named('debit'),
          credit: named('credit'),
          currency: named('currency'),
          amount: named('amount'),
          reason: named('reason'),
        };
        const keyed = { mutation: 'proposeJournal', act: 'journal.propose', args } as const;
        return decideOnce(context, keyed, (attempt) =>
          proposeJournal(context, input, attempt, checksOf(context)),
        );
      },
    }),
  );
}

const DECISIONS = {
  approveJournal: {
    act: 'journal.approve',
    decide: approveJournal,
    does: 'Approves a manual journal: it is posted now. The proposer, and those who count as one maker with the proposer, cannot approve it (`FORBIDDEN`).',
  },
  rejectJournal: { act: 'journal.reject', decide: rejectJournal, does: 'Rejects a manual journal.' },
} as const;

function defineDecisions(builder: Builder, journal: JournalRef): void {
  for (const [mutation, { act, decide, does }] of Object.entries(DECISIONS))
    builder.mutationField(mutation, (t) =>
      t.field({
        type: journal,
        description: `${does} Error \`STEP_CONFLICT\` unless it waits. Needs the scope \`${ACTS[act].scope}\`.`,
        args: {
          id: t.arg.id({ required: true, description: 'Identifier of the proposal.' }),
          idempotencyKey: t.arg.string(KEY_ARGUMENT),
        },
        resolve: (_root, args, context) =>
          decideOnce(context, { mutation, act, args }, (attempt) =>
            decide(context, String(args.id), attempt),
          ),
      }),
    );
}

/** Does something with a journal once. @returns it as it stands; also when the mutation is a replay. */
async function decideOnce(
  context: Context,
  keyed: Keyed,
  work: (attempt: Attempt) => Promise<ManualJournal>,
): Promise<ManualJournal> {
  const { kept } = await keepOnce(context, keyed, async (attempt) => ({
    id: String((await work(attempt)).id),
  }));
  return findOwnJournal(context, kept.id);
}
