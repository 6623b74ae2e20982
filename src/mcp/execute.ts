/** Executes the documents of tools on the published schema, with the rights of the caller's key. */

import { known } from '../base/errors/assert.ts';

/** A refusal as GraphQL over HTTP gives it. */
interface Failure {
  readonly message: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** An answer as GraphQL over HTTP gives it. */
export interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly Failure[];
}

/** Executes a document. The program that serves the tools gives it. */
export type Execute = (document: string, variables: Readonly<Record<string, unknown>>) => Promise<Answer>;

/** The gateway refused: the message says why, the code what kind of refusal. */
export class ToolRefusal extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** A reason for which a mutation was not done, as its payload has it. */
interface Refused {
  readonly code: string;
  readonly message: string;
  readonly path: string | null;
}

/**
 * @param call - `argumentOf`: the tool's name of a member of the input, for refusals; as GraphQL names it by default.
 * @returns the payload of a mutation that was done.
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

/** @returns the data of an answer. @throws {ToolRefusal} the first error of it. */
export async function dataOf<Data>(
  execute: Execute,
  document: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<Data> {
  const { data, errors } = await execute(document, variables);
  const [failure] = errors ?? [];
  if (failure) throw new ToolRefusal(failure.message, String(failure.extensions?.code ?? 'INTERNAL'));
  return data as Data;
}
