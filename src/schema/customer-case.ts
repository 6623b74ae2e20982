/** Cases of customers: `Query.customerCases`, `Query.customerCase`, and the mutations by which people decide. */
import { ACTIONS } from '../base/access/actions.ts';
import { known } from '../base/errors/assert.ts';
import { trimDecimal } from '../base/money/money.ts';
import type { CaseAction } from '../resolvers/cases/case-state.ts';
import {
  CASE_AUDIT_ACTIONS,
  freezeCustomer,
  performCaseAction,
} from '../resolvers/cases/perform-case-action.ts';
import {
  EVIDENCE_MAX,
  evidenceFor,
  findCase,
  readCases,
  seesEvidence,
} from '../resolvers/cases/read-cases.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { holderMeant } from '../resolvers/checks/context-on-account.ts';
import { bounded, LISTED_MAX } from '../resolvers/checks/lengths.ts';
import type { Attempt } from '../resolvers/checks/once.ts';
import { type Context, requirePermission } from '../resolvers/services/context.ts';
import type { CustomerCase, CustomerKind } from '../store/account/customer-cases.ts';
import { type ApprovalBarRef, secondPersonField } from './approval-bar.ts';
import type { Builder } from './builder.ts';
import { defineCaseEntry, defineCaseState, type StateRef } from './case-entry.ts';
import type { CustomerLevelRef } from './customer.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { REASON_ARGUMENT, reasonOf, refuseLonger } from './named.ts';
import { nodeType } from './node.ts';
import { KEY_ARGUMENT, type Keyed, performOnce } from './once.ts';
import { countedArguments, countedComplexity, exactConnection, idConnection } from './pagination.ts';
import { describedWith, FOR_ALL, PLATFORM_ONLY } from './platform-only.ts';

const KINDS: Readonly<Record<CustomerKind, string>> = {
  PERSON: 'A person, by CPF.',
  COMPANY: 'A company, by CNPJ.',
};
/** Members that merchants do not get: null without the scope `platform:risk`. */
const ofRisk = (description: string) => ({
  description: `${description} Null without the scope \`platform:risk\`.`,
  ...PLATFORM_ONLY,
});
const CASE_ID = 'Identifier of the case.';

/** Defines `CustomerCase`, its queries and its mutations. @returns the type. */
export function defineCustomerCases(builder: Builder, level: CustomerLevelRef, bar: ApprovalBarRef) {
  const state = defineCaseState(builder);
  const node = defineCase(builder, { level, state, bar });
  const connection = exactConnection(builder, node, {
    name: 'CustomerCase',
    page: 'A page of cases of customers.',
    edge: 'A case and its cursor.',
    total: 'Number of all cases that match, not only of this page. Exact.',
  });
  builder.queryField('customerCases', (t) =>
    t.field({
      type: connection,
      ...describedWith('Cases of customers of your account, newest first.', FOR_ALL),
      args: {
        account: t.arg.string({
          description: 'Only cases of this account; default: all that you may see.',
          ...PLATFORM_ONLY,
        }),
        states: t.arg({
          type: [state],
          description: bounded('Only cases in one of these states; default: all.', LISTED_MAX, 'states'),
        }),
        taxId: t.arg.string({
          description: 'Only cases of this customer: a CPF or CNPJ, with or without punctuation.',
        }),
        waitsForPerson: t.arg.boolean({
          description:
            'Only cases that need a person: under review, frozen, denied after an approval, or open without a provider for a transaction.',
        }),
        ...countedArguments(t.arg),
      },
      complexity: countedComplexity,
      resolve: async (_root, { account, states, taxId, waitsForPerson, ...args }, context) => {
        refuseLonger('states', states, 'states');
        const checks = checksOf(context);
        const key = taxId == null ? null : (checks.taxId({ name: 'taxId', value: taxId }) ?? null);
        checks.refuse();
        const wanted = {
          account: account ?? null,
          states: states ?? null,
          taxId: key,
          waitsForPerson: waitsForPerson === true,
        };
        return (await idConnection(args, (slice) => readCases(context, wanted, slice))) as never;
      },
    }),
  );
  builder.queryField('customerCase', (t) =>
    t.field({
      type: node,
      nullable: true,
      description: 'A case of a customer; null where there is none that you may see.',
      args: { caseId: t.arg.string({ required: true, description: CASE_ID }) },
      resolve: async (_root, { caseId }, context) => (await findCase(context, caseId)) ?? null,
    }),
  );
  defineActions(builder, node);
  defineFreeze(builder, node);
  return node;
}

