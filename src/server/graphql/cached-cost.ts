/**
 * Points that the complexity plugin counts wrongly: fields that are computed once for a page, which it counts for each
 * node; and introspection, which it counts as one point.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { pointsOnceOf } from '../../schema/builder.ts';

/** Introspection fields that cost as much as one other field: they read nothing from the database. */
const FIELDS_PER_POINT = 5;
/** The count includes deprecated members. */
const ALL = { includeDeprecated: true };
/**
 * Number of selected values at which counting ends: four times as many as the whole schema has, which exceeds the cost
 * limit.
 */
const COUNTED_MAX = 20_000;

/** Additional cost of an operation. */
export interface PointsOnce {
  readonly fields: number;
  /** Infinite if counting would take too long. */
  readonly introspection: number;
}

type Variables = Readonly<Record<string, unknown>>;
type AnyField = GraphQLField<unknown, unknown>;
type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/**
 * @param document - valid: its fragments do not spread each other in a circle.
 * @param variables - in the form that the operation accepts.
 */
export function pointsOnce(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operation, selectionSet }: OperationDefinitionNode,
  variables: Variables,
): PointsOnce {
  const fragments = new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const countBelow = introspectionCounter(schema, fragments, variables);
  let introspection = 0;
  const known = new Map<SelectionSetNode, number>();
  const ofField = (field: FieldNode, type: GraphQLNamedType | undefined): number => {
    if (/^__(schema|type)$/.test(field.name.value)) introspection += countBelow(field);
    const found =
      isObjectType(type) || isInterfaceType(type) ? type.getFields()[field.name.value] : undefined;
    if (!found) return 0;
    const below = field.selectionSet ? ofSet(field.selectionSet, getNamedType(found.type)) : 0;
    return pointsOnceOf(found) + below;
  };
  const ofSet = (set: SelectionSetNode, type: GraphQLNamedType | undefined): number => {
    const before = known.get(set);
    if (before !== undefined) return before;
    let points = 0;
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        points += ofField(selection, type);
        continue;
      }
      const part = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      const on = part?.typeCondition ? schema.getType(part.typeCondition.name.value) : type;
      if (part) points += ofSet(part.selectionSet, on);
    }
    known.set(set, points);
    return points;
  };
  const fields = ofSet(selectionSet, schema.getRootType(operation) ?? undefined);
  return { fields, introspection: Math.ceil(introspection / FIELDS_PER_POINT) };
}

/**
 * @returns the number of fields in a response to introspection, from the resolvers of introspection themselves. A
 *   selection of a value counts once, however often it is requested.
 */
function introspectionCounter(schema: GraphQLSchema, fragments: Fragments, variables: Variables) {
  const known = new Map<SelectionSetNode, Map<unknown, number>>();
  let counted = 0;
  const below = (field: FieldNode, found: AnyField, value: unknown, args: Variables = ALL): number => {
    if (!field.selectionSet) return 0;
    const of = getNamedType(found.type);
    if (!isObjectType(of)) return 0;
    const resolved: unknown = found.resolve?.(value, args, undefined, { schema } as GraphQLResolveInfo);
    const values: readonly unknown[] = [resolved ?? []].flat();
    return values.reduce<number>(
      (sum, each) => sum + size(field.selectionSet as SelectionSetNode, of, each),
      0,
    );
  };
  const size = (set: SelectionSetNode, type: GraphQLObjectType, value: unknown): number => {
    const ofSet = known.get(set) ?? new Map<unknown, number>();
    known.set(set, ofSet);
    const before = ofSet.get(value);
    if (before !== undefined) return before;
    counted += 1;
    if (counted > COUNTED_MAX) return Number.POSITIVE_INFINITY;
    let count = 0;
    for (const selection of set.selections)
      if (selection.kind === Kind.FIELD) {
        const found = type.getFields()[selection.name.value];
        count += 1 + (found ? below(selection, found, value) : 0);
      } else {
        const part =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        count += part ? size(part.selectionSet, type, value) : 0;
      }
    ofSet.set(value, count);
    return count;
  };
  return (field: FieldNode): number => {
    if (field.name.value === '__schema') return below(field, SchemaMetaFieldDef, undefined);
    return below(field, TypeMetaFieldDef, undefined, getArgumentValues(TypeMetaFieldDef, field, variables));
  };
}
