/**
 * Goal: every mutation has the form that docs/graphql.md describes. Method: a walk over the schema; a schema of wrong forms shows that
 * each rule finds what breaks it.
 */
import {
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
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

test('a read may be null: one that is refused costs the document no other', () => {
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

  test('C-50: have codes of the table of errors; what concerns the whole request is none', () => {
    const code = SCHEMA.getType('RefusalCode') as unknown as { getValues(): { name: string }[] };
    const codes = code.getValues().map(({ name }) => name);
    expect(Object.keys(ERRORS)).toEqual(expect.arrayContaining(codes));
    for (const whole of ['UNAUTHORIZED', 'RATE_LIMITED', 'INTERNAL']) expect(codes).not.toContain(whole);
  });
});
