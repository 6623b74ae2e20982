/** `/v2` with the types of its OpenAPI document. */
import { parseExact } from './exact.ts';
import type { Get, Post } from './generated/rest.ts';
import { type Gateway, readValue } from './http.ts';
import { underKey, withRetries } from './retry.ts';

/** Options of a read. */
export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Options of a request that makes or changes something. */
export interface WriteOptions extends ReadOptions {
  /** Your own key for this request; otherwise the SDK makes one, which all attempts share. */
  readonly idempotencyKey?: string | undefined;
}

/** Parameters that all may be left out are optional as a whole. */
export type Arguments<Params, Options> =
  Readonly<Record<never, never>> extends Params
    ? [params?: Params, options?: Options]
    : [params: Params, options?: Options];

/** REST: `params` has the members of the path, of the query and of the body together. */
export interface Rest {
  get<Path extends keyof Get>(
    path: Path,
    ...args: Arguments<Get[Path]['params'], ReadOptions>
  ): Promise<Get[Path]['answer']>;
  post<Path extends keyof Post>(
    path: Path,
    ...args: Arguments<Post[Path]['params'], WriteOptions>
  ): Promise<Post[Path]['answer']>;
}

/** @returns the REST interface of a gateway. */
export function restOf(gateway: Gateway): Rest {
  return {
    get: async (template: string, params: object = {}, { signal }: ReadOptions = {}) => {
      const [path, query] = fill(template, params);
      const target = `${path}?${new URLSearchParams(query as Record<string, string>)}`;
      const waitMs = Number((query as { wait?: number }).wait ?? 0) * 1_000;
      const attempt = () => readValue(gateway, { path: target, signal }, parseExact, waitMs);
      return (await withRetries(attempt, { ...gateway, isSafe: true, signal })) as never;
    },
    post: async (template: string, params: object = {}, options: WriteOptions = {}) => {
      const { idempotencyKey = crypto.randomUUID(), signal } = options;
      const [path, body] = fill(template, params);
      // A scenario of the sandbox is played each time, whatever key it has.
      const isSafe = path !== '/v2/sandbox/trigger';
      const call = { path, body, headers: { 'idempotency-key': idempotencyKey }, signal };
      const attempt = () => readValue(gateway, call, parseExact);
      const attempts = () => withRetries(attempt, { ...gateway, isSafe, signal });
      return (await underKey(idempotencyKey, attempts)) as never;
    },
  };
}

/** @returns the path with its members put in, and the other members. */
function fill(template: string, params: object): [path: string, others: object] {
  const members: Record<string, unknown> = { ...params };
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(members[name] ?? '');
    delete members[name];
    // An empty member, or one of full stops, would make another path.
    if (/^\.*$/.test(value)) throw new TypeError(`${template} needs ${name}`);
    return encodeURIComponent(value);
  });
  // As JSON has them: without members that have no value.
  return [path, JSON.parse(JSON.stringify(members))];
}
