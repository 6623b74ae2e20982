/** GraphQL documents, and mutations by name with the types of the merchant's contract. */
import { ONCE, REFUSAL } from './generated/facts.ts';
import type { Mutations, Refusal as PayloadRefusal } from './generated/graphql.ts';
import { type Gateway, readValue } from './http.ts';
import { type Refusal, Refused, refuse, type TopError } from './refusal.ts';
import type { Arguments, ReadOptions } from './rest.ts';
import { underKey, withRetries } from './retry.ts';

/** Variables of an operation. */
export type Variables = Readonly<Record<string, unknown>>;

/** A document that knows its types, as GraphQL Code Generator makes them with `documentMode: 'string'`. Its text comes from `toString`. */
export interface TypedDocument<Result, Input> {
  toString(): string;
  /** A parsed document, which gql.tada and other modes make, has no text: `print` of `graphql` gives it. */
  readonly kind?: never;
  readonly __apiType?: (variables: Input) => Result;
}

/** Fields of a type that can be selected. */
export type Fields<Type> =
  NonNullable<Type> extends readonly (infer Item)[]
    ? Fields<Item>
    : NonNullable<Type> extends object
      ? { readonly [Name in keyof NonNullable<Type>]?: Fields<NonNullable<Type>[Name]> }
      : true;

/** A selection without names that the type does not have. */
export type Only<Selection, Allowed> = {
  readonly [Name in keyof Selection]: Name extends keyof NonNullable<Allowed>
    ? Selection[Name] extends true
      ? true
      : Only<Selection[Name], NonNullable<Allowed>[Name]>
    : never;
};

/** Result type of a selection. */
export type Selected<Type, Selection> = Type extends readonly (infer Item)[]
  ? readonly Selected<Item, Selection>[]
  : Type extends object
    ? { readonly [Name in keyof Selection & keyof Type]: Selected<Type[Name], Selection[Name]> }
    : Type;

/** Payload of a mutation that was done: its objects are there. */
export type Done<Payload, Selection> = {
  readonly [Name in keyof Selection & keyof Payload]: NonNullable<Payload[Name]> extends readonly unknown[]
    ? Selected<Payload[Name], Selection[Name]>
    : NonNullable<Payload[Name]> extends object
      ? Selected<NonNullable<Payload[Name]>, Selection[Name]>
      : Payload[Name];
};

type Selectable<Name extends keyof Mutations> = Omit<
  Fields<Mutations[Name]['payload']>,
  'errors' | '__typename'
>;

/** GraphQL. */
export interface Graphql {
  /**
   * Variables of an input that takes an `idempotencyKey` get one, and requests whose mutations all have one are repeated.
   *
   * @returns the data. Refusals in payloads are data: select `errors`, and give the payload to `accepted`.
   * @throws {Refused} for a top-level error, and when a repeated mutation is still refused with `WAIT`.
   */
  graphql<Result, Input = Variables>(
    document: string | TypedDocument<Result, Input>,
    ...args: Arguments<Input, ReadOptions>
  ): Promise<Result>;
  /** @returns the members of the payload that `select` names. @throws {Refused} for `errors` of the payload. */
  mutate<Name extends keyof Mutations, const Selection extends Selectable<Name>>(
    name: Name,
    input: Mutations[Name]['input'],
    select: Selection & Only<Selection, Selectable<Name>>,
    options?: ReadOptions,
  ): Promise<Done<Mutations[Name]['payload'], Selection>>;
}

interface Payload {
  readonly errors?: readonly PayloadRefusal[];
}

/** @returns the GraphQL interface of a gateway. */
export function graphqlOf(gateway: Gateway): Graphql {
  const execute = async (document: string, values: Variables, { signal }: ReadOptions) => {
    const { variables, keys, isSafe } = underKeys(document, values);
    const call = { path: '/graphql', body: { query: document, variables }, signal };
    const attempt = async () => {
      const { data, errors } = await readValue(gateway, call, answerOf);
      refuse(errors);
      // Every mutation has a key, so that those that were done already are not done again.
      if (isSafe && keys.length > 0)
        for (const payload of Object.values(data ?? {}))
          if (payload?.errors?.some(({ action }) => action === 'WAIT')) accepted(payload);
      return data ?? {};
    };
    const run = () => withRetries(attempt, { ...gateway, isSafe, signal });
    return keys.length === 1 ? underKey(keys[0] as string, run) : run();
  };
  return {
    graphql: async (document: object | string, variables: unknown = {}, options: ReadOptions = {}) =>
      (await execute(String(document), variables as Variables, options)) as never,
    mutate: async (name, input, select, options = {}) => {
      const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
      const document = `mutation($input: ${type}!) { ${name}(input: $input) { ${selectionOf(select)} errors { ${REFUSAL} } } }`;
      const data = await execute(document, { input }, options);
      return accepted((data as Readonly<Record<string, Payload>>)[name] as Payload) as never;
    },
  };
}

/** @returns the payload, which was done. @throws {Refused} its `errors`. */
export function accepted<Input extends Payload>(payload: Input): Omit<Input, 'errors'> {
  const { errors = [], ...done } = payload;
  const [first, ...others] = errors as readonly Refusal[];
  if (!first) return done;
  throw new Refused([first, ...others], ('retryAfter' in first && first.retryAfter) || undefined);
}

interface Answer {
  readonly data?: Readonly<Record<string, Payload | null>> | null;
  readonly errors?: readonly TopError[];
}

/** @throws {Error} for a text that is no answer of GraphQL. */
function answerOf(text: string): Answer {
  const answer = JSON.parse(text);
  if ('data' in answer || 'errors' in answer) return answer;
  throw new TypeError('no answer of GraphQL');
}

const NOT_CODE = /"""[\s\S]*?"""|"(?:\\.|[^"\\])*"|#.*/g;

/** Gives each input that takes an idempotency key one, and finds out whether all mutations of the document have such an input. */
function underKeys(
  document: string,
  values: Variables,
): { variables: Variables; keys: readonly string[]; isSafe: boolean } {
  const code = document.replace(NOT_CODE, '""');
  if (!/\bmutation\b/.test(code)) return { variables: values, keys: [], isSafe: true };
  const inputs = [...code.matchAll(/(?<!\$)\binput\s*:\s*\$?(\w*)/g)].map(([, name = '']) => name);
  const variables: Record<string, unknown> = { ...values };
  const keys = new Map<string, string>();
  for (const [, name = '', type = ''] of code.matchAll(/\$(\w+)\s*:\s*(\w+)/g)) {
    const input = values[name] as { readonly idempotencyKey?: string | null } | undefined;
    if (!ONCE.test(type) || !input) continue;
    const idempotencyKey = input.idempotencyKey ?? crypto.randomUUID();
    variables[name] = { ...input, idempotencyKey };
    keys.set(name, idempotencyKey);
  }
  // Each mutation takes one input; a variable of two mutations would give both the same key.
  const isSafe = inputs.length === keys.size && inputs.every((name) => keys.has(name));
  return { variables, keys: [...keys.values()], isSafe };
}

/** @returns a selection as GraphQL writes it. */
function selectionOf(select: object): string {
  return Object.entries(select)
    .map(([name, value]) => (value === true ? name : value ? `${name} { ${selectionOf(value)} }` : ''))
    .join(' ');
}
