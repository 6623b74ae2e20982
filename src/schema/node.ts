/** `Node`: records with a global id, and `Query.node`, which reads one with the rights of the caller (docs/decisions/0076). */
import { known } from '../base/errors/assert.ts';
import { GatewayError } from '../base/errors/errors.ts';
import type { Builder, GraphqlContext } from './builder.ts';

/** A type of records. */
export interface NodeType<Row> {
  /** Raw id of a record: unique among the records of its type that a caller can read. */
  readonly rawId: (row: Row) => string;
  /**
   * @param rawId - 1 to 255 printable ASCII characters.
   * @returns the record; null where the caller has none.
   * @throws {GatewayError} `FORBIDDEN`; `NOT_FOUND`, which counts as null.
   */
  readonly read: (context: GraphqlContext, rawId: string) => Promise<object | null>;
}

interface Nodes {
  readonly ref: ReturnType<typeof defineInterface>;
  readonly types: Map<string, NodeType<never>>;
}

/** Description of `id`. */
export const NODE_ID = 'Global id, for `node`: opaque text.';

const NODES = new WeakMap<Builder, Nodes>();
/** Types of the records that `Query.node` has read. */
const READ = new WeakMap<object, string>();
const RAW_ID = /^[\x21-\x7e]{1,255}$/;

/** Defines `Node` and `Query.node`. */
export function defineNode(builder: Builder): void {
  const types = new Map<string, NodeType<never>>();
  const ref = defineInterface(builder, types);
  NODES.set(builder, { ref, types });
  builder.queryField('node', (t) =>
    t.field({
      type: ref,
      nullable: true,
      description:
        'The record with a global id; null where the caller has none. Needs the scope of the query that lists such records.',
      args: { id: t.arg.id({ required: true, description: 'Global id from `id` of a record.' }) },
      resolve: (_root, { id }, context) => readNode(types, context, String(id)),
    }),
  );
}

/**
 * Makes records of a type nodes.
 *
 * @returns the interface for `interfaces` of the type, which adds the field `id`.
 */
export function nodeType<Row>(builder: Builder, name: string, type: NodeType<Row>) {
  const { ref, types } = known(NODES.get(builder), 'the interface of records');
  types.set(name, type);
  return ref;
}

/** @returns the interface `Node`. */
export function nodeRef(builder: Builder): Nodes['ref'] {
  return known(NODES.get(builder), 'the interface of records').ref;
}

const ID = /^[1-9]\d{0,17}$/;

/** @returns the number of a raw id; undefined for another text. */
export function numberOf(rawId: string): bigint | undefined {
  return ID.test(rawId) ? BigInt(rawId) : undefined;
}

function defineInterface(builder: Builder, types: ReadonlyMap<string, NodeType<never>>) {
  return builder.interfaceRef<object>('Node').implement({
    description: 'A record with a global id (Relay).',
    resolveType: (row) => known(READ.get(row), 'the type of a record that was read'),
    fields: (t) => ({
      id: t.id({
        description: NODE_ID,
        resolve: (row, _args, _context, { parentType: { name } }) =>
          globalId(name, known(types.get(name), 'a type of records').rawId(row as never)),
      }),
    }),
  });
}

async function readNode(
  types: ReadonlyMap<string, NodeType<never>>,
  context: GraphqlContext,
  id: string,
): Promise<object | null> {
  const [name, rawId] = partsOf(id);
  const type = types.get(name);
  if (!type || !RAW_ID.test(rawId)) return null;
  const row = await unlessMissing(type.read(context, rawId));
  if (row) READ.set(row, name);
  return row;
}

async function unlessMissing<Row>(reading: Promise<Row | null>): Promise<Row | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/** @returns the global id of a record. */
export function globalId(typeName: string, rawId: string): string {
  return Buffer.from(`${typeName}:${rawId}`).toString('base64url');
}

function partsOf(id: string): readonly [typeName: string, rawId: string] {
  const text = Buffer.from(id, 'base64url').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? ['', ''] : [text.slice(0, colon), text.slice(colon + 1)];
}
