/**
 * Values of variables and arguments. Common forms take a few steps; for all other values, and for all that is wrong,
 * the functions of graphql-js run, so that values and errors are the same.
 */
import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from 'graphql';
import type { Variables } from './selection.ts';

/** As graphql-js has it. */
const VARIABLE_ERRORS_MAX = 50;
/** Marks a value that graphql-js has to coerce. */
const UNUSUAL = Symbol('unusual');

/** Coerced variables of an operation, or the errors of the coercion. */
type VariableValues = ReturnType<typeof getVariableValues>;
/** Makes a value of what a client sends as JSON. */
type Take = (value: unknown) => unknown;
/** Returns the value of one argument; undefined when there is none. */
type TakeArgument = (variables: Variables) => unknown;

/** @returns a function that coerces the given variables of an operation. */
export function variableTaker(
  schema: GraphQLSchema,
  { variableDefinitions: definitions = [] }: OperationDefinitionNode,
): (given: Variables) => VariableValues {
  const takers = definitions.map(({ variable, type, defaultValue }) => {
    const found = typeFromAST(schema, type as NamedTypeNode);
    const name = variable.name.value;
    const take = isInputType(found) && name !== '__proto__' ? taker(found) : () => UNUSUAL;
    return { name, take, mayLack: !defaultValue && !isNonNullType(found) };
  });
  return (given) => {
    const coerced = takeAll(takers, given);
    if (coerced) return { coerced };
    return getVariableValues(schema, definitions, given, { maxErrors: VARIABLE_ERRORS_MAX });
  };
}

interface VariableTaker {
  readonly name: string;
  readonly take: Take;
  /** Whether there need not be a value. */
  readonly mayLack: boolean;
}

/** @returns undefined when graphql-js has to coerce the values. */
function takeAll(takers: readonly VariableTaker[], given: Variables): Record<string, unknown> | undefined {
  const coerced: Record<string, unknown> = {};
  try {
    for (const { name, take, mayLack } of takers) {
      const isGiven = Object.hasOwn(given, name);
      if (!isGiven && mayLack) continue;
      const value = isGiven ? take(given[name]) : UNUSUAL;
      if (value === UNUSUAL) return undefined;
      coerced[name] = value;
    }
  } catch {
    // A type throws what it does not take; and an input object may be given deeper than functions can call each other.
    return undefined;
  }
  return coerced;
}

function taker(type: GraphQLInputType): Take {
  if (isNonNullType(type)) {
    const take = taker(type.ofType);
    return (value) => (value == null ? UNUSUAL : take(value));
  }
  if (isListType(type)) return listTaker(taker(type.ofType));
  if (isInputObjectType(type)) return objectTaker(type);
  return (value) => {
    if (value == null) return null;
    const parsed = type.parseValue(value);
    return parsed === undefined ? UNUSUAL : parsed;
  };
}

/** One value stands for a list of it. */
function listTaker(take: Take): Take {
  return (value) => {
    if (value == null) return null;
    const taken = (Array.isArray(value) ? value : [value]).map(take);
    return taken.includes(UNUSUAL) ? UNUSUAL : taken;
  };
}

function objectTaker(type: GraphQLInputObjectType): Take {
  const fields = Object.values(type.getFields());
  const isUsual = fields.every(({ defaultValue }) => defaultValue === undefined);
  // Made when there is one: an input object may have members of its own type.
  let members: readonly Member[] | undefined;
  return (value) => {
    if (value == null) return null;
    if (!isUsual || typeof value !== 'object' || Array.isArray(value)) return UNUSUAL;
    members ??= fields.map(({ name, type: of }) => ({
      name,
      isRequired: isNonNullType(of),
      take: taker(of),
    }));
    const taken = takeMembers(value as Variables, members);
    return type.isOneOf && !hasOneValue(taken) ? UNUSUAL : taken;
  };
}

/** Whether an object has one member, and a value of it: what `@oneOf` takes. */
function hasOneValue(taken: unknown): boolean {
  const values = taken === UNUSUAL ? [] : Object.values(taken as object);
  return values.length === 1 && values[0] !== null;
}

interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  readonly take: Take;
}

function takeMembers(given: Variables, members: readonly Member[]): unknown {
  const taken: Record<string, unknown> = {};
  let left = Object.keys(given).length;
  for (const { name, isRequired, take } of members) {
    const value = given[name];
    if (value === undefined && !isRequired) continue;
    const member = take(value);
    if (member === UNUSUAL) return UNUSUAL;
    taken[name] = member;
    left -= 1;
  }
  return left === 0 ? taken : UNUSUAL;
}

/** @returns a function that coerces the arguments of a field. It throws the errors of `getArgumentValues`. */
export function argumentTaker(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): (variables: Variables) => Record<string, unknown> {
  const takers = field.args.map((argument) => [argument.name, argumentOf(argument, node)] as const);
  return (variables) => {
    const values: Record<string, unknown> = {};
    for (const [name, take] of takers) {
      const value = take(variables);
      if (value === UNUSUAL) return getArgumentValues(field, node, variables);
      if (value !== undefined) values[name] = value;
    }
    return values;
  };
}

function argumentOf({ name, type, defaultValue }: GraphQLArgument, node: FieldNode): TakeArgument {
  const given = node.arguments?.find((each) => each.name.value === name)?.value;
  const isRequired = isNonNullType(type);
  const none = defaultValue === undefined && !isRequired ? undefined : shared(defaultValue);
  if (!given) return () => none;
  if (given.kind === Kind.VARIABLE) {
    const variable = given.name.value;
    return (variables) => {
      const value = Object.hasOwn(variables, variable) ? variables[variable] : none;
      return value === null && isRequired ? UNUSUAL : value;
    };
  }
  // A list or an object may contain variables.
  if (given.kind === Kind.OBJECT || given.kind === Kind.LIST) return () => UNUSUAL;
  const constant = valueFromAST(given, type);
  // A list of one value, which a resolver may change.
  if (Array.isArray(constant) && shared(constant[0]) !== UNUSUAL) return () => [...constant];
  const value = shared(constant);
  return () => value;
}

/** @returns a value that all executions share; a value that a resolver could change is made anew each time. */
function shared(value: unknown): unknown {
  return ['string', 'number', 'boolean'].includes(typeof value) ? value : UNUSUAL;
}
