/** What the mutations that make a transaction have in common: the shape of their answers, the session, the checks. */

import type { Named } from '../base/violations.ts';
import { type CreationChecks, EXPIRES_IN } from '../resolvers/checks/check-creation.ts';
import { type PlainMembers, SESSION_MEMBERS } from '../resolvers/checks/plain-members.ts';
import type { Builder } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import type { Done } from './once.ts';
import type { TemplateRef } from './template.ts';
import type { TransactionRef } from './transaction.ts';

/** Defines the answer of a mutation that makes a transaction; what else it has is added by the file of that mutation. */
export function definePayload(builder: Builder, transaction: TransactionRef, name: string) {
  return builder.objectRef<Done>(name).implement({
    description: 'The new transaction, and what is needed to continue with it.',
    fields: (t) => ({
      transaction: t.field({
        type: transaction,
        description: 'The transaction as it stands now.',
        resolve: ({ row }) => row as never,
      }),
      replayed: t.exposeBoolean('isReplayed', {
        description:
          'True when the `idempotencyKey` was used before: the earlier answer is repeated, nothing new was created.',
      }),
    }),
  });
}

/** Defines the input of the session of a new transaction; the members stand in the input of each creation. */
export function sessionFields(t: InputFields) {
  return {
    ...plainFields(t, SESSION_MEMBERS),
    expiresIn: t.int({ defaultValue: EXPIRES_IN.default, description: DESCRIPTIONS.expiresIn }),
  };
}

/** Defines the members of a list; they stand in the input of a creation. */
export function plainFields<Members extends PlainMembers>(
  t: InputFields,
  members: Members,
): { [Name in keyof Members]: ReturnType<typeof textField> } {
  return Object.fromEntries(Object.entries(members).map(([name, { doc }]) => [name, textField(t, doc)])) as {
    [Name in keyof Members]: ReturnType<typeof textField>;
  };
}

function textField(t: InputFields, description: string) {
  return t.string({ description });
}

/** Defines the choice of a template; it stands in the input of each creation. */
export function templateField(t: InputFields, template: TemplateRef) {
  return t.field({
    type: template,
    description: 'Template of the transaction. Default: the usual one for the currency and the destination.',
  });
}

/** What defines the members of an input object. */
export type InputFields = Parameters<Parameters<Builder['inputType']>[1]['fields']>[0];

/** Notes amounts that are given besides a quote, which says them. */
export function refuseBesides(
  checks: CreationChecks,
  quoteId: Named | undefined,
  amounts: readonly (Named | undefined)[],
): void {
  for (const amount of amounts)
    if (quoteId && amount)
      checks.add({ parameter: amount.name, message: `must not be given together with ${quoteId.name}` });
}
