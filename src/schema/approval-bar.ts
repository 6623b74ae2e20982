/** ApprovalBar: the reason that keeps a caller from approving, and the field of records that two people decide. */
import type { Scope } from '../base/access/api-key.ts';
import { APPROVAL_BARS, type ApprovalBar, secondPersonBar } from '../resolvers/settings/approvers.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { describedValues } from './described-values.ts';
import { PLATFORM_ONLY } from './platform-only.ts';

/** Defines the type. */
export function defineApprovalBar(builder: Builder) {
  return builder.enumType('ApprovalBar', {
    description: 'Reason that keeps your key from approving.',
    values: describedValues(APPROVAL_BARS),
  });
}

/** The type `ApprovalBar`. */
export type ApprovalBarRef = ReturnType<typeof defineApprovalBar>;

/**
 * @param scope - scope that both need.
 * @param firstOf - the first of the two people; null if nobody has decided yet.
 * @returns the options of the field `secondPersonBar`.
 */
export function secondPersonField<Row>(
  bar: ApprovalBarRef,
  scope: Scope,
  firstOf: (row: Row, context: GraphqlContext) => string | null,
) {
  return {
    ...PLATFORM_ONLY,
    type: bar,
    nullable: true,
    description:
      'Reason that keeps you from being the second of the two people who decide; null where you may be, and where there is no first one.',
    resolve: (row: Row, _args: object, context: GraphqlContext): Promise<ApprovalBar | null> =>
      secondPersonBar(context, firstOf(row, context), scope),
  } as const;
}