/** The type of cases of customers. */
export type CaseRef = ReturnType<typeof defineCase>;

const MUTATIONS: Readonly<Record<CaseAction, readonly [string, string]>> = {
  approve: [
    'approveCase',
    'Approves the case: transactions that wait for it go on, and the customer has its level.',
  ],
  deny: [
    'denyCase',
    'Denies the case. An approval is taken back by that: the level is lowered, and what is open for the customer ends; finished transactions stay.',
  ],
  retry: ['retryCase', 'Begins the check again, at the provider as a new one.'],
  freeze: ['freezeCase', 'Freezes the customer: what is paid is held, and nothing goes back.'],
  unfreeze: [
    'unfreezeCase',
    'Unfreezes the customer. Two people whose access lasts do it: after the first, `unfreezeRequestedBy` names that person.',
  ],
};

function defineActions(builder: Builder, node: CaseRef): void {
  for (const [action, [mutation, description]] of Object.entries(MUTATIONS) as [
    CaseAction,
    readonly [string, string],
  ][])
    defineMutation(builder, mutation, {
      result: ['customerCase', node],
      description: `${description} Error \`STEP_CONFLICT\` where the state does not allow it. Needs the scope \`${ACTIONS[CASE_AUDIT_ACTIONS[action]].scope}\`.`,
      input: (t) => ({
        caseId: t.string({ required: true, description: CASE_ID }),
        reason: t.string(REASON_ARGUMENT),
        idempotencyKey: t.string(KEY_ARGUMENT),
      }),
      resolve: (args, context) =>
        decideOnce(context, { mutation, action: CASE_AUDIT_ACTIONS[action], args }, (attempt) =>
          performCaseAction(context, action, args.caseId, reasonOf(args), checksOf(context), attempt),
        ),
    });
}

