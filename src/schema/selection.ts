/** What an operation selects, for what is only read when it is asked for. */
import type { GraphQLResolveInfo, SelectionSetNode } from 'graphql';

/** @returns whether the field at hand is asked for this member, directly or through a fragment. */
export function selects(info: GraphQLResolveInfo, member: string): boolean {
  const holds = (set: SelectionSetNode | undefined): boolean =>
    set?.selections.some((selection) => {
      if (selection.kind === 'Field') return selection.name.value === member;
      if (selection.kind === 'InlineFragment') return holds(selection.selectionSet);
      return holds(info.fragments[selection.name.value]?.selectionSet);
    }) ?? false;
  return info.fieldNodes.some((node) => holds(node.selectionSet));
}
