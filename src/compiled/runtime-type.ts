/** Object type of a value of an interface or union: checks and messages are those of graphql-js. */
import { type GraphQLAbstractType, GraphQLError, type GraphQLObjectType, isObjectType } from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import type { Site } from './info.ts';

/**
 * @param name - result of the type's resolver.
 * @throws {GraphQLError} when it is not the name of a possible type.
 */
export function runtimeType(
  { compiled: { schema }, nodes, parentType, field }: Site,
  abstract: GraphQLAbstractType,
  name: unknown,
  value: unknown,
): GraphQLObjectType {
  const type = typeof name === 'string' ? schema.getType(name) : undefined;
  if (isObjectType(type) && schema.isSubType(abstract, type)) return type;
  const where = `for field "${parentType.name}.${field.name}"`;
  const must = `Abstract type "${abstract.name}" must resolve to an Object type at runtime ${where}`;
  if (name == null)
    throw new GraphQLError(
      `${must}. Either the "${abstract.name}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`,
      { nodes },
    );
  if (typeof name !== 'string')
    throw new GraphQLError(`${must} with value ${inspect(value)}, received "${inspect(name)}".`);
  if (isObjectType(type))
    throw new GraphQLError(`Runtime Object type "${name}" is not a possible type for "${abstract.name}".`, {
      nodes,
    });
  const what = type
    ? `a non-object type "${name}"`
    : `a type "${name}" that does not exist inside the schema`;
  throw new GraphQLError(`Abstract type "${abstract.name}" was resolved to ${what}.`, { nodes });
}
