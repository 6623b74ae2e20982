/** The errors of one execution: each once, and none below a place that has become null already. */
import {
  type FieldNode,
  type GraphQLError,
  locatedError,
  type ResponsePath,
  responsePathAsArray,
} from 'graphql';

/** Position of a value in a response; undefined for the whole response. */
export type Path = ResponsePath | undefined;

/** @returns an error with its position; unchanged when it has one already. */
export function withPosition(error: unknown, nodes: readonly FieldNode[], path: Path): GraphQLError {
  return locatedError(error, nodes, responsePathAsArray(path));
}

/** Collects errors of places that may be null. */
export class Failures {
  readonly errors: GraphQLError[] = [];
  /** Number of reported errors, including those that the list leaves out. */
  reported = 0;
  readonly #nulled = new Set<Path>();

  /** The place becomes null because of the error. */
  add(error: GraphQLError, path: Path): void {
    this.reported += 1;
    for (let at = path; ; at = at.prev) {
      if (this.#nulled.has(at)) return;
      if (at === undefined) break;
    }
    this.#nulled.add(path);
    this.errors.push(error);
  }
}
