/** Queries that are executed by functions made for them, which write the answer as JSON text (docs/decisions/0045). */
import {
  type DocumentNode,
  execute,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { utf8Text } from '../base/text/utf8-text.ts';
import { Failures } from './failures.ts';
import { variableCoercer } from './inputs.ts';
import { mentions } from './mentions.ts';
import { Plan } from './plan.ts';
import { type CompiledOperation, directiveVariables, type Variables } from './selection.ts';

/** Response of an operation. A response without data was refused before execution. */
export interface Answer {
  /** JSON text, each character a byte of UTF-8. */
  readonly data?: string | undefined;
  readonly errors?: readonly GraphQLError[] | undefined;
}

/** A compiled operation. */
export interface Operation {
  /** Executes it with a context, and with variables as they were given. */
  readonly execute: Execute;
  /** Whether a response can contain this key, in the data or in objects up to this depth; lists are left out. */
  readonly mentions: (key: string, depth: number) => boolean;
}

type Execute = (contextValue: unknown, variables: Record<string, unknown>) => Promise<Answer>;

/**
 * Maximum number of variables in directives. A query with more is executed without plans, because each combination of
 * their values would need one.
 */
const DIRECTIVE_VARIABLES_MAX = 4;

/**
 * @param document - valid for the schema.
 * @param operation - a query of the document.
 * @param grow - is called with the number of fields whenever the operation caches more of them.
 */
export function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  grow: (fields: number) => void,
): Operation {
  const compiled = { schema, operation, fragments: fragmentsOf(document) };
  const used = directiveVariables(compiled);
  const mentioned = new Map<string, boolean>();
  const isPlanned = used.length <= DIRECTIVE_VARIABLES_MAX && !hasTypeTests(schema);
  return {
    execute: isPlanned ? planned(compiled, used, grow) : interpreted(compiled, document),
    mentions: (key, depth) => {
      const question = `${key} ${depth}`;
      const known = mentioned.get(question) ?? mentions(compiled, key, depth);
      mentioned.set(question, known);
      return known;
    },
  };
}

function planned(
  compiled: CompiledOperation,
  used: readonly string[],
  grow: (fields: number) => void,
): Execute {
  const { schema, operation } = compiled;
  const planOf = plans(compiled, used, grow);
  const coerce = variableCoercer(schema, operation);
  return async (contextValue, input) => {
    const { coerced, errors } = coerce(input);
    if (errors) return { errors };
    const variables = coerced as Variables;
    const failures = new Failures();
    let data: string;
    try {
      data = await planOf(variables).write({ contextValue, variables, failures, written: new Map() });
    } catch (error) {
      failures.add(error as GraphQLError, undefined);
      data = 'null';
    }
    return failures.errors.length > 0 ? { errors: failures.errors, data } : { data };
  };
}

function fragmentsOf({ definitions }: DocumentNode): Record<string, FragmentDefinitionNode> {
  const fragments = Object.create(null);
  for (const definition of definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  return fragments;
}

/** Types that test their values are left to graphql-js. */
function hasTypeTests(schema: GraphQLSchema): boolean {
  return Object.values(schema.getTypeMap()).some((type) => isObjectType(type) && type.isTypeOf);
}

/** A plan for each set of values of the variables that directives use. */
function plans(compiled: CompiledOperation, used: readonly string[], grow: (fields: number) => void) {
  const made = new Map<string, Plan>();
  return (variables: Variables): Plan => {
    // Values are booleans, null, or missing.
    const key = used.map((name) => String(variables[name])).join();
    let plan = made.get(key);
    if (!plan) {
      const values = used.filter((name) => name in variables).map((name) => [name, variables[name]]);
      plan = new Plan(compiled, Object.fromEntries(values), grow);
      made.set(key, plan);
    }
    return plan;
  };
}

function interpreted({ schema, operation }: CompiledOperation, document: DocumentNode): Execute {
  return async (contextValue, variableValues) => {
    const { data, errors } = await execute({
      schema,
      document,
      contextValue,
      variableValues,
      operationName: operation.name?.value ?? null,
    });
    return { ...(errors && { errors }), ...(data !== undefined && { data: utf8Text(JSON.stringify(data)) }) };
  };
}
