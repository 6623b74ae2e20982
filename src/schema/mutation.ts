/** The one form of mutations: `name(input: NameInput!): NamePayload!` with the object and typed refusals (docs/decisions/0070). */
import type {
  InputFieldMap,
  InputShapeFromFields,
  MaybePromise,
  ObjectFieldsShape,
  SchemaTypes,
  ShapeFromTypeParam,
  TypeParam,
} from '@pothos/core';
import { queryFromInfo } from '@pothos/plugin-prisma';
import { isPlatformMutation } from '../base/access/actions.ts';
import { GatewayError } from '../base/errors/errors.ts';
import { VIOLATIONS_MAX } from '../base/errors/violations.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { PLATFORM_ONLY } from './platform-only.ts';
import { type Refused, refusalOf, refusedBy } from './refusal.ts';

/** The types for a builder of the schema. */
export type BuilderTypes =
  Builder extends PothosSchemaTypes.SchemaBuilder<infer Found extends SchemaTypes> ? Found : never;
type Types = BuilderTypes;
type InputFields = Parameters<Parameters<Builder['inputType']>[1]['fields']>[0];

/** Result of a mutation: its object, or the refusals. */
export type Outcome<Result> =
  | { readonly result: Result; readonly refused?: undefined; readonly isReplayed?: undefined }
  | {
      readonly result?: undefined;
      readonly refused: readonly Refused[];
      /** Whether the refusal is a stored one of an earlier request. */
      readonly isReplayed: boolean;
    };

interface MutationOptions<
  Type extends TypeParam<Types>,
  Fields extends InputFieldMap,
  Result = ShapeFromTypeParam<Types, Type, true>,
> {
  readonly description: string;
  /** Description of which merchants get only a part. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** Name, type and description of the member of the payload that has the object; a general description by default. */
  readonly result: readonly [noun: string, type: Type, description?: string];
  /** Description of the input; a default otherwise. */
  readonly inputDescription?: string;
  /** Members of the input. */
  readonly input: (t: InputFields) => Fields;
  /**
   * @param query - the selection of the object, for Prisma.
   * @throws {GatewayError} for errors that become refusals in the payload.
   */
  readonly resolve: (
    input: InputShapeFromFields<Fields>,
    context: GraphqlContext,
    query: () => object,
  ) => MaybePromise<Result>;
}

/** For a mutation whose resolver returns more than the object. */
interface More<Type extends TypeParam<Types>, Result> {
  readonly resultOf: (result: Result) => ShapeFromTypeParam<Types, Type, true>;
  /** Further members of the payload. */
  readonly more: ObjectFieldsShape<Types, Outcome<Result>>;
}

/** Defines a mutation whose resolver returns more than the object. */
export function defineMutation<Type extends TypeParam<Types>, Fields extends InputFieldMap, Result>(
  builder: Builder,
  name: string,
  options: MutationOptions<Type, Fields, Result> & More<Type, Result>,
): void;
/** Defines a mutation whose resolver returns only the object. */
export function defineMutation<Type extends TypeParam<Types>, Fields extends InputFieldMap>(
  builder: Builder,
  name: string,
  options: MutationOptions<Type, Fields>,
): void;
/** Defines a mutation with its input and its payload. */
export function defineMutation<Type extends TypeParam<Types>, Fields extends InputFieldMap, Result>(
  builder: Builder,
  name: string,
  options: MutationOptions<Type, Fields, Result> & Partial<More<Type, Result>>,
): void {
  const { description, inputDescription, result, input, resolve, extensions } = options;
  const [noun] = result;
  const type = builder.inputType(`${capitalized(name)}Input`, {
    description: inputDescription ?? `Input of \`${name}\`.`,
    fields: input,
  });
  const payload = definePayload(builder, name, options);
  builder.mutationField(name, (t) =>
    t.field({
      type: payload,
      description,
      ...(isPlatformMutation(name) ? PLATFORM_ONLY : extensions && { extensions }),
      args: { input: t.arg({ type, required: true, description: 'Members of the mutation.' }) },
      resolve: async (_root, args, context, info): Promise<Outcome<Result>> => {
        const query = () => queryFromInfo({ context, info, path: [noun] });
        try {
          return {
            result: await resolve((args as { input: InputShapeFromFields<Fields> }).input, context, query),
          };
        } catch (error) {
          return refusedFor(error, context);
        }
      },
    }),
  );
}

function definePayload<Type extends TypeParam<Types>, Fields extends InputFieldMap, Result>(
  builder: Builder,
  name: string,
  {
    result: [noun, type, described = 'Result of the mutation'],
    resultOf,
    more,
  }: MutationOptions<Type, Fields, Result> & Partial<More<Type, Result>>,
) {
  const payload = builder.objectRef<Outcome<Result>>(`${capitalized(name)}Payload`).implement({
    description: `Result of \`${name}\`, or its refusals.`,
    fields: (t) => ({
      [noun]: t.field({
        type,
        nullable: true,
        description: `${described}; null after a refusal.`,
        resolve: ({ result }) =>
          (result === undefined || !resultOf ? (result ?? null) : resultOf(result)) as never,
      }),
      errors: t.field({
        type: [refusalOf(builder)],
        description: `Refusals, one for each bad member of the input, at most ${VIOLATIONS_MAX}; empty if the mutation was executed.`,
        // Usually one.
        complexity: { field: 1, multiplier: 1 },
        resolve: ({ refused }) => refused ?? [],
      }),
    }),
  });
  if (more) builder.objectFields(payload, more);
  return payload;
}

/** @throws {unknown} the error, unless a payload can have it. */
function refusedFor(error: unknown, { noteRefusal }: GraphqlContext): Outcome<never> {
  const refused = error instanceof GatewayError ? refusedBy(error) : undefined;
  if (!refused) throw error;
  const { code, isReplayed } = error as GatewayError;
  noteRefusal?.(code);
  return { refused, isReplayed };
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
