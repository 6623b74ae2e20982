/**
 * Goal: the schema explains itself to somebody who has never seen the project, and the limits that it names are those that hold.
 * Method: a walk over everything that it defines; the bounded arguments asked for at their limit and one beyond it, over HTTP.
 */

import {
  type GraphQLArgument,
  type GraphQLNamedType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { ORIGIN_LENGTH_MAX } from '../../src/base/access/origin.ts';
import { known } from '../../src/base/errors/assert.ts';
import { LONGEST_TEXT } from '../../src/base/errors/violations.ts';
import { EMAIL_LENGTH_MAX } from '../../src/base/input/email-address.ts';
import { ALLOWED_CIDRS_MAX } from '../../src/resolvers/account/manage-keys.ts';
import { EVENT_NAMES_MAX } from '../../src/resolvers/checks/check-event-names.ts';
import {
  AMOUNT_LENGTH_MAX,
  ANSWER_LENGTH_MAX,
  NAME_LENGTH_MAX,
  NOTES_LENGTH_MAX,
  REFERENCE_LENGTH_MAX,
  URL_LENGTH_MAX,
} from '../../src/resolvers/checks/lengths.ts';
import { KEY_LENGTH_MAX } from '../../src/resolvers/checks/once.ts';
import { BOOKED_MAX } from '../../src/resolvers/ledger/book-house.ts';
import { MED_FILE_MAX } from '../../src/resolvers/med/case-files.ts';
import { USD_DIGITS } from '../../src/resolvers/orders/record-facts.ts';
import { VIEW_LENGTHS } from '../../src/resolvers/people/views.ts';
import { NOTE_LENGTH_MAX } from '../../src/resolvers/review/assign-case.ts';
import { BRANDING_MAX } from '../../src/resolvers/settings/manage-branding.ts';
import { ORIGINS_MAX } from '../../src/resolvers/settings/manage-origins.ts';
import {
  BRL_AMOUNT,
  COOLING_SECONDS_MAX,
  DECIMAL_LENGTH_MAX,
  TEMPLATE_BOUNDS,
} from '../../src/resolvers/settings/manage-settings.ts';
import { PROOF_LENGTHS } from '../../src/resolvers/settings/manage-whitelist.ts';
import {
  CONCURRENCY_MAX,
  ENDPOINTS_MAX,
  PER_SECOND_MAX,
  SECRETS_MAX,
} from '../../src/resolvers/webhooks/manage-webhooks.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { type Answer, useApp } from '../support/app.ts';
import { graphqlClient, parametersOf } from '../support/graphql-client.ts';
import { errorsIn } from '../support/refusals.ts';
import { IDS } from '../support/rest-routes.ts';

const app = useApp();
const { ask, refusal } = graphqlClient(app, () => app.apiKey);

const SCHEMA = buildSchema(REGISTRY);
const TYPES = Object.values(SCHEMA.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

/** Everything that a type defines, by its path. */
function partsOf(type: GraphQLNamedType): [path: string, description: string | null | undefined][] {
  const own: ReturnType<typeof partsOf> = [[type.name, type.description]];
  if (isEnumType(type))
    return [
      ...own,
      ...type.getValues().map((value) => [`${type.name}.${value.name}`, value.description] as const),
    ].map(([path, description]) => [path, description]);
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return own;
  for (const field of Object.values(type.getFields())) {
    own.push([`${type.name}.${field.name}`, field.description]);
    if ('args' in field)
      for (const argument of field.args)
        own.push([`${type.name}.${field.name}(${argument.name})`, argument.description]);
  }
  return own;
}

test('every type, field, argument, input field and enum value has a description that ends like a sentence', () => {
  const parts = TYPES.flatMap(partsOf);
  expect(parts.filter(([, text]) => !text?.trim()).map(([path]) => path)).toEqual([]);
  // Names of products, such as those of the templates, stand alone.
  const isName = (path: string) => path.startsWith('Template.');
  expect(
    parts.filter(([path, text]) => !isName(path) && !/[.]$/.test(text ?? '')).map(([path]) => path),
  ).toEqual([]);
  expect(parts.length).toBeGreaterThan(500);
});

/** How much of something is taken, as its description has to say it, and a value of a size. */
interface Limit {
  readonly max: number;
  readonly said: string;
  /** Not given where one beyond it is refused by tests elsewhere. */
  readonly fill?: (size: number) => unknown;
}

const prose = (number: number) => number.toLocaleString('en');
const letters = (size: number) => 'x'.repeat(size);
const digits = (size: number) => '9'.repeat(size);
const some = (size: number, make: (index: number) => string) =>
  Array.from({ length: size }, (_, at) => make(at));
const ending =
  (start: string, end = '') =>
  (size: number) =>
    `${start}${'x'.repeat(size - start.length - end.length)}${end}`;
const characters = (max: number, fill: ((size: number) => unknown) | null = letters): Limit => ({
  max,
  said: `${prose(max)} characters`,
  ...(fill && { fill }),
});
const decimals = (max: number): Limit => ({
  max,
  said: `${max} decimals`,
  fill: (size) => `0.${'1'.repeat(size)}`,
});

const NAME = characters(NAME_LENGTH_MAX);
const REFERENCE = characters(REFERENCE_LENGTH_MAX);
const TEXT = characters(LONGEST_TEXT);
const LINK = characters(URL_LENGTH_MAX, ending('https://shop.example/'));
const AMOUNT = characters(AMOUNT_LENGTH_MAX, digits);
const SETTING = [decimals(BRL_AMOUNT.decimals), characters(DECIMAL_LENGTH_MAX, digits)];
const BOOKED: Limit = { max: Number(BOOKED_MAX), said: prose(Number(BOOKED_MAX)), fill: String };
const EVENT_NAMES: Limit = {
  max: EVENT_NAMES_MAX,
  said: `${EVENT_NAMES_MAX} names`,
  fill: (size) => some(size, () => 'onramp.*'),
};

const RECORD: Readonly<Record<string, Limit | readonly Limit[]>> = {
  ...{ walletHolder: NAME, walletVasp: NAME },
  usdValue: [
    { max: USD_DIGITS.whole, said: `${USD_DIGITS.whole} digits before the point`, fill: digits },
    decimals(USD_DIGITS.decimals),
  ],
};

/** What is bounded, by its place: members of an input object, or arguments of a field, `Query.search()`. */
const LIMITS: Readonly<Record<string, Readonly<Record<string, Limit | readonly Limit[]>>>> = {
  CreateCheckoutInput: {
    ...{ clientName: NAME, externalCode: REFERENCE, returnUrl: LINK, webhook: LINK },
  },
  CreateOnrampInput: {
    ...{ clientName: NAME, externalCode: REFERENCE, returnUrl: LINK, webhook: LINK },
  },
  CreateOfframpInput: {
    ...{ clientName: NAME, externalCode: REFERENCE, returnUrl: LINK, webhook: LINK },
  },
  CreateWithdrawalInput: {
    ...{ amountReceived: AMOUNT, networkFeeMax: AMOUNT, groupId: TEXT, address: TEXT },
    notes: characters(NOTES_LENGTH_MAX),
  },
  CreateStaticLinkInput: {
    ...{ name: REFERENCE, amount: AMOUNT, externalCode: REFERENCE, returnUrl: LINK, webhook: LINK },
  },
  OrderAmountInput: { brl: AMOUNT, crypto: AMOUNT, quoteId: TEXT },
  QuoteAmountInput: { brl: AMOUNT, crypto: AMOUNT },
  TransactionRecordInput: RECORD,
  RecordFactsInput: RECORD,
  CorrectFactsInput: RECORD,
  CreateApiKeyInput: {
    name: REFERENCE,
    allowedCidrs: {
      max: ALLOWED_CIDRS_MAX,
      said: `${ALLOWED_CIDRS_MAX} networks`,
      fill: (size) => some(size, (at) => `10.0.${at}.0/24`),
    },
  },
  InviteMemberInput: {
    name: REFERENCE,
    email: characters(EMAIL_LENGTH_MAX, ending('ana@', '.example')),
  },
  ...Object.fromEntries(
    ['CreateWebhookEndpointInput', 'UpdateWebhookEndpointInput'].map((input) => [
      input,
      {
        ...{ url: LINK, description: REFERENCE, eventNames: EVENT_NAMES },
        maxConcurrency: { max: CONCURRENCY_MAX, said: prose(CONCURRENCY_MAX), fill: Number },
        maxPerSecond: { max: PER_SECOND_MAX, said: prose(PER_SECOND_MAX), fill: Number },
      },
    ]),
  ),
  WebhookRedeliveryFilter: { eventNames: EVENT_NAMES },
  UpdateBrandingInput: {
    displayName: characters(BRANDING_MAX.displayName),
    supportUrl: LINK,
    logo: { max: BRANDING_MAX.logoBytes, said: `${BRANDING_MAX.logoBytes / 1_024} KiB` },
    frameHosts: {
      max: BRANDING_MAX.frameHosts,
      said: `${BRANDING_MAX.frameHosts} origins`,
      fill: (size) => some(size, (at) => `https://shop${at}.example`),
    },
  },
  AddWhitelistEntryInput: { label: REFERENCE },
  WhitelistProofInput: {
    id: characters(PROOF_LENGTHS.id),
    signature: characters(PROOF_LENGTHS.text),
  },
  UpdateAccountSettingsInput: {
    approvalAbove: SETTING,
    outflowPerHour: SETTING,
    newTargetPerHour: SETTING,
    whitelistCoolingSeconds: { max: COOLING_SECONDS_MAX, said: prose(COOLING_SECONDS_MAX), fill: Number },
  },
  UpdateCustomerInput: { limitDaily: SETTING, stepUp30d: SETTING },
  UpdateAccountCompanyInput: { legalName: NAME, street: REFERENCE, city: REFERENCE },
  SetCompanyOwnerInput: { name: NAME },
  GrantCustomerLimitsInput: { limitDaily: SETTING, stepUp30d: SETTING },
  UpdateTemplateLimitsInput: Object.fromEntries(
    ['amountMin', 'amountMax', 'customerLimitDaily', 'customerStepUp30d'].map((name) => [name, SETTING]),
  ),
  UpdateTemplateSettingsInput: Object.fromEntries(
    Object.entries(TEMPLATE_BOUNDS).map(([name, bounds]) => [
      name,
      bounds.isFraction ? decimals(bounds.decimals) : SETTING,
    ]),
  ),
  TransactionFilter: {
    ...{ pixE2e: TEXT, clientTaxId: TEXT, address: TEXT, groupId: TEXT, externalCode: TEXT, text: TEXT },
    ...{ component: TEXT, state: TEXT, currency: TEXT, targetCurrency: TEXT },
    ...{ amountMin: AMOUNT, amountMax: AMOUNT },
  },
  StatementFilter: { currency: TEXT },
  'Account.webhookDeliveries()': { endpointId: TEXT },
  'Query.search()': { text: TEXT },
  'Query.webhookEventNames()': { text: TEXT },
  CreateWhitelistGroupInput: {
    name: REFERENCE,
    idempotencyKey: {
      max: KEY_LENGTH_MAX,
      said: `${KEY_LENGTH_MAX} printable ASCII characters`,
      fill: letters,
    },
  },
  ProvideIdentityInput: { clientName: NAME },
  EnterAmountInput: { amountPayment: AMOUNT },
  RefundPaymentInput: { amount: AMOUNT },
  SandboxTriggerInput: { amount: AMOUNT },
  SandboxFundInput: { amount: AMOUNT },
  ProposeJournalInput: { amount: AMOUNT, reason: REFERENCE },
  SettleReceivableInput: { amount: BOOKED },
  BookCapitalInput: { amount: BOOKED },
  PauseNetworkInput: { reason: REFERENCE },
  CloseRailEventInput: { reason: REFERENCE },
  ReleaseHoldInput: { reason: REFERENCE },
  RejectHoldInput: { reason: REFERENCE },
  RetryRefundInput: { reason: REFERENCE },
  AssignSuspenseInput: { reason: REFERENCE },
  ApproveSuspenseInput: { reason: REFERENCE },
  RejectSuspenseInput: { reason: REFERENCE },
  ReturnSuspenseInput: { reason: REFERENCE },
  DismissScreeningHitInput: { reason: REFERENCE },
  ConfirmScreeningHitInput: { reason: REFERENCE },
  ApproveStepUpInput: { reason: REFERENCE },
  DenyStepUpInput: { reason: REFERENCE },
  ApproveCaseInput: { reason: REFERENCE },
  DenyCaseInput: { reason: REFERENCE },
  RetryCaseInput: { reason: REFERENCE },
  FreezeCaseInput: { reason: REFERENCE },
  UnfreezeCaseInput: { reason: REFERENCE },
  FreezeCustomerInput: { reason: REFERENCE },
  AddReviewNoteInput: { body: { max: NOTE_LENGTH_MAX, said: prose(NOTE_LENGTH_MAX), fill: letters } },
  // A file is attached to a case that there is: test/edges/med-cases.test.ts.
  AttachMedFileInput: {
    name: characters(MED_FILE_MAX.name, null),
    content: { max: MED_FILE_MAX.bytes, said: `${prose(MED_FILE_MAX.bytes)} bytes` },
  },
  AnswerMedCaseInput: { body: characters(ANSWER_LENGTH_MAX) },
  RecordMedOutcomeInput: { reason: REFERENCE },
  SettlePixOrderInput: { evidence: REFERENCE },
  SettleRefundByHandInput: { reference: REFERENCE },
  // For people only: test/edges/saved-views.test.ts.
  SaveViewInput: {
    name: characters(VIEW_LENGTHS.name, null),
    path: characters(VIEW_LENGTHS.path, null),
  },
  RemoveViewInput: { name: characters(VIEW_LENGTHS.name, null) },
  UpdateAllowedOriginsInput: {
    origins: [
      {
        max: ORIGINS_MAX,
        said: `${ORIGINS_MAX} origins`,
        fill: (size) => some(size, (at) => `https://shop${at}.example`),
      },
      characters(ORIGIN_LENGTH_MAX, (size) => [ending('https://', '.example')(size)]),
    ],
  },
};

/** Texts without a number: of a form of their own, one of few, or the id of a record, which is missing when it is odd. */
const UNBOUNDED: readonly RegExp[] = [
  /\.(?:id|end2end|account|slug|(?:account|actor|endpoint|key|object|passkey|person|request|session)Id)$/,
  /^(?:AddWhitelistEntryInput\.groupId|[\w.()]+\.(?:entryId|deliveryId|railEventId|hitId|caseId|fileId|caseKey|proposalId|suspenseId)|SettlePixOrderInput\.key|CancelSettingChangeInput\.subject|SendSampleWebhookInput\.eventName)$/,
  /\.(?:after|before|day|from|to|dateFrom|dateTo|by)$/,
  /\.(?:currency|network|rail|debit|credit|ledgerAccount|walletCountry|counterpartyCountry|purposeCode|accent)$/,
  /\.(?:taxId|clientTaxId|pixKey|wallet)$|^(?:WalletTargetInput|ResolveDepositInput)\.address$|^PixKeyTargetInput\.key$/,
  /\.(?:scopes|acts|allowedCidrs|replaces|replacesFrameHosts)$/,
  /^(?:UpdateAccountCompanyInput\.(?:state|postalCode)|SetCompanyOwnerInput\.share)$/,
  // It is that of `refundPayment`.
  /\.refundEffects\(\)\.amount$/,
  // Each has the same description, which is looked at above.
  /\.idempotencyKey$/,
];

/** How a place is asked for: a field, the way to the place among its variables, and the others of them. */
interface Request {
  readonly field: string;
  readonly at?: readonly string[];
  readonly others?: object;
  readonly isOfPlatform?: true;
}

/** What is wrong with the others is told together with what is beyond a limit, or after it: so mostly nothing is made. */
const NOPE = { currency: 'NOPE' };
const input = (field: string, others: object = {}): Request => ({
  field,
  at: ['input'],
  others: { input: others },
});
const filter = (field: string, others: object): Request => ({
  field,
  at: ['filter'],
  others: { filter: others },
});
const ofPlatform = (asked: Request): Request => ({ ...asked, isOfPlatform: true });
const USD_VALUE_AT = { usdValueAt: '2026-05-01T12:00:00Z' };
const DESTINATION = { target: { wallet: { network: 'NOPE', address: 'x' } } };
const ASKED: Readonly<Record<string, Request>> = {
  CreateCheckoutInput: input('createCheckout', NOPE),
  CreateOnrampInput: input('createOnramp', { ...NOPE, amount: { brl: '60' } }),
  CreateOfframpInput: input('createOfframp', { ...NOPE, amount: { brl: '60' } }),
  CreateWithdrawalInput: input('createWithdrawal', { ...NOPE, amountReceived: '1', groupId: 'x' }),
  CreateStaticLinkInput: input('createStaticLink', { ...NOPE, name: 'x' }),
  OrderAmountInput: { ...input('createOnramp', NOPE), at: ['input', 'amount'] },
  QuoteAmountInput: { ...input('quote', { ...NOPE, template: 'onramp' }), at: ['input', 'amount'] },
  TransactionRecordInput: {
    ...input('createOnramp', { ...NOPE, amount: { brl: '60' }, record: USD_VALUE_AT }),
    at: ['input', 'record'],
  },
  RecordFactsInput: input('recordFacts', USD_VALUE_AT),
  CorrectFactsInput: ofPlatform(input('correctFacts', USD_VALUE_AT)),
  CreateApiKeyInput: input('createApiKey', { name: 'x', scopes: [] }),
  InviteMemberInput: input('inviteMember', {
    name: 'Ana',
    email: 'ana@shop.example',
    role: 'PLATFORM_VIEWER',
  }),
  CreateWebhookEndpointInput: input('createWebhookEndpoint', { url: 'nowhere' }),
  UpdateWebhookEndpointInput: input('updateWebhookEndpoint', { url: 'nowhere' }),
  WebhookRedeliveryFilter: {
    ...input('redeliverWebhooks', { filter: { after: 'x' } }),
    at: ['input', 'filter'],
  },
  UpdateBrandingInput: input('updateBranding', { accent: 'x' }),
  AddWhitelistEntryInput: input('addWhitelistEntry', DESTINATION),
  WhitelistProofInput: {
    ...input('addWhitelistEntry', {
      ...DESTINATION,
      proof: { id: 'x', expiresAt: '2030-01-01T00:00:00Z', signature: 'x' },
    }),
    at: ['input', 'proof'],
  },
  UpdateAccountSettingsInput: input('updateAccountSettings'),
  UpdateCustomerInput: input('updateCustomer'),
  GrantCustomerLimitsInput: ofPlatform(input('grantCustomerLimits')),
  UpdateAccountCompanyInput: ofPlatform(
    input('updateAccountCompany', {
      ...{
        taxId: '12ABC34501DE35',
        legalName: 'x',
        street: 'x',
        city: 'x',
        state: 'SP',
        postalCode: '01310100',
      },
    }),
  ),
  SetCompanyOwnerInput: ofPlatform(input('setCompanyOwner', { taxId: '52998224725', name: 'x' })),
  UpdateTemplateLimitsInput: input('updateTemplateLimits'),
  UpdateTemplateSettingsInput: ofPlatform(input('updateTemplateSettings')),
  TransactionFilter: filter('transactions', { dateFrom: '2026-05-02', dateTo: '2026-05-01' }),
  StatementFilter: filter('statement', { dateFrom: '2026-05-02', dateTo: '2026-05-01' }),
  'Account.webhookDeliveries()': { field: 'webhookDeliveries' },
  'Query.search()': { field: 'search' },
  'Query.webhookEventNames()': { field: 'webhookEventNames' },
  CreateWhitelistGroupInput: input('createWhitelistGroup', { name: 'x' }),
  ProvideIdentityInput: input('provideIdentity', { clientTaxId: 'x' }),
  EnterAmountInput: input('enterAmount'),
  RefundPaymentInput: input('refundPayment'),
  SandboxTriggerInput: input('sandboxTrigger', { scenario: 'PAY' }),
  SandboxFundInput: input('sandboxFund', NOPE),
  ProposeJournalInput: ofPlatform(
    input('proposeJournal', { ...NOPE, debit: 'x', credit: 'x', amount: '1', reason: 'x' }),
  ),
  SettleReceivableInput: ofPlatform(input('settleReceivable', { currency: 'BRL', source: 'BALANCE' })),
  BookCapitalInput: ofPlatform(input('bookCapital', { currency: 'BRL', direction: 'OUT' })),
  PauseNetworkInput: ofPlatform(input('pauseNetwork', { network: 'NOPE' })),
  CloseRailEventInput: ofPlatform(input('closeRailEvent')),
  ReleaseHoldInput: ofPlatform(input('releaseHold')),
  RejectHoldInput: ofPlatform(input('rejectHold')),
  RetryRefundInput: ofPlatform(input('retryRefund')),
  AssignSuspenseInput: ofPlatform(input('assignSuspense', { suspenseId: '1' })),
  ApproveSuspenseInput: ofPlatform(input('approveSuspense', { suspenseId: '1' })),
  RejectSuspenseInput: ofPlatform(input('rejectSuspense', { suspenseId: '1' })),
  ReturnSuspenseInput: ofPlatform(input('returnSuspense', { suspenseId: '1' })),
  DismissScreeningHitInput: ofPlatform(input('dismissScreeningHit')),
  ConfirmScreeningHitInput: ofPlatform(input('confirmScreeningHit')),
  ApproveStepUpInput: ofPlatform(input('approveStepUp')),
  DenyStepUpInput: ofPlatform(input('denyStepUp')),
  ApproveCaseInput: ofPlatform(input('approveCase')),
  DenyCaseInput: ofPlatform(input('denyCase')),
  RetryCaseInput: ofPlatform(input('retryCase')),
  FreezeCaseInput: ofPlatform(input('freezeCase')),
  UnfreezeCaseInput: ofPlatform(input('unfreezeCase')),
  FreezeCustomerInput: ofPlatform(input('freezeCustomer')),
  AddReviewNoteInput: input('addReviewNote'),
  AnswerMedCaseInput: input('answerMedCase', { analysis: 'CONTEST' }),
  RecordMedOutcomeInput: ofPlatform(input('recordMedOutcome', { outcome: 'ANSWERED' })),
  SettlePixOrderInput: ofPlatform(input('settlePixOrder', { key: 'x', outcome: 'NOT_DONE' })),
  SettleRefundByHandInput: ofPlatform(input('settleRefundByHand')),
  UpdateAllowedOriginsInput: input('updateAllowedOrigins'),
};

/** Every argument and every member of an input object, as LIMITS has it. */
const GIVEN = TYPES.flatMap((type): [place: string, given: GraphQLArgument][] => {
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field) => [type.name, field as unknown as GraphQLArgument]);
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) =>
    field.args.map((argument): [string, GraphQLArgument] => [`${type.name}.${field.name}()`, argument]),
  );
});
const limitsOf = (place: string, name: string): readonly Limit[] => [LIMITS[place]?.[name] ?? []].flat();

