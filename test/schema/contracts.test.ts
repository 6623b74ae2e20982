/**
 * Goal: a merchant's contract has what a merchant's key may do and no more, and is what introspection and the gateway give. Method: the
 * descriptions, which name the scope of each field, against the cut; then a gateway is asked with both kinds of keys.
 */
import {
  buildClientSchema,
  buildSchema as fromText,
  type GraphQLObjectType,
  getIntrospectionQuery,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { merchantContract, OPERATOR_MUTATIONS, OPERATOR_QUERIES } from '../../src/schema/contracts.ts';
import { buildSchema, schemaText } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useApp } from '../support/app.ts';

const app = useApp();
const whole = buildSchema(REGISTRY);
const cut = merchantContract(whole);

const needsPlatform = (root: GraphQLObjectType) =>
  Object.values(root.getFields())
    .filter(({ description }) =>
      /Needs (a scope of the platform|(the|a test key with the) scope `platform:)/.test(description ?? ''),
    )
    .map(({ name }) => name);

describe('the cut', () => {
  test('leaves out exactly the fields that need a scope of the platform', () => {
    expect([...OPERATOR_QUERIES].sort()).toEqual(
      needsPlatform(whole.getQueryType() as GraphQLObjectType).sort(),
    );
    expect([...OPERATOR_MUTATIONS].sort()).toEqual(
      needsPlatform(whole.getMutationType() as GraphQLObjectType).sort(),
    );
    const left = Object.keys(cut.getQueryType()?.getFields() ?? {});
    expect(left).toContain('transactions');
    expect(left.filter((name) => OPERATOR_QUERIES.has(name))).toEqual([]);
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
