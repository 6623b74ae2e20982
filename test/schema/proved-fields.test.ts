/**
 * Goal: no field, argument or member is taken for proved because nobody thought of it (decision 0044). Method: the schema is
 * walked; all of it stands in the list of what is proved, or in the lists here of what is rendered each time.
 */
import { getNamedType, isInputObjectType, isInterfaceType, isObjectType, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { buildSchema } from '../../src/schema/index.ts';
import {
  isProvedField,
  PROVED_FIELDS,
  PROVED_INPUT,
  provedDocuments,
} from '../../src/schema/proved-fields.ts';
import { REGISTRY } from '../../src/templates/index.ts';

const SCHEMA = buildSchema(REGISTRY);
/** Payloads of mutations, which are no reads. */
const PAYLOADS = Object.values(SCHEMA.getMutationType()?.getFields() ?? {}).map(
  ({ type }) => getNamedType(type).name,
);
const TYPES = Object.values(SCHEMA.getTypeMap()).filter(
  (type) =>
    (isObjectType(type) || isInterfaceType(type)) &&
    !type.name.startsWith('__') &&
    !PAYLOADS.includes(type.name),
);
const TEMPLATES = new Set(REGISTRY.templates.map(({ typeName }) => typeName));

/** Types of which no field is proved, by what they hold that the version of the account does not. */
const RENDERED = {
  settings:
    'Account AccountCompany AccountHolder AccountHolderConnection AccountHolderEdge AccountSettings Branding CompanyOwner PendingSettingChange ProposedPrice SavedView StaticLink TemplateLimits TemplateSetting WebhookEndpoint WebhookSecret WhitelistEntry WhitelistGroup',
  'rights and people':
    'ActionArgument ActionEffect NotificationChoice NotificationSettings ApiKey Approval Hold Invitation IssuedApiKey Member OwnAccount Passkey Person PersonSession PossibleAction StreamToken Viewer',
  'rates and clocks':
    'AssetRate Balance BalanceChange BalanceWorth Flow HousePosition PaymentSession PossibleScenarios Quote RateFeed SandboxFunding SandboxScenario Takings TakingsDay TakingsPeriod',
  'logs and what is pruned':
    'AuditEntry AuditLogConnection AuditLogEdge CursorExpired Event EventConnection EventEdge EventItem Heartbeat RequestLogConnection RequestLogEdge RequestLogEntry StatementEntryAdded TransactionChange TransactionEvent',
  deliveries:
    'WebhookEventName WebhookRedeliveryProgress WebhookSample DeliveryFigures DeliveryReport DeliverySlice EndpointFigures TotalFigures WebhookAttempt WebhookDelivery WebhookDeliveryConnection WebhookDeliveryEdge WebhookRedelivery',
  'customers and what is recorded':
    'CaseEvidence Customer CustomerCase CustomerCaseConnection CustomerCaseEdge CustomerConnection CustomerEdge CustomerVolume TransactionRecord',
  rails:
    'MedAnswer MedCase MedCaseConnection MedCaseEdge MedEvent MedFile NetworkSending PixOrder RailCheck RailHealth RailEvent RailEventConnection RailEventEdge RailOfDay RailOrderTimes ScreeningHit ScreeningHitConnection ScreeningHitEdge ScreeningList SuspenseConnection SuspenseEdge SuspenseEntry',
  'books of all accounts':
    'BookAmount BookClose BookCloseConnection BookCloseEdge BookEntry BookLine Booking CloseChecklist Finding HouseDay ManualJournal OpenRefund ProfitAndLoss Receivable ReceivableConnection ReceivableEdge ReconciledBalance Reconciliation ReconciliationConnection ReconciliationEdge ReconciliationRun ResultLine TreasuryLine TrialBalance TrialLine CellFigures FigureRow FiguresOverCells',
  'what waits, and what is found':
    'Attention CaseFact CaseFile CountedVolume CustomerFigures OperationCheck OtherCase OutcomeSum PaymentCandidate RelatedPayment RelatedPayments ReviewCase ReviewCount ReviewEvidence ReviewNote ReviewQueueConnection ReviewQueueEdge SearchHit StepUp',
  'what is no read':
    'CursorRefusal InputRefusal LimitRefusal Mutation PermissionRefusal Refusal RuleRefusal StateRefusal Subscription WaitRefusal',
};
const RENDERED_TYPES = Object.values(RENDERED).flatMap((names) => names.split(' '));
/** Fields of proved types that are rendered. */
const RENDERED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Transaction: [
    'deliveries',
    'events',
    'possibleActions',
    'record',
    'refundEffects',
    'refundable',
    'sandboxScenarios',
  ],
  // A deposit is known before its step is reached, and so before the version of the account changes.
  Payment: ['paid'],
};
/** What depends on the rights of the caller, or on jobs. */
const RENDERED_INPUT = ['awaitingMe', 'waitsFor'];

