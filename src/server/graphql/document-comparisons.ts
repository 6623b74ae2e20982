/**
 * Number of comparisons in a validation: fields with the same response name at one path are compared pairwise (GraphQL
 * 5.3.2), so a short document could keep the process busy for long. The count comes before the validation.
 */
import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';

/** Two fragments are compared field by field. */
const COMPARISONS_OF_FRAGMENTS = 4;

/**
 * @param document - parsed, but not yet validated: its fragments may spread each other.
 * @param max - bound at which counting ends.
 * @returns the approximate number of comparisons; a number above `max` if there are more.
 */
export function countComparisons(document: DocumentNode, max: number): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of document.definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  const positions = document.definitions.flatMap((each) =>
    each.kind === Kind.OPERATION_DEFINITION || each.kind === Kind.FRAGMENT_DEFINITION
      ? [[each.selectionSet]]
      : [],
  );
  let count = 0;
  for (let sets = positions.pop(); sets && count <= max; sets = positions.pop()) {
    const { below, spreads } = selectedIn(sets, fragments);
    count += 1 + COMPARISONS_OF_FRAGMENTS * pairsOf(spreads);
    for (const { times, sets: next } of below.values()) {
      count += pairsOf(times);
      if (next.length > 0) positions.push(next);
    }
  }
  return count;
}

/** Selections with the same response name. */
interface Selected {
  times: number;
  readonly sets: SelectionSetNode[];
}

/** Selections at one path of the response, from several fields and the fragments that they spread. */
function selectedIn(
  sets: readonly SelectionSetNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): { readonly below: ReadonlyMap<string, Selected>; readonly spreads: number } {
  const below = new Map<string, Selected>();
  const spread = new Set<string>();
  const all = [...sets];
  for (const { selections } of all)
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const selected = below.get(name) ?? { times: 0, sets: [] };
        selected.times += 1;
        if (selection.selectionSet) selected.sets.push(selection.selectionSet);
        below.set(name, selected);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) all.push(selection.selectionSet);
      else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) all.push(fragment.selectionSet);
      }
    }
  return { below, spreads: spread.size };
}

function pairsOf(count: number): number {
  return (count * (count - 1)) / 2;
}
