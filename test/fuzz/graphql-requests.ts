/** Makes GraphQL requests from the schema: random documents, arguments and variables, each with something odd now and then. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import type { FuzzRequest } from './rest-requests.ts';
import type { Values } from './values.ts';

const SCHEMA: GraphQLSchema = buildSchema(REGISTRY);
const DEPTH_MAX = 5;
const FIELDS_MAX = 4;
const CUTS = [
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  '"',
  '$',
  '@',
  '!',
  '...',
  '#',
  '\\',
  '\u0000',
  '"""',
  ':',
  '0',
  '&',
];

/** An operation on its way: what is put together while its document is written. */
export interface Draft {
  readonly values: Values;
  readonly declared: string[];
  readonly variables: Record<string, unknown>;
}

/** @returns the next request of a caller with this key. */
export function graphqlRequest(values: Values, apiKey: string): FuzzRequest {
  const { random } = values;
  const kind = random.chance(0.7) ? 'query' : random.chance(0.97) ? 'mutation' : 'subscription';
  return requestOf(values, apiKey, graphqlBody(values, kind));
}

/** @returns the body of a request for an operation of this kind. */
export function graphqlBody(
  values: Values,
  kind: 'query' | 'mutation' | 'subscription',
): Record<string, unknown> {
  const { random } = values;
  const draft: Draft = { values, declared: [], variables: {} };
  const root = {
    query: SCHEMA.getQueryType(),
    mutation: SCHEMA.getMutationType(),
    subscription: SCHEMA.getSubscriptionType(),
  }[kind];
  const selection = selectionOf(
    draft,
    root as GraphQLOutputType,
    0,
    kind === 'query' ? random.integer(1, 3) : 1,
  );
  const declared = draft.declared.length > 0 ? `(${draft.declared.join(', ')})` : '';
  const document = broken(values, `${kind} Fuzz${declared} ${selection}`);
  const body: Record<string, unknown> = { query: document, variables: draft.variables };
  if (random.chance(0.1)) body.operationName = random.pick(['Fuzz', 'Other', '', null, 5]);
  if (random.chance(0.02))
    body[random.pick(['extensions', 'id', values.oddText()])] = random.pick([null, {}, [], 1, 'x']);
  if (random.chance(0.01)) delete body.query;
  if (random.chance(0.01)) body.variables = random.pick([null, [], 'x', 5, { a: 1 }]);
  return body;
}

function requestOf(values: Values, apiKey: string, body: Record<string, unknown>): FuzzRequest {
  const { random } = values;
  const headers = {
    authorization: `Bearer ${apiKey}`,
    accept: random.pick(['application/json', 'application/graphql-response+json', '*/*']),
  };
  if (random.chance(0.05) && typeof body.query === 'string') {
    const search = new URLSearchParams({
      query: body.query.toWellFormed(),
      variables: JSON.stringify(body.variables),
    });
    const target = `/graphql?${search}`;
    if (target.length < 7_000) return { method: 'GET', target, headers, body: undefined };
  }
  const text = random.chance(0.01) ? JSON.stringify([body, body]) : JSON.stringify(body);
  return {
    method: 'POST',
    target: '/graphql',
    headers: { ...headers, 'content-type': 'application/json' },
    body: text,
  };
}

function selectionOf(draft: Draft, type: GraphQLOutputType, depth: number, count: number): string {
  const named = getNamedType(type);
  if (!isCompositeType(named)) return '';
  const { random } = draft.values;
  const parts: string[] = [];
  const fields = isObjectType(named) || isInterfaceType(named) ? Object.values(named.getFields()) : [];
  const fitting = fields.filter((field) => depth < DEPTH_MAX || !isCompositeType(getNamedType(field.type)));
  for (let index = 0; index < count && fitting.length > 0; index++)
    parts.push(fieldOf(draft, random.pick(fitting), depth, index));
  if (isAbstractType(named) && depth < DEPTH_MAX) {
    const possible = random.pick(SCHEMA.getPossibleTypes(named));
    parts.push(`... on ${possible.name} ${selectionOf(draft, possible, depth + 1, random.integer(1, 3))}`);
  }
  if (parts.length === 0 || random.chance(0.1)) parts.push('__typename');
  if (random.chance(0.01))
    parts.push(random.pick(['nothing', '...Missing', '... { __typename }', '__schema { types { name } }']));
  return `{ ${parts.join(' ')} }`;
}

