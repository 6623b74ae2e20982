/** The request log: its types, and `Query.requestLog`. */
import { isoMillis } from '../base/time/instant.ts';
import { type RequestInput, readRequestLog } from '../resolvers/audit/read-requests.ts';
import { type LoggedRequest, REQUESTS_COUNTED_MAX } from '../store/account/request-log.ts';
import type { ActorKindRef } from './audit-log.ts';
import { type Builder, type GraphqlContext, once } from './builder.ts';
import {
  COUNT_POINTS,
  type Connection,
  connectionOf,
  countedArguments,
  countedComplexity,
  countedSlice,
  decodeNumber,
  encodeCursor,
  type PositionedArgs,
} from './pagination.ts';

/** Classes of statuses (RFC 9110, section 15), by their first digit. */
const STATUS_CLASSES = {
  SUCCESSFUL: { value: 2, description: '200 to 299: success.' },
  REDIRECTION: { value: 3, description: '300 to 399: the answer is at another address.' },
  CLIENT_ERROR: { value: 4, description: '400 to 499: the request was refused.' },
  SERVER_ERROR: { value: 5, description: '500 to 599: failure of the gateway.' },
} as const;

/** Defines `RequestLogEntry` with its types, and `Query.requestLog`. */
export function defineRequestLog(builder: Builder, actorKind: ActorKindRef): void {
  const statusClass = builder.enumType('StatusClass', {
    description: 'A class of HTTP statuses.',
    values: STATUS_CLASSES,
  });
  const connection = builder.connectionObject(
    {
      type: defineEntry(builder, actorKind),
      name: 'RequestLogConnection',
      description: 'A page of the request log.',
      fields: (t) => ({
        totalCount: t.int({
          nullable: true,
          description: `Number of all entries that match, not only of this page. Exact up to ${REQUESTS_COUNTED_MAX.toLocaleString('en')}; null when there are more.`,
          extensions: once(COUNT_POINTS),
          resolve: (page) => (page as unknown as Connection<unknown>).totalCount(),
        }),
      }),
    },
    { name: 'RequestLogEdge', description: 'An entry of the request log and its cursor.' },
  );
  builder.queryField('requestLog', (t) =>
    t.field({
      type: connection,
      description:
        'The requests of the account in the last days (`REQUEST_LOG_DAYS`, 7 by default), newest first; each is here within about a second. Needs the scope `admin`.',
      args: {
        ...countedArguments(t.arg, REQUESTS_COUNTED_MAX),
        statusClass: t.arg({ type: statusClass, description: 'Only requests with such a status.' }),
        actorKind: t.arg({ type: actorKind, description: 'Only requests of this kind of caller.' }),
        actorId: t.arg.string({ description: 'Only requests of the key or the person with this id.' }),
        requestId: t.arg.string({
          description: 'Only the request with this id, from its `X-Request-Id`.',
        }),
        end2end: t.arg.string({ description: 'Only requests about this transaction.' }),
      },
      complexity: countedComplexity,
      resolve: async (_root, args, context) => {
        const filters = Object.entries(args).filter(([, value]) => value !== null && value !== undefined);
        return (await readPage(context, args, Object.fromEntries(filters) as RequestInput)) as never;
      },
    }),
  );
}

function defineEntry(builder: Builder, actorKind: ActorKindRef) {
  return builder.objectRef<LoggedRequest>('RequestLogEntry').implement({
    description: 'An answered request: no ids of its path, no query, no body.',
    fields: (t) => ({
      at: t.field({
        type: 'DateTime',
        description: "When its answer ended, on the database's clock.",
        resolve: ({ at }) => isoMillis(at),
      }),
      actorKind: t.field({
        type: actorKind,
        description: 'Kind of caller: `KEY`, `PERSON` or `PAYER`.',
        resolve: (row) => row.actorKind as never,
      }),
      actorId: t.exposeString('actorId', {
        description: 'Id of the key, the person or the payment session.',
      }),
      actorName: t.exposeString('actorName', {
        nullable: true,
        description: 'Name of the key or the person, as it is now.',
      }),
      method: t.exposeString('method', { description: 'Method, such as `POST`.' }),
      route: t.exposeString('route', {
        description: 'Path with names in place of ids, such as `/v2/onramp/{id}`.',
      }),
      operationName: t.exposeString('operation', {
        nullable: true,
        description: 'Name of the GraphQL operation, as the request gives it or its document begins with it.',
      }),
      status: t.exposeInt('status', {
        description: 'Status of the answer; 499 when the client left before it began.',
      }),
      durationMs: t.exposeInt('durationMs', {
        description: 'Time until the answer ended. Unit: ms.',
      }),
      requestId: t.exposeString('requestId', {
        description: 'Id of the request, from `X-Request-Id` of its answer.',
      }),
      end2end: t.exposeString('end2end', {
        nullable: true,
        description: 'Reference id of the transaction that it was about.',
      }),
      errorCode: t.exposeString('errorCode', {
        nullable: true,
        description: 'Code of the error in the answer; for GraphQL, of the first one.',
      }),
    }),
  });
}

async function readPage(
  context: GraphqlContext,
  args: PositionedArgs,
  input: RequestInput,
): Promise<Connection<LoggedRequest>> {
  const slice = countedSlice(args, decodeNumber, REQUESTS_COUNTED_MAX);
  // The connection begins with the newest: requests after a cursor have smaller numbers.
  const { after, before, size, isBackward, skip } = slice;
  const { entries, total } = await readRequestLog(context, input, {
    before: after ?? null,
    after: before ?? null,
    isNewestFirst: !isBackward,
    limit: size + 1,
    skip,
  });
  const exists = async (beyond: { before: bigint | null; after: bigint | null }) =>
    (await readRequestLog(context, input, { ...beyond, isNewestFirst: true, limit: 1 })).entries.length > 0;
  return connectionOf(entries, slice, {
    totalCount: total,
    cursorOf: ({ id }) => encodeCursor(String(id)),
    isPreceded:
      (after !== undefined && (await exists({ before: null, after: after - 1n }))) ||
      (skip > 0 && (await exists({ before: null, after: null }))),
    isFollowed: before !== undefined && (await exists({ before: before + 1n, after: null })),
  });
}