function defineFreeze(builder: Builder, node: CaseRef): void {
  defineMutation(builder, 'freezeCustomer', {
    result: ['customerCase', node],
    description: `Freezes a customer by the tax id; opens a case if there is none. Needs the scope \`${ACTIONS['case.freeze'].scope}\`.`,
    input: (t) => ({
      account: t.string({ required: true, description: DESCRIPTIONS.actedOn }),
      taxId: t.string({
        required: true,
        description: 'CPF or CNPJ of the customer, with or without punctuation.',
      }),
      reason: t.string(REASON_ARGUMENT),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      decideOnce(context, { mutation: 'freezeCustomer', action: 'case.freeze', args }, async (attempt) => {
        requirePermission(context, 'case.freeze');
        const accountId = await holderMeant(context, args.account);
        const taxId = { name: 'input.taxId', value: args.taxId };
        return freezeCustomer(context, { accountId, taxId }, reasonOf(args), checksOf(context), attempt);
      }),
  });
}

/** The case itself is not stored with the key: the response has its current state. */
async function decideOnce(
  context: Context,
  keyed: Keyed,
  decide: (attempt: Attempt) => Promise<CustomerCase>,
): Promise<CustomerCase> {
  let decided: CustomerCase | undefined;
  const { stored } = await performOnce(context, keyed, async (attempt) => {
    decided = await decide(attempt);
    return { id: String(decided.id) };
  });
  return decided ?? known(await findCase(context, stored.id), 'the record of a used key');
}

interface CaseRefs {
  readonly level: CustomerLevelRef;
  readonly state: StateRef;
  readonly bar: ApprovalBarRef;
}

function defineCase(builder: Builder, { level, state, bar }: CaseRefs) {
  const kind = builder.enumType('CustomerKind', {
    description: 'Kind of a customer.',
    values: Object.fromEntries(
      Object.entries(KINDS).map(([name, description]) => [
        name,
        { value: name as CustomerKind, description },
      ]),
    ) as Record<CustomerKind, { value: CustomerKind; description: string }>,
  });
  const evidence = defineCaseEntry(builder, state);
  const node = caseRef(builder).implement({
    interfaces: [nodeOfCase(builder)],
    description:
      'Level of identification of a customer of an account, once for all transactions of the account. Transactions refer to the case, and wait for it.',
    fields: (t) => ({
      caseId: t.string({ description: CASE_ID, resolve: ({ id }) => String(id) }),
      account: t.string({
        description: 'Identifier of the account whose customer it is.',
        resolve: ({ accountId }) => String(accountId),
      }),
      taxId: t.exposeString('taxId', { description: 'CPF or CNPJ of the customer, without punctuation.' }),
      name: t.exposeString('name', {
        nullable: true,
        description: 'Name in the transaction that opened the case; null if a person opened it.',
      }),
      kind: t.field({ type: kind, description: 'Kind of the customer.', resolve: (row) => row.kind }),
      level: t.field({
        type: level,
        description: 'Level after an approval.',
        resolve: (row) => row.level,
      }),
      state: t.field({ type: state, description: 'Its state.', resolve: (row) => row.state }),
      frozenState: t.field({
        type: state,
        nullable: true,
        description: 'State after unfreezing; null unless it is frozen.',
        resolve: (row) => row.frozenState,
      }),
      evidence: t.field({
        type: [evidence],
        nullable: true,
        complexity: { field: 10, multiplier: 10 },
        ...ofRisk(`Requests, answers and decisions, newest first; at most ${EVIDENCE_MAX}.`),
        resolve: async (row, _args, context) => {
          const found = await evidenceFor(context, row);
          return found && [...found];
        },
      }),
    }),
  });
  defineDecision(builder, node);
  defineUnfreezing(builder, node, bar);
  return node;
}

/** Defines the fields about the first of the two people who unfreeze. */
function defineUnfreezing(builder: Builder, node: CaseNode, bar: ApprovalBarRef): void {
  builder.objectFields(node, (t) => ({
    unfreezeRequestedBy: t.exposeString('unfreezeBy', {
      nullable: true,
      description:
        'Key or person that asked to unfreeze; another one has to do it too. Null where nobody has.',
    }),
    unfreezeRequestedByName: t.string({
      nullable: true,
      ...ofRisk('Name of that key or person, as it is now.'),
      resolve: ({ unfreezeBy }, _args, context) =>
        seesEvidence(context) && unfreezeBy ? context.loaders.actorName.load(unfreezeBy) : null,
    }),
    secondPersonBar: t.field(
      secondPersonField<CustomerCase>(bar, ACTIONS['case.unfreeze'].scope, ({ unfreezeBy }, context) =>
        seesEvidence(context) ? unfreezeBy : null,
      ),
    ),
  }));
}

/** Defines the fields about the decision of a case. */
function defineDecision(builder: Builder, node: CaseNode): void {
  builder.objectFields(node, (t) => ({
    validUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'End of the newest approval; null where there was none.',
      resolve: ({ validUntil }) => validUntil && isoOf(validUntil),
    }),
    attempts: t.exposeInt('attempts', { description: 'Number of times that the check was begun.' }),
    provider: t.exposeString('provider', {
      nullable: true,
      description: 'Kind of the provider that checks; null where people alone decide.',
    }),
    reference: t.string({
      nullable: true,
      ...ofRisk('Identifier of the customer at the provider.'),
      resolve: (row, _args, context) => (seesEvidence(context) ? row.providerReference : null),
    }),
    reasons: t.stringList({
      nullable: true,
      ...ofRisk('Reason codes of the provider.'),
      resolve: (row, _args, context) => (seesEvidence(context) ? [...row.reasons] : null),
    }),
    score: t.field({
      type: 'Decimal',
      nullable: true,
      ...ofRisk('Score of the provider; null where it gives none.'),
      resolve: (row, _args, context) =>
        seesEvidence(context) && row.score !== null ? trimDecimal(row.score) : null,
    }),
    isLateDenial: t.exposeBoolean('isLateDenial', {
      description: 'Whether it was denied after an approval, and no person has decided since.',
    }),
    decidedBy: t.exposeString('decidedBy', {
      nullable: true,
      description: 'Key or person that decided last, or the kind of the provider; null before a decision.',
    }),
    decidedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time of the last decision; null before one.',
      resolve: ({ decidedAt }) => decidedAt && isoOf(decidedAt),
    }),
    openedAt: t.field({
      type: 'DateTime',
      description: 'When it was opened.',
      resolve: (row) => isoOf(row.openedAt),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When its state changed last.',
      resolve: (row) => isoOf(row.updatedAt),
    }),
  }));
}

type CaseNode = ReturnType<ReturnType<typeof caseRef>['implement']>;

function nodeOfCase(builder: Builder) {
  return nodeType<CustomerCase>(builder, 'CustomerCase', {
    rawId: ({ id }) => String(id),
    read: async (context, caseId) => (await findCase(context, caseId)) ?? null,
  });
}

function caseRef(builder: Builder) {
  return builder.objectRef<CustomerCase>('CustomerCase');
}
