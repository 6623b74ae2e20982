/**
 * Goal: mutations, reads, refusals, values, choices and lists have the forms that docs/graphql.md describes. Method: a walk over the schema; schemas of
 * wrong forms show that each rule finds what breaks it.
 */
import { readFileSync } from 'node:fs';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInterfaceType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  buildSchema as schemaOf,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { ERRORS } from '../../src/base/errors/errors.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';

const SCHEMA = buildSchema(REGISTRY);

/** Mutations that would make, move or decide something twice if a request were repeated without a key, by their subject. */
const KEYED = words({
  orders:
    'createQuote createCheckout createOnramp createOfframp createWithdrawal acceptQuote cancelTransaction confirmIdentity enterAmount provideIdentity refundPayment resolveDeposit',
  'decisions of people':
    'approveMoneyOut approveWithdrawal rejectMoneyOut rejectWithdrawal approveStepUp denyStepUp releaseHold rejectHold addReviewNote',
  'customers and screening':
    'approveCase denyCase freezeCase unfreezeCase retryCase freezeCustomer confirmScreeningHit dismissScreeningHit',
  disputes: 'answerMedCase attachMedFile makeMedEvidence recordMedOutcome',
  'keys, destinations and links':
    'createApiKey rotateApiKey createStaticLink createWhitelistGroup addWhitelistEntry',
  webhooks:
    'createWebhookEndpoint recoverWebhookEndpoint redeliverWebhook redeliverWebhooks rotateWebhookSecret sendSampleWebhook sendTestWebhook',
  'rails and books':
    'assignSuspense approveSuspense rejectSuspense returnSuspense closeRailEvent retryRailEvent settlePixOrder retryRefund settleRefundByHand settleReceivable bookCapital proposeJournal approveJournal rejectJournal closeBooks reconcile',
  sandbox: 'sandboxAdvanceClock sandboxFund sandboxTrigger',
});
/** Mutations that repeat harmlessly without a key, by the reason. */
const HARMLESS = words({
  'sets values, which a repeated request sets to the same':
    'addWhitelistProof assignReviewCase changeMemberRole chooseNotifications confirmMember correctFacts grantCustomerLimits recordFacts saveView setCompanyOwner updateAccountCompany updateAccountSettings updateAllowedOrigins updateBranding updateCustomer updatePasskeyRoles updateTemplateLimits updateTemplateSettings updateWebhookEndpoint',
  'ends or removes something, which can end once':
    'cancelSettingChange disableStaticLink releaseReviewCase removeCompanyOwner removeMember removePasskey removeView removeWebhookEndpoint removeWhitelistEntry revokeApiKey revokeSession withdrawWhitelistProof',
  'switches something on or off': 'pauseNetwork pauseWebhookEndpoint resumeNetwork resumeWebhookEndpoint',
  'gives a credential in place of the one before, or one that ends soon (docs/decisions/0101)':
    'createStreamToken inviteMember',
});

function words(lists: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(lists).flatMap((names) => names.split(' '));
}

/** @returns mutations of a schema that are in neither list, or in the wrong one. */
function wrongRepeats(schema: GraphQLSchema): string[] {
  return Object.values(schema.getMutationType()?.getFields() ?? {}).flatMap(({ name, args: [input] }) => {
    const type = getNamedType(input?.type);
    const takesKey = isInputObjectType(type) && 'idempotencyKey' in type.getFields();
    if (KEYED.includes(name)) return takesKey ? [] : [`${name}: takes no idempotencyKey`];
    if (!HARMLESS.includes(name)) return [`${name}: in neither list`];
    return takesKey ? [`${name}: takes an idempotencyKey, and needs none`] : [];
  });
}

/** @returns what is wrong with the form of the mutations of a schema. */
function wrongForms(schema: GraphQLSchema): string[] {
  return Object.values(schema.getMutationType()?.getFields() ?? {}).flatMap((field) =>
    [...wrongInput(field), ...wrongPayload(field)].map((wrong) => `${field.name}: ${wrong}`),
  );
}

