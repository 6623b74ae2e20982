/** How a screen gets its data and an act is done: by a published document, with the rights of the session. */
import { ERRORS, type ErrorCode, GatewayError, type Violation } from '../base/errors.ts';
import type { Operation } from './operations.ts';

/** Variables of an operation. */
export type Variables = Readonly<Record<string, unknown>>;

/** An answer as GraphQL over HTTP gives it. */
export interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: Readonly<Record<string, unknown>>;
  }[];
}

/** Executes a document on the published schema as the session's person. The server gives it. */
export type Execute = (operation: Pick<Operation, 'name' | 'text'>, variables: Variables) => Promise<Answer>;

/** @returns the data of an answer without errors. @throws {GatewayError} the first error of the answer. */
export async function dataOf<Data>(
  execute: Execute,
  operation: Operation,
  variables: Variables,
): Promise<Data> {
  const { data, errors } = await execute(operation, variables);
  if (errors?.[0]) throw refusalOf(errors[0]);
  return data as Data;
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
