/** What the parts of the server that execute GraphQL share. */
import type { DocumentNode } from 'graphql';
import type { GraphqlContext } from '../schema/builder.ts';

/** What resolvers are given, and what the server itself needs to know. */
export interface ServerContext extends GraphqlContext {
  readonly requestId: string;
  /** Counts a write of the caller's key (C-53). */
  readonly takeWrite: () => void;
}

/** Parses and validates with all bounds. @returns undefined for a document that is not fit. */
export type Prepare = (query: string, context: ServerContext) => DocumentNode | undefined;
