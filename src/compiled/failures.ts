/** The errors of one execution: each once, and none below a place that has become null already. */
import {
  type FieldNode,
  type GraphQLError,
  locatedError,
  type ResponsePath,
  responsePathAsArray,
} from 'graphql';

/** Where in an answer a value stands; undefined for the whole of it. */
export type Path = ResponsePath | undefined;

/** @returns an error that says where it happened; one that says so already, as it is. */
export function placed(error: unknown, nodes: readonly FieldNode[], path: Path): GraphQLError {
  return locatedError(error, nodes, responsePathAsArray(path));
}

/** Collects errors of places that may be null. */
export class Failures {
  readonly errors: GraphQLError[] = [];
  /** How many were told, with those that are not listed. */
  told = 0;
  readonly #nulled = new Set<Path>();

  /** The place becomes null because of the error. */
  add(error: GraphQLError, path: Path): void {
    this.told += 1;
    for (let place = path; ; place = place.prev) {
      if (this.#nulled.has(place)) return;
      if (place === undefined) break;
    }
    this.#nulled.add(path);
    this.errors.push(error);
  }
}
