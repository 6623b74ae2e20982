/** Selection of an operation, for values that are read only on request. */
import type { GraphQLResolveInfo, SelectionSetNode } from 'graphql';

/** @returns whether the current field selects this member, or member of a member, directly or through fragments. */
export function selects(info: GraphQLResolveInfo, ...path: readonly string[]): boolean {
  const holds = (set: SelectionSetNode | undefined, depth: number): boolean =>
    set?.selections.some((selection) => {
      if (selection.kind === 'Field')
        return (
          selection.name.value === path[depth] &&
          (depth === path.length - 1 || holds(selection.selectionSet, depth + 1))
        );
      if (selection.kind === 'InlineFragment') return holds(selection.selectionSet, depth);
      return holds(info.fragments[selection.name.value]?.selectionSet, depth);
    }) ?? false;
  return info.fieldNodes.some((node) => holds(node.selectionSet, 0));
}

/**
 * @returns the number of nodes to read for a page of this size: one more, if the selection asks whether there are more.
 */
export function nodesToRead(info: GraphQLResolveInfo, size: number): number {
  return selects(info, 'pageInfo') ? size + 1 : size;
}
