/** The schema builder: its types, its plugins, its scalars. No GraphQL type of the service is defined here. */

import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import { GraphQLError, type GraphQLField, print, type ValueNode } from 'graphql';
import type { ErrorCode } from '../base/errors/errors.ts';
import { isDecimal, plainAmount } from '../base/money/money.ts';
import { parseDay, parseInstant } from '../base/time/instant.ts';
import { inProse } from '../resolvers/checks/lengths.ts';
import type { StreamMode } from '../resolvers/events/frame-stream.ts';
import type { Context } from '../resolvers/services/context.ts';
import { prismaOf } from '../store/connection/prisma.ts';
import type PrismaTypes from '../store/generated/pothos.ts';
import { getDatamodel } from '../store/generated/pothos.ts';
import type { Loaders } from './loaders.ts';

/** Context of the schema's resolvers. */
export type GraphqlContext = Context & {
  readonly loaders: Loaders;
  /**
   * Whether the operation is known to be within the limits of cost, depth and breadth, so that it is not counted again.
   */
  readonly isMeasured?: boolean | undefined;
  /** Records the code of a refusal for the request log: the answer contains it only in a payload. */
  readonly noteRefusal?: ((code: ErrorCode) => void) | undefined;
  /** Requested part of a subscription; the whole by default. */
  readonly stream?: StreamMode | undefined;
};

interface SchemaTypes {
  Context: GraphqlContext;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  Scalars: {
    Decimal: { Input: string; Output: string };
    Date: { Input: string; Output: string };
    DateTime: { Input: Date; Output: string };
    JSONObject: { Input: never; Output: object };
  };
}

/** The builder that all files of this folder add to. */
export type Builder = ReturnType<typeof createBuilder>;

/** Maximum cost of one operation: about two pages of 100 transactions with everything in them. */
export const COMPLEXITY_MAX = 15_000;
const DEPTH_MAX = 10;
const BREADTH_MAX = 500;
/** Limits of one operation. */
export const OPERATION_LIMITS = { complexity: COMPLEXITY_MAX, depth: DEPTH_MAX, breadth: BREADTH_MAX };
const NO_LIMITS = {};

const ONCE = { complexity: { field: 1, multiplier: 1 } };
const LIMIT_NAMES = { Complexity: 'cost', Depth: 'depth', Breadth: 'breadth' } as const;

/** Cost of a field that does not multiply with the nodes of its page, for `extensions`. */
export function once(points: number): { readonly pointsOnce: number } {
  return { pointsOnce: points };
}

/** @returns the cost of a field by `once`. */
export function pointsOnceOf({ extensions }: Pick<GraphQLField<unknown, unknown>, 'extensions'>): number {
  return typeof extensions.pointsOnce === 'number' ? extensions.pointsOnce : 0;
}

/** @returns the error of an operation above a limit. */
export function overLimit(limit: string, found: number | string, max: number): string {
  return `the operation has a ${limit} of ${found}; at most ${max} is allowed`;
}

