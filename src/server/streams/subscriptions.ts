/** Serves GraphQL subscriptions as server-sent events, one operation for each connection. */
import { GraphQLError, type GraphQLSchema, getOperationAST, Kind, visit } from 'graphql';
import type { Logger } from 'pino';
import { GatewayError } from '../../base/errors/errors.ts';
import type { ServerContext } from '../graphql/graphql-context.ts';
import type { OperationParams } from '../graphql/known-operations.ts';
import type { Exchange } from '../http/http.ts';
import { presentGraphqlError } from '../http/present-error.ts';
import type { LiveOperation } from './live-operation.ts';
import type { EndReason, OpenStreams } from './open-streams.ts';
import { EventConnection } from './sse.ts';
import { beginningOf, endBeginning, SubscriberGroup } from './subscriber-group.ts';

/** Serves a request. Resolves when the starting position is fixed and the answer has begun. */
export type ServeSubscription = (
  exchange: Exchange,
  context: ServerContext,
  params: OperationParams,
  operation: Pick<LiveOperation, 'document' | 'points'>,
  headers: Record<string, string>,
) => Promise<void>;

const KEY_ENDED = new GatewayError('UNAUTHORIZED', 'a valid API key is required');

/** @returns the subscription side of the server, on this schema. */
export function subscriptionServer(
  schema: GraphQLSchema,
  streams: OpenStreams,
  log: Logger,
): ServeSubscription {
  const groups = new Map<string, SubscriberGroup>();
  const groupOf = (operation: LiveOperation, name: string): SubscriberGroup => {
    let group = groups.get(name);
    if (!group) {
      group = new SubscriberGroup(operation, () => groups.get(name) === group && groups.delete(name));
      groups.set(name, group);
    }
    return group;
  };
  return async (exchange, context, params, { document, points }, headers) => {
    const { response, requestId } = exchange;
    const leave = context.streamLimit.acquire(context.caller);
    response.on('close', leave);
    // A response closes once, and it may have done so while the key was looked up.
    if (response.destroyed) return leave();
    const operation: LiveOperation = {
      schema,
      document,
      operationName: params.operationName ?? null,
      variables: params.variables ?? {},
      points,
      context,
      requestId,
      log,
    };
    const beginning = await beginningOf(operation, lastEventIdOf(exchange));
    if (response.destroyed) return endBeginning(beginning);
    let connection: EventConnection | undefined;
    const remove = streams.add({
      caller: context.caller,
      isStalled: () => connection?.isStalled === true,
      ping: () => connection?.ping(),
      end: (reason) => connection && endConnection(connection, reason, log, requestId),
    });
    response.on('close', remove);
    connection = new EventConnection(exchange, headers);
    const shared = withoutBeginning(operation);
    groupOf(shared, groupName(shared, params.query)).serve(connection, beginning);
  };
}

function endConnection(connection: EventConnection, reason: EndReason, log: Logger, requestId: string): void {
  if (reason === 'drain') connection.end();
  else if (reason === 'stalled') connection.destroy();
  else {
    const refusal = new GraphQLError(KEY_ENDED.message, { originalError: KEY_ENDED });
    connection.complete({ errors: [presentGraphqlError(refusal, log, requestId)] });
  }
}

/**
 * Name of the group that equal subscriptions share. Two callers never share a group: frames are charged to the first
 * member, and the other caller would wait for its executions.
 */
function groupName({ context, operationName, variables }: LiveOperation, query: string): string {
  const { id, accountId, mode, scopes, transactionId } = context.caller;
  const caller = [id, String(accountId), mode, scopes, String(transactionId)];
  return JSON.stringify([caller, operationName, query, variables]);
}

/** @returns the operation without the variable of the starting point. */
function withoutBeginning(operation: LiveOperation): LiveOperation {
  const name = afterVariableOf(operation);
  return name === undefined ? operation : { ...operation, variables: { ...operation.variables, [name]: '' } };
}

/** The variable that is used only as `after` of the subscription's field. */
function afterVariableOf({ document, operationName }: LiveOperation): string | undefined {
  const root = getOperationAST(document, operationName)?.selectionSet.selections[0];
  if (root?.kind !== Kind.FIELD) return undefined;
  const value = root.arguments?.find((argument) => argument.name.value === 'after')?.value;
  if (value?.kind !== Kind.VARIABLE) return undefined;
  let uses = 0;
  visit(document, {
    VariableDefinition: () => false,
    Variable: (node) => {
      if (node.name.value === value.name.value) uses += 1;
    },
  });
  return uses === 1 ? value.name.value : undefined;
}

function lastEventIdOf({ request }: Exchange): string | undefined {
  const eventId = request.headers['last-event-id'];
  return typeof eventId === 'string' && eventId !== '' ? eventId : undefined;
}
