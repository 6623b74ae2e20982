/**
 * Goal: mutations, values, choices and lists have the forms that docs/graphql.md describes. Method: a walk over the schema; schemas of
 * wrong forms show that each rule finds what breaks it.
 */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
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

/** Mutations that make or move something and take no key yet: an answer that has a secret is not stored, and the rest repeats harmlessly. */
const WITHOUT_KEY: readonly string[] = [
  ...['createApiKey', 'rotateApiKey', 'inviteMember', 'createStreamToken', 'rotateWebhookSecret'],
];
/** Names of mutations that make or move something. */
const MAKES =
  /^(?:create|add(?!WhitelistProof)|invite|rotate|refund|approve|reject|release(?!ReviewCase)|deny|assign(?!ReviewCase)|return|settle|book|propose|cancelTransaction|accept|enter|provide|resolveDeposit|retry|closeBooks|sandbox(?:Fund|Trigger))/;

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
  if (members.includes('input')) return ['has an input in its input'];
  const needsKey = MAKES.test(name) && !WITHOUT_KEY.includes(name);
  return needsKey && !members.includes('idempotencyKey') ? ['takes no idempotencyKey'] : [];
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
    ['createThing(input: CreateThingInput!): CreateThingPayload!', 'createThing: takes no idempotencyKey'],
    ['nest(input: NestInput!): NestPayload!', 'nest: has an input in its input'],
    ['bare(input: BareInput!): BarePayload!', 'bare: has no errors of the type [Refusal!]!'],
    ['empty(input: EmptyInput!): EmptyPayload!', 'empty: has no object'],
    ['sure(input: SureInput!): SurePayload!', 'sure: has thing, which is never null'],
  ])('in a wrong form are found: %s', (field, wrong) => {
    const inputs = ['Cancel', 'Other', 'CreateThing', 'Bare', 'Empty', 'Sure'];
    const schema = schemaOf(`
      type Query { thing: Thing }
      type Thing { id: ID! }
      interface Refusal { code: String! }
      ${inputs.map((name) => `input ${name}Input { id: ID! }`).join('\n')}
      input NestInput { input: CancelInput! }
      type CancelPayload { thing: Thing errors: [Refusal!]! }
      type CreateThingPayload { thing: Thing errors: [Refusal!]! }
      type NestPayload { thing: Thing errors: [Refusal!]! }
      type BarePayload { thing: Thing errors: [String!]! }
      type EmptyPayload { errors: [Refusal!]! }
      type SurePayload { thing: Thing! errors: [Refusal!]! }
      type Mutation { ${field} }`);
    expect(wrongForms(schema)).toEqual([wrong]);
  });
});

/** Names of days and moments. */
const DAY = /^(?:day|from|to|dateFrom|dateTo)$/;
const MOMENT = /At$|^at$|^since$|^until$/;
/** Members of inputs and arguments whose days are moments, or whose names mean something else. */
const NO_DAY = new Set(['CreateOfframpInput.from']);
/** JSON in a string: the published body, byte for byte. */
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

test('a read may be null: a refused one leaves the others of the document unaffected', () => {
  const fields = Object.values(SCHEMA.getQueryType()?.getFields() ?? {});
  expect(fields.filter(({ type }) => isNonNullType(type)).map(({ name }) => name)).toEqual([]);
});

describe('refusals', () => {
  test('have one interface, and each type of it has its fields', () => {
    const refusal = SCHEMA.getType('Refusal');
    const types = SCHEMA.getPossibleTypes(refusal as never).map(({ name }) => name);
    expect(types.sort()).toEqual([
      'CursorRefusal',
      'InputRefusal',
      'LimitRefusal',
      'PermissionRefusal',
      'RuleRefusal',
      'StateRefusal',
      'WaitRefusal',
    ]);
  });

  test('C-50: have codes of the table of errors; errors of the whole request are not among them', () => {
    const code = SCHEMA.getType('RefusalCode') as unknown as { getValues(): { name: string }[] };
    const codes = code.getValues().map(({ name }) => name);
    expect(Object.keys(ERRORS)).toEqual(expect.arrayContaining(codes));
    for (const whole of ['UNAUTHORIZED', 'RATE_LIMITED', 'INTERNAL']) expect(codes).not.toContain(whole);
  });
});
