/** Relay connections with keyset cursors, read from either end. */
import { type GatewayError, invalidParameters, type Violation } from '../base/errors/errors.ts';
import { BAD_CURSOR } from '../resolvers/transactions/list-transactions.ts';
import type { IdPart, IdSlice } from '../store/connection/id-list.ts';
import type { Builder } from './builder.ts';

/** Largest page (`service.md` 8). */
const PAGE_MAX = 100;
/** Page when neither `first` nor `last` is present. */
const PAGE_DEFAULT = 20;

/** The client's arguments of a list that can be opened at any position. */
export interface PositionedArgs extends PageArgs {
  readonly offset?: number | null | undefined;
}

/** The arguments of a connection, as the client wrote them. */
export interface PageArgs {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** Page that the arguments request. */
export interface Slice<Key> {
  /** Maximum number of nodes of the page, 0 to 100. */
  readonly size: number;
  /** Whether the nodes nearest to the end are requested: `last`. */
  readonly isBackward: boolean;
  /** Only nodes after and before these, in the order of the connection. */
  readonly after?: Key | undefined;
  readonly before?: Key | undefined;
}

/** A node of a page. Few clients request its cursor, so it is computed on request. */
class Edge<Node> {
  readonly node: Node;
  readonly #cursorOf: (node: Node) => string;

  constructor(node: Node, cursorOf: (node: Node) => string) {
    this.node = node;
    this.#cursorOf = cursorOf;
  }