const HOOK =
  'mutation { createWebhookEndpoint(input: { url: "https://hooks.example/x" }) { webhookEndpoint { id: endpointId } errors { code message path } } }';

describe('limits', () => {
  test('a page has its number of nodes, and a document its maximum', () => {
    const pages = GIVEN.filter(([, { name }]) => name === 'last');
    expect(pages.map(([place]) => place)).toEqual(
      expect.arrayContaining(['Query.transactions()', 'Query.statement()', 'Query.events()']),
    );
    for (const [page] of pages) {
      const of = (name: string) =>
        GIVEN.find(([place, given]) => place === page && given.name === name)?.[1].description;
      expect(of('first'), page).toMatch(/0 to 100, default 20/);
      expect(of('last'), page).toMatch(/0 to 100/);
    }
    expect(SCHEMA.getQueryType()?.description).toMatch(/15,000.*10.*500/);
  });

  test('every checked limit is in a description', () => {
    const silent = Object.entries(LIMITS).flatMap(([place, names]) =>
      Object.keys(names).flatMap((name) => {
        const text = GIVEN.find(([where, given]) => where === place && given.name === name)?.[1].description;
        return limitsOf(place, name)
          .filter(({ said }) => !new RegExp(`\\b(?:at most|[01] to|and) ${said}\\b`, 'i').test(text ?? ''))
          .map(({ said }) => `${place}.${name}: ${said}, not "${text}"`);
      }),
    );
    expect(silent).toEqual([]);
    const keys = GIVEN.filter(([, { name }]) => name === 'idempotencyKey');
    expect(keys.length).toBeGreaterThan(20);
    for (const [place, { description }] of keys)
      expect(description, place).toMatch(`1 to ${KEY_LENGTH_MAX} printable ASCII characters`);
  });

  test('a text, an amount or a list of texts has a number, or is known to need none', () => {
    const open = GIVEN.filter(([, { type }]) => ['ID', 'String', 'Decimal'].includes(getNamedType(type).name))
      .filter(([place, { name }]) => limitsOf(place, name).length === 0)
      .map(([place, { name }]) => `${place}.${name}`)
      .filter((path) => !UNBOUNDED.some((known) => known.test(path)));
    expect(open).toEqual([]);
  });

  test('an account has a maximum of endpoints, and an endpoint a maximum of secrets', async () => {
    const create = SCHEMA.getMutationType()?.getFields().createWebhookEndpoint;
    const overlap = GIVEN.find(
      ([place, { name }]) => place === 'RotateWebhookSecretInput' && name === 'overlapSeconds',
    );
    expect(create?.description).toMatch(`at most ${ENDPOINTS_MAX},`);
    expect(overlap?.[1].description).toMatch(`${SECRETS_MAX} secrets`);
    const { apiKey } = await app.addAccount();
    for (let count = 0; count < ENDPOINTS_MAX; count++) await ask(HOOK, {}, apiKey);
    const refused = await refusal(HOOK, {}, apiKey);
    expect([refused.code, ...parametersOf(refused)]).toEqual(['INVALID_PARAMETER', 'input.url']);
  });

  const CASES = Object.entries(LIMITS).flatMap(([place, names]) =>
    Object.keys(names).flatMap((name) =>
      limitsOf(place, name).flatMap(({ said, max, fill }) =>
        fill ? [{ place, name, said, max, fill }] : [],
      ),
    ),
  );

  test.each(CASES)('$place $name: one beyond $said is refused for it', async ({ place, name, max, fill }) => {
    const most = await problemOf(place, name, fill(max));
    const more = await problemOf(place, name, fill(max + 1));
    expect(more).toMatch(/^must /);
    // Something else may be wrong with it, such as that it is no name of a step.
    expect(most).not.toBe(more);
  });

  let endpointId: string;
  beforeAll(async () => {
    endpointId = (await ask(HOOK)).createWebhookEndpoint.webhookEndpoint.id;
  });

  /** @returns what is said to be wrong with a value, if anything is. */
  async function problemOf(place: string, name: string, value: unknown): Promise<string | undefined> {
    const { field, at = [], others, isOfPlatform } = known(ASKED[place], 'a way to ask for it');
    const path = [...at, name];
    const records: Readonly<Record<string, string | undefined>> = {
      account: String(app.accountId),
      end2end: IDS.onramp,
      taxId: 'x',
      template: 'onramp',
      groupId: 'x',
      railEventId: '0',
      hitId: '0',
      caseId: '0',
      caseKey: 'x',
      endpointId,
    };
    const { input: members = {}, ...rest } = (others ?? {}) as { readonly input?: object };
    const named = { ...rest, input: { ...takenBy(field, records), ...members } };
    const given: Record<string, unknown> = { ...records, ...withValue(named, path, value) };
    const { document, taken } = documentOf(field, given);
    const variables = Object.fromEntries(taken.map((each) => [each, given[each]]));
    const { json }: Answer = await app.graphql(document, variables, isOfPlatform && { key: app.platformKey });
    const errors: Refused[] = errorsIn(json) ?? [];
    for (const { message, extensions } of errors)
      expect(['BAD_REQUEST', 'FORBIDDEN', 'INTERNAL'], `${document}: ${message}`).not.toContain(
        extensions.code,
      );
    return errors
      .flatMap(({ extensions }) => extensions.violations ?? [])
      .find(({ parameter }) => `${parameter}.`.startsWith(`${path.join('.')}.`))?.message;
  }

  interface Refused {
    readonly message: string;
    readonly extensions: {
      readonly code: string;
      readonly violations?: readonly { readonly parameter: string; readonly message: string }[];
    };
  }

  /** @returns those of the values that are members of the input of a field. */
  function takenBy(field: string, values: Readonly<Record<string, string | undefined>>): object {
    const input = fieldNamed(field).field.args.find(({ name }) => name === 'input')?.type;
    const type = input && getNamedType(input);
    const members = isInputObjectType(type) ? type.getFields() : {};
    return Object.fromEntries(Object.entries(values).filter(([name]) => name in members));
  }

  function fieldNamed(name: string) {
    const roots = ['Query', 'Mutation', 'Account'].map((root) => SCHEMA.getType(root)).filter(isObjectType);
    const root = known(
      roots.find((each) => each.getFields()[name]),
      'a field',
    );
    return { root, field: known(root.getFields()[name], 'a field') };
  }

  /** @returns a document that asks for a field with those of the values that it takes. */
  function documentOf(field: string, given: object): { document: string; taken: string[] } {
    const {
      root,
      field: { args, type },
    } = fieldNamed(field);
    const taken = args.filter((argument) => argument.name in given);
    const passed = taken.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
    const errors = root.name === 'Mutation' ? ' errors { code message path }' : '';
    const call = `${field}(${passed})${isCompositeType(getNamedType(type)) ? ` { __typename${errors} }` : ''}`;
    const declared = taken.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
    const body = root.name === 'Account' ? `viewer { account { ${call} } }` : call;
    return {
      document: `${root.name === 'Mutation' ? 'mutation' : 'query'}(${declared}) { ${body} }`,
      taken: taken.map((argument) => argument.name),
    };
  }

  /** @returns the values, with another one at the end of a path. */
  function withValue(
    values: object | undefined,
    [name = '', ...rest]: readonly string[],
    value: unknown,
  ): object {
    const present = (values as Record<string, object> | undefined)?.[name];
    return { ...values, [name]: rest.length === 0 ? value : withValue(present, rest, value) };
  }
});