/** @returns a builder with only the scalars. */
export function createBuilder() {
  const builder = new SchemaBuilder<SchemaTypes>({
    plugins: [PrismaPlugin, RelayPlugin, ComplexityPlugin],
    defaultFieldNullability: false,
    prisma: {
      // The function is in the context, so that a schema can be built without a database.
      client: (context) => prismaOf(context.database),
      dmmf: getDatamodel(),
      onUnusedQuery: 'error',
    },
    relay: {
      nodeQueryOptions: false,
      nodesQueryOptions: false,
      pageInfoTypeOptions: { description: 'Position of a page in its list (Relay cursor connections).' },
      hasNextPageFieldOptions: {
        description: 'Whether the list has nodes after this page. Exact in both directions.',
      },
      hasPreviousPageFieldOptions: {
        description: 'Whether the list has nodes before this page. Exact in both directions.',
      },
      startCursorFieldOptions: {
        description: 'Cursor of the first node, for `before`; null when the page is empty.',
      },
      endCursorFieldOptions: {
        description:
          'Cursor of the last node, for `after`; null when the page is empty, except in `Query.events`, where it is the cursor for the next request.',
      },
      pageInfoFieldOptions: { description: 'Position of the page in its list.' },
      cursorFieldOptions: { description: 'Cursor of the node: opaque text for `after` and `before`.' },
      nodeFieldOptions: { description: 'The record.' },
      // `first` of the connection determines the number of nodes, so these lists must not multiply it again.
      edgesFieldOptions: {
        ...ONCE,
        description: 'The nodes of the page with their cursors, in the order of the list.',
      },
      nodesOnConnection: { ...ONCE, description: 'The nodes of the page, for clients that need no cursors.' },
    },
    complexity: {
      defaultComplexity: 1,
      defaultListMultiplier: 10,
      limit: ({ isMeasured }) => (isMeasured ? NO_LIMITS : OPERATION_LIMITS),
      complexityError: (kind, { complexity, depth, breadth }) => {
        const [found, max] = {
          Complexity: [complexity, COMPLEXITY_MAX] as const,
          Depth: [depth, DEPTH_MAX] as const,
          Breadth: [breadth, BREADTH_MAX] as const,
        }[kind];
        return new GraphQLError(overLimit(LIMIT_NAMES[kind], found, max));
      },
    },
  });
  defineScalars(builder);
  builder.queryType({
    description: `Reads. Each needs the scope \`read\` unless its description names another. An operation may have a cost of ${inProse(COMPLEXITY_MAX)} (a field costs 1, and more where more is computed: up to 2,500 for a list with a filter that looks at one record after another; five fields of introspection cost 1; the fields of a page count as often as nodes are asked for, those of other lists 10 times), a depth of ${DEPTH_MAX} and a breadth of ${BREADTH_MAX} fields.`,
  });
  builder.mutationType({
    description:
      'Changes. Each takes one `input`, and its payload has the object or `errors`. Each description names the required scope. A mutation with an `idempotencyKey` in its input can be repeated safely.',
  });
  return builder;
}

function defineScalars(builder: Builder): void {
  builder.scalarType('Decimal', {
    description:
      'An exact decimal number in a string, such as "12.50": an optional minus sign, digits, and at most one point. No exponent. Results have no zeros at the end.',
    specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
    serialize: String,
    parseValue: readDecimal,
    parseLiteral: (node: ValueNode) => readLiteral('Decimal', node, readDecimal),
  });
  builder.scalarType('Date', {
    description: 'A day, `YYYY-MM-DD`, of the years 1 to 9999. Each description names its time zone.',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
    serialize: String,
    parseValue: readDay,
    parseLiteral: (node: ValueNode) => readLiteral('Date', node, readDay),
  });
  builder.scalarType('JSONObject', {
    description: 'A JSON object, in results only. Members may be added.',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
    serialize: (value) => value,
    parseValue: refuseObject,
    parseLiteral: refuseObject,
  });
  builder.scalarType('DateTime', {
    description:
      'An instant as RFC 3339 text. Returned in UTC with milliseconds: `2026-05-01T12:00:00.000Z`. Accepted with any offset, and in every form of RFC 3339.',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
    serialize: String,
    parseValue: readDateTime,
    parseLiteral: (node: ValueNode) => readLiteral('DateTime', node, readDateTime),
  });
}

/** @throws {GraphQLError} naming the literal and its position, which graphql-js would leave out. */
function readLiteral<Value>(type: string, node: ValueNode, read: (value: unknown) => Value): Value {
  try {
    return read(node.kind === 'StringValue' ? node.value : undefined);
  } catch (error) {
    const { message } = error as Error;
    throw new GraphQLError(`Expected value of type "${type}", found ${print(node)}; ${message}`, {
      nodes: node,
    });
  }
}

function readDecimal(value: unknown): string {
  const plain = typeof value === 'string' ? plainAmount(value) : '';
  if (isDecimal(plain)) return plain;
  throw new GraphQLError('must be a decimal number in a string, such as "12.50"');
}

function readDay(value: unknown): string {
  const day = typeof value === 'string' ? parseDay(value) : undefined;
  if (day !== undefined) return day;
  throw new GraphQLError('must be a day, such as "2026-05-01"');
}

function refuseObject(): never {
  throw new GraphQLError('is in results only');
}

function readDateTime(value: unknown): Date {
  const instant = typeof value === 'string' ? parseInstant(value) : undefined;
  if (instant) return instant;
  throw new GraphQLError('must be a time with a zone, such as "2026-05-01T12:00:00Z"');
}
