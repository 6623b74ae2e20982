/** Work that waits for a person, and the movements of the account: the first screen of a frontend. */

import { currencyOfLedger } from '../base/money/currency.ts';
import { trimDecimal } from '../base/money/money.ts';
import {
  type Approval,
  countAttention,
  KEY_DAYS,
  readApprovals,
  readHolds,
  readPendingRefunds,
  readStepUps,
  WAITING_MAX,
} from '../resolvers/account/read-waiting.ts';
import { inProse } from '../resolvers/checks/lengths.ts';
import { FLOW_HOURS_MAX, type Flow, readAccountFlows } from '../resolvers/ledger/read-flows.ts';
import { type AttentionRow, COUNTED, type CountedName } from '../store/account/attention.ts';
import { FLOW_LINES_MAX } from '../store/ledger/flows.ts';
import type { ApprovalReason, ProcessRow } from '../templates/facts.ts';
import { RULED_KINDS } from '../templates/out-kinds.ts';
import type { ApprovalBarRef } from './approval-bar.ts';
import type { Builder } from './builder.ts';
import type { CurrencyRefs } from './currency.ts';
import { describedValues } from './described-values.ts';
import { isoOf } from './iso-of.ts';
import { describedWith, FOR_ALL } from './platform-only.ts';
import type { TransactionRef } from './transaction.ts';

/** Lists of waiting work have no pages: the cost of a node counts for their maximum length. */
const LIST = { field: 1, multiplier: 20 };

/** Defines `Query.approvals`, `Query.holds`, `Query.stepUps`, `Query.openRefunds`, `Query.attention` and `Query.flows`. */
export function defineWaiting(
  builder: Builder,
  refs: {
    readonly currency: CurrencyRefs['currency'];
    readonly transaction: TransactionRef;
    readonly bar: ApprovalBarRef;
  },
): void {
  defineApprovals(builder, refs.transaction, refs.bar);
  defineHolds(builder, refs.transaction);
  defineStepUps(builder, refs.transaction);
  defineOpenRefunds(builder, refs.transaction);
  defineAttention(builder);
  defineFlows(builder, refs.currency);
}

function defineApprovals(builder: Builder, transaction: TransactionRef, bar: ApprovalBarRef): void {
  const approval = defineApproval(builder, transaction, bar);
  builder.queryField('approvals', (t) =>
    t.field({
      type: [approval],
      complexity: LIST,
      description: `Money out that waits for people other than its maker, longest waiting first; at most ${WAITING_MAX}.`,
      args: { end2end: t.arg.string({ description: 'Only money out of this transaction.' }) },
      resolve: async (_root, { end2end }, context) => [
        ...(await readApprovals(context, end2end ?? undefined)),
      ],
    }),
  );
}

function defineApproval(builder: Builder, transaction: TransactionRef, bar: ApprovalBarRef) {
  const kind = builder.enumType('MoneyOutKind', {
    description: 'Route by which money leaves an account.',
    values: describedValues(RULED_KINDS),
  });
  const reason = builder.enumType('ApprovalReason', {
    description: 'Reason for which money out waits for approval.',
    values: describedValues({
      threshold: 'Money out of the day without an approval, with this, is above `approvalAbove`.',
      ceiling: 'Money out of the hour, with this, is above a ceiling: two people lift it.',
    } satisfies Record<ApprovalReason, string>),
  });
  return builder.objectRef<Approval>('Approval').implement({
    description: 'Money out that waits for people other than its maker (C-22, C-25).',
    fields: (t) => ({
      transaction: t.field({
        type: transaction,
        description: 'Its transaction.',
        resolve: ({ row }) => row as never,
      }),
      kind: t.field({ type: kind, description: 'Route of the money.', resolve: (row) => row.kind }),
      reason: t.field({ type: reason, description: 'Reason of the wait.', resolve: (row) => row.reason }),
      brl: t.field({
        type: 'Decimal',
        description: 'Worth of the money in BRL, as limits count it.',
        resolve: ({ brl }) => trimDecimal(brl),
      }),
      destination: t.exposeString('destination', {
        nullable: true,
        description: 'Destination address or PIX key; null for a refund, which goes to its payer.',
      }),
      approvalsNeeded: t.exposeInt('needed', { description: 'Approvals that are still needed.' }),
      requestedBy: t.exposeString('requestedBy', {
        nullable: true,
        description: 'Id of the key or person that requested it.',
      }),
      requestedByName: t.string({
        nullable: true,
        description: 'Name of that key or person, as it is now.',
        resolve: ({ requestedBy }, _args, { loaders }) => requestedBy && loaders.actorName.load(requestedBy),
      }),
      requestedAt: t.expose('requestedAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When it was requested; `approveMoneyOut` takes it. Null if unknown.',
      }),
      mayApprove: t.boolean({
        description: 'Whether your key may approve it.',
        resolve: ({ bar: found }) => found === null,
      }),
      whyNot: t.field({
        type: bar,
        nullable: true,
        description: 'Reason that keeps your key from approving it; null if it may.',
        resolve: ({ bar: found }) => found,
      }),
    }),
  });
}

