/** What the parts of the server that execute GraphQL share. */
import type { DocumentNode, GraphQLError } from 'graphql';
import { GatewayError } from '../../base/errors/errors.ts';
import type { GraphqlContext } from '../../schema/builder.ts';
import type { Exchange } from '../http/http.ts';

/** What the caller's key may do, while a request of it is answered (C-53). */
export interface KeyLimits {
  /** Counts so many writes, which are one request. @throws {GatewayError} `RATE_LIMITED`. */
  readonly takeWrites: (writes: number) => void;
  /** Counts what it takes to parse and validate a document of this length. @throws {GatewayError} `RATE_LIMITED`. */
  readonly takeDocument: (length: number) => void;
  /**
   * Counts what an operation costs, waits until it may begin, and looks again whether the key is valid.
   *
   * @returns what is to be called when it has ended.
   * @throws {GatewayError} `RATE_LIMITED`, `UNAUTHORIZED`.
   */
  readonly enter: (points: number) => Promise<() => void>;
  /**
   * Waits until a frame of a subscription may be executed. Its operation was counted when it began.
   *
   * @returns what is to be called when it was.
   */
  readonly enterFrame: (points: number) => Promise<() => void>;
  /** Looks again whether the key is valid, when the request has taken long. @throws {GatewayError} `UNAUTHORIZED`. */
  readonly checkAgain: () => Promise<void>;
}

/** What resolvers are given, and what the server itself needs to know. */
export interface ServerContext extends GraphqlContext {
  readonly requestId: string;
  /** What the request log says of the request. */
  readonly noted: Exchange['noted'];
  readonly limits: KeyLimits;
  /** Set once the operation was measured. */
  isMeasured: boolean;
}

/** A valid document within the limits, or its errors. */
export type Prepared =
  | { readonly document: DocumentNode; readonly errors?: undefined }
  | { readonly document?: undefined; readonly errors: readonly GraphQLError[] };

/** Parses and validates a document, and checks the limits. @throws {GatewayError} `RATE_LIMITED` for one that is not known yet. */
export type Prepare = (query: string, context: ServerContext) => Prepared;

/** Prepares a document that came in a request: of the new ones of an account, one in each turn of the event loop. @throws as `Prepare`. */
export type PrepareInTurn = (query: string, context: ServerContext) => Promise<Prepared>;

/** @returns the error for operations that a stream token does not allow. */
export function onlySubscriptions(): GatewayError {
  return new GatewayError(
    'FORBIDDEN',
    'a stream token opens subscriptions only, with Accept: text/event-stream',
  );
}
