/** Arrived money that no transaction accepted: `Query.suspense`, and the mutations that decide about it (C-34). */

import { currencyOfLedger } from '../base/money/currency.ts';
import { fromMinor } from '../base/money/money.ts';
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
import type { Builder } from './builder.ts';
import type { CurrencyRefs } from './currency.ts';
import { describedValues } from './described-values.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { nodeType } from './node.ts';
import { KEY_ARGUMENT, type Keyed, performOnce } from './once.ts';
import { countedArguments, countedComplexity, exactConnection, idConnection } from './pagination.ts';

const STATES: Readonly<Record<SuspenseState, string>> = {
  open: 'It waits for a decision.',
  assigned: 'It was credited to an account.',
  returning: 'It is on its way back to where it came from.',
  returned: 'It went back.',
  dropped: 'Its network dropped it after it had been final: it is not there any more.',
};
const ID = { required: true, description: 'Identifier of the entry.' } as const;
const ACCOUNT = { required: true, description: 'Identifier of the account that gets it.' } as const;

/** Defines `SuspenseEntry`, `Query.suspense`, and the mutations that decide about it. @returns the type. */
export function defineSuspense(builder: Builder, currencies: CurrencyRefs): SuspenseRef {
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
      description:
        'Money that came and that no transaction took, newest first: that of your account; with the scope `platform:risk`, that of all accounts of your mode, and money that matches no account.',
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
      'Credits money in suspense to the balance of the account that it lies with. Another account is proposed (`proposedTo`), and gets it with `approveSuspense`. Error `STEP_CONFLICT` unless the entry is open, and for another account while one is proposed. Needs the scope `platform:risk`.',
    input: (t) => ({
      suspenseId: t.string(ID),
      account: t.string(ACCOUNT),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      decideOnce(context, { mutation: 'assignSuspense', action: 'suspense.assign', args }, (attempt) =>
        assignSuspense(context, args.suspenseId, args.account, attempt),
      ),
  });
  defineProposal(builder, entry);
  defineSecondPerson(builder, entry);
  defineMutation(builder, 'returnSuspense', {
    result: ['suspenseEntry', entry],
    description:
      'Sends money in suspense back to where it came from; a network deducts its fee from it. Error `STEP_CONFLICT` unless the entry is open, or `isStuck`: then the same return is ordered again. Needs the scope `platform:risk`.',
    input: (t) => ({ suspenseId: t.string(ID), idempotencyKey: t.string(KEY_ARGUMENT) }),
    resolve: (args, context) =>
      decideOnce(context, { mutation: 'returnSuspense', action: 'suspense.return', args }, (attempt) =>
        returnSuspense(context, args.suspenseId, attempt),
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
      'Approves the account that another person proposed for money in suspense: it is credited now. The proposer, and those who count as one maker with the proposer, cannot approve it (`FORBIDDEN`). Error `STEP_CONFLICT` unless this account is proposed. Needs the scope `platform:risk`.',
    input: (t) => ({
      suspenseId: t.string(ID),
      account: t.string(ACCOUNT),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      decideOnce(context, { mutation: 'approveSuspense', action: 'suspense.approve', args }, (attempt) =>
        approveSuspense(context, args.suspenseId, args.account, attempt),
      ),
  });
  defineMutation(builder, 'rejectSuspense', {
    result: ['suspenseEntry', entry],
    description:
      'Rejects the account that was proposed for money in suspense: it waits for another decision. Error `STEP_CONFLICT` unless one is proposed. Needs the scope `platform:risk`.',
    input: (t) => ({ suspenseId: t.string(ID), idempotencyKey: t.string(KEY_ARGUMENT) }),
    resolve: (args, context) =>
      decideOnce(context, { mutation: 'rejectSuspense', action: 'suspense.reject', args }, (attempt) =>
        rejectSuspense(context, args.suspenseId, attempt),
      ),
  });
}

function defineProposal(builder: Builder, entry: ReturnType<typeof defineEntry>): void {
  builder.objectField(entry, 'isStuck', (t) =>
    t.exposeBoolean('isStuck', {
      description:
        'Whether its return failed so often that it is ordered again only with `returnSuspense`, by a person.',
    }),
  );
  builder.objectFields(entry, (t) => ({
    proposedTo: t.string({
      nullable: true,
      description:
        'Identifier of the account that gets it once another person approves; null where none is proposed, and without `platform:risk`.',
      resolve: ({ proposedTo }) => (proposedTo === null ? null : String(proposedTo)),
    }),
    proposedBy: t.exposeString('proposedBy', {
      nullable: true,
      description:
        'Key or person that proposed it; null where none is proposed, and without `platform:risk`.',
    }),
  }));
}

/** The entry itself is not stored with the key: the response has its present state. */
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
    description: 'Money that came and that no transaction took.',
    fields: (t) => ({
      suspenseId: t.string({ description: 'Identifier of the entry.', resolve: ({ id }) => String(id) }),
      account: t.string({
        description:
          'Identifier of the account that holds it; that of the platform if the owner is not known.',
        resolve: ({ accountId }) => String(accountId),
      }),
      end2end: t.exposeString('end2end', {
        nullable: true,
        description: 'Transaction that it came for; null where that is not known.',
      }),
      currency: t.field({
        type: currencies.currency,
        description: 'Currency of the money.',
        resolve: (row) => currencyOfLedger(row.currency),
      }),
      amount: t.field({
        type: 'Decimal',
        description: 'Amount that came.',
        resolve: ({ amountMinor, currency }) => fromMinor(amountMinor, currencyOfLedger(currency).decimals),
      }),
      reason: t.field({
        type: reason,
        description: 'Reason for which no transaction accepted it.',
        resolve: (row) => row.reason,
      }),
      state: t.field({ type: state, description: 'Its state.', resolve: (row) => row.state }),
      news: t.field({
        type: 'JSONObject',
        description:
          'Report of the rail. The tax id of the payer is complete with `platform:risk`, otherwise masked.',
        resolve: ({ news: event }) => event as object,
      }),
      openedAt: t.field({
        type: 'DateTime',
        description: 'When it was booked.',
        resolve: ({ openedAt }) => isoOf(openedAt),
      }),
      assignedTo: t.string({
        nullable: true,
        description:
          'Identifier of the account that got it; null unless it was assigned, and, without `platform:risk`, if that account is not your own.',
        resolve: ({ assignedTo }) => (assignedTo === null ? null : String(assignedTo)),
      }),
      returnId: t.exposeString('returnId', {
        nullable: true,
        description:
          'Return id of PIX (`D…`) under which it goes or went back; null without a return by PIX.',
      }),
      decidedBy: t.exposeString('decidedBy', {
        nullable: true,
        description: 'Key or operator that decided; null while it is open.',
      }),
      decidedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When that was decided, or when it went back; null while it is open.',
        resolve: ({ decidedAt }) => decidedAt && isoOf(decidedAt),
      }),
    }),
  });
}
