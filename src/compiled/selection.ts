/** Fields that a selection requests of an object type, as the rules of GraphQL say it: fragments, directives, the same key twice. */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';

/** Values of variables, by name. */
export type Variables = Readonly<Record<string, unknown>>;

/** An operation with its document's fragments and its schema. */
export interface CompiledOperation {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
}

/**
 * @param sets - the selections of all nodes that stand under one key.
 * @returns the nodes of each key, in the order of the answer.
 * @throws {GraphQLError} when a directive has no value.
 */
export function fieldsOf(
  { schema, fragments }: CompiledOperation,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  variables: Variables,
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  const collect = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD && spread.has(selection.name.value)) continue;
      if (!isIncluded(selection, variables)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const nodes = fields.get(key);
        if (nodes) nodes.push(selection);
        else fields.set(key, [selection]);
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value];
      if (selection.kind === Kind.FRAGMENT_SPREAD) spread.add(selection.name.value);
      const condition = fragment?.typeCondition?.name.value;
      if (fragment && (condition === undefined || isOf(schema, type, condition)))
        collect(fragment.selectionSet);
    }
  };
  for (const set of sets) collect(set);
  return fields;
}

function isIncluded(selection: SelectionNode, variables: Variables): boolean {
  if (!selection.directives?.length) return true;
  if (getDirectiveValues(GraphQLSkipDirective, selection, variables)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, selection, variables)?.if !== false;
}

function isOf(schema: GraphQLSchema, type: GraphQLObjectType, condition: string): boolean {
  if (type.name === condition) return true;
  const typeOfCondition = schema.getType(condition);
  return isAbstractType(typeOfCondition) && schema.isSubType(typeOfCondition, type);
}

/** @returns the names of the variables that directives use: with other values of these other fields are asked for. */
export function directiveVariables({ operation, fragments }: CompiledOperation): string[] {
  const names = new Set<string>();
  for (const definition of [operation, ...Object.values(fragments)])
    visit(definition, {
      Directive: (directive) => {
        for (const { value } of directive.arguments ?? [])
          if (value.kind === Kind.VARIABLE) names.add(value.name.value);
      },
    });
  return [...names];
}
