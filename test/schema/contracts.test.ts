/**
 * Goal: a merchant's contract has what a merchant's key may do and no more, speaks of nothing else, and is what introspection and the
 * gateway give. Method: the descriptions, which name the scope of each field, against the cut; a schema with marks of every kind; then a
 * gateway is asked with both kinds of keys.
 */
import {
  buildClientSchema,
  buildSchema as fromText,
  GraphQLEnumType,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  getIntrospectionQuery,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { merchantContract } from '../../src/schema/contracts.ts';
import { buildSchema, schemaText } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useApp } from '../support/app.ts';

const app = useApp();
const whole = buildSchema(REGISTRY);
const cut = merchantContract(whole);

const fieldsOf = (root: GraphQLObjectType | null | undefined) => Object.keys(root?.getFields() ?? {});
/** Queries and mutations that the cut leaves out. */
const OPERATOR = [
  ...fieldsOf(whole.getQueryType()).filter((name) => !fieldsOf(cut.getQueryType()).includes(name)),
  ...fieldsOf(whole.getMutationType()).filter((name) => !fieldsOf(cut.getMutationType()).includes(name)),
];

const needsPlatform = (root: GraphQLObjectType) =>
  Object.values(root.getFields())
    .filter(({ description }) =>
      /Needs (a scope of the platform|(the|a test key with the) scope `platform:)/.test(description ?? ''),
    )
    .map(({ name }) => name);

describe('the cut', () => {
  test('leaves out exactly the fields that need a scope of the platform', () => {
    const needing = [whole.getQueryType(), whole.getMutationType()].flatMap((root) =>
      needsPlatform(root as GraphQLObjectType),
    );
    expect(OPERATOR).toEqual(needing);
    expect(OPERATOR.length).toBeGreaterThan(50);
    expect(fieldsOf(cut.getQueryType())).toContain('transactions');
  });

  test('leaves out members, arguments and values that only the platform can use, at any depth', () => {
    const members = (name: string) => Object.keys((cut.getType(name) as GraphQLObjectType).getFields());
    expect(members('CustomerCase')).toEqual(expect.arrayContaining(['state', 'provider']));
    for (const name of ['evidence', 'reference', 'reasons', 'score'])
      expect(members('CustomerCase')).not.toContain(name);
    for (const name of ['proposedTo', 'proposedBy']) expect(members('SuspenseEntry')).not.toContain(name);
    expect(members('TemplateSetting')).not.toContain('proposedPrice');
    for (const name of ['CaseEvidence', 'ProposedPrice']) expect(cut.getType(name), name).toBeUndefined();
    for (const name of ['customerCases', 'medCases'])
      expect(
        cut
          .getQueryType()
          ?.getFields()
          [name]?.args.map((each) => each.name),
      ).not.toContain('account');
    const values = (name: string) =>
      (cut.getType(name) as GraphQLEnumType)
        .getValues()
        .map((each) => each.name)
        .sort();
    expect(values('MemberRole')).toEqual(['DEVELOPER', 'FINANCE', 'OPERATOR', 'OWNER', 'VIEWER']);
    expect(values('ReviewKind')).not.toContain('SCREENING_HIT');
    expect(values('TransactionAction')).toContain('REFUND_PAYMENT');
    expect(values('TransactionAction')).not.toContain('APPROVE_STEP_UP');
  });

  test('speaks of no scope of the platform, and names no query or mutation that it lacks', () => {
    const text = schemaText(cut);
    expect(text.match(/.*(?:platform:|scopes? of the platform|PLATFORM_).*/g)).toBeNull();
    expect(OPERATOR.filter((name) => text.includes(`\`${name}\``))).toEqual([]);
  });

  test('takes marks of every kind of element, and leaves the schema as it was', () => {
    const extensions = { isPlatformOnly: true };
    const hidden = { type: GraphQLID, extensions };
    const kind = new GraphQLEnumType({ name: 'Kind', values: { OPEN: {}, HIDDEN: { extensions } } });
    const thing = new GraphQLInterfaceType({
      name: 'Thing',
      fields: { kind: { type: new GraphQLNonNull(kind) }, hidden },
    });
    const input = new GraphQLInputObjectType({
      name: 'ThingInput',
      fields: { a: { type: GraphQLID }, hidden },
    });
    const fields = { kind: { type: new GraphQLNonNull(kind) }, hidden };
    const part = new GraphQLObjectType({ name: 'Part', interfaces: [thing], fields });
    const only = new GraphQLObjectType({ name: 'Only', fields: { a: { type: GraphQLID } } });
    const args = { input: { type: input }, hidden };
    const query = new GraphQLObjectType({
      name: 'Query',
      fields: {
        thing: { type: thing, args, description: 'A. B.', extensions: { forMerchants: 'A.' } },
        only: { type: only, extensions },
      },
    });
    const schema = new GraphQLSchema({ query, types: [part] });
    const before = schemaText(schema);
    const text = schemaText(merchantContract(schema));
    expect(text).not.toMatch(/hidden|HIDDEN|Only|only|B\./);
    for (const part of ['A.', 'thing(input: ThingInput): Thing', 'type Part implements Thing', 'kind: Kind!'])
      expect(text).toContain(part);
    expect(schemaText(schema)).toBe(before);
  });

  test('is made once, and so is the schema: cells of one process share both', () => {
    expect(buildSchema(REGISTRY)).toBe(whole);
    expect(merchantContract(whole)).toBe(cut);
  });

  test('leaves out the types that only those lead to, and keeps implementations of interfaces', () => {
    expect(cut.getType('TrialBalance')).toBeUndefined();
    for (const name of ['OfframpInstant', 'CrossrampCheckout', 'WebhookEndpoint', 'Refund'])
      expect(cut.getType(name), name).toBeDefined();
    expect(Object.keys(cut.getTypeMap()).length).toBeLessThan(Object.keys(whole.getTypeMap()).length - 20);
    // A text that can be read is a schema that holds together.
    expect(() => fromText(schemaText(cut))).not.toThrow();
  });
});

test('introspection shows the contract that the scopes of the key open', async () => {
  const shown = async (key: string) => {
    const { json } = await app.graphql(getIntrospectionQuery(), {}, { key });
    return buildClientSchema(json.data);
  };
  const fields = (schema: ReturnType<typeof buildClientSchema>) => [
    Object.keys(schema.getQueryType()?.getFields() ?? {}).sort(),
    Object.keys(schema.getMutationType()?.getFields() ?? {}).sort(),
  ];
  expect(fields(await shown(app.apiKey))).toEqual(fields(cut));
  expect(fields(await shown(app.platformKey))).toEqual(fields(whole));
  const one = (key: string) =>
    app.graphql('{ __type(name: "TrialBalance") { name } viewer { account { name } } }', {}, { key });
  expect((await one(app.apiKey)).json.data).toMatchObject({
    __type: null,
    viewer: { account: { name: expect.any(String) } },
  });
  expect((await one(app.platformKey)).json.data.__type).toEqual({ name: 'TrialBalance' });
  // Repeated documents are answered another way.
  for (const key of [app.apiKey, app.platformKey, app.apiKey])
    expect((await one(key)).json.data.__type).toEqual(key === app.apiKey ? null : { name: 'TrialBalance' });
});

test('both texts are served without a key', async () => {
  for (const [path, schema] of [
    ['/graphql/schema.graphql', cut],
    ['/graphql/schema.operator.graphql', whole],
  ] as const) {
    const { status, text, headers } = await app.get(path, { key: null });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text).toBe(schemaText(schema));
  }
});