test('every scalar of the service names its specification', () => {
  const scalars = TYPES.filter(isScalarType).map(({ name, specifiedByURL }) => [name, specifiedByURL]);
  expect(Object.fromEntries(scalars)).toEqual({
    Date: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
    DateTime: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
    Decimal: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
    JSONObject: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
  });
});

test('enum values are SCREAMING_SNAKE_CASE, except in the two enums whose values are published names', () => {
  const others = TYPES.filter(isEnumType).filter(({ name }) => !['Template', 'SubAccount'].includes(name));
  const values = others.flatMap((type) => type.getValues().map(({ name }) => `${type.name}.${name}`));
  expect(values.filter((value) => !/\.[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(value))).toEqual([]);
  expect(others.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['PixKeyType', 'SandboxScenarioName', 'WebhookDeliveryState']),
  );
});

test('every connection has edges, nodes, pageInfo and totalCount, and four arguments (Relay cursor connections)', () => {
  const connections = TYPES.filter(isObjectType).filter(({ name }) => name.endsWith('Connection'));
  for (const connection of connections)
    expect(Object.keys(connection.getFields()), connection.name).toEqual(
      expect.arrayContaining(['edges', 'nodes', 'pageInfo', 'totalCount']),
    );
  const fields = TYPES.filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .filter(({ type }) => String(type).replace('!', '').endsWith('Connection'));
  for (const { name, args } of fields)
    expect(
      args.map((argument) => argument.name),
      name,
    ).toEqual(expect.arrayContaining(['first', 'after', 'last', 'before']));
  // Customers are listed for the account itself and for the operator.
  expect([connections.length, fields.length]).toEqual([17, 18]);
});
