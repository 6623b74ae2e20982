/** Shared parts of the modules that execute GraphQL. */
import type { DocumentNode, GraphQLError } from 'graphql';
import { GatewayError } from '../../base/errors/errors.ts';
import type { GraphqlContext } from '../../schema/builder.ts';
import type { Exchange } from '../http/http.ts';

/** Limits of the caller's key during a request (C-53). */
export interface KeyLimits {
  /**
   * Counts the writes of one request.
   *
   * @throws {GatewayError} `RATE_LIMITED`.
   */
  readonly consumeWrites: (writes: number) => void;
  /** Counts the work of parsing and validating a document of this length. @throws {GatewayError} `RATE_LIMITED`. */
  readonly consumeDocument: (length: number) => void;
  /**
   * Counts the cost of an operation, waits until it may begin, and checks the key again.
   *
   * @returns the function to call at its end.
   * @throws {GatewayError} `RATE_LIMITED`, `UNAUTHORIZED`.
   */
  readonly enter: (points: number) => Promise<() => void>;
  /**
   * Waits until a frame of a subscription may be executed. The operation was counted at its start.
   * @returns the function to call afterwards.
   */
  readonly enterFrame: (points: number) => Promise<() => void>;
  /** Checks again whether the caller still has its rights. @throws {GatewayError} `UNAUTHORIZED`. */
  readonly check: () => Promise<void>;
  /** Checks again whether the key is valid, if the request has taken long. @throws {GatewayError} `UNAUTHORIZED`. */
  readonly checkAgain: () => Promise<void>;
}

/** Context of resolvers, and additions for the server itself. */
export interface ServerContext extends GraphqlContext {
  readonly requestId: string;
  /** Fields of the request log. */
  readonly noted: Exchange['noted'];
  readonly limits: KeyLimits;
  /** Set after the cost of the operation was measured. */
  isMeasured: boolean;
  /** Whether the response carries the account version in its extensions. */
  asksVersion?: boolean;
  /** Called when Yoga has executed the operation, before it answers. @returns extensions of the result. */
  executed?: () => Promise<object | undefined>;
}

/** A valid document within the limits, or its errors. */
export type Prepared =
  | { readonly document: DocumentNode; readonly errors?: undefined }
  | { readonly document?: undefined; readonly errors: readonly GraphQLError[] };

/** Parses and validates a document, and checks the limits. @throws {GatewayError} `RATE_LIMITED` for a new document. */
export type Prepare = (query: string, context: ServerContext) => Prepared;

/**
 * Prepares a document of a request: one new document of an account per turn of the event loop. @throws the errors of
 * `Prepare`.
 */
export type PrepareOnTick = (query: string, context: ServerContext) => Promise<Prepared>;

/** @returns the error for operations that a stream token does not allow. */
export function onlySubscriptions(): GatewayError {
  return new GatewayError(
    'FORBIDDEN',
    'a stream token opens subscriptions only, with Accept: text/event-stream',
  );
}
