/** Executes the documents of tools on the published schema, with the rights of the caller's key. */

import { known } from '../base/errors/assert.ts';
import { ERRORS } from '../base/errors/errors.ts';

/** A refusal in the form of GraphQL over HTTP. */
interface Failure {
  readonly message: string;
  readonly extensions?: {
    readonly code?: string;
    readonly violations?: readonly { readonly parameter: string; readonly message: string }[];
  };
}

/** An answer in the form of GraphQL over HTTP. */
export interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly Failure[];
}

/** Executes a document. Function that the program around the tools supplies. */
export type Execute = (document: string, variables: Readonly<Record<string, unknown>>) => Promise<Answer>;

/** The gateway refused: the message has the reason, the code the kind of refusal. */
export class ToolRefusal extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }

  /** Text that the model reads: the code, the reason and, for codes whose reason names no argument, the next step. */
  get text(): string {
    const known: { readonly title: string; readonly next?: string } | undefined =
      ERRORS[this.code as keyof typeof ERRORS];
    const isNamed = NAMED.includes(this.code);
    return `${this.code}: ${this.message}${known?.next && !isNamed ? `. ${known.next}` : ''}`;
  }
}

/** Codes whose reasons name the argument and its accepted form, or the scope. */
const NAMED: readonly string[] = ['INVALID_PARAMETER', 'CURRENCY_AMBIGUOUS', 'FORBIDDEN', 'STEP_CONFLICT'];

/** A reason in the payload of a mutation that was refused. */
interface Refused {
  readonly code: string;
  readonly message: string;
  readonly path: string | null;
}

/**
 * @param call - `argumentOf`: the tool's name of a member of the input, for refusals; by default the name in GraphQL.
 * @returns the payload of a successful mutation.
 * @throws {ToolRefusal} the first error of the answer, or of the payload.
 */
export async function payloadOf<Payload extends object>(
  execute: Execute,
  document: string,
  {
    mutation,
    input,
    argumentOf = (path) => path,
  }: {
    readonly mutation: string;
    readonly input: object;
    readonly argumentOf?: (path: string) => string;
  },
): Promise<Payload> {
  const data = await dataOf<Readonly<Record<string, Payload & { errors: readonly Refused[] }>>>(
    execute,
    document,
    { input },
  );
  const { errors, ...payload } = known(data[mutation], 'the payload of the mutation');
  const reasons = errors.map(({ path, message }) =>
    path === null ? message : `${argumentOf(path)}: ${message}`,
  );
  if (errors[0]) throw new ToolRefusal(reasons.join('; '), errors[0].code);
  return payload as unknown as Payload;
}

/**
 * @param argumentOf - the tool's name of a member of the input, for refusals; by default the name in GraphQL.
 * @returns the data of an answer.
 * @throws {ToolRefusal} the first error of the answer.
 */
export async function dataOf<Data>(
  execute: Execute,
  document: string,
  variables: Readonly<Record<string, unknown>>,
  argumentOf = (path: string) => path,
): Promise<Data> {
  const { data, errors } = await execute(document, variables);
  const [failure] = errors ?? [];
  if (failure) {
    const { code = 'INTERNAL', violations = [] } = failure.extensions ?? {};
    const reasons = violations.map(({ parameter, message }) => `${argumentOf(parameter)}: ${message}`);
    throw new ToolRefusal(reasons.join('; ') || failure.message, code);
  }
  return data as Data;
}