function wrongInput({ name, args }: GraphQLField<unknown, unknown>): string[] {
  const [input, ...others] = args;
  if (input?.name !== 'input' || others.length > 0) return ['takes something else than `input`'];
  if (String(input.type) !== `${capital(name)}Input!`) return [`takes a ${input.type}`];
  const type = getNamedType(input.type);
  const members = isInputObjectType(type) ? Object.keys(type.getFields()) : [];
  return members.includes('input') ? ['has an input in its input'] : [];
}

function wrongPayload({ name, type }: GraphQLField<unknown, unknown>): string[] {
  if (String(type) !== `${capital(name)}Payload!`) return [`returns ${type}`];
  const payload = getNamedType(type);
  const { errors, ...members } = isObjectType(payload) ? payload.getFields() : {};
  const objects = Object.values(members);
  return [
    ...(String(errors?.type) === '[Refusal!]!' ? [] : ['has no errors of the type [Refusal!]!']),
    ...(objects.length === 0 ? ['has no object'] : []),
    // Whether an answer is repeated can be said of every answer.
    ...objects
      .filter((each) => isNonNullType(each.type) && each.name !== 'replayed')
      .map((each) => `has ${each.name}, which is never null`),
  ];
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

describe('mutations', () => {
  test('take one input, and return a payload with the object and errors', () => {
    expect(wrongForms(SCHEMA)).toEqual([]);
  });

  test.each([
    ['cancel(id: ID!): CancelPayload!', 'cancel: takes something else than `input`'],
    ['cancel(input: CancelInput!, key: ID): CancelPayload!', 'cancel: takes something else than `input`'],
    ['cancel(input: CancelInput): CancelPayload!', 'cancel: takes a CancelInput'],
    ['cancel(input: OtherInput!): CancelPayload!', 'cancel: takes a OtherInput!'],
    ['cancel(input: CancelInput!): CancelPayload', 'cancel: returns CancelPayload'],
    ['cancel(input: CancelInput!): Thing!', 'cancel: returns Thing!'],
    ['nest(input: NestInput!): NestPayload!', 'nest: has an input in its input'],
    ['bare(input: BareInput!): BarePayload!', 'bare: has no errors of the type [Refusal!]!'],
    ['empty(input: EmptyInput!): EmptyPayload!', 'empty: has no object'],
    ['sure(input: SureInput!): SurePayload!', 'sure: has thing, which is never null'],
  ])('in a wrong form are found: %s', (field, wrong) => {
    const inputs = ['Cancel', 'Other', 'Bare', 'Empty', 'Sure'];
    const schema = schemaOf(`
      type Query { thing: Thing }
      type Thing { id: ID! }
      interface Refusal { code: String! }
      ${inputs.map((name) => `input ${name}Input { id: ID! }`).join('\n')}
      input NestInput { input: CancelInput! }
      type CancelPayload { thing: Thing errors: [Refusal!]! }
      type NestPayload { thing: Thing errors: [Refusal!]! }
      type BarePayload { thing: Thing errors: [String!]! }
      type EmptyPayload { errors: [Refusal!]! }
      type SurePayload { thing: Thing! errors: [Refusal!]! }
      type Mutation { ${field} }`);
    expect(wrongForms(schema)).toEqual([wrong]);
  });

  test('C-52: take a key where a repeated request would act twice, and none where it is harmless', () => {
    expect(wrongRepeats(SCHEMA)).toEqual([]);
    const listed = [...KEYED, ...HARMLESS].sort();
    expect(listed).toEqual(Object.keys(SCHEMA.getMutationType()?.getFields() ?? {}).sort());
  });

  test.each([
    ['makeThing(input: KeyedInput!): ID', 'makeThing: in neither list'],
    ['createQuote(input: PlainInput!): ID', 'createQuote: takes no idempotencyKey'],
    ['saveView(input: KeyedInput!): ID', 'saveView: takes an idempotencyKey, and needs none'],
  ])('in the wrong list are found: %s', (field, wrong) => {
    const schema = schemaOf(`
      type Query { thing: ID }
      input PlainInput { id: ID! }
      input KeyedInput { id: ID! idempotencyKey: String }
      type Mutation { ${field} }`);
    expect(wrongRepeats(schema)).toEqual([wrong]);
  });
});

/** Names of days and moments. */
const DAY = /^(?:day|from|to|dateFrom|dateTo)$/;
const MOMENT = /At$|^at$|^since$|^until$/;
/** Members of inputs and arguments whose days are moments, or whose names mean something else. */
const NO_DAY = new Set(['CreateOfframpInput.from']);
/** Bodies as they are sent: a signature is made over their bytes. */
const JSON_TEXT = ['legacyBody', 'body'];
const PAGE = ['after', 'before', 'first', 'last', 'offset'];
/** A deprecation says why, and from which day on the element may be gone. */
const DEPRECATED = /\S.* Removed after \d{4}-\d{2}-\d{2}\.$/;

interface Element {
  /** `Type.field` or `Type.field(argument)`. */
  readonly at: string;
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly deprecationReason: string | null | undefined;
}

/** @returns fields, arguments and members of inputs of a schema. */
function elementsOf(schema: GraphQLSchema): Element[] {
  const own = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  return own.flatMap((type) => {
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return [];
    const fields: (GraphQLField<unknown, unknown> | GraphQLInputField)[] = Object.values(type.getFields());
    return fields.flatMap((field) => {
      const at = `${type.name}.${field.name}`;
      const args = 'args' in field ? field.args : [];
      return [elementOf(at, field), ...args.map((each) => elementOf(`${at}(${each.name})`, each))];
    });
  });
}

function elementOf(
  at: string,
  {
    name,
    type,
    description,
    deprecationReason,
  }: GraphQLInputField | GraphQLArgument | GraphQLField<unknown, unknown>,
): Element {
  return {
    at,
    name,
    type: String(type).replaceAll(/[!\]]+$|^\[/g, ''),
    description: description ?? '',
    deprecationReason,
  };
}

/** @returns what is wrong with values: days and moments as text, JSON in strings, undated deprecations. */
function wrongValues(schema: GraphQLSchema): string[] {
  return elementsOf(schema).flatMap(({ at, name, type, description, deprecationReason }) => [
    ...(DAY.test(name) && type !== 'Date' && !NO_DAY.has(at) ? [`${at}: a day as ${type}`] : []),
    ...(MOMENT.test(name) && type !== 'DateTime' ? [`${at}: a moment as ${type}`] : []),
    ...(/JSON/.test(description) && type === 'String' && !JSON_TEXT.includes(name)
      ? [`${at}: JSON in a string`]
      : []),
    ...(deprecationReason != null && !DEPRECATED.test(deprecationReason)
      ? [`${at}: deprecated without a date`]
      : []),
  ]);
}

/** @returns what is wrong with choices: members of one input, or arguments, of which only one may be given. */
function wrongChoices(schema: GraphQLSchema): string[] {
  const told = elementsOf(schema).filter(
    ({ name, description }) =>
      !PAGE.includes(name) && /not together with|instead of `|exactly one of/i.test(description),
  );
  const optional = Object.values(schema.getTypeMap()).flatMap((type) =>
    isInputObjectType(type) &&
    !type.isOneOf &&
    Object.keys(type.getFields()).length > 1 &&
    /^(?:Either|One of)\b/.test(type.description ?? '')
      ? [`${type.name}: a choice without @oneOf`]
      : [],
  );
  return [...told.map(({ at }) => `${at}: a choice that only its description tells`), ...optional];
}

/** @returns what is wrong with lists: paged ones that are no connection, and connections with other arguments. */
function wrongLists(schema: GraphQLSchema): string[] {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => isObjectType(type) && !type.name.startsWith('__'),
  );
  return types.flatMap((type) =>
    Object.values(isObjectType(type) ? type.getFields() : {}).flatMap(({ name, type: of, args }) => {
      const given = args
        .map((each) => each.name)
        .filter((each) => PAGE.includes(each))
        .sort();
      const at = `${type.name}.${name}`;
      if (!/Connection!?$/.test(String(of)))
        return given.includes('first') ? [`${at}: pages without a connection`] : [];
      return String(given) === String(PAGE) ? [] : [`${at}: a connection with ${given}`];
    }),
  );
}

test('connections are in the table of lists of docs/graphql.md', () => {
  const [, pages = ''] = readFileSync(new URL('../../docs/graphql.md', import.meta.url), 'utf8').split(
    '\n## Pages\n',
  );
  const [table = ''] = pages.split('\n- ');
  const types = Object.values(SCHEMA.getTypeMap()).filter((type) => isObjectType(type));
  const names = types.flatMap((type) =>
    Object.values(type.getFields()).flatMap((field) =>
      /Connection!?$/.test(String(field.type))
        ? [type.name === 'AccountHolder' ? `AccountHolder.${field.name}` : field.name]
        : [],
    ),
  );
  expect(names.length).toBeGreaterThan(16);
  expect(names.filter((name) => !new RegExp(`[\`.]${name}\``).test(table))).toEqual([]);
});

