/** A caller of the gateway who knows nothing but a base URL and a key. Numbers are read as they are written, as text. */

/** What came back. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers have many shapes, and what is read from them is checked
  readonly json: any;
}

/** A field of `Mutation`, as far as it must be known to be called. */
interface MutationField {
  readonly args: ReadonlyMap<string, string>;
}

const RETRIES_MAX = 40;
const RETRY_MS = 250;

/** Requests with one key. */
export class Client {
  readonly baseUrl: string;
  readonly #key: string;
  #mutations: Promise<ReadonlyMap<string, MutationField>> | undefined;

  constructor(baseUrl: string, key: string) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.#key = key;
  }

  get(path: string): Promise<Answer> {
    return this.#send('GET', path);
  }

  post(path: string, body: object = {}): Promise<Answer> {
    return this.#send('POST', path, JSON.stringify(body));
  }

  /** @returns the data of an operation. @throws {Error} when it has errors. */
  async graphql(query: string, variables: object = {}): Promise<Answer['json']> {
    const { json } = await this.#send('POST', '/graphql', JSON.stringify({ query, variables }));
    if (errorsIn(json))
      throw new Error(
        `GraphQL: ${errorsIn(json)
          .map(({ message }: Error) => message)
          .join('; ')}`,
      );
    return json.data;
  }

  /**
   * Calls a mutation.
   *
   * @param selection - of its payload.
   */
  async mutate(
    name: string,
    input: Readonly<Record<string, unknown>>,
    selection = '__typename',
  ): Promise<Answer['json']> {
    const field = (await this.mutations()).get(name);
    if (!field) throw new Error(`there is no mutation ${name}`);
    const document = `mutation ($input: ${field.args.get('input')}) { ${name}(input: $input) { ${selection} errors { code message path } } }`;
    return (await this.graphql(document, { input }))[name];
  }

  /** @returns the mutations that the gateway has, by name. */
  mutations(): Promise<ReadonlyMap<string, MutationField>> {
    this.#mutations ??= this.#introspect();
    return this.#mutations;
  }

  async #introspect(): Promise<ReadonlyMap<string, MutationField>> {
    const type = 'type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }';
    const data = await this.graphql(
      `{ __schema { mutationType { fields { name args { name ${type} } } } } }`,
    );
    interface Named {
      readonly name: string;
      readonly type: TypeRef;
      readonly args: readonly Named[];
    }
    const fields: readonly Named[] = data.__schema.mutationType?.fields ?? [];
    return new Map(
      fields.map(({ name, args }) => [
        name,
        { args: new Map(args.map((arg) => [arg.name, typeText(arg.type)])) },
      ]),
    );
  }

  /** What is refused for a moment (too many requests, a database that is away) is asked again. */
  async #send(method: string, path: string, body?: string): Promise<Answer> {
    for (let attempts = 1; ; attempts++) {
      const response = await fetch(this.baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body }),
      });
      const text = await response.text();
      const isLater = response.status === 429 || response.status === 503;
      if (!isLater || attempts >= RETRIES_MAX) return { status: response.status, json: parse(text) };
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

interface TypeRef {
  readonly kind: string;
  readonly name: string | null;
  readonly ofType?: TypeRef;
}

function typeText({ kind, name, ofType }: TypeRef): string {
  if (kind === 'NON_NULL') return `${typeText(ofType as TypeRef)}!`;
  return kind === 'LIST' ? `[${typeText(ofType as TypeRef)}]` : String(name);
}

function parse(text: string): unknown {
  if (text === '') return undefined;
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value,
  );
}

import { errorsIn } from '../support/refusals.ts';
