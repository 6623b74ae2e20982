/** CaseState, and CaseEvidence: an entry of the evidence of a case of a customer. */
import { trimDecimal } from '../base/money/money.ts';
import type { CaseEvidence } from '../store/account/case-evidence.ts';
import type { CaseState } from '../store/account/customer-cases.ts';
import type { Builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { isoOf } from './iso-of.ts';

const STATES: Readonly<Record<CaseState, string>> = {
  open: 'It was opened: the provider has not answered yet, or, without a provider, a person is to decide.',
  pending: 'It is under way at the provider, or waits for the customer there.',
  approved: 'It is approved, up to `validUntil`.',
  denied: 'It is denied: transactions that need the level end.',
  retry: 'The provider asks the customer to try again.',
  review: 'The provider, or a person there, looks at it more closely.',
  expired: 'It was not decided in time; the next transaction that needs the level opens it again.',
  frozen: 'The customer is frozen: no money of that customer moves or goes back.',
};

/** Defines the type `CaseState`. */
export function defineCaseState(builder: Builder) {
  return builder.enumType('CaseState', {
    description: 'State of the case of a customer.',
    values: describedValues(STATES),
  });
}

/** The type `CaseState`. */
export type StateRef = ReturnType<typeof defineCaseState>;

/** Defines the type. */
export function defineCaseEntry(builder: Builder, state: StateRef) {
  return builder.objectRef<CaseEvidence>('CaseEvidence').implement({
    description:
      'An entry of the evidence of a case. It is never changed, and holds neither images nor answers of a provider.',
    fields: (t) => ({
      n: t.exposeInt('n', { description: 'Position in the evidence of the case, from 1.' }),
      at: t.field({ type: 'DateTime', description: 'Time of the entry.', resolve: ({ at }) => isoOf(at) }),
      event: t.exposeString('event', {
        description:
          'Event: `opened`, `callback`, `answered`, `approved`, `denied`, `retried`, `frozen`, `unfreeze_asked`, `unfrozen` or `expired`.',
      }),
      state: t.field({
        type: state,
        description: 'State of the case after it.',
        resolve: (row) => row.state,
      }),
      attempt: t.exposeInt('attempt', { description: 'Number of the check, from 1.' }),
      provider: t.exposeString('provider', {
        nullable: true,
        description: 'Kind of the provider; null where there is none.',
      }),
      reference: t.exposeString('providerReference', {
        nullable: true,
        description: 'Identifier at the provider; null before it gave one.',
      }),
      decision: t.exposeString('decision', {
        nullable: true,
        description: 'Last decision of the provider, in the words of the gateway; null before one.',
      }),
      reasons: t.exposeStringList('reasons', { description: 'Reason codes of the provider.' }),
      score: t.field({
        type: 'Decimal',
        nullable: true,
        description: 'Score of the provider; null where it gives none.',
        resolve: ({ score }) => score && trimDecimal(score),
      }),
      answerHash: t.exposeString('answerHash', {
        nullable: true,
        description: 'SHA-256 of the answer or the callback, hexadecimal; null where there was none.',
      }),
      actor: t.exposeString('actor', {
        nullable: true,
        description: 'Key or person that acted; null for the provider and for a timer.',
      }),
      actorName: t.string({
        nullable: true,
        description: 'Name of that key or person, as it is now.',
        resolve: ({ actor }, _args, { loaders }) => actor && loaders.actorName.load(actor),
      }),
      reason: t.exposeString('reason', {
        nullable: true,
        description: 'Reason that the person gave; null where nobody did.',
      }),
    }),
  });
}
