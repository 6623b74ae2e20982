/** Routes of records other than transactions: a row of a table, with the use case that it calls, makes one. */
import { ACTIONS, type ActionName } from '../base/access/actions.ts';
import type { Scope } from '../base/access/api-key.ts';
import { Violations } from '../base/errors/violations.ts';
import { type ExactJson, printExactJson } from '../base/text/exact-json.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { type Attempt, once } from '../resolvers/checks/once.ts';
import { type Context, requireScope } from '../resolvers/services/context.ts';
import { parseBody, parseQuery, type Query, type QueryPolicy } from './input.ts';
import type { AnswerShape, Route } from './route.ts';
import type { WriteEntry, WriteRequest } from './write-routes.ts';

/** Tag, id and schema of an operation. */
export type RecordAnswer = Omit<Extract<AnswerShape, { kind: 'record' }>, 'kind'>;

/** A route for reading records. */
export interface RecordRead extends RecordAnswer, Pick<Route, 'path' | 'summary'> {
  /** `read` by default. */
  readonly scope?: Scope;
  /** Query parameters; none by default. */
  readonly parameters?: readonly string[];
  readonly respond: (
    context: Context,
    request: { readonly id: string; readonly query: Query; readonly policy: QueryPolicy },
    violations: Violations,
  ) => Promise<ExactJson>;
}

/** A route that creates or changes a record. */
export interface RecordWrite
  extends RecordAnswer,
    Pick<Route, 'path' | 'summary'>,
    Partial<Pick<WriteEntry, 'shape' | 'needs'>> {
  readonly action: ActionName;
  /** 200 by default. */
  readonly status?: 201;
  /**
   * Performs the operation. Violations of the body are collected in `checks` but not refused yet: use cases that accept
   * `checks` refuse them together with their own, and other rows call `refuse` first.
   */
  readonly perform: (context: Context, attempt: Attempt, request: WriteRequest) => Promise<Done>;
  /** The answer to a replay whose stored answer lacks its secrets, made from the stored members. */
  readonly again?: (context: Context, stored: ExactJson, id: string) => Promise<ExactJson>;
}

/** Answer of a write, and its stored form without secrets. */
interface Done {
  readonly answer: ExactJson;
  readonly stored?: ExactJson;
}

/** @returns the route of a reading row. */
export function recordRead(entry: RecordRead, policy: QueryPolicy): Route {
  const { path, summary, scope = 'read', parameters = [], respond } = entry;
  return {
    ...{ method: 'GET', path, scope, summary, parameters, status: 200 },
    answer: answerOf(entry),
    handle: async (context, { id, search }) => {
      requireScope(context, scope);
      const violations = new Violations();
      const query = parseQuery(search, parameters, policy, violations);
      const body = await respond(context, { id, query, policy }, violations);
      violations.refuse();
      return { status: 200, body: printExactJson(body), ignored: query.ignored, headers: {} };
    },
  };
}

/** @returns the route of a writing row: executed once under the `Idempotency-Key`. */
export function recordWrite(entry: RecordWrite, policy: QueryPolicy): Route {
  const { path, action, summary, status = 200, shape = {}, needs = { all: [] }, perform, again } = entry;
  return {
    ...{ method: 'POST', path, action, summary, status, body: shape, needs },
    scope: ACTIONS[action].scope,
    parameters: [],
    answer: answerOf(entry),
    handle: async (context, { id, search, body: text, idempotencyKey }) => {
      const checks = checksOf(context);
      const query = parseQuery(search, [], policy, checks);
      const body = parseBody(text, shape, checks);
      for (const member of needs.all) checks.required(body.get(member), member);
      const request = {
        key: idempotencyKey,
        parameter: 'Idempotency-Key',
        route: `POST ${path} ${id}`,
        body: text,
      };
      let whole: ExactJson | undefined;
      const done = await once(context, request, async (attempt) => {
        const { answer, stored = answer } = await perform(context, attempt, { id, body, checks });
        whole = answer;
        return { status, answer: printExactJson(stored) };
      });
      if (done.isReplayed && again) whole = await again(context, JSON.parse(done.answer) as ExactJson, id);
      return {
        status: done.status,
        body: whole === undefined ? done.answer : printExactJson(whole),
        ignored: query.ignored,
        headers: done.isReplayed ? { 'idempotent-replayed': 'true' } : {},
      };
    },
  };
}

function answerOf({ tag, operation, id, schema }: RecordAnswer): AnswerShape {
  return { kind: 'record', tag, operation, schema, ...(id !== undefined && { id }) };
}

/** @returns the schema of an answer that has all records of a kind, or a page of them. */
export function listSchema(name: string, isPaged = false): RecordAnswer['schema'] {
  const results = { type: 'array', items: { $ref: `#/components/schemas/${name}` } };
  const next = {
    type: ['string', 'null'],
    description: '`before` of the next page; null at the end. A page can be short before the end.',
  };
  return {
    type: 'object',
    properties: { results, ...(isPaged && { next }) },
    required: isPaged ? ['results', 'next'] : ['results'],
    additionalProperties: false,
  };
}

/** @returns the schema of an answer that is a record. */
export function oneSchema(name: string): RecordAnswer['schema'] {
  return { $ref: `#/components/schemas/${name}` };
}
