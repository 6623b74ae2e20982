/**
 * Goal: the schema explains itself to somebody who has never seen the project. Method: a walk over everything that it
 * defines.
 */
import {
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { expect, test } from 'vitest';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';

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

test('a limit that a description names is a number: pages, lengths, seconds', () => {
  const field = (type: string, name: string) => {
    const found = SCHEMA.getType(type);
    if (!isObjectType(found)) throw new Error(`${type} is no object type`);
    return found.getFields()[name];
  };
  for (const [type, name] of [
    ['Query', 'transactions'],
    ['Query', 'statement'],
    ['Query', 'events'],
    ['Account', 'webhookDeliveries'],
  ] as const) {
    const args = Object.fromEntries(
      field(type, name)?.args.map((each) => [each.name, each.description]) ?? [],
    );
    expect(args.first).toMatch(/0 to 100, default 20/);
    expect(args.last).toMatch(/0 to 100/);
  }
  expect(SCHEMA.getQueryType()?.description).toMatch(/15000.*10.*500/);
});

test('every scalar of the service says which specification it follows', () => {
  const scalars = TYPES.filter(isScalarType).map(({ name, specifiedByURL }) => [name, specifiedByURL]);
  expect(Object.fromEntries(scalars)).toEqual({
    DateTime: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
    Decimal: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
  });
});

test('enum values are SCREAMING_SNAKE_CASE, but for the two enums whose values are published names', () => {
  const others = TYPES.filter(isEnumType).filter(({ name }) => !['Template', 'SubAccount'].includes(name));
  const values = others.flatMap((type) => type.getValues().map(({ name }) => `${type.name}.${name}`));
  expect(values.filter((value) => !/\.[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(value))).toEqual([]);
  expect(others.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['PixKeyType', 'SandboxScenarioName', 'WebhookDeliveryState']),
  );
});

test('every connection has edges, nodes, pageInfo and totalCount, and takes four arguments (Relay cursor connections)', () => {
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
  expect([connections.length, fields.length]).toEqual([11, 12]);
});
