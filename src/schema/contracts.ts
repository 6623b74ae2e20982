/**
 * Two contracts of one schema. The operator's contract has everything. The merchant's contract lacks the fields that need a
 * scope of the platform, and the types that only these lead to.
 */
import {
  type GraphQLFieldConfigMap,
  type GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { ACTIONS } from '../base/access/actions.ts';

/** Queries that need a scope of the platform. */
export const OPERATOR_QUERIES: ReadonlySet<string> = new Set([
  'accountHolder',
  'accounts',
  'bookCloses',
  'closeChecklist',
  'figures',
  'figuresOverCells',
  'houseDays',
  'manualJournals',
  'openPixOrders',
  'positions',
  'profitAndLoss',
  'railHealth',
  'railNews',
  'rateFeeds',
  'receivables',
  'reconciliations',
  'screeningHits',
  'screeningLists',
  'treasury',
  'trialBalance',
]);

/** Mutations whose actions all need a scope of the platform. */
export const OPERATOR_MUTATIONS: ReadonlySet<string> = new Set(
  Object.values(ACTIONS)
    .flatMap(({ mutations }) => mutations)
    .filter((mutation) =>
      Object.values(ACTIONS).every(
        ({ mutations, scope }) => !mutations.includes(mutation) || isOfOperator(scope),
      ),
    ),
);

/** @returns whether a scope is one of the platform. */
export function isOfOperator(scope: string): boolean {
  return scope.startsWith('platform:');
}

/** @returns the contract of merchants; its fields are those of the schema itself, so that it can be executed as well. */
export function merchantContract(schema: GraphQLSchema): GraphQLSchema {
  const query = without(schema.getQueryType(), OPERATOR_QUERIES);
  const mutation = without(schema.getMutationType(), OPERATOR_MUTATIONS);
  const subscription = schema.getSubscriptionType();
  const roots = [query, mutation, subscription].filter((each) => each != null);
  const config = schema.toConfig();
  return new GraphQLSchema({ ...config, query, mutation, types: reached(schema, roots) });
}

function without(root: GraphQLObjectType | null | undefined, names: ReadonlySet<string>) {
  if (!root) return root;
  const { fields, ...config } = root.toConfig();
  const visible: GraphQLFieldConfigMap<unknown, unknown> = Object.fromEntries(
    Object.entries(fields).filter(([name]) => !names.has(name)),
  );
  return new GraphQLObjectType({ ...config, fields: visible });
}

/** Every record is a `Node`, so the interface alone makes none of them reachable. */
const LEADS_NOWHERE = 'Node';

/** @returns the types reachable from the roots: fields, arguments, members and implementations of interfaces. */
function reached(schema: GraphQLSchema, roots: readonly GraphQLObjectType[]): GraphQLNamedType[] {
  const found = new Set<GraphQLNamedType>();
  const waiting: GraphQLNamedType[] = [...roots];
  for (let type = waiting.pop(); type; type = waiting.pop()) {
    if (found.has(type)) continue;
    found.add(type);
    waiting.push(...neighbours(schema, type));
  }
  return [...found].filter((type) => !roots.some((root) => root === type));
}

function neighbours(schema: GraphQLSchema, type: GraphQLNamedType): readonly GraphQLNamedType[] {
  if (isUnionType(type)) return type.getTypes();
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field) => getNamedType(field.type));
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  const fields = Object.values(type.getFields()).flatMap((field) => [
    getNamedType(field.type),
    ...field.args.map((argument) => getNamedType(argument.type)),
  ]);
  const isLeading = isInterfaceType(type) && type.name !== LEADS_NOWHERE;
  return [...fields, ...type.getInterfaces(), ...(isLeading ? schema.getPossibleTypes(type) : [])];
}