describe('values, choices and lists', () => {
  test('have one form each', () => {
    expect([...wrongValues(SCHEMA), ...wrongChoices(SCHEMA), ...wrongLists(SCHEMA)]).toEqual([]);
  });

  test.each([
    ['type Query { thing(day: String): String }', 'Query.thing(day): a day as String'],
    ['type Query { thing: Thing } type Thing { dateTo: String! }', 'Thing.dateTo: a day as String'],
    ['type Query { thing: Thing } type Thing { createdAt: String! }', 'Thing.createdAt: a moment as String'],
    ['type Query { thing(since: Int): String }', 'Query.thing(since): a moment as Int'],
    ['type Query { "JSON text: the report." thing: String }', 'Query.thing: JSON in a string'],
    ['type Query { thing: String @deprecated }', 'Query.thing: deprecated without a date'],
    [
      'type Query { thing: String @deprecated(reason: "Use `other`.") }',
      'Query.thing: deprecated without a date',
    ],
    [
      'type Query { thing("Not together with `b`." a: Int, b: Int): String }',
      'Query.thing(a): a choice that only its description tells',
    ],
    [
      'type Query { thing(a: Amount): Int } input Amount { brl: Int "Crypto, instead of `brl`." crypto: Int }',
      'Amount.crypto: a choice that only its description tells',
    ],
    [
      'type Query { thing(a: Amount): Int } "One of two amounts." input Amount { brl: Int crypto: Int }',
      'Amount: a choice without @oneOf',
    ],
    ['type Query { things(first: Int): [String!] }', 'Query.things: pages without a connection'],
    [
      'type Query { things(first: Int, after: String): ThingConnection } type ThingConnection { x: Int }',
      'Query.things: a connection with after,first',
    ],
  ])('in a wrong form are found: %s', (sdl, wrong) => {
    const schema = schemaOf(sdl);
    expect([...wrongValues(schema), ...wrongChoices(schema), ...wrongLists(schema)]).toEqual([wrong]);
  });

  test('a deprecation with reason and date is accepted', () => {
    const schema = schemaOf(
      'type Query { thing: String @deprecated(reason: "Use `other`. Removed after 2027-12-31.") }',
    );
    expect(wrongValues(schema)).toEqual([]);
  });
});