function defineHolds(builder: Builder, transaction: TransactionRef): void {
  const hold = builder.objectRef<ProcessRow>('Hold').implement({
    description: 'A transaction that compliance screening holds.',
    fields: (t) => ({
      account: t.string({
        description: 'Identifier of the account that it belongs to.',
        resolve: ({ accountId }) => String(accountId),
      }),
      transaction: t.field({
        type: transaction,
        description: 'The transaction.',
        resolve: (row) => row as never,
      }),
      heldSince: t.field({
        type: 'DateTime',
        description: 'Start of the hold.',
        resolve: ({ updatedAt }) => isoOf(updatedAt),
      }),
    }),
  });
  builder.queryField('holds', (t) =>
    t.field({
      type: [hold],
      complexity: LIST,
      ...describedWith(
        `Transactions of your account that compliance screening holds, the longest held first; at most ${WAITING_MAX}.`,
        FOR_ALL,
      ),
      resolve: async (_root, _args, context) => [...(await readHolds(context))],
    }),
  );
}

function defineStepUps(builder: Builder, transaction: TransactionRef): void {
  const stepUp = builder.objectRef<ProcessRow>('StepUp').implement({
    description:
      'A transaction whose customer or payee waits for extra verification. It is denied after the time of `STEP_UP_HOURS`.',
    fields: (t) => ({
      account: t.string({
        description: 'Identifier of the account that it belongs to.',
        resolve: ({ accountId }) => String(accountId),
      }),
      transaction: t.field({
        type: transaction,
        description: 'The transaction.',
        resolve: (row) => row as never,
      }),
      since: t.field({
        type: 'DateTime',
        description: 'Start of the verification.',
        resolve: ({ updatedAt }) => isoOf(updatedAt),
      }),
    }),
  });
  builder.queryField('stepUps', (t) =>
    t.field({
      type: [stepUp],
      complexity: LIST,
      ...describedWith(
        `Transactions of your account whose customer or payee waits for extra verification, longest waiting first; at most ${WAITING_MAX}.`,
        `${FOR_ALL} \`approveStepUp\` and \`denyStepUp\` decide.`,
      ),
      resolve: async (_root, _args, context) => [...(await readStepUps(context))],
    }),
  );
}

function defineOpenRefunds(builder: Builder, transaction: TransactionRef): void {
  const refund = builder.objectRef<ProcessRow>('OpenRefund').implement({
    description:
      'A transaction with an open refund to a payer, under way or failed; `refunds` of the transaction lists them.',
    fields: (t) => ({
      account: t.string({
        description: 'Identifier of the account that it belongs to.',
        resolve: ({ accountId }) => String(accountId),
      }),
      transaction: t.field({
        type: transaction,
        description: 'The transaction.',
        resolve: (row) => row as never,
      }),
    }),
  });
  builder.queryField('openRefunds', (t) =>
    t.field({
      type: [refund],
      complexity: LIST,
      ...describedWith(
        `Transactions of your account with returns to payers that are on their way, or failed and are still owed, the longest unchanged first; at most ${WAITING_MAX}.`,
        FOR_ALL,
      ),
      resolve: async (_root, _args, context) => [...(await readPendingRefunds(context))],
    }),
  );
}

const COUNTS: Readonly<Record<CountedName, string>> = {
  approvals: 'Money out that waits for people other than its maker.',
  heldDeposits: 'Deposits of a wrong amount or too late, which wait for `resolveDeposit`.',
  holds: 'Transactions that compliance screening holds.',
  stepUps: 'Transactions whose customer or payee waits for extra verification.',
  failedRefunds: 'Transactions with a return to the payer that failed and is still owed.',
  suspense: 'Open entries of money in suspense.',
  disabledWebhookEndpoints: 'Webhook endpoints that were disabled because they failed.',
  failedJobs: 'Jobs of transactions that failed and are tried again.',
  expiringKeys: `API keys that expire within ${KEY_DAYS} days.`,
};

function defineAttention(builder: Builder): void {
  const attention = builder.objectRef<AttentionRow>('Attention').implement({
    description: 'Open tasks of the account that wait for a person.',
    fields: (t) =>
      Object.fromEntries(COUNTED.map((name) => [name, t.exposeInt(name, { description: COUNTS[name] })])),
  });
  builder.queryField('attention', (t) =>
    t.field({
      type: attention,
      complexity: 20,
      description: 'Number of open tasks of the account that wait for a person, by kind.',
      resolve: (_root, _args, context) => countAttention(context),
    }),
  );
}

function defineFlows(builder: Builder, currency: CurrencyRefs['currency']): void {
  const flow = builder.objectRef<Flow>('Flow').implement({
    description:
      'Amounts that came into the account and went out of it in one currency. Movements between the parts of the balance are not counted.',
    fields: (t) => ({
      currency: t.field({
        type: currency,
        description: 'The currency.',
        resolve: (row) => currencyOfLedger(row.currency),
      }),
      in: t.expose('in', { type: 'Decimal', description: 'Incoming sum.' }),
      out: t.expose('out', { type: 'Decimal', description: 'Outgoing sum.' }),
    }),
  });
  builder.queryField('flows', (t) =>
    t.field({
      type: [flow],
      nullable: true,
      complexity: { field: 100, multiplier: 10 },
      description: `Amounts that came in and went out in the last hours, by currency, from the ledger. Null if the account has more than ${inProse(FLOW_LINES_MAX)} statement lines since the first day of that period.`,
      args: {
        hours: t.arg.int({
          required: true,
          description: `Hours back from now: 1 to ${FLOW_HOURS_MAX}, so 24 for a day, 720 for 30 days.`,
        }),
      },
      resolve: async (_root, { hours }, context) => {
        const flows = await readAccountFlows(context, hours);
        return flows && [...flows];
      },
    }),
  );
}