function fieldOf(draft: Draft, field: GraphQLField<unknown, unknown>, depth: number, index: number): string {
  const { random } = draft.values;
  const args = field.args
    .filter((argument) => isNonNullType(argument.type) || random.chance(0.4))
    .filter(() => random.chance(0.99))
    .map((argument) => `${argument.name}: ${argumentOf(draft, argument)}`);
  const alias = index > 0 || random.chance(0.1) ? `f${depth}${index}: ` : '';
  const directive = random.chance(0.02)
    ? ` @${random.pick(['include(if: true)', 'skip(if: false)', 'nothing', 'include'])}`
    : '';
  const selection = selectionOf(draft, field.type, depth + 1, random.integer(1, FIELDS_MAX));
  return `${alias}${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${directive} ${selection}`;
}

/** @returns a value for an argument as it stands in the document: a literal, or a variable that is declared and given. */
export function argumentOf(draft: Draft, { name, type }: GraphQLArgument): string {
  const value = inputOf(draft, name, type);
  if (draft.values.random.chance(0.5)) return literal(value, type);
  const variable = `v${draft.declared.length}`;
  draft.declared.push(`$${variable}: ${type}`);
  draft.variables[variable] = value;
  return `$${variable}`;
}

function inputOf(draft: Draft, name: string, type: GraphQLInputType): unknown {
  const { values } = draft;
  const { random } = values;
  if (random.chance(0.03)) return values.oddVariable();
  const bare = getNullableType(type);
  if (isListType(bare)) {
    const length = random.chance(0.98) ? random.integer(0, 3) : 200;
    return Array.from({ length }, () => inputOf(draft, name, bare.ofType));
  }
  if (isEnumType(bare)) return random.pick(bare.getValues()).name;
  if (isInputObjectType(bare)) {
    const given = Object.values(bare.getFields()).filter(
      (field) => isNonNullType(field.type) || random.chance(0.35),
    );
    return Object.fromEntries(given.map((field) => [field.name, inputOf(draft, field.name, field.type)]));
  }
  return scalarOf(values, name, String(bare));
}

function scalarOf(values: Values, name: string, type: string): unknown {
  const { random } = values;
  switch (type) {
    case 'Int':
      return random.chance(0.85)
        ? random.integer(0, 20)
        : random.pick([-1, 100, 101, 1_000, 2 ** 31 - 1, -(2 ** 31)]);
    case 'Float':
      return random.next() * 100;
    case 'Boolean':
      return random.chance(0.5);
    case 'Decimal':
      return random.chance(0.85)
        ? values.amount()
        : random.pick(['0', '-1', '1e5', '99999999999999999999', '0.1234567890123456789']);
    case 'Date':
      return random.pick(['2026-05-01', '2026-11-22', '0001-01-01', '9999-12-31']);
    case 'DateTime':
      return random.pick([
        '2026-05-01T12:00:00Z',
        '2026-11-22T00:00:00.000Z',
        '0001-01-01T00:00:00Z',
        '9999-12-31T23:59:59Z',
      ]);
    default:
      return random.chance(0.85) ? values.fitting(name) : values.oddText();
  }
}

/** A value as it stands in a document. */
function literal(value: unknown, type: GraphQLInputType): string {
  const bare = getNullableType(type);
  if (Array.isArray(value))
    return `[${value.map((each) => literal(each, isListType(bare) ? bare.ofType : type)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = isInputObjectType(bare) ? bare.getFields() : {};
    const members = Object.entries(value).map(
      ([name, each]) => `${name}: ${literal(each, (fields[name]?.type ?? type) as GraphQLInputType)}`,
    );
    return `{${members.join(', ')}}`;
  }
  if (isEnumType(getNamedType(type)) && typeof value === 'string' && /^\w+$/.test(value)) return value;
  return JSON.stringify(value);
}

/** Some documents are cut, or get a character too many. */
function broken({ random }: Values, document: string): string {
  if (random.chance(0.95)) return document;
  const at = random.integer(0, document.length);
  return document.slice(0, at) + random.pick(CUTS) + document.slice(at + random.integer(0, 3));
}
