/** Relay connections with keyset cursors. */
import { type GatewayError, invalidParameters } from '../base/errors.ts';

/** Largest page (`service.md` 8). */
export const FIRST_MAX = 100;
/** Page when `first` is not given. */
export const FIRST_DEFAULT = 20;

/** One page of a connection, as the relay plugin takes it. */
export interface Connection<Node> {
  readonly totalCount: () => number;
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/**
 * @returns how many nodes to read: one more than asked for tells whether there is a next page.
 * @throws {GatewayError} `INVALID_PARAMETER` when `first` is not 1 to 100 (C-12).
 */
export function pageSize(first: number | null | undefined): number {
  const size = first ?? FIRST_DEFAULT;
  if (size >= 1 && size <= FIRST_MAX) return size;
  throw invalidParameters([{ parameter: 'first', message: `must be an integer from 1 to ${FIRST_MAX}` }]);
}

/**
 * @param nodes - up to `size + 1`, in order.
 * @param keyOf - what a node's cursor stands for.
 */
export function connectionOf<Node>(
  nodes: readonly Node[],
  size: number,
  options: {
    after: string | null | undefined;
    totalCount: Connection<Node>['totalCount'];
    keyOf: (node: Node) => string;
  },
): Connection<Node> {
  const edges = nodes.slice(0, size).map((node) => ({ cursor: encodeCursor(options.keyOf(node)), node }));
  return {
    totalCount: options.totalCount,
    edges,
    pageInfo: {
      hasNextPage: nodes.length > size,
      hasPreviousPage: options.after != null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** @returns the opaque text of a key. */
export function encodeCursor(key: string): string {
  return Buffer.from(key).toString('base64url');
}

/**
 * @returns the key of a cursor.
 * @throws {GatewayError} `INVALID_PARAMETER` when it is not one that `encodeCursor` gave.
 */
export function decodeCursor(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url').toString();
  if (key === '' || key.includes('\0') || encodeCursor(key) !== cursor) throw badCursor();
  return key;
}

/** @returns the error for a cursor that no page of the connection gave. */
export function badCursor(): GatewayError {
  return invalidParameters([{ parameter: 'after', message: 'must be a cursor of this connection' }]);
}