describe('every type', () => {
  test('says whether it is proved', () => {
    const isSaid = (name: string) =>
      Number(name in PROVED_FIELDS || TEMPLATES.has(name)) + Number(RENDERED_TYPES.includes(name));
    expect(TYPES.map(({ name }) => name).filter((name) => isSaid(name) !== 1)).toEqual([]);
  });

  test('that is named is a type, with these fields', () => {
    const names = TYPES.map(({ name }) => name);
    expect(
      [...Object.keys(PROVED_FIELDS), ...RENDERED_TYPES].filter((name) => !names.includes(name)),
    ).toEqual([]);
    for (const [name, fields] of Object.entries(PROVED_FIELDS)) {
      const type = TYPES.find((each) => each.name === name);
      const known = isObjectType(type) || isInterfaceType(type) ? Object.keys(type.getFields()) : [];
      expect(
        fields.filter((field) => !known.includes(field)),
        name,
      ).toEqual([]);
    }
  });
});

describe('every field of a proved type', () => {
  const proved = TYPES.filter(({ name }) => name in PROVED_FIELDS && name !== 'Query');

  test('says whether it is proved', () => {
    const unsaid = proved.flatMap((type) => {
      if (!isObjectType(type) && !isInterfaceType(type)) return [];
      const shared = type.getInterfaces().flatMap((each) => Object.keys(each.getFields()));
      return Object.keys(type.getFields())
        .filter((field) => !shared.includes(field))
        .filter(
          (field) => isProvedField(type, field) === Boolean(RENDERED_FIELDS[type.name]?.includes(field)),
        )
        .map((field) => `${type.name}.${field}`);
    });
    expect(unsaid).toEqual([]);
  });

  test('of a template is one of the interface, or an attribute', () => {
    for (const { typeName, attributes } of REGISTRY.templates) {
      const type = SCHEMA.getType(typeName);
      if (!isObjectType(type)) throw new Error(`${typeName} is a type`);
      const camelCase = (name: string) =>
        name.replace(/_([a-z0-9])/g, (_all, letter) => letter.toUpperCase());
      const own = attributes.map(({ name }) => camelCase(name));
      for (const field of Object.keys(type.getFields())) {
        const isRendered = RENDERED_FIELDS.Transaction?.includes(field);
        expect([field, isProvedField(type, field)]).toEqual([field, !isRendered]);
        const isShared = type.getInterfaces().some((each) => each.getFields()[field]);
        expect(isShared || own.includes(field), field).toBe(true);
      }
    }
  });

  test('has arguments whose members say whether they are proved', () => {
    const names = TYPES.filter(({ name }) => name in PROVED_FIELDS).flatMap((type) => {
      if (!isObjectType(type) && !isInterfaceType(type)) return [];
      const fields = Object.values(type.getFields()).filter(({ name }) => isProvedField(type, name));
      return fields.flatMap(({ args }) =>
        args.flatMap((each) => {
          const given = getNamedType(each.type);
          return [each.name, ...(isInputObjectType(given) ? Object.keys(given.getFields()) : [])];
        }),
      );
    });
    expect(names.filter((name) => PROVED_INPUT.has(name) === RENDERED_INPUT.includes(name))).toEqual([]);
  });
});

describe('a document', () => {
  const isProved = provedDocuments(SCHEMA);
  const FILTERED = 'query($filter: TransactionFilter) { transactions(filter: $filter) { totalCount } }';

  test.each<[text: string, variables?: Record<string, unknown>]>([
    ['{ transaction(end2end: "x") { id end2end status { en } ... on Onramp { fees quote } } }'],
    [
      '{ transactions(first: 2, filter: { dateFrom: "2026-01-01" }) { __typename nodes { ... on Node { id } } } }',
    ],
    [
      'query($yes: Boolean!) { statement { nodes { transaction @include(if: $yes) { end2end } } } }',
      { yes: true },
    ],
    [
      '{ transaction(end2end: "x") { ledgerLines { counterparts { debit } } payment { link } refunds { state } } }',
    ],
    [FILTERED, { filter: { text: 'x', statusCodes: ['SUCCESS'] } }],
    ['{ currencies { code } }'],
  ])('%s %j is proved', (text, variables) => {
    expect(isProved(parse(text), variables)).toBe(true);
  });

  test.each<[text: string, variables?: Record<string, unknown>]>([
    ['{ balances { available } }'],
    ['{ currencies { code } viewer { scopes } }'],
    ['{ transaction(end2end: "x") { events { name } } }'],
    ['{ transaction(end2end: "x") { ... on Onramp { deliveries { id: deliveryId } } } }'],
    [
      '{ statement { nodes { transaction { ...Open } } } } fragment Open on Transaction { sandboxScenarios { fitting } }',
    ],
    ['{ node(id: "x") { id } }'],
    ['{ __schema { types { name } } }'],
    ['{ transactions(filter: { awaitingMe: true }) { totalCount } }'],
    [FILTERED, { filter: { awaitingMe: true } }],
    [FILTERED, { filter: { waitsFor: null } }],
    ['mutation { cancel(end2end: "x") { end2end } }'],
    ['subscription { transactionUpdated { transaction { end2end } } }'],
  ])('%s %j is rendered each time', (text, variables) => {
    expect(isProved(parse(text), variables)).toBe(false);
  });
});
