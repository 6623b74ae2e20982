/** What the parts of the server that execute GraphQL share. */
import type { DocumentNode, GraphQLError } from 'graphql';
import type { GraphqlContext } from '../schema/builder.ts';

/** What resolvers are given, and what the server itself needs to know. */
export interface ServerContext extends GraphqlContext {
  readonly requestId: string;
  /** Counts a write of the caller's key (C-53). */
  readonly takeWrite: () => void;
}

/** A document that keeps all bounds, or what is wrong with it. */
export type Prepared =
  | { readonly document: DocumentNode; readonly errors?: undefined }
  | { readonly document?: undefined; readonly errors: readonly GraphQLError[] };

/** Parses and validates with all bounds. */
export type Prepare = (query: string, context: ServerContext) => Prepared;
