/** Executes a subscription frame by frame: the stream of its frames, and the result of each. */
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import type { Logger } from 'pino';
import type { Frame, FrameStream, StreamMode } from '../../resolvers/events/frame-stream.ts';
import { createLoaders } from '../../schema/loaders.ts';
import type { ServerContext } from '../graphql/graphql-context.ts';
import { presentGraphqlError } from '../http/present-error.ts';

/** A subscription of a caller. */
export interface LiveOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Cost of each of its frames. */
  readonly points: number;
  readonly context: ServerContext;
  readonly requestId: string;
  readonly log: Logger;
}

/** @returns the stream of frames, or the errors of the operation. */
export async function openFrames(
  operation: LiveOperation,
  stream: StreamMode,
): Promise<FrameStream<Frame> | ExecutionResult> {
  const source = await createSourceEventStream(argsOf(operation, stream));
  if (Symbol.asyncIterator in source) return source as FrameStream<Frame>;
  return presented(operation, source);
}

/** @returns whether it is a stream, not errors. */
export function isFrames(source: FrameStream<Frame> | ExecutionResult): source is FrameStream<Frame> {
  return Symbol.asyncIterator in source;
}

/**
 * Executes a frame in its turn among the executions of its key. Its loaders are new, so it reads the current state.
 * @param isWanted - whether the stream still has a reader; called immediately before the execution.
 * @returns the result; undefined without a reader.
 */
export async function executeFrame(
  operation: LiveOperation,
  frame: Frame,
  isWanted: () => boolean,
): Promise<ExecutionResult | undefined> {
  const leave = await operation.context.limits.enterFrame(operation.points);
  try {
    if (!isWanted()) return undefined;
    const result = await execute({ ...argsOf(operation), rootValue: frame });
    return presented(operation, result);
  } finally {
    leave();
  }
}

/**
 * @returns whether the result failed because the database was unreachable, so that the frame can be executed again
 * later.
 */
export function isUnavailable({ errors }: ExecutionResult): boolean {
  return errors?.some(({ extensions }) => extensions.code === 'UNAVAILABLE') ?? false;
}

function argsOf(operation: LiveOperation, stream?: StreamMode) {
  const { schema, document, operationName, variables, context } = operation;
  return {
    schema,
    document,
    operationName,
    variableValues: variables,
    contextValue: {
      ...context,
      stream,
      loaders: createLoaders(context.database, context.caller.accountId),
    },
  };
}

/** @returns the result with its errors as callers may see them. */
export function presented(
  { log, requestId }: Pick<LiveOperation, 'log' | 'requestId'>,
  result: ExecutionResult,
): ExecutionResult {
  if (!result.errors) return result;
  const errors = result.errors.map((error) => presentGraphqlError(error, log, requestId));
  // The HTTP status of an error has no meaning inside a stream.
  for (const error of errors) if (error instanceof GraphQLError) delete error.extensions.http;
  return { ...result, errors };
}

/**
 * @param source - an open stream, or errors that are the only result.
 * @param onEnd - called when nothing more is read from it.
 * @returns the results of its frames.
 */
export function liveResults(
  operation: LiveOperation,
  source: FrameStream<Frame> | ExecutionResult,
  onEnd: () => void,
): AsyncGenerator<ExecutionResult, undefined, undefined> {
  let isDone = false;
  const finish = async (): Promise<IteratorReturnResult<undefined>> => {
    isDone = true;
    onEnd();
    if (isFrames(source)) await source.return?.();
    return { done: true, value: undefined };
  };
  return {
    next: async () => {
      if (isDone) return finish();
      if (!isFrames(source)) {
        isDone = true;
        return { done: false, value: { data: null, ...source } };
      }
      const { done, value: frame } = await source.next();
      const value = done ? undefined : await executeFrame(operation, frame, () => !isDone);
      return value ? { done: false, value } : finish();
    },
    return: finish,
    throw: async (error) => {
      await finish();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => void (await finish()),
  };
}
