/** Executes the documents of screens and actions, with the rights of the session. */
import {
  ERRORS,
  type ErrorCode,
  GatewayError,
  invalidParameters,
  type Violation,
} from '../base/errors/errors.ts';
import type { Operation } from './operations.ts';

/** Variables of an operation. */
export type Variables = Readonly<Record<string, unknown>>;

/** An answer in the form of GraphQL over HTTP. */
export interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: Readonly<Record<string, unknown>>;
  }[];
}

/** Executes a document on the published schema as the session's person. Variables that the server supplies. */
export type Execute = (operation: Pick<Operation, 'name' | 'text'>, variables: Variables) => Promise<Answer>;

/** A reason for refusal in the payload of a mutation, as `RefusalParts` selects it. */
interface RefusedInPayload {
  readonly code: unknown;
  readonly message: string;
  readonly path: string | null;
  readonly retryAfter?: number | null;
}

/** Payload of a mutation: its object, and the reasons of a refusal. */
type Payload = Readonly<Record<string, unknown>> & { readonly errors?: readonly RefusedInPayload[] };

/**
 * @returns the data of an answer without errors.
 * @throws {GatewayError} the first error of the answer, or the refusal of its mutation.
 */
export async function dataOf<Data>(
  execute: Execute,
  operation: Operation,
  variables: Variables,
): Promise<Data> {
  const { data, errors } = await execute(operation, variables);
  if (errors?.[0]) throw refusalOf(errors[0]);
  const refused = operation.isMutation ? payloadOf(operation, data).errors : undefined;
  if (refused?.[0]) throw refusalIn(refused);
  return data as Data;
}

/** @returns the object in the payload of a successful mutation. */
export function resultOf(operation: Operation, data: unknown): unknown {
  const { errors: _errors, ...members } = payloadOf(operation, data);
  return Object.values(members)[0] ?? null;
}

function payloadOf({ field }: Operation, data: unknown): Payload {
  return (data as Readonly<Record<string, Payload>> | null)?.[field] ?? {};
}

/** The error that the payload describes, with all bad members of the input. */
function refusalIn(refused: readonly RefusedInPayload[]): GatewayError {
  const violations = refused.flatMap(({ path, message, code }) =>
    path === null ? [] : [{ parameter: path, message, ...(isCode(code) && { code }) }],
  );
  if (violations.length > 0) return invalidParameters(violations);
  const [{ code, message, retryAfter }] = refused as readonly [RefusedInPayload];
  return refusalOf({ message, extensions: { code, retryAfter } });
}

function refusalOf({ message, extensions = {} }: NonNullable<Answer['errors']>[number]): GatewayError {
  const { code, violations, retryAfter } = extensions;
  return new GatewayError(isCode(code) ? code : 'INTERNAL', message, {
    violations: Array.isArray(violations) ? (violations as Violation[]) : [],
    ...(typeof retryAfter === 'number' && { retryAfter }),
  });
}

function isCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code);
}
