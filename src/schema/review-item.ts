/** A case of the review queue: `ReviewCase`. */
import { currencyOfLedger } from '../base/money/currency.ts';
import type { ReviewCase } from '../resolvers/review/read-queue.ts';
import type { ApprovalBarRef } from './approval-bar.ts';
import type { AuditEntryRef } from './audit-log.ts';
import type { Builder } from './builder.ts';
import { type CurrencyRefs, moneyOf } from './currency.ts';
import type { CustomerNodeRef } from './customer.ts';
import type { CaseRef } from './customer-case.ts';
import type { MedCaseRef } from './med-case.ts';
import type { HitRef } from './screening.ts';
import type { SuspenseRef } from './suspense.ts';
import type { TransactionRef } from './transaction.ts';

/** Types that cases lead to. */
export interface ReviewRefs extends CurrencyRefs {
  readonly bar: ApprovalBarRef;
  readonly transaction: TransactionRef;
  readonly suspense: SuspenseRef;
  readonly medCase: MedCaseRef;
  readonly customer: CustomerNodeRef;
  readonly customerCase: CaseRef;
  readonly hit: HitRef;
  readonly auditEntry: AuditEntryRef;
}

/** The type of kinds. */
export type KindRef = ReturnType<Builder['enumType']>;

/** Defines the type of cases. */
export function defineItem(builder: Builder, { transaction, money: amount }: ReviewRefs, kind: KindRef) {
  return builder.objectRef<ReviewCase>('ReviewCase').implement({
    description: 'Work that waits for a person.',
    fields: (t) => ({
      caseKey: t.exposeString('id', {
        description: 'Key of the case: its kind, account and reference, such as `HOLD:100:CRX…`.',
      }),
      kind: t.field({ type: kind, description: 'Kind.', resolve: (row) => row.kind as never }),
      account: t.string({
        nullable: true,
        description: 'Identifier of its account; null for the house.',
        resolve: ({ accountId }) => (accountId === null ? null : String(accountId)),
      }),
      accountName: t.exposeString('accountName', {
        nullable: true,
        description: 'Name of that account holder.',
      }),
      reference: t.exposeString('reference', {
        description: '`end2end` of its transaction; otherwise the id, day or name of its subject.',
      }),
      detail: t.exposeString('detail', {
        nullable: true,
        description: 'Its person, reason, address or day; null without one.',
      }),
      since: t.expose('since', { type: 'DateTime', description: 'Start of its wait.' }),
      dueAt: t.expose('dueAt', {
        type: 'DateTime',
        nullable: true,
        description: 'Its deadline; null without one.',
      }),
      money: t.field({
        type: amount,
        nullable: true,
        description: 'Waiting amount; null if `transaction` has the amounts, or there is none.',
        resolve: ({ money }) => money && moneyOf(money.amount, currencyOfLedger(money.currency)),
      }),
      brl: t.expose('brl', {
        type: 'Decimal',
        nullable: true,
        description: 'Worth in BRL, of crypto at the newest rate; null where there is no amount or no rate.',
      }),
      transaction: t.field({
        type: transaction,
        nullable: true,
        description: 'Its transaction; null where it is about none.',
        resolve: ({ row }) => row as never,
      }),
      assignee: t.exposeString('assignee', {
        nullable: true,
        description: 'Id of the key or person that works on it; null for no one.',
      }),
      isMine: t.boolean({
        description: 'Whether you work on it.',
        resolve: ({ assignee }, _args, { caller }) => assignee === caller.id,
      }),
      assigneeName: t.string({
        nullable: true,
        description: 'Name of that key or person, as it is now.',
        resolve: ({ assignee }, _args, { loaders }) => assignee && loaders.actorName.load(assignee),
      }),
    }),
  });
}

/** The type of cases. */
export type ItemRef = ReturnType<typeof defineItem>;
