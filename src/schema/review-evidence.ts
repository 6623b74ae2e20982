/** Evidence of a case, for compliance: `Query.reviewEvidence`. */
import { ACTIONS } from '../base/access/actions.ts';
import { trimDecimal } from '../base/money/money.ts';
import {
  type Counted,
  type CustomerFigures,
  type ReviewEvidence as Evidence,
  HITS_LISTED_MAX,
  readEvidence,
} from '../resolvers/review/read-evidence.ts';
import { prismaOf } from '../store/connection/prisma.ts';
import { type ApprovalBarRef, secondPersonField } from './approval-bar.ts';
import type { Builder } from './builder.ts';
import { PLATFORM_ONLY } from './platform-only.ts';
import type { ReviewRefs } from './review-item.ts';

/** Defines `Query.reviewEvidence`. */
export function defineReviewEvidence(builder: Builder, refs: ReviewRefs): void {
  const evidence = defineEvidence(builder, refs);
  builder.queryField('reviewEvidence', (t) =>
    t.field({
      type: evidence,
      ...PLATFORM_ONLY,
      complexity: { field: 10, multiplier: 1 },
      description:
        'Evidence about a case of the review queue, by which compliance decides. A view is recorded in the audit logs, like one of `reviewCase`. Error `NOT_FOUND` for a case that you may not see. Needs the scope `platform:risk`.',
      args: {
        caseKey: t.arg.string({
          required: true,
          description: 'Key of the case, from `ReviewCase.caseKey`.',
        }),
      },
      resolve: (_root, { caseKey }, context) => readEvidence(context, caseKey),
    }),
  );
}

function defineEvidence(builder: Builder, { customer, customerCase, hit, bar }: ReviewRefs) {
  const figures = defineFigures(builder);
  const evidence = evidenceRef(builder).implement({
    description: 'Evidence about a case: its customer, the hits of screening, and whether money is frozen.',
    fields: (t) => ({
      customer: t.prismaField({
        type: customer,
        nullable: true,
        description:
          'The customer that it is about; null where there is none, or no transaction has named it.',
        resolve: (query, { accountId, taxId }, _args, { database }) =>
          accountId === null || taxId === null
            ? null
            : prismaOf(database).customer.findUnique({
                ...query,
                where: { accountId_taxId: { accountId, taxId } },
              }),
      }),
      figures: t.field({
        type: figures,
        nullable: true,
        description:
          'Limits of the customer for the template of its transaction, or of the newest one, and the volumes that they count; null without a transaction.',
        resolve: (row) => row.figures,
      }),
      customerCases: t.field({
        type: [customerCase],
        complexity: { field: 1, multiplier: 2 },
        description: 'Cases of the customer, one for each level.',
        resolve: (row) => [...row.customerCases],
      }),
      hits: t.field({
        type: [hit],
        complexity: { field: 1, multiplier: 5 },
        description: `Hits of screening of its transaction, or the hit that it is about, newest first; at most ${HITS_LISTED_MAX}.`,
        resolve: (row) => [...row.hits],
      }),
    }),
  });
  addStops(builder, evidence, bar);
  return evidence;
}

/** Adds the reasons for which its transaction was stopped; two people release money of a sanctioned person. */
function addStops(builder: Builder, evidence: EvidenceRef, bar: ApprovalBarRef): void {
  builder.objectFields(evidence, (t) => ({
    isOverDaily: t.boolean({
      description: 'Whether the payment of its transaction was held because it exceeds the daily limit.',
      resolve: ({ row }) => row?.process?.isOverLimit === true,
    }),
    isOver30Days: t.boolean({
      description: 'Whether its transaction exceeded the customer’s limit of 30 days.',
      resolve: ({ row }) => row?.process?.stepUp === 'due',
    }),
    isFrozen: t.boolean({
      description: 'Whether its transaction is frozen: two people release it, and nothing is refunded.',
      resolve: ({ row }) => row?.process?.isFrozen === true,
    }),
    releaseRequestedBy: t.string({
      nullable: true,
      description: 'Key or person that released the frozen transaction first; null without one.',
      resolve: ({ row }) => row?.process?.release?.by ?? null,
    }),
    releaseRequestedByName: t.string({
      nullable: true,
      description: 'Name of that key or person, as it is now.',
      resolve: ({ row }, _args, { loaders }) => {
        const by = row?.process?.release?.by;
        return by === undefined ? null : loaders.actorName.load(by);
      },
    }),
    secondPersonBar: t.field(
      secondPersonField<Evidence>(
        bar,
        ACTIONS['hold.release'].scope,
        ({ row }) => row?.process?.release?.by ?? null,
      ),
    ),
  }));
}

function evidenceRef(builder: Builder) {
  return builder.objectRef<Evidence>('ReviewEvidence');
}

type EvidenceRef = ReturnType<ReturnType<typeof evidenceRef>['implement']>;

function defineFigures(builder: Builder) {
  const volume = builder.objectRef<Counted>('CountedVolume').implement({
    description: 'Volume of a customer that a limit counts.',
    fields: (t) => ({
      open: t.field({
        type: 'Decimal',
        description: 'Amount of transactions that can still be paid, BRL.',
        resolve: ({ open }) => trimDecimal(open),
      }),
      paid: t.field({
        type: 'Decimal',
        description: 'Amount that was paid, BRL.',
        resolve: ({ paid }) => trimDecimal(paid),
      }),
    }),
  });
  return builder.objectRef<CustomerFigures>('CustomerFigures').implement({
    description: 'Limits of a customer that are in force, and the volumes that they count.',
    fields: (t) => ({
      limitDaily: t.field({
        type: 'Decimal',
        description: 'Largest volume in a day in Brasília, BRL.',
        resolve: ({ limitDaily }) => trimDecimal(limitDaily),
      }),
      stepUp30d: t.field({
        type: 'Decimal',
        description: 'Volume in 30 days above which an identity step-up is required, BRL.',
        resolve: ({ stepUp30d }) => trimDecimal(stepUp30d),
      }),
      today: t.field({ type: volume, description: 'Volume of today.', resolve: (row) => row.today }),
      last30Days: t.field({
        type: volume,
        description: 'Volume of the 30 days that end with today.',
        resolve: (row) => row.last30Days,
      }),
    }),
  });
}
