/** The cost of a GraphQL operation, computed before execution: points, about one for each field of the answer. */
import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import { COMPLEXITY_MAX } from '../schema/builder.ts';
import type { Prepare, ServerContext } from './graphql-context.ts';
import type { OperationParams } from './known-operations.ts';

/** @returns the points of an operation; 0 when it is invalid or over a limit, because nothing will be executed. */
export type CostOf = (params: OperationParams, context: ServerContext) => number;

const REMEMBERED_MAX = 1_000;
/** The cost of longer operations is not cached. */
const LENGTH_MAX = 4_000;

/** @returns the cost function for this schema. */
export function operationCosts(schema: GraphQLSchema, prepare: Prepare): CostOf {
  const remembered = new Map<string, number>();
  return (params, context) => {
    const { query, operationName, variables } = params;
    const key = JSON.stringify([operationName, query, variables]);
    const before = remembered.get(key);
    if (before !== undefined) return before;
    const { document } = prepare(query, context);
    if (!document) return 0;
    const points = pointsOf(schema, document, params, context);
    if (remembered.size >= REMEMBERED_MAX) remembered.delete(remembered.keys().next().value as string);
    if (key.length <= LENGTH_MAX) remembered.set(key, points);
    return points;
  };
}

function pointsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operationName, variables }: OperationParams,
  ctx: ServerContext,
): number {
  const operation = getOperationAST(document, operationName);
  if (!operation) return 0;
  // Of several operations only the one that is asked for counts.
  const others = document.definitions.filter(({ kind }) => kind !== Kind.OPERATION_DEFINITION);
  const alone = { ...document, definitions: [operation, ...others] };
  try {
    const { complexity } = complexityFromQuery(alone, { schema, ctx, variables: variables ?? {} });
    return complexity > COMPLEXITY_MAX ? 0 : complexity;
  } catch {
    // Invalid variables: the execution reports them.
    return 0;
  }
}

/** @returns how many fields a mutation calls, each a write; 0 for any other operation. */
export function writesOf(document: DocumentNode, operationName?: string | null): number {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.MUTATION) return 0;
  const names = new Set<string>();
  // A fragment that is used several times is visited once.
  const seen = new Set<SelectionSetNode>();
  const collect = (set: SelectionSetNode | undefined): void => {
    if (!set || seen.has(set)) return;
    seen.add(set);
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) names.add((selection.alias ?? selection.name).value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else collect(fragmentOf(document, selection.name.value));
    }
  };
  collect(operation.selectionSet);
  return names.size;
}

function fragmentOf({ definitions }: DocumentNode, name: string): SelectionSetNode | undefined {
  for (const each of definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === name) return each.selectionSet;
  return undefined;
}
