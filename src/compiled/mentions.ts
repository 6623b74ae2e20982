/** Keys that a response can contain, derived from its document. */
import {
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { CompiledOperation } from './selection.ts';

/**
 * @returns whether a response can contain this key, in the data or in objects up to this depth; lists are left out.
 */
export function mentions(
  { schema, operation, fragments }: CompiledOperation,
  key: string,
  depth: number,
): boolean {
  const seen = new Map<SelectionSetNode, number>();
  const isIn = (type: GraphQLNamedType | undefined, set: SelectionSetNode, left: number): boolean => {
    if ((seen.get(set) ?? -1) >= left) return false;
    seen.set(set, left);
    return set.selections.some((selection) => {
      if (selection.kind === Kind.FIELD) {
        if ((selection.alias ?? selection.name).value === key) return true;
        const field =
          isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined;
        if (!selection.selectionSet || !field || left === 0 || isListType(getNullableType(field.type)))
          return false;
        return isIn(getNamedType(field.type), selection.selectionSet, left - 1);
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value];
      const condition = fragment?.typeCondition?.name.value;
      return (
        fragment !== undefined &&
        isIn(condition === undefined ? type : schema.getType(condition), fragment.selectionSet, left)
      );
    });
  };
  return isIn(schema.getQueryType() ?? undefined, operation.selectionSet, depth);
}
