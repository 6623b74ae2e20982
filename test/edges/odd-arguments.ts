/** Documents that ask a field of the schema with one text of its arguments to be filled in, and fitting values for the others. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { IDS } from '../support/rest-routes.ts';

/** A text of a caller: an argument of a field, or a member of an input object among its arguments. */
export interface Case {
  readonly title: string;
  readonly operation: string;
  readonly field: GraphQLField<unknown, unknown>;
  /** Names from the argument to the text. */
  readonly path: readonly string[];
  /** The value of required enums; undefined for the first one of each. */
  readonly choice: string | undefined;
  /** Whether it is an argument of its own, with the first value of each enum. */
  readonly isMain: boolean;
  /** Whether an idempotency key can be given with it. */
  readonly isKeyed: boolean;
}

type Input = GraphQLArgument | GraphQLInputField;

const KEY = 'idempotencyKey';
const DEPTH_MAX = 3;

/** What an argument or member of this name is given when it is not the one that is filled in; else by its type. */
const VALUES_BY_NAME: Readonly<Record<string, string>> = {
  account: '$account',
  end2end: `"${IDS.onramp}"`,
  currency: '"USDT_TRX"',
  network: '"ETH"',
  day: '"2026-05-01"',
  taxId: '"52998224725"',
  clientName: '"Ana Souza"',
  clientTaxId: '"52998224725"',
  email: '"ana@example.com"',
  url: '"https://hooks.example.com/x"',
  scopes: '["read"]',
  groupId: '"wl-crypto"',
  address: '"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"',
  debit: '"A.pix"',
  credit: '"E.capital"',
};
const VALUES_BY_TYPE: Readonly<Record<string, string>> = {
  ...{ Decimal: '"10"', Boolean: 'false', Int: '1', DateTime: '"2026-05-01T12:00:00Z"' },
};

/** Members that no type requires, but the act does: without them it would be refused before the text is looked at. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  CreateCheckoutInput: ['amount', 'clientName', 'clientTaxId'],
  CreateOnrampInput: ['amount', 'clientName', 'clientTaxId'],
  CreateOfframpInput: ['amount'],
};

/** @returns a case for every text that a query or mutation takes, with each value of the enums that it needs. */
export function casesOf(schema: GraphQLSchema): Case[] {
  return [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values((type as GraphQLObjectType).getFields()).flatMap((field) =>
      field.args
        .flatMap((argument) => pathsOf(argument, 0))
        .flatMap((path) => casesAt(type?.name ?? '', field, path)),
    ),
  );
}

function casesAt(type: string, field: Case['field'], path: readonly string[]): Case[] {
  const given = [...field.args, ...inputOf(field)];
  const choices = given.filter(isRequired).flatMap(({ type }) => {
    const named = getNamedType(type);
    return isEnumType(named) ? named.getValues().map(({ name }) => name) : [];
  });
  const isKeyed = !path.includes(KEY) && given.some(({ name }) => name === KEY);
  const operation = type.toLowerCase();
  const title = `${operation} ${field.name}(${path.join('.')}:)`;
  const main = { title, operation, field, path, choice: undefined, isMain: path.length <= 2, isKeyed };
  const others = choices.slice(1);
  return [main, ...others.map((choice) => ({ ...main, title: `${title} ${choice}`, choice, isMain: false }))];
}

/** @returns the members of the input of a mutation. */
function inputOf({ args: [input] }: Case['field']): Input[] {
  const named = input?.name === 'input' ? getNamedType(input.type) : undefined;
  return isInputObjectType(named) ? Object.values(named.getFields()) : [];
}

/** @returns the ways to every text in an input. */
function pathsOf({ name, type }: Input, depth: number): string[][] {
  const named = getNamedType(type);
  if (['ID', 'String'].includes(named.name)) return [[name]];
  if (!isInputObjectType(named) || depth === DEPTH_MAX) return [];
  const within = Object.values(named.getFields()).flatMap((member) => pathsOf(member, depth + 1));
  return within.map((path) => [name, ...path]);
}

/**
 * @param more - members of the input of a mutation, as they stand in a document.
 * @returns the document, which takes the text as `$id` and the number of an account as `$account`.
 */
export function documentOf({ operation, field, path, choice }: Case, more: readonly string[]): string {
  const declared: string[] = [];
  const args = membersOf(field.args, { path, choice, needed: [], isChoice: false, declared })
    .join(', ')
    .replace(/^input: \{/, (begin) => [begin, ...more.map((each) => `${each},`)].join(' '));
  if (args.includes('$account')) declared.push('$account: String!');
  const errors = operation === 'mutation' ? ' errors { code message path }' : '';
  const selection = isCompositeType(getNamedType(field.type)) ? ` { __typename${errors} }` : '';
  return `${operation}(${declared.join(', ')}) { ${field.name}(${args})${selection} }`;
}

interface Filling {
  readonly path: readonly string[];
  readonly choice: string | undefined;
  readonly needed: readonly string[];
  /** Whether the inputs are members of a choice, which take variables that are never null. */
  readonly isChoice: boolean;
  readonly declared: string[];
}

function membersOf(inputs: readonly Input[], filling: Filling): string[] {
  const { path, needed } = filling;
  return inputs
    .filter((each) => each.name === path[0] || isRequired(each) || needed.includes(each.name))
    .map((each) => `${each.name}: ${each.name === path[0] ? filled(each, filling) : fitting(each, filling)}`);
}

function isRequired({ type, defaultValue }: Input): boolean {
  return isNonNullType(type) && defaultValue === undefined;
}

/** The text that is filled in, or the input object that it is in. */
function filled({ type }: Input, filling: Filling): string {
  const path = filling.path.slice(1);
  if (path.length > 0) return objectOf(type, { ...filling, path });
  filling.declared.push(`$id: ${type}${filling.isChoice && !isNonNullType(type) ? '!' : ''}`);
  return '$id';
}

function fitting({ name, type }: Input, filling: Filling): string {
  const named = getNamedType(type);
  if (isInputObjectType(named)) return objectOf(type, { ...filling, path: [] });
  if (isEnumType(named)) return filling.choice ?? named.getValues()[0]?.name ?? '';
  const value = VALUES_BY_NAME[name] ?? VALUES_BY_TYPE[named.name] ?? '"x"';
  return isListType(getNullableType(type)) && !value.startsWith('[') ? `[${value}]` : value;
}

function objectOf(type: GraphQLInputType, filling: Filling): string {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) throw new Error(`${type} is no input object`);
  const members = Object.values(named.getFields());
  const [first] = members;
  // Of a choice one member is given: that of the text, or the first.
  const needed =
    named.isOneOf && filling.path.length === 0 && first ? [first.name] : (NEEDED[named.name] ?? []);
  return `{ ${membersOf(members, { ...filling, needed, isChoice: named.isOneOf }).join(', ')} }`;
}
