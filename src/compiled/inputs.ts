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
type Coerce = (value: unknown) => unknown;
/** Returns the value of one argument; undefined when there is none. */
type CoerceArgument = (variables: Variables) => unknown;

/** @returns a function that coerces the given variables of an operation. */
export function variableCoercer(
  schema: GraphQLSchema,
  { variableDefinitions: definitions = [] }: OperationDefinitionNode,
): (variables: Variables) => VariableValues {
  const coercers = definitions.map(({ variable, type, defaultValue }) => {
    const found = typeFromAST(schema, type as NamedTypeNode);
    const name = variable.name.value;
    const coerce = isInputType(found) && name !== '__proto__' ? coercerOf(found) : () => UNUSUAL;
    return { name, coerce, mayLack: !defaultValue && !isNonNullType(found) };
  });
  return (variables) => {
    const coerced = coerceAll(coercers, variables);
    if (coerced) return { coerced };
    return getVariableValues(schema, definitions, variables, { maxErrors: VARIABLE_ERRORS_MAX });
  };
}

interface VariableCoercer {
  readonly name: string;
  readonly coerce: Coerce;
  /** Whether there need not be a value. */
  readonly mayLack: boolean;
}

/** @returns undefined when graphql-js has to coerce the values. */
function coerceAll(
  coercers: readonly VariableCoercer[],
  variables: Variables,
): Record<string, unknown> | undefined {
  const coerced: Record<string, unknown> = {};
  try {
    for (const { name, coerce, mayLack } of coercers) {
      const isPresent = Object.hasOwn(variables, name);
      if (!isPresent && mayLack) continue;
      const value = isPresent ? coerce(variables[name]) : UNUSUAL;
      if (value === UNUSUAL) return undefined;
      coerced[name] = value;
    }
  } catch {
    // A type throws what it does not take; and an input object may be given deeper than functions can call each other.
    return undefined;
  }
  return coerced;
}

function coercerOf(type: GraphQLInputType): Coerce {
  if (isNonNullType(type)) {
    const coerce = coercerOf(type.ofType);
    return (value) => (value == null ? UNUSUAL : coerce(value));
  }
  if (isListType(type)) return listCoercer(coercerOf(type.ofType));
  if (isInputObjectType(type)) return objectCoercer(type);
  return (value) => {
    if (value == null) return null;
    const parsed = type.parseValue(value);
    return parsed === undefined ? UNUSUAL : parsed;
  };
}

/** One value stands for a list of it. */
function listCoercer(coerce: Coerce): Coerce {
  return (value) => {
    if (value == null) return null;
    const coerced = (Array.isArray(value) ? value : [value]).map(coerce);
    return coerced.includes(UNUSUAL) ? UNUSUAL : coerced;
  };
}

function objectCoercer(type: GraphQLInputObjectType): Coerce {
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
      coerce: coercerOf(of),
    }));
    const coerced = coerceMembers(value as Variables, members);
    return type.isOneOf && !hasOneValue(coerced) ? UNUSUAL : coerced;
  };
}

/** Whether an object has one member, and a value of it: what `@oneOf` takes. */
function hasOneValue(coerced: unknown): boolean {
  const values = coerced === UNUSUAL ? [] : Object.values(coerced as object);
  return values.length === 1 && values[0] !== null;
}

interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  readonly coerce: Coerce;
}

function coerceMembers(variables: Variables, members: readonly Member[]): unknown {
  const coerced: Record<string, unknown> = {};
  let left = Object.keys(variables).length;
  for (const { name, isRequired, coerce } of members) {
    const value = variables[name];
    if (value === undefined && !isRequired) continue;
    const member = coerce(value);
    if (member === UNUSUAL) return UNUSUAL;
    coerced[name] = member;
    left -= 1;
  }
  return left === 0 ? coerced : UNUSUAL;
}

/** @returns a function that coerces the arguments of a field. It throws the errors of `getArgumentValues`. */
export function argumentCoercer(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): (variables: Variables) => Record<string, unknown> {
  const coercers = field.args.map((argument) => [argument.name, argumentOf(argument, node)] as const);
  return (variables) => {
    const values: Record<string, unknown> = {};
    for (const [name, coerce] of coercers) {
      const value = coerce(variables);
      if (value === UNUSUAL) return getArgumentValues(field, node, variables);
      if (value !== undefined) values[name] = value;
    }
    return values;
  };
}

function argumentOf({ name, type, defaultValue }: GraphQLArgument, node: FieldNode): CoerceArgument {
  const variables = node.arguments?.find((each) => each.name.value === name)?.value;
  const isRequired = isNonNullType(type);
  const none = defaultValue === undefined && !isRequired ? undefined : shared(defaultValue);
  if (!variables) return () => none;
  if (variables.kind === Kind.VARIABLE) {
    const variable = variables.name.value;
    return (variables) => {
      const value = Object.hasOwn(variables, variable) ? variables[variable] : none;
      return value === null && isRequired ? UNUSUAL : value;
    };
  }
  // A list or an object may contain variables.
  if (variables.kind === Kind.OBJECT || variables.kind === Kind.LIST) return () => UNUSUAL;
  const constant = valueFromAST(variables, type);
  // A list of one value, which a resolver may change.
  if (Array.isArray(constant) && shared(constant[0]) !== UNUSUAL) return () => [...constant];
  const value = shared(constant);
  return () => value;
}

/** @returns a value that all executions share; a value that a resolver could change is made anew each time. */
function shared(value: unknown): unknown {
  return ['string', 'number', 'boolean'].includes(typeof value) ? value : UNUSUAL;
}
