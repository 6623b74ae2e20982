/**
 * Goal: every type of objects is a record with a global id, or a plain value for a reason (docs/decisions/0076). Method: a walk over the
 * schema against the lists here; a type in none of them fails. Schemas of
 * wrong forms show that each rule finds what breaks it.
 */
import { type GraphQLSchema, isObjectType, buildSchema as schemaOf } from 'graphql';
import { describe, expect, test } from 'vitest';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';

const SCHEMA = buildSchema(REGISTRY);
/** Plain values, by what makes them that. */
const PLAIN = {
  'has a key that is its whole identity':
    'Currency Label Money NetworkSending NotificationChoice AssetRate RateFeed RailHealth RailCheck ReviewCase SandboxScenario ScreeningList WebhookEventName',
  'a figure, computed for each answer':
    'Attention Balance BalanceChange BalanceWorth BookAmount CellFigures CloseChecklist CountedVolume CustomerFigures CustomerVolume DeliveryReport DeliverySlice EndpointFigures FigureRow FiguresOverCells Flow HouseDay HousePosition OperationCheck ProfitAndLoss OutcomeSum RailOfDay RailOrderTimes Receivable RelatedPayments ReconciledBalance ReconciliationRun ResultLine ReviewCount ReviewEvidence Takings TakingsDay TakingsPeriod TotalFigures TransactionSum TransactionSumSides TreasuryLine TrialBalance TrialLine',
  'a part of a record, which is read with it':
    'AccountCompany AccountSettings ActionArgument ActionEffect Branding CaseFact CaseFile CompanyOwner Counterpart Finding LedgerAccount MedAnswer MedFile NotificationSettings OtherCase OwnAccount Payment PendingSettingChange PossibleAction PossibleScenarios ProposedPrice Refund ReviewNote SavedView TemplateLimits TemplateSetting TransactionRecord WebhookAttempt',
  'an entry of a log, which never changes: its key is in it':
    'AuditEntry BookClose BookEntry Booking CaseEvidence CursorExpired Event Heartbeat LedgerLine MedEvent RequestLogEntry StatementEntryAdded TransactionChange TransactionEvent',
  'a view of a transaction':
    'Approval Hold OpenRefund PaymentCandidate PaymentSession RelatedPayment SearchHit StepUp',
  'shown once, or read by nothing':
    'Invitation IssuedApiKey Quote SandboxFunding StreamToken WebhookRedelivery WebhookSecret',
  'a report on work of an endpoint, which is gone after a while': 'WebhookRedeliveryProgress WebhookSample',
  'the caller': 'Viewer',
  'a part of every schema': 'Query Mutation Subscription PageInfo',
};
const OF_A_FIELD = /(?:Payload|Connection|Edge|Refusal)$/;

const PLAIN_TYPES = Object.values(PLAIN).flatMap((names) => names.split(' '));

/** @returns types of objects that are neither a record nor listed as a plain value, or both. */
function wrongKinds(schema: GraphQLSchema): string[] {
  return objectsOf(schema).flatMap((type) => {
    const isPlain = PLAIN_TYPES.includes(type.name);
    if (isRecord(type)) return isPlain ? [`${type.name}: a record that is listed as a plain value`] : [];
    return isPlain ? [] : [`${type.name}: no record, and listed as no plain value`];
  });
}

/** @returns types whose `id` is no global id, and records without a raw id. */
function wrongIds(schema: GraphQLSchema): string[] {
  return objectsOf(schema).flatMap((type) => {
    const { id, ...others } = type.getFields();
    // A finding names the entry of somebody else's statement.
    if (!isRecord(type)) return id && type.name !== 'Finding' ? [`${type.name}: id, but is no Node`] : [];
    const raw = Object.keys(others).some((name) => /^(?:end2end|slug|taxId|key|[a-z]\w*Id)$/.test(name));
    return raw ? [] : [`${type.name}: no raw id`];
  });
}

function objectsOf(schema: GraphQLSchema) {
  return Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type))
    .filter(({ name }) => !name.startsWith('__') && !OF_A_FIELD.test(name));
}

function isRecord(type: ReturnType<typeof objectsOf>[number]): boolean {
  return type.getInterfaces().some(({ name }) => name === 'Node');
}

test('a type of objects is a record with a global id, or a plain value for a reason', () => {
  expect(wrongKinds(SCHEMA)).toEqual([]);
  const names = objectsOf(SCHEMA).map(({ name }) => name);
  expect(PLAIN_TYPES.filter((name) => !names.includes(name))).toEqual([]);
});

test('`id` is the global id, and nothing else; the raw id of a record has a name of its own', () => {
  expect(wrongIds(SCHEMA)).toEqual([]);
});

describe('in a wrong form are found', () => {
  const schemaWith = (sdl: string) =>
    schemaOf(`type Query { node(id: ID!): Node } interface Node { id: ID! } ${sdl}`);

  test.each([
    ['type Thing { name: String }', 'Thing: no record, and listed as no plain value'],
    ['type Money implements Node { id: ID! moneyId: ID }', 'Money: a record that is listed as a plain value'],
  ])('%s', (sdl, wrong) => {
    expect(wrongKinds(schemaWith(sdl))).toEqual([wrong]);
  });

  test.each([
    ['type Thing { id: ID! }', 'Thing: id, but is no Node'],
    ['type Thing implements Node { id: ID! name: String }', 'Thing: no raw id'],
  ])('%s', (sdl, wrong) => {
    expect(wrongIds(schemaWith(sdl))).toEqual([wrong]);
  });
});
