/** Cases of customers: `Query.customerCases`, `Query.customerCase`, and the mutations by which people decide. */
import { ACTIONS } from '../base/access/actions.ts';
import { known } from '../base/errors/assert.ts';
import type { Named } from '../base/errors/violations.ts';
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
import { bounded, LISTED_MAX, REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import type { Attempt } from '../resolvers/checks/once.ts';
import { type Context, requirePermission } from '../resolvers/services/context.ts';
import type { CaseEvidence } from '../store/account/case-evidence.ts';
import type { CaseState, CustomerCase, CustomerKind } from '../store/account/customer-cases.ts';
import type { Builder } from './builder.ts';
import type { CustomerLevelRef } from './customer.ts';
import { describedValues } from './described-values.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { refuseLonger } from './named.ts';
import { nodeType } from './node.ts';
import { KEY_ARGUMENT, type Keyed, performOnce } from './once.ts';
import { countedArguments, countedComplexity, exactConnection, idConnection } from './pagination.ts';

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
const KINDS: Readonly<Record<CustomerKind, string>> = {
  PERSON: 'A person, by CPF.',
  COMPANY: 'A company, by CNPJ.',
};
const REASON = `Reason of the decision, kept in the audit log and the evidence; 1 to ${REFERENCE_LENGTH_MAX} characters.`;
const RISK_ONLY = 'Null without the scope `platform:risk`.';
const CASE_ID = 'Identifier of the case.';

/** Defines `CustomerCase`, its queries and its mutations. */
export function defineCustomerCases(builder: Builder, level: CustomerLevelRef): void {
  const state = defineState(builder);
  const node = defineCase(builder, level, state);
  const connection = exactConnection(builder, node, {
    name: 'CustomerCase',
    page: 'A page of cases of customers.',
    edge: 'A case and its cursor.',
    total: 'Number of all cases that match, not only of this page. Exact.',
  });
  builder.queryField('customerCases', (t) =>
    t.field({
      type: connection,
      description:
        'Cases of customers, newest first: those of your account; with the scope `platform:risk`, those of all accounts of your mode.',
      args: {
        account: t.arg.string({ description: 'Only cases of this account; default: all that you may see.' }),
        states: t.arg({
          type: [state],
          description: bounded('Only cases in one of these states; default: all.', LISTED_MAX, 'states'),
        }),
        taxId: t.arg.string({
          description: 'Only cases of this customer: a CPF or CNPJ, with or without punctuation.',
        }),
        waitsForPerson: t.arg.boolean({
          description:
            'Only cases that a person is to look at: under review, frozen, denied after an approval, or open without a provider.',
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
}

type CaseRef = ReturnType<typeof defineCase>;

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
    'Unfreezes the customer. Two people do it: after the first, `unfreezeRequestedBy` names that person.',
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
        reason: t.string({ required: true, description: REASON }),
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
    description: `Freezes a customer by the tax id, also one who has no case yet: it is opened. Needs the scope \`${ACTIONS['case.freeze'].scope}\`.`,
    input: (t) => ({
      account: t.string({ required: true, description: DESCRIPTIONS.actedOn }),
      taxId: t.string({
        required: true,
        description: 'CPF or CNPJ of the customer, with or without punctuation.',
      }),
      reason: t.string({ required: true, description: REASON }),
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

function reasonOf({ reason }: { readonly reason: string }): Named {
  return { name: 'input.reason', value: reason };
}

/** The case itself is not stored with the key: the response has its present state. */
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

function defineCase(builder: Builder, level: CustomerLevelRef, state: StateRef) {
  const kind = builder.enumType('CustomerKind', {
    description: 'Kind of a customer.',
    values: Object.fromEntries(
      Object.entries(KINDS).map(([name, description]) => [
        name,
        { value: name as CustomerKind, description },
      ]),
    ) as Record<CustomerKind, { value: CustomerKind; description: string }>,
  });
  const evidence = defineEvidence(builder, state);
  const node = caseRef(builder).implement({
    interfaces: [nodeOfCase(builder)],
    description:
      'Level of identification of a customer of an account, once for all transactions of the account. Transactions ask for the case, and wait for it.',
    fields: (t) => ({
      caseId: t.string({ description: CASE_ID, resolve: ({ id }) => String(id) }),
      account: t.string({
        description: 'Identifier of the account whose customer it is.',
        resolve: ({ accountId }) => String(accountId),
      }),
      taxId: t.exposeString('taxId', { description: 'CPF or CNPJ of the customer, without punctuation.' }),
      name: t.exposeString('name', {
        nullable: true,
        description: 'Name that the transaction gave which opened the case; null where a person opened it.',
      }),
      kind: t.field({ type: kind, description: 'Kind of the customer.', resolve: (row) => row.kind }),
      level: t.field({
        type: level,
        description: 'Level that an approval leads to.',
        resolve: (row) => row.level,
      }),
      state: t.field({ type: state, description: 'Its state.', resolve: (row) => row.state }),
      frozenState: t.field({
        type: state,
        nullable: true,
        description: 'State that unfreezing leads back to; null unless it is frozen.',
        resolve: (row) => row.frozenState,
      }),
      evidence: t.field({
        type: [evidence],
        nullable: true,
        complexity: { field: 10, multiplier: 10 },
        description: `Requests, answers and decisions, newest first; at most ${EVIDENCE_MAX}. ${RISK_ONLY}`,
        resolve: async (row, _args, context) => {
          const found = await evidenceFor(context, row);
          return found && [...found];
        },
      }),
    }),
  });
  defineDecision(builder, node);
  return node;
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
      description: `Identifier of the customer at the provider. ${RISK_ONLY}`,
      resolve: (row, _args, context) => (seesEvidence(context) ? row.providerReference : null),
    }),
    reasons: t.stringList({
      nullable: true,
      description: `Reason codes of the provider. ${RISK_ONLY}`,
      resolve: (row, _args, context) => (seesEvidence(context) ? [...row.reasons] : null),
    }),
    score: t.field({
      type: 'Decimal',
      nullable: true,
      description: `Score of the provider; null where it gives none. ${RISK_ONLY}`,
      resolve: (row, _args, context) =>
        seesEvidence(context) && row.score !== null ? trimDecimal(row.score) : null,
    }),
    isLateDenial: t.exposeBoolean('isLateDenial', {
      description: 'Whether it was denied after an approval, and no person has decided since.',
    }),
    unfreezeRequestedBy: t.exposeString('unfreezeBy', {
      nullable: true,
      description:
        'Key or person that asked to unfreeze; another one has to do it too. Null where nobody has.',
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

type StateRef = ReturnType<typeof defineState>;

function defineState(builder: Builder) {
  return builder.enumType('CaseState', {
    description: 'State of the case of a customer.',
    values: describedValues(STATES),
  });
}

function defineEvidence(builder: Builder, state: StateRef) {
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
      reason: t.exposeString('reason', {
        nullable: true,
        description: 'Reason that the person gave; null where nobody did.',
      }),
    }),
  });
}
