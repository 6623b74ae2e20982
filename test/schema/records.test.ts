/**
 * Goal: every type of objects is a record with a global id, or a plain value for a reason (docs/decisions/0076). Method: a walk over the
 * schema against the lists here; a type in none of them fails.
 */
import { isInterfaceType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';

const SCHEMA = buildSchema(REGISTRY);
/** Plain values, by what makes them that. */
const PLAIN = {
  'has a key that is its whole identity':
    'Currency Label Money NetworkSending NotificationChoice AssetRate RateFeed RailHealth RailCheck ReviewCase SandboxScenario ScreeningList WebhookEventName',
  'a figure, computed for each answer':
    'Attention Balance BalanceChange BalanceWorth BookAmount CellFigures CloseChecklist CustomerVolume DeliveryReport DeliverySlice EndpointFigures FigureRow FiguresOverCells Flow HouseDay HousePosition ProfitAndLoss RailOfDay RailOrderTimes Receivable ReconciledBalance ResultLine ReviewCount Takings TakingsDay TakingsPeriod TotalFigures TransactionSum TransactionSumSides TreasuryLine TrialBalance TrialLine',
  'a part of a record, which is read with it':
    'AccountCompany AccountSettings ActionArgument ActionEffect Branding CaseFact CaseFile CompanyOwner Counterpart Finding LedgerAccount MedAnswer MedFile NotificationSettings OwnAccount Payment PendingSettingChange PossibleAction PossibleScenarios ProposedPrice Refund ReviewNote SavedView TemplateLimits TemplateSetting TransactionRecord WebhookAttempt',
  'an entry of a log, which never changes: its key is in it':
    'AuditEntry BookClose Booking CaseEvidence CursorExpired Event Heartbeat LedgerLine MedEvent RequestLogEntry StatementEntryAdded TransactionChange TransactionEvent',
  'a view of a transaction': 'Approval Hold OpenRefund PaymentSession SearchHit StepUp',
  'shown once, or read by nothing':
    'Invitation IssuedApiKey Quote SandboxFunding StreamToken WebhookRedelivery WebhookSecret',
  'a report on work of an endpoint, which is gone after a while': 'WebhookRedeliveryProgress WebhookSample',
  'the caller': 'Viewer',
  'a part of every schema': 'Query Mutation Subscription PageInfo',
};
const OF_A_FIELD = /(?:Payload|Connection|Edge|Refusal)$/;

const OBJECTS = Object.values(SCHEMA.getTypeMap()).filter(
  (type) => isObjectType(type) && !type.name.startsWith('__') && !OF_A_FIELD.test(type.name),
);

test('a type of objects is a record with a global id, or a plain value for a reason', () => {
  const node = SCHEMA.getType('Node');
  const records = isInterfaceType(node) ? SCHEMA.getPossibleTypes(node).map(({ name }) => name) : [];
  const plain = Object.values(PLAIN).flatMap((names) => names.split(' '));
  expect([...records, ...plain].sort()).toEqual(OBJECTS.map(({ name }) => name).sort());
});

test('`id` is the global id, and nothing else; the raw id of a record has a name of its own', () => {
  const wrong = OBJECTS.flatMap((type) => {
    if (!isObjectType(type)) return [];
    const { id, ...others } = type.getFields();
    const isRecord = type.getInterfaces().some(({ name }) => name === 'Node');
    // A finding names the entry of somebody else's statement.
    if (!isRecord) return id && type.name !== 'Finding' ? [`${type.name}: id, but is no Node`] : [];
    const raw = Object.keys(others).some((name) => /^(?:end2end|slug|taxId|key|[a-z]\w*Id)$/.test(name));
    return raw ? [] : [`${type.name}: no raw id`];
  });
  expect(wrong).toEqual([]);
});
