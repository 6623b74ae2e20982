/**
 * A subscription has one field, and no `@skip` or `@include` may apply to it (GraphQL of September 2025, 5.2.4.1).
 * graphql-js cannot execute a subscription without its field, and its own rule reports a missing variable.
 */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  OperationTypeNode,
  type SelectionNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';

const CONDITIONS: readonly string[] = ['skip', 'include'];

/** Refuses subscriptions with a conditional field, before they are validated. */
export const SUBSCRIPTION_CONDITIONS: Plugin = {
  onValidate({ params: { documentAST }, setResult }) {
    const error = conditionError(documentAST as DocumentNode);
    if (error) setResult([error]);
  },
};

/**
 * @returns the error of a document, which need not be valid: the conditions of its subscriptions; undefined without
 *   any.
 */
export function conditionError(document: DocumentNode): GraphQLError | undefined {
  const nodes = conditionsOf(document);
  if (nodes.length === 0) return undefined;
  return new GraphQLError('the field of a subscription must not have @skip or @include', { nodes });
}

/** @returns the conditional selections among those of a document's subscriptions. */
function conditionsOf({ definitions }: DocumentNode): readonly SelectionNode[] {
  const fragments = new Map<string, FragmentDefinitionNode>();
  const selected: SelectionNode[] = [];
  for (const each of definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
    else if (each.kind === Kind.OPERATION_DEFINITION && each.operation === OperationTypeNode.SUBSCRIPTION)
      selected.push(...each.selectionSet.selections);
  // Nested selections are appended and visited later; a fragment is visited once, however often it is spread.
  for (const each of selected) {
    if (each.kind === Kind.INLINE_FRAGMENT) selected.push(...each.selectionSet.selections);
    if (each.kind !== Kind.FRAGMENT_SPREAD) continue;
    const name = each.name.value;
    selected.push(...(fragments.get(name)?.selectionSet.selections ?? []));
    fragments.delete(name);
  }
  return selected.filter(({ directives }) => directives?.some(({ name }) => CONDITIONS.includes(name.value)));
}
