/** The type of a route of `/v2`: its input, its requirements and its answer. */

import type { ActionName } from '../base/access/actions.ts';
import type { Scope } from '../base/access/api-key.ts';
import { assert } from '../base/errors/assert.ts';
import type { Violations } from '../base/errors/violations.ts';
import type { Context } from '../resolvers/services/context.ts';
import type { JsonText } from '../wire/list.ts';
import type { RestFamily } from './families.ts';
import type { BodyShape, Query, QueryPolicy } from './input.ts';

/** Required members of a body. */
export interface BodyNeeds {
  readonly all: readonly string[];
  /** Groups of members of which exactly one is required. */
  readonly oneOf?: readonly string[];
  /** Groups of members of which at most one is allowed. */
  readonly atMostOneOf?: readonly string[];
  /** Members that the example has although they are not required. */
  readonly shown?: readonly string[];
}

/** Options of `/v2`. */
export interface RestPolicy extends QueryPolicy {
  /** Print the integers of the offramps exactly (C-4). */
  readonly exactIntegers: boolean;
}

/** A request in its form for a route. */
export interface RestRequest {
  /** The `{id}` of the path, decoded; empty where the path has none. */
  readonly id: string;
  /** The part of the request target after `?`. */
  readonly search: string;
  /** The raw body; empty for a GET. */
  readonly body: string;
  readonly idempotencyKey: string | undefined;
  /** Aborts when the client has disconnected; for waiting routes only. */
  readonly gone: AbortSignal | undefined;
}

/** An answer: JSON text, in pieces only if it is proved, and the ignored parameters. */
export interface RestAnswer {
  readonly status: number;
  readonly body: JsonText;
  readonly ignored: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** The form of an answer, for OpenAPI. */
export type AnswerShape =
  | { readonly kind: 'transaction'; readonly family: RestFamily }
  /** A transaction, with members in addition to those of the envelope. */
  | {
      readonly kind: 'created';
      readonly family: RestFamily;
      readonly extras: readonly string[];
      /** Members of `extras` that only some responses have. */
      readonly optional?: readonly string[];
    }
  /** A transaction of any template. */
  | { readonly kind: 'anyTransaction' }
  | { readonly kind: 'list'; readonly family: RestFamily }
  | { readonly kind: 'statement' }
  | { readonly kind: 'balance' }
  | { readonly kind: 'events' }
  | { readonly kind: 'actions'; readonly family: RestFamily }
  /** Records other than transactions. */
  | {
      readonly kind: 'record';
      /** Tag and id of the operation. */
      readonly tag: string;
      readonly operation: string;
      /** Meaning of `{id}` in the path. */
      readonly id?: string;
      readonly schema: Readonly<Record<string, unknown>>;
    }
  /** Members of a sandbox's answer, all texts. */
  | { readonly kind: 'sandbox'; readonly name: string; readonly members: readonly string[] };

/** Methods of routes. */
export type Method = 'GET' | 'POST';

/** One row of the table: one operation. */
export interface Route {
  readonly method: Method;
  /** Path with `{id}` as its parameter. */
  readonly path: `/v2/${string}`;
  readonly scope: Scope;
  /** The action, unless the route reads; the usual one if several have the same scope or the transaction decides. */
  readonly action?: ActionName;
  /**
   * Action of the route for some bodies; its scope admits the request, and the use case requires the scope of the
   * action.
   */
  readonly otherAction?: ActionName;
  readonly summary: string;
  /** Query parameters. */
  readonly parameters: readonly string[];
  /** Members of the body; undefined if it has none. */
  readonly body?: BodyShape;
  /** Required members, which the use case also checks. */
  readonly needs?: BodyNeeds;
  /** Status of a successful answer. */
  readonly status: 200 | 201;
  /** Status of a successful answer if the money out waits for approval (C-25). */
  readonly heldStatus?: 202;
  readonly answer: AnswerShape;
  /** Whether every fact of the answer changes the version of the account (docs/decisions/0044). */
  readonly isProved?: true;
  /** Whether the operation may wait for an event; it should wait no longer than its client. */
  readonly waits?: true;
  readonly handle: (context: Context, request: RestRequest) => Promise<RestAnswer>;
}

/** A reading route; `respond` returns the body. */
export interface RouteEntry extends Pick<Route, 'path' | 'summary' | 'parameters' | 'answer' | 'isProved'> {
  readonly respond: (context: Context, id: string, query: Query, violations: Violations) => Promise<JsonText>;
}

/** Method and path of an operation. */
export type Operation = `${Method} ${Route['path']}`;

/** All routes by operation. */
export type RouteTable = ReadonlyMap<Operation, Route>;

/** @returns the table of these routes. @throws if two of them are the same operation. */
export function routeTable(routes: readonly Route[]): RouteTable {
  const table = new Map<Operation, Route>();
  for (const route of routes) {
    const operation: Operation = `${route.method} ${route.path}`;
    assert(!table.has(operation), `${operation} is in the table once`);
    table.set(operation, route);
  }
  return table;
}
