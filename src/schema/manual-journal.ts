/** Manual journals: `Query.manualJournals`, `Mutation.proposeJournal`, `approveJournal` and `rejectJournal`. */

import { ACTIONS } from '../base/access/actions.ts';
import { currencyOfLedger } from '../base/money/currency.ts';
import { MANUAL_ACCOUNTS } from '../base/money/manual-accounts.ts';
import { fromMinor } from '../base/money/money.ts';
import { isoMillis } from '../base/time/instant.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { AMOUNT_LENGTH_MAX, bounded, REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import type { Attempt } from '../resolvers/checks/once.ts';
import {
  approveJournal,
  findOwnJournal,
  listManualJournals,
  MANUAL_JOURNALS_MAX,
  proposeJournal,
  rejectJournal,
} from '../resolvers/ledger/manual-journals.ts';
import type { Context } from '../resolvers/services/context.ts';
import { requireScope } from '../resolvers/services/context.ts';
import type { ManualJournal, ManualJournalState } from '../store/ledger/manual-journals.ts';
import { type ApprovalBarRef, secondPersonField } from './approval-bar.ts';
import type { Builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { defineMutation } from './mutation.ts';
import { nodeType } from './node.ts';
import { KEY_ARGUMENT, type Keyed, performOnce } from './once.ts';
import { PLATFORM_ONLY } from './platform-only.ts';

const ACCOUNTS = MANUAL_ACCOUNTS.map((each) => `\`${each}\``).join(', ');

/** Defines `ManualJournal` and its mutations. @returns the type. */
export function defineManualJournals(builder: Builder, bar: ApprovalBarRef): JournalRef {
  const state = defineState(builder);
  const journal = defineJournal(builder, state, bar);
  builder.queryField('manualJournals', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: [journal],
      description: `Manual journals, the newest first, at most ${MANUAL_JOURNALS_MAX}. Needs the scope \`platform:books\`.`,
      args: { state: t.arg({ type: state, description: 'Only those in this state.' }) },
      complexity: { field: 1, multiplier: MANUAL_JOURNALS_MAX },
      resolve: (_root, args, context) => listManualJournals(context, args.state ?? undefined),
    }),
  );
  definePropose(builder, journal);
  defineDecisions(builder, journal);
  return journal;
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

