/** Arrived money that no transaction accepted: `Query.suspense`, and the mutations that decide about it (C-34). */

import { ACTIONS } from '../base/access/actions.ts';
import { currencyOfLedger } from '../base/money/currency.ts';
import { fromMinor } from '../base/money/money.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import type { Attempt } from '../resolvers/checks/once.ts';
import {
  approveSuspense,
  assignSuspense,
  findEntry,
  rejectSuspense,
  returnSuspense,
} from '../resolvers/inbound/decide-suspense.ts';
import { listSuspense, readSuspenseEntry } from '../resolvers/inbound/list-suspense.ts';
import type { Context } from '../resolvers/services/context.ts';
import { SUSPENSE_REASONS, type SuspenseRow, type SuspenseState } from '../store/engine/suspense.ts';
import { type ApprovalBarRef, secondPersonField } from './approval-bar.ts';
import type { Builder } from './builder.ts';
import type { CurrencyRefs } from './currency.ts';
import { describedValues } from './described-values.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { REASON_ARGUMENT, reasonOf } from './named.ts';
import { nodeType } from './node.ts';
import { KEY_ARGUMENT, type Keyed, performOnce } from './once.ts';
import { countedArguments, countedComplexity, exactConnection, idConnection } from './pagination.ts';
import { describedWith, PLATFORM_ONLY } from './platform-only.ts';

const STATES: Readonly<Record<SuspenseState, string>> = {
  open: 'It waits for a decision.',
  assigned: 'It was credited to an account.',
  returning: 'It is on its way back to where it came from.',
  returned: 'It went back.',
  dropped: 'Its network dropped it after it had been final: it is not there any more.',
};
const ID = { required: true, description: 'Identifier of the entry.' } as const;
const RAIL_EVENT = describedWith(
  'Report of the rail. The tax id of the payer is masked.',
  'With `platform:risk` it is complete.',
);
const ACCOUNT = { required: true, description: 'Identifier of the account that gets it.' } as const;