/** @returns fields of `Query` that are never null. */
function wrongReads(schema: GraphQLSchema): string[] {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  return fields.filter(({ type }) => isNonNullType(type)).map(({ name }) => `Query.${name}: is never null`);
}

describe('reads', () => {
  test('may be null: a refused one leaves the others of the document unaffected', () => {
    expect(wrongReads(SCHEMA)).toEqual([]);
  });

  test.each([
    ['type Query { thing: ID! }', 'Query.thing: is never null'],
    ['type Query { things: [ID!]! }', 'Query.things: is never null'],
  ])('in a wrong form are found: %s', (sdl, wrong) => {
    expect(wrongReads(schemaOf(sdl))).toEqual([wrong]);
  });
});

/** Types of refusals. */
const REFUSALS: readonly string[] = [
  ...['CursorRefusal', 'InputRefusal', 'LimitRefusal', 'PermissionRefusal'],
  ...['RuleRefusal', 'StateRefusal', 'WaitRefusal'],
];
/** Members of the interface of refusals, and so of each of them. */
const OF_REFUSAL = { code: 'RefusalCode!', message: 'String!', path: 'String', action: 'RefusalAction!' };
/** Codes of errors of the whole request, which no payload can have. */
const WHOLE = ['UNAUTHORIZED', 'RATE_LIMITED', 'INTERNAL'];

