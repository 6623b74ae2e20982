/** The cost of a GraphQL operation, computed before execution: points, about one for each field of the answer. */
import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  type ArgumentNode,
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { SharedCache } from '../../base/concurrency/bounded-map.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { OPERATION_LIMITS, overLimit } from '../../schema/builder.ts';
import { pointsOnce } from './cached-cost.ts';
import type { Prepare, ServerContext } from './graphql-context.ts';
import { type OperationParams, operationKey } from './known-operations.ts';

/** Cost of an operation. */
export interface Cost {
  /** 0 when it is invalid, because nothing will be executed. */
  readonly points: number;
  /** Whether it is within the limits of cost, depth and breadth; false when it is invalid. */
  readonly isWithin: boolean;
}

/**
 * @returns the cost of an operation.
 * @throws {GatewayError} `BAD_REQUEST` over the limit of depth, breadth or cost.
 */
export type CostOf = (params: OperationParams, context: ServerContext) => Cost;

const REMEMBERED_MAX = 1_000;
/** The cost of longer operations is not cached. */
const LENGTH_MAX = 4_000;
/** The cost of an operation that will not be executed. */
export const NO_COST: Cost = { points: 0, isWithin: false };

/** @returns the cost function for this schema. */
export function operationCosts(schema: GraphQLSchema, prepare: Prepare): CostOf {
  const costs = new SharedCache<bigint, string, Cost>(REMEMBERED_MAX);
  const counted = new SharedCache<bigint, string, CountedOperation>(REMEMBERED_MAX);
  let operations = 0;
  return (params, context) => {
    const key = operationKey(params);
    const operation = counted.get(key);
    const before = operation && costs.get(withValues(operation, params));
    if (before !== undefined) return before;
    const { document } = prepare(params.query, context);
    if (!document) return NO_COST;
    const cost = measure(schema, document, params, context);
    // A variable that does not affect the cost may be the reason why an operation is invalid.
    if (cost === NO_COST || key.length > LENGTH_MAX) return cost;
    const counting = operation ?? { number: ++operations, names: countingVariables(schema, document) };
    const remembered = withValues(counting, params);
    if (remembered.length > LENGTH_MAX) return cost;
    const { accountId } = context.caller;
    if (!operation) counted.add(accountId, key, counting);
    costs.add(accountId, remembered, cost);
    return cost;
  };
}

/** An operation whose cost is cached. */
interface CountedOperation {
  /** Cache key of the operation: its text would be concatenated with the values for each request. */
  readonly number: number;
  /** The variables that determine its cost. */
  readonly names: readonly string[];
}

function withValues({ number, names }: CountedOperation, { variables }: OperationParams): string {
  if (names.length === 0) return `${number}`;
  // Null differs from an omitted value, for which there may be a default.
  const values = names.map((name) => (variables && Object.hasOwn(variables, name) ? [variables[name]] : 0));
  return `${number} ${JSON.stringify(values)}`;
}

/** The variables in arguments that determine the cost of their field. */
function countingVariables(schema: GraphQLSchema, document: DocumentNode): string[] {
  const types = new TypeInfo(schema);
  const names = new Set<string>();
  const count = (node: ArgumentNode) =>
    visit(node.value, { Variable: ({ name }) => void names.add(name.value) });
  visit(
    document,
    visitWithTypeInfo(types, {
      Field: ({ name, arguments: args }) => {
        const isCounted = typeof types.getFieldDef()?.extensions.complexity === 'function';
        if (isCounted || name.value === '__type') args?.forEach(count);
      },
    }),
  );
  return [...names];
}

function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operationName, variables }: OperationParams,
  ctx: ServerContext,
): Cost {
  const operation = getOperationAST(document, operationName);
  if (!operation) return NO_COST;
  // Of several operations only the requested one counts.
  const others = document.definitions.filter(({ kind }) => kind !== Kind.OPERATION_DEFINITION);
  const alone = { ...document, definitions: [operation, ...others] };
  // The plugin would collect the errors of all values.
  const args = getVariableValues(schema, operation.variableDefinitions ?? [], variables ?? {}, {
    maxErrors: 1,
  });
  if (args.errors) return NO_COST;
  try {
    const found = complexityFromQuery(alone, { schema, ctx, variables: variables ?? {} });
    const once = pointsOnce(schema, alone, operation, args.coerced);
    const points = found.complexity + once.fields + once.introspection;
    refuseOver('depth', found.depth, OPERATION_LIMITS.depth);
    refuseOver('breadth', found.breadth, OPERATION_LIMITS.breadth);
    refuseOver('cost', points, OPERATION_LIMITS.complexity);
    return { points, isWithin: true };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    // Invalid variables: the execution reports them.
    return NO_COST;
  }
}

function refuseOver(limit: string, found: number, max: number): void {
  if (found <= max) return;
  const shown = Number.isFinite(found) ? found : `more than ${max}`;
  throw new GatewayError('BAD_REQUEST', overLimit(limit, shown, max));
}

/** @returns the number of fields of a mutation, each a write; 0 for any other operation. */
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