/** Defines `SuspenseEntry`, `Query.suspense`, and the mutations that decide about it. @returns the type. */
export function defineSuspense(
  builder: Builder,
  { bar, ...currencies }: CurrencyRefs & { readonly bar: ApprovalBarRef },
): SuspenseRef {
  const state = defineState(builder);
  const entry = defineEntry(builder, currencies, state);
  const connection = exactConnection(builder, entry, {
    name: 'Suspense',
    page: 'A page of the money in suspense.',
    edge: 'An entry and its cursor.',
    total: 'Number of all entries that match, not only of this page. Exact.',
  });
  builder.queryField('suspense', (t) =>
    t.field({
      type: connection,
      ...describedWith(
        'Money that came to your account and that no transaction took, newest first.',
        'With the scope `platform:risk`, that of all accounts of your mode, and money that matches no account.',
      ),
      args: {
        state: t.arg({ type: state, description: 'Only entries in this state; default: all.' }),
        ...countedArguments(t.arg),
      },
      complexity: countedComplexity,
      resolve: async (_root, { state: wanted, ...args }, context) =>
        (await idConnection(args, (slice) => listSuspense(context, wanted ?? null, slice))) as never,
    }),
  );
  defineMutation(builder, 'assignSuspense', {
    result: ['suspenseEntry', entry],
    description:
      'Credits money in suspense to the balance of its account. Another account is proposed (`proposedTo`), and gets it with `approveSuspense`. Error `STEP_CONFLICT` unless the entry is open, and for another account while one is proposed. Needs the scope `platform:risk`.',
    input: (t) => ({
      suspenseId: t.string(ID),
      account: t.string(ACCOUNT),
      reason: t.string(REASON_ARGUMENT),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      decideOnce(context, { mutation: 'assignSuspense', action: 'suspense.assign', args }, (attempt) =>
        assignSuspense(context, args.suspenseId, args.account, reasonOf(args), checksOf(context), attempt),
      ),
  });
  defineProposal(builder, entry, bar);
  defineSecondPerson(builder, entry);
  defineMutation(builder, 'returnSuspense', {
    result: ['suspenseEntry', entry],
    description:
      'Sends money in suspense back to where it came from; a network deducts its fee from it. Error `STEP_CONFLICT` unless the entry is open, or `isStuck`: then the same return is ordered again. Needs the scope `platform:risk`.',
    input: (t) => ({
      suspenseId: t.string(ID),
      reason: t.string(REASON_ARGUMENT),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      decideOnce(context, { mutation: 'returnSuspense', action: 'suspense.return', args }, (attempt) =>
        returnSuspense(context, args.suspenseId, reasonOf(args), checksOf(context), attempt),
      ),
  });
  return entry;
}

/** The type `SuspenseEntry`. */
export type SuspenseRef = ReturnType<typeof defineEntry>;

function defineSecondPerson(builder: Builder, entry: ReturnType<typeof defineEntry>): void {
  defineMutation(builder, 'approveSuspense', {
    result: ['suspenseEntry', entry],
    description:
      'Approves the account that another person proposed for money in suspense: it is credited now. Once the access of the proposer has ended, the caller becomes the proposer, and another person approves. The proposer, and those who count as one maker with the proposer, cannot approve it (`FORBIDDEN`). Error `STEP_CONFLICT` unless this account is proposed. Needs the scope `platform:risk`.',
    input: (t) => ({
      suspenseId: t.string(ID),
      account: t.string(ACCOUNT),
      reason: t.string(REASON_ARGUMENT),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      decideOnce(context, { mutation: 'approveSuspense', action: 'suspense.approve', args }, (attempt) =>
        approveSuspense(context, args.suspenseId, args.account, reasonOf(args), checksOf(context), attempt),
      ),
  });
  defineMutation(builder, 'rejectSuspense', {
    result: ['suspenseEntry', entry],
    description:
      'Rejects the account that was proposed for money in suspense: it waits for another decision. Error `STEP_CONFLICT` unless one is proposed. Needs the scope `platform:risk`.',
    input: (t) => ({
      suspenseId: t.string(ID),
      reason: t.string(REASON_ARGUMENT),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      decideOnce(context, { mutation: 'rejectSuspense', action: 'suspense.reject', args }, (attempt) =>
        rejectSuspense(context, args.suspenseId, reasonOf(args), checksOf(context), attempt),
      ),
  });
}

function defineProposal(builder: Builder, entry: ReturnType<typeof defineEntry>, bar: ApprovalBarRef): void {
  builder.objectField(entry, 'isStuck', (t) =>
    t.exposeBoolean('isStuck', {
      ...describedWith(
        'Whether its return failed so often that it is ordered again only by a person.',
        '`returnSuspense` does it.',
      ),
    }),
  );
  builder.objectFields(entry, (t) => ({
    proposedTo: t.string({
      ...PLATFORM_ONLY,
      nullable: true,
      description:
        'Identifier of the account that gets it after another person’s approval; null without a proposal, and without `platform:risk`.',
      resolve: ({ proposedTo }) => (proposedTo === null ? null : String(proposedTo)),
    }),
    proposedBy: t.exposeString('proposedBy', {
      ...PLATFORM_ONLY,
      nullable: true,
      description: 'Key or person that proposed it; null without a proposal, and without `platform:risk`.',
    }),
    proposedByName: t.string({
      ...PLATFORM_ONLY,
      nullable: true,
      description: 'Name of that key or person, as it is now.',
      resolve: ({ proposedBy }, _args, { loaders }) => proposedBy && loaders.actorName.load(proposedBy),
    }),
    secondPersonBar: t.field(
      secondPersonField<SuspenseRow>(bar, ACTIONS['suspense.approve'].scope, ({ proposedBy }) => proposedBy),
    ),
  }));
}

/** The entry itself is not stored with the key: the response has its current state. */
async function decideOnce(
  context: Context,
  keyed: Keyed,
  decide: (attempt: Attempt) => Promise<SuspenseRow>,
): Promise<SuspenseRow> {
  let decided: SuspenseRow | undefined;
  const { stored } = await performOnce(context, keyed, async (attempt) => {
    decided = await decide(attempt);
    return { id: String(decided.id) };
  });
  return decided ?? findEntry(context, stored.id);
}

function defineState(builder: Builder) {
  return builder.enumType('SuspenseState', {
    description: 'State of money in suspense.',
    values: describedValues(STATES),
  });
}

function sentenceOf(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function nodeOfSuspenseEntry(builder: Builder) {
  return nodeType<SuspenseRow>(builder, 'SuspenseEntry', {
    rawId: ({ id }) => String(id),
    read: readSuspenseEntry,
  });
}

function defineReason(builder: Builder) {
  const reasons = Object.entries(SUSPENSE_REASONS).map(([name, text]) => [name, sentenceOf(text)]);
  return builder.enumType('SuspenseReason', {
    description: 'Reason for which no transaction accepted the money.',
    values: describedValues(Object.fromEntries(reasons) as typeof SUSPENSE_REASONS),
  });
}

function defineEntry(builder: Builder, currencies: CurrencyRefs, state: ReturnType<typeof defineState>) {
  const reason = defineReason(builder);
  return builder.objectRef<SuspenseRow>('SuspenseEntry').implement({
    interfaces: [nodeOfSuspenseEntry(builder)],
    description: 'Money that arrived without a matching transaction.',
    fields: (t) => ({
      suspenseId: t.string({ description: 'Identifier of the entry.', resolve: ({ id }) => String(id) }),
      account: t.string({
        description:
          'Identifier of the account that holds it; that of the platform if the owner is not known.',
        resolve: ({ accountId }) => String(accountId),
      }),
      end2end: t.exposeString('end2end', {
        nullable: true,
        description: 'Its transaction; null if unknown.',
      }),
      currency: t.field({
        type: currencies.currency,
        description: 'Currency of the money.',
        resolve: (row) => currencyOfLedger(row.currency),
      }),
      amount: t.field({
        type: 'Decimal',
        description: 'Arrived amount.',
        resolve: ({ amountMinor, currency }) => fromMinor(amountMinor, currencyOfLedger(currency).decimals),
      }),
      reason: t.field({
        type: reason,
        description: 'Reason for which no transaction accepted it.',
        resolve: (row) => row.reason,
      }),
      state: t.field({ type: state, description: 'Its state.', resolve: (row) => row.state }),
      railEvent: t.field({
        type: 'JSONObject',
        ...RAIL_EVENT,
        resolve: ({ railEvent }) => railEvent as object,
      }),
      openedAt: t.field({
        type: 'DateTime',
        description: 'When it was booked.',
        resolve: ({ openedAt }) => isoOf(openedAt),
      }),
      assignedTo: t.string({
        nullable: true,
        ...describedWith(
          'Identifier of the account that got it; null unless it was assigned to your own.',
          'With `platform:risk`, to any.',
        ),
        resolve: ({ assignedTo }) => (assignedTo === null ? null : String(assignedTo)),
      }),
      returnId: t.exposeString('returnId', {
        nullable: true,
        description:
          'Return id of PIX (`D…`) under which it is or was returned; null without a return by PIX.',
      }),
      decidedBy: t.exposeString('decidedBy', {
        nullable: true,
        description: 'Key or operator that decided; null while it is open.',
      }),
      decidedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it was decided or returned; null while it is open.',
        resolve: ({ decidedAt }) => decidedAt && isoOf(decidedAt),
      }),
    }),
  });
}
