/** What introspection costs: the complexity plugin takes a field of the schema's own for one point, whatever is asked for below it. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

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
/** It reads nothing from the database: so many of its fields cost as much as one that does. */
const FIELDS_PER_POINT = 10;

/** @returns the points of `__schema` and `__type` in an operation of a valid document; 0 where it has neither. */
export function introspectionPoints(document: DocumentNode, operation: OperationDefinitionNode): number {
  const fragments = new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const sizes = sizer(fragments);
  const fields = rootsOf(operation.selectionSet, fragments).reduce((sum, field) => sum + sizes(field), 0);
  return Math.ceil(fields / FIELDS_PER_POINT);
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** Each once: a fragment that is spread again finds the same fields. */
function rootsOf(root: SelectionSetNode, fragments: Fragments): readonly FieldNode[] {
  const found: FieldNode[] = [];
  const sets = new Set([root]);
  for (const { selections } of sets)
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        if (selection.selectionSet && /^__(schema|type)$/.test(selection.name.value)) found.push(selection);
        continue;
      }
      const set = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      if (set) sets.add(set.selectionSet);
    }
  return found;
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
