/**
 * Two contracts of one schema. The operator's contract has everything. The merchant's contract lacks the elements that
 * are marked as the platform's at their declaration, and the types that are reachable only through them; its
 * descriptions are those for merchants.
 */
import {
  type GraphQLArgumentConfig,
  GraphQLEnumType,
  type GraphQLEnumValueConfig,
  type GraphQLFieldConfig,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  type GraphQLType,
  GraphQLUnionType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { descriptionForMerchants, isPlatformOnly } from './platform-only.ts';

/** Contracts of merchants, each by its schema. */
const CUT = new WeakMap<GraphQLSchema, GraphQLSchema>();

/**
 * @returns the contract of merchants, the same one each time; its fields resolve as those of the schema, so that it can be
 *   executed as well.
 */
export function merchantContract(schema: GraphQLSchema): GraphQLSchema {
  const contract = CUT.get(schema) ?? cutFrom(schema);
  CUT.set(schema, contract);
  return contract;
}

function cutFrom(schema: GraphQLSchema): GraphQLSchema {
  const cut = cutter();
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const [query, mutation, subscription] = roots.map((root) => root && cut(root));
  return new GraphQLSchema({
    ...schema.toConfig(),
    ...{ query, mutation, subscription },
    types: reached(schema, cut, [query, mutation, subscription]),
  });
}

type Cutter = <Type extends GraphQLNamedType>(type: Type) => Type;
type Element =
  | GraphQLFieldConfig<unknown, unknown>
  | GraphQLArgumentConfig
  | GraphQLInputFieldConfig
  | GraphQLEnumValueConfig;

/** @returns a function that makes each type once, without the marked elements. */
function cutter(): Cutter {
  const made = new Map<string, GraphQLNamedType>();
  const cut: Cutter = (type) => {
    const found = made.get(type.name) ?? without(type, cut);
    made.set(type.name, found);
    return found as typeof type;
  };
  return cut;
}

function without(type: GraphQLNamedType, cut: Cutter): GraphQLNamedType {
  if (isObjectType(type)) {
    const { fields, interfaces, ...config } = type.toConfig();
    const cutInterfaces = () => interfaces.map(cut);
    return new GraphQLObjectType({
      ...config,
      interfaces: cutInterfaces,
      fields: () => fieldsLeft(fields, cut),
    });
  }
  if (isInterfaceType(type)) {
    const { fields, interfaces, ...config } = type.toConfig();
    const cutInterfaces = () => interfaces.map(cut);
    return new GraphQLInterfaceType({
      ...config,
      interfaces: cutInterfaces,
      fields: () => fieldsLeft(fields, cut),
    });
  }
  if (isUnionType(type)) {
    const { types, ...config } = type.toConfig();
    return new GraphQLUnionType({ ...config, types: () => types.map(cut) });
  }
  if (isInputObjectType(type)) {
    const { fields, ...config } = type.toConfig();
    return new GraphQLInputObjectType({ ...config, fields: () => typed(left(fields), cut) });
  }
  if (isEnumType(type)) {
    const { values, ...config } = type.toConfig();
    return new GraphQLEnumType({ ...config, values: left(values) });
  }
  return type;
}

function fieldsLeft(fields: Readonly<Record<string, GraphQLFieldConfig<unknown, unknown>>>, cut: Cutter) {
  return Object.fromEntries(
    Object.entries(typed(left(fields), cut)).map(([name, field]) => [
      name,
      { ...field, args: typed(left(field.args ?? {}), cut) },
    ]),
  );
}

/** @returns the elements that merchants have, as they are described to merchants. */
function left<Config extends Element>(elements: Readonly<Record<string, Config>>): Record<string, Config> {
  return Object.fromEntries(
    Object.entries(elements)
      .filter(([, element]) => !isPlatformOnly(element))
      .map(([name, element]) => [name, { ...element, description: descriptionForMerchants(element) }]),
  );
}

function typed<Config extends { readonly type: GraphQLType }>(
  elements: Readonly<Record<string, Config>>,
  cut: Cutter,
): Record<string, Config> {
  return Object.fromEntries(
    Object.entries(elements).map(([name, element]) => [
      name,
      { ...element, type: cutWithin(element.type, cut) },
    ]),
  );
}

/** @returns the type with the same list and non-null wrappers around the reduced one. */
function cutWithin(type: GraphQLType, cut: Cutter): GraphQLType {
  if (isListType(type)) return new GraphQLList(cutWithin(type.ofType, cut));
  if (isNonNullType(type)) return new GraphQLNonNull(cutWithin(type.ofType, cut) as never);
  return cut(type);
}

/** Every record is a `Node`, so the interface itself makes none of them reachable. */
const LEADS_NOWHERE = 'Node';

/** @returns the types reachable from the roots: fields, arguments, members and implementations of interfaces. */
function reached(
  schema: GraphQLSchema,
  cut: Cutter,
  roots: readonly (GraphQLObjectType | null | undefined)[],
): GraphQLNamedType[] {
  const found = new Set<GraphQLNamedType>();
  const waiting: GraphQLNamedType[] = roots.filter((root) => root != null);
  for (let type = waiting.pop(); type; type = waiting.pop()) {
    if (found.has(type)) continue;
    found.add(type);
    waiting.push(...neighbours(schema, cut, type));
  }
  return [...found];
}

function neighbours(schema: GraphQLSchema, cut: Cutter, type: GraphQLNamedType): readonly GraphQLNamedType[] {
  if (isUnionType(type)) return type.getTypes();
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field) => getNamedType(field.type));
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  const fields = Object.values(type.getFields()).flatMap((field) => [
    getNamedType(field.type),
    ...field.args.map((argument) => getNamedType(argument.type)),
  ]);
  const whole = schema.getType(type.name);
  const isLeading = isInterfaceType(whole) && whole.name !== LEADS_NOWHERE;
  const implementations = isLeading ? schema.getPossibleTypes(whole).map(cut) : [];
  return [...fields, ...type.getInterfaces(), ...implementations];
}
