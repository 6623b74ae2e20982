/** The schema builder: its types, its plugins, its scalars. No GraphQL type of the service is defined here. */
import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import { GraphQLError, type ValueNode } from 'graphql';
import { parseInstant } from '../base/instant.ts';
import { isDecimal } from '../base/money.ts';
import type { Context } from '../resolvers/context.ts';
import type { StreamMode } from '../resolvers/frame-stream.ts';
import type PrismaTypes from '../store/generated/pothos.ts';
import { getDatamodel } from '../store/generated/pothos.ts';
import type { Loaders } from './loaders.ts';

/** What resolvers of the schema are given. */
export type GraphqlContext = Context & {
  readonly loaders: Loaders;
  /** How much of a subscription is wanted; all of it when not given. */
  readonly stream?: StreamMode | undefined;
};

interface SchemaTypes {
  Context: GraphqlContext;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  Scalars: {
    Decimal: { Input: string; Output: string };
    DateTime: { Input: Date; Output: string };
  };
}

/** The builder that all files of this folder add to. */
export type Builder = ReturnType<typeof createBuilder>;

/** Most that one operation may cost: about two pages of 100 transactions with everything in them. */
export const COMPLEXITY_MAX = 15_000;
const DEPTH_MAX = 10;
const BREADTH_MAX = 500;

/** @returns a builder with the scalars, and nothing else yet. */
export function createBuilder() {
  const builder = new SchemaBuilder<SchemaTypes>({
    plugins: [PrismaPlugin, RelayPlugin, ComplexityPlugin],
    defaultFieldNullability: false,
    prisma: {
      // From the context, so that a schema can be made without a database.
      client: (context) => context.database.prisma,
      dmmf: getDatamodel(),
      onUnusedQuery: 'error',
    },
    relay: {
      nodeQueryOptions: false,
      nodesQueryOptions: false,
      // `first` of the connection says how many there are; the list of edges must not multiply that again.
      edgesFieldOptions: { complexity: { field: 1, multiplier: 1 } },
    },
    complexity: {
      defaultComplexity: 1,
      defaultListMultiplier: 10,
      limit: { complexity: COMPLEXITY_MAX, depth: DEPTH_MAX, breadth: BREADTH_MAX },
      complexityError: (kind) => new GraphQLError(`the operation is over the limit of ${kind}`),
    },
  });
  defineScalars(builder);
  builder.queryType({});
  builder.mutationType({});
  return builder;
}

function defineScalars(builder: Builder): void {
  builder.scalarType('Decimal', {
    description: 'An exact decimal number, as a string of digits with at most one point.',
    serialize: String,
    parseValue: (value) => {
      if (typeof value === 'string' && isDecimal(value)) return value;
      throw new GraphQLError('must be a decimal number in a string, such as "12.50"');
    },
  });
  builder.scalarType('DateTime', {
    description: 'A moment, ISO 8601 in UTC, to the millisecond: `2026-05-01T12:00:00.000Z`.',
    serialize: String,
    parseValue: readDateTime,
    parseLiteral: (node: ValueNode) => readDateTime(node.kind === 'StringValue' ? node.value : undefined),
  });
}

function readDateTime(value: unknown): Date {
  const instant = typeof value === 'string' ? parseInstant(value) : undefined;
  if (instant) return instant;
  throw new GraphQLError('must be a moment with a zone, such as "2026-05-01T12:00:00Z"');
}