/** @returns what is wrong with the refusals of a schema: their interface, their types and their codes. */
function wrongRefusals(schema: GraphQLSchema): string[] {
  const refusal = schema.getType('Refusal');
  const code = schema.getType('RefusalCode');
  if (!isInterfaceType(refusal) || !isEnumType(code)) return ['Refusal: no interface with codes'];
  const codes = code.getValues().map(({ name }) => name);
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type));
  return [
    ...Object.entries(OF_REFUSAL)
      .filter(([name, type]) => String(refusal.getFields()[name]?.type) !== type)
      .map(([name]) => `Refusal: no ${name} of its type`),
    ...types
      .filter(({ name }) => name.endsWith('Refusal'))
      .filter((type) => !schema.isSubType(refusal, type))
      .map(({ name }) => `${name}: is no Refusal`),
    ...schema
      .getPossibleTypes(refusal)
      .filter(({ name }) => !REFUSALS.includes(name))
      .map(({ name }) => `${name}: a Refusal that is not listed`),
    ...codes.filter((name) => !(name in ERRORS)).map((name) => `${name}: not in the table of errors`),
    ...codes.filter((name) => WHOLE.includes(name)).map((name) => `${name}: of the whole request`),
  ];
}

describe('refusals', () => {
  test('C-50: have one interface, listed types, and codes of the table of errors', () => {
    expect(wrongRefusals(SCHEMA)).toEqual([]);
    const types = SCHEMA.getPossibleTypes(SCHEMA.getType('Refusal') as GraphQLInterfaceType);
    expect(types.map(({ name }) => name).sort()).toEqual([...REFUSALS].sort());
  });

  const MEMBERS = 'code: RefusalCode! message: String! path: String action: RefusalAction!';
  test.each([
    ['interface Failure { code: RefusalCode! }', 'Refusal: no interface with codes'],
    [
      'interface Refusal { code: RefusalCode! message: String! path: String }',
      'Refusal: no action of its type',
    ],
    [`interface Refusal { ${MEMBERS.replace('RefusalCode!', 'String!')} }`, 'Refusal: no code of its type'],
    [`interface Refusal { ${MEMBERS} } type OtherRefusal { ${MEMBERS} }`, 'OtherRefusal: is no Refusal'],
    [
      `interface Refusal { ${MEMBERS} } type Refused implements Refusal { ${MEMBERS} }`,
      'Refused: a Refusal that is not listed',
    ],
    [
      `interface Refusal { ${MEMBERS} } extend enum RefusalCode { TOO_LATE }`,
      'TOO_LATE: not in the table of errors',
    ],
    [
      `interface Refusal { ${MEMBERS} } extend enum RefusalCode { RATE_LIMITED }`,
      'RATE_LIMITED: of the whole request',
    ],
  ])('in a wrong form are found: %s', (sdl, wrong) => {
    const common = 'type Query { thing: ID } enum RefusalCode { NOT_FOUND } enum RefusalAction { FIX }';
    expect(wrongRefusals(schemaOf(`${common} ${sdl}`))).toEqual([wrong]);
  });
});
