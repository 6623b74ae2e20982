/**
 * Points that the complexity plugin does not count: of fields that compute once for a page, which it would take as often as the page has
 * nodes; and of introspection, of which it takes a field for one point, whatever is asked for below it.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { pointsOnceOf } from '../schema/builder.ts';

const LISTS = new Set([
  'args',
  'directives',
  'enumValues',
  'fields',
  'inputFields',
  'interfaces',
  'locations',
  'possibleTypes',
  'types',
]);
/** As the plugin has it for lists that say nothing else. */
const LIST_SIZE = 10;
/** Introspection reads nothing from the database: so many of its fields cost as much as one that does. */
const FIELDS_PER_POINT = 10;

/** What an operation costs besides. */
export interface PointsOnce {
  readonly fields: number;
  readonly introspection: number;
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** @param document - valid: its fragments do not spread each other in a circle. */
export function pointsOnce(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operation, selectionSet }: OperationDefinitionNode,
): PointsOnce {
  const fragments = new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const size = sizer(fragments);
  let introspection = 0;
  const known = new Map<SelectionSetNode, number>();
  const ofField = (field: FieldNode, type: GraphQLNamedType | undefined): number => {
    if (/^__(schema|type)$/.test(field.name.value)) introspection += size(field);
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

/** @returns how many fields there are below a field, as often as its lists are taken to have entries. */
function sizer(fragments: Fragments): (field: FieldNode) => number {
  const known = new Map<SelectionSetNode, number>();
  const sizeOf = (set: SelectionSetNode | undefined): number => {
    if (!set) return 0;
    const before = known.get(set);
    if (before !== undefined) return before;
    let size = 0;
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) size += 1 + below(selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) size += sizeOf(selection.selectionSet);
      else size += sizeOf(fragments.get(selection.name.value)?.selectionSet);
    }
    known.set(set, size);
    return size;
  };
  const below = ({ name, selectionSet }: FieldNode) =>
    (LISTS.has(name.value) ? LIST_SIZE : 1) * sizeOf(selectionSet);
  return below;
}