  get cursor(): string {
    return this.#cursorOf(this.node);
  }
}

/** One page of a connection, in the form of the relay plugin. */
export interface Connection<Node> {
  readonly totalCount: () => number | null | Promise<number | null>;
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/** The relay plugin passes on the page without its own members. */
function exactTotal(page: unknown): number | Promise<number> {
  return (page as Connection<unknown>).totalCount() as number | Promise<number>;
}

/** Names and descriptions of a connection. */
export interface ConnectionNames {
  /** Prefix of its type names, before `Connection` and `Edge`. */
  readonly name: string;
  /** Descriptions of a page, of an edge, and of the total: one sentence each. */
  readonly page: string;
  readonly edge: string;
  readonly total: string;
}

/** Possible node types of a connection. */
type NodeType = Parameters<Builder['connectionObject']>[0]['type'];

/** Defines the types of a connection whose total is exact. */
export function exactConnection<Type extends NodeType>(
  builder: Builder,
  type: Type,
  { name, page, edge, total }: ConnectionNames,
) {
  return builder.connectionObject(
    {
      type,
      name: `${name}Connection`,
      description: page,
      fields: (t) => ({ totalCount: t.int({ description: total, resolve: exactTotal }) }),
    },
    { name: `${name}Edge`, description: edge },
  );
}

/** Defines the four arguments of a connection. */
export function pageArguments(t: ArgumentBuilder) {
  return {
    first: t.int({
      description: `Number of nodes from the start: 0 to ${PAGE_MAX}, default ${PAGE_DEFAULT}. Not together with \`last\`.`,
    }),
    after: t.string({ description: 'Cursor: only nodes after this one, in the order of the list.' }),
    last: t.int({
      description: `Number of nodes from the end: 0 to ${PAGE_MAX}. The nodes keep the order of the list. Not together with \`first\`.`,
    }),
    before: t.string({ description: 'Cursor: only nodes before this one, in the order of the list.' }),
  };
}

const OFFSET_ALONE =
  'Not together with `after`, `before` or `last`. To walk through a list that grows, go on from a cursor.';

/** Defines the arguments of a connection that can be opened at any position. */
export function positionedArguments(t: ArgumentBuilder) {
  return {
    ...pageArguments(t),
    offset: t.int({
      description: `Number of nodes before the page, counted from the start of the list; the page is as fast as the first one, at any offset. ${OFFSET_ALONE}`,
    }),
  };
}

/** Defines the arguments of a connection that counts its nodes: nodes before an offset are skipped one at a time. */
export function countedArguments(t: ArgumentBuilder, max?: number) {
  const most = max === undefined ? '' : `, at most ${max.toLocaleString('en')}`;
  return {
    ...pageArguments(t),
    offset: t.int({
      description: `Number of nodes that the page leaves out before it, counted from the start of the list${most}. ${OFFSET_ALONE}`,
    }),
  };
}

type ArgumentBuilder = Pick<Parameters<Parameters<Builder['args']>[0]>[0], 'int' | 'string'>;

/** Cost of scanning one record after another, where no index serves a filter. */
export const SCAN_POINTS = 2_500;
/** Cost of counting or summing the matches of a filter. */
export const COUNT_POINTS = 1_000;

/** @returns the cost of a page: that of a node times the requested number. */
export function pageComplexity({ first, last }: PageArgs): { field: number; multiplier: number } {
  return { field: 1, multiplier: Math.max(first ?? last ?? PAGE_DEFAULT, 1) };
}

/** Number of nodes that a list passes over, one at a time, at the cost of a page. */
const PASSED_MAX = 1_000;

/** @returns the cost of a page of a list whose nodes are counted: higher if it begins far from the start. */
export function countedComplexity(args: PositionedArgs): { field: number; multiplier: number } {
  return (args.offset ?? 0) > PASSED_MAX ? searchedComplexity(args) : pageComplexity(args);
}

/** @returns the cost of a page that is found by passing over many nodes, or by looking at them. */
export function searchedComplexity(args: PageArgs): { field: number; multiplier: number } {
  const { field, multiplier } = pageComplexity(args);
  return { field: field + COUNT_POINTS, multiplier };
}

/**
 * @param keyOf - returns the key of a cursor; undefined when it is from no page of the connection.
 * @throws {GatewayError} `INVALID_PARAMETER` naming every rejected argument (C-12).
 */
export function sliceOf<Key>(args: PageArgs, keyOf: (cursor: string) => Key | undefined): Slice<Key> {
  const { first, last, after, before } = args;
  const violations: Violation[] = [];
  const check = (parameter: string, size: number | null | undefined) => {
    if (size != null && (size < 0 || size > PAGE_MAX))
      violations.push({ parameter, message: `must be an integer from 0 to ${PAGE_MAX}` });
  };
  check('first', first);
  check('last', last);
  if (first != null && last != null)
    violations.push({ parameter: 'last', message: 'must not be given together with first' });
  const read = (parameter: string, cursor: string | null | undefined) => {
    if (cursor == null) return undefined;
    const key = keyOf(cursor);
    if (key === undefined) violations.push({ parameter, message: BAD_CURSOR });
    return key;
  };
  const bounds = { after: read('after', after), before: read('before', before) };
  if (violations.length > 0) throw invalidParameters(violations);
  return { size: first ?? last ?? PAGE_DEFAULT, isBackward: last != null, ...bounds };
}

/**
 * Opens a list at an offset: it continues after the record before that offset.
 * @param find - returns the key of the record with a number, counted from 1; of the last one if there are fewer,
 * undefined if there are none.
 * @throws {GatewayError} the errors of `sliceOf`, and `INVALID_PARAMETER` for an offset together with a cursor.
 */
export async function positionedSlice<Key>(
  args: PositionedArgs,
  keyOf: (cursor: string) => Key | undefined,
  find: (number: number) => Promise<Key | undefined>,
): Promise<Slice<Key>> {
  const { skip, ...slice } = countedSlice(args, keyOf);
  return skip === 0 ? slice : { ...slice, after: await find(skip) };
}

/** The requested page, and the number of nodes skipped before it. */
export interface CountedSlice<Key> extends Slice<Key> {
  readonly skip: number;
}

/**
 * @param max - maximum number of nodes that are left out.
 * @throws {GatewayError} the errors of `sliceOf`, and `INVALID_PARAMETER` for an offset together with a cursor, or out
 * of its range.
 */
export function countedSlice<Key>(
  args: PositionedArgs,
  keyOf: (cursor: string) => Key | undefined,
  max = Number.MAX_SAFE_INTEGER,
): CountedSlice<Key> {
  const slice = sliceOf(args, keyOf);
  const skip = offsetOf(args.offset, slice, max);
  if (args.offset != null && slice.isBackward)
    throw wrongOffset('must not be given together with after, before or last');
  return { ...slice, skip };
}

/**
 * @returns the number of nodes that a page skips, at the end from which it is read.
 * @throws {GatewayError} the errors of `countedSlice`.
 */
export function offsetOf(
  offset: PositionedArgs['offset'],
  { after, before }: Pick<Slice<unknown>, 'after' | 'before'>,
  max = Number.MAX_SAFE_INTEGER,
): number {
  if (offset == null) return 0;
  if (offset < 0) throw wrongOffset('must be an integer from 0 on');
  if (offset > max) throw wrongOffset(`must be at most ${max}: narrow the filter, or go on from a cursor`);
  if (after !== undefined || before !== undefined)
    throw wrongOffset('must not be given together with after, before or last');
  return offset;
}

function wrongOffset(message: string): GatewayError {
  return invalidParameters([{ parameter: 'offset', message }]);
}

/**
 * @param nodes - nodes in the order of reading: from the end when backward. Up to `size + 1` nodes: an additional one
 * shows that there are more. If no more than `size` were read, `pageInfo` is meaningless, because it was not selected.
 * @param options - `keyOf`: returns the key of a node's cursor; also whether the connection has nodes outside the
 * bounds of the slice, before it and after it.
 */
export function connectionOf<Node>(
  nodes: readonly Node[],
  { size, isBackward }: Pick<Slice<unknown>, 'size' | 'isBackward'>,
  options: {
    readonly totalCount: Connection<Node>['totalCount'];
    readonly cursorOf: (node: Node) => string;
    readonly isPreceded: boolean;
    readonly isFollowed: boolean;
    /** Key of the cursor to continue from, when the page ends before it is full; null otherwise. */
    readonly cutAt?: string | null;
  },
): Connection<Node> {
  const page = nodes.slice(0, size);
  if (isBackward) page.reverse();
  const edges = page.map((node) => new Edge(node, options.cursorOf));
  const cut = options.cutAt == null ? null : encodeCursor(options.cutAt);
  const isCut = nodes.length > size || cut !== null;
  return {
    totalCount: options.totalCount,
    edges,
    pageInfo: {
      hasNextPage: options.isFollowed || (isCut && !isBackward),
      hasPreviousPage: options.isPreceded || (isCut && isBackward),
      startCursor: (isBackward ? cut : null) ?? edges[0]?.cursor ?? null,
      endCursor: (isBackward ? null : cut) ?? edges.at(-1)?.cursor ?? null,
    },
  };
}

/**
 * Reads a page of a list that is newest first: records after a cursor have smaller ids.
 * @param read - returns a slice of the list.
 * @throws {GatewayError} the errors of `sliceOf` and `read`.
 */
export async function idConnection<Row extends { readonly id: bigint | string }>(
  args: PositionedArgs,
  read: (slice: IdSlice) => Promise<IdPart<Row>>,
): Promise<Connection<Row>> {
  const slice = countedSlice(args, decodeNumber);
  const { rows, total, hasNewer, hasOlder } = await read({
    limit: slice.size + 1,
    below: slice.after ?? null,
    above: slice.before ?? null,
    isBackward: slice.isBackward,
    skip: slice.skip,
  });
  return connectionOf(rows, slice, {
    totalCount: async () => Number(await total()),
    cursorOf: ({ id }) => encodeCursor(String(id)),
    isPreceded: hasNewer,
    isFollowed: hasOlder,
  });
}

/** @returns the opaque text of a key. */
export function encodeCursor(key: string): string {
  return Buffer.from(key).toString('base64url');
}

/** @returns the key of a cursor; undefined unless `encodeCursor` made it. */
export function decodeCursor(cursor: string): string | undefined {
  const key = Buffer.from(cursor, 'base64url').toString();
  return key === '' || key.includes('\0') || encodeCursor(key) !== cursor ? undefined : key;
}

/** @returns the number of a cursor; undefined unless `encodeCursor` made it of a number above zero. */
export function decodeNumber(cursor: string): bigint | undefined {
  const key = decodeCursor(cursor);
  return key && /^[1-9]\d{0,17}$/.test(key) ? BigInt(key) : undefined;
}
