/** Errors of an answer of GraphQL, and the refusals in the payloads of its mutations, in one form. */
import { type ErrorCode, invalidParameters } from '../../src/base/errors/errors.ts';

/** A refusal in a payload, as tests ask for it. */
interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly path: string | null;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Any = any;

/** @returns the errors of the whole answer, then one for each refused mutation with all bad members of its input; undefined where there is none. */
export function errorsIn({ data, errors = [] }: Any): Any {
  const refused = Object.entries<Any>(data ?? {}).flatMap(([key, payload]) =>
    Array.isArray(payload?.errors) && payload.errors.length > 0 ? [errorOf(key, payload.errors)] : [],
  );
  const all = [...errors, ...refused];
  return all.length > 0 ? all : undefined;
}

/** @returns the objects of the payloads, for an operation in which nothing was done: null each. */
export function doneIn(data: Any): Any[] {
  return Object.values<Any>(data ?? {})
    .flatMap((payload) =>
      Array.isArray(payload?.errors)
        ? Object.entries<Any>(payload).flatMap(([name, value]) =>
            name === 'errors' || name === 'replayed' || value === false ? [] : [value],
          )
        : [payload],
    )
    .filter((value) => value !== null);
}

function errorOf(key: string, refusals: readonly Refusal[]): Any {
  const violations = refusals.flatMap(({ path, message, code }) =>
    typeof path === 'string' ? [{ parameter: path, message, code }] : [],
  );
  if (violations.length === 0) {
    const [{ message, path: _path, ...rest }] = refusals as readonly [Refusal];
    return { message, path: [key], extensions: rest };
  }
  const { code, message } = invalidParameters(violations);
  const shown = violations.map(({ parameter, message }) => ({ parameter, message }));
  return { message, path: [key], extensions: { code, violations: shown } };
}