function defineJournal(builder: Builder, state: ReturnType<typeof defineState>, bar: ApprovalBarRef) {
  const node = nodeType<ManualJournal>(builder, 'ManualJournal', {
    rawId: ({ id }) => String(id),
    read: async (context, id) => {
      requireScope(context, 'platform:books');
      return findOwnJournal(context, id);
    },
  });
  return builder.objectRef<ManualJournal>('ManualJournal').implement({
    interfaces: [node],
    description:
      'A manual journal on house accounts of an account, or capital of the house: one person or key proposes it, another one approves it.',
    fields: (t) => ({
      proposalId: t.string({
        description: 'Identifier of the proposal.',
        resolve: ({ id }) => String(id),
      }),
      accountId: t.string({
        description: 'Identifier of the account whose books it is about.',
        resolve: ({ accountId }) => String(accountId),
      }),
      debit: t.exposeString('debit', { description: 'House account that is debited, such as `A.pix`.' }),
      credit: t.exposeString('credit', { description: 'House account that is credited.' }),
      currency: t.exposeString('currency', { description: 'Raw code of the currency, `USDT_TRX`.' }),
      amount: t.field({
        type: 'Decimal',
        description: 'The amount.',
        resolve: ({ amountMinor, currency }) => fromMinor(amountMinor, currencyOfLedger(currency).decimals),
      }),
      reason: t.exposeString('reason', { description: 'Reason of the proposal.' }),
      state: t.field({ type: state, description: 'Its state.', resolve: (row) => row.state }),
      maker: t.exposeString('maker', { description: 'Proposer, by the id of key or person.' }),
      makerName: t.string({
        nullable: true,
        description: 'Name of the proposer, as it is now.',
        resolve: ({ maker }, _args, { loaders }) => loaders.actorName.load(maker),
      }),
      madeAt: t.field({
        type: 'DateTime',
        description: 'When it was proposed.',
        resolve: ({ madeAt }) => isoMillis(madeAt),
      }),
      secondPersonBar: t.field(
        secondPersonField<ManualJournal>(bar, ACTIONS['journal.approve'].scope, ({ state: now, maker }) =>
          now === 'proposed' ? maker : null,
        ),
      ),
      decidedBy: t.exposeString('decidedBy', {
        nullable: true,
        description: 'Approver, or person who rejected it; null while it waits.',
      }),
      decidedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time of the decision; null while it waits.',
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

/** The type `ManualJournal`. */
export type JournalRef = ReturnType<typeof defineJournal>;

function definePropose(builder: Builder, journal: JournalRef): void {
  defineMutation(builder, 'proposeJournal', {
    result: ['manualJournal', journal],
    description: `Proposes a manual journal: nothing is posted until \`approveJournal\`. Needs the scope \`${ACTIONS['journal.propose'].scope}\`.`,
    input: (t) => ({
      account: t.string({ required: true, description: DESCRIPTIONS.actedOn }),
      debit: t.string({ required: true, description: `House account to debit: ${ACCOUNTS}.` }),
      credit: t.string({ required: true, description: 'House account to credit, from the same list.' }),
      currency: t.string({ required: true, description: DESCRIPTIONS.currency }),
      amount: t.field({
        type: 'Decimal',
        required: true,
        description: bounded('Amount, above 0.', AMOUNT_LENGTH_MAX),
      }),
      reason: t.string({
        required: true,
        description: `Reason, 1 to ${REFERENCE_LENGTH_MAX} characters.`,
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const named = (name: 'account' | 'debit' | 'credit' | 'currency' | 'amount' | 'reason') => ({
        name: `input.${name}`,
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
      const keyed = { mutation: 'proposeJournal', action: 'journal.propose', args } as const;
      return decideOnce(context, keyed, (attempt) =>
        proposeJournal(context, input, attempt, checksOf(context)),
      );
    },
  });
}

const DECISIONS = {
  approveJournal: {
    action: 'journal.approve',
    decide: approveJournal,
    does: 'Approves a manual journal: it is posted now. Once the access of the proposer has ended, the caller becomes the proposer, and another person approves. The proposer, and those who count as one maker with the proposer, cannot approve it (`FORBIDDEN`).',
  },
  rejectJournal: { action: 'journal.reject', decide: rejectJournal, does: 'Rejects a manual journal.' },
} as const;

function defineDecisions(builder: Builder, journal: JournalRef): void {
  for (const [mutation, { action, decide, does }] of Object.entries(DECISIONS))
    defineMutation(builder, mutation, {
      result: ['manualJournal', journal],
      description: `${does} Error \`STEP_CONFLICT\` unless it waits. Needs the scope \`${ACTIONS[action].scope}\`.`,
      input: (t) => ({
        proposalId: t.string({ required: true, description: 'Identifier of the proposal.' }),
        idempotencyKey: t.string(KEY_ARGUMENT),
      }),
      resolve: (args, context) =>
        decideOnce(context, { mutation, action, args }, (attempt) =>
          decide(context, args.proposalId, attempt),
        ),
    });
}

/**
 * Decides about a journal once.
 * @returns its current state, also for a replay of the mutation.
 */
export async function decideOnce(
  context: Context,
  keyed: Keyed,
  work: (attempt: Attempt) => Promise<ManualJournal>,
): Promise<ManualJournal> {
  const { stored } = await performOnce(context, keyed, async (attempt) => ({
    id: String((await work(attempt)).id),
  }));
  return findOwnJournal(context, stored.id);
}
