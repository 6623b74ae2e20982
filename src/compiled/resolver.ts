/** Values of fields: calls their resolvers with only the parameters that they declare. */
import { defaultFieldResolver, type FieldNode, type GraphQLField, type ResponsePath } from 'graphql';
import type { Failures, Path } from './failures.ts';
import { FieldInfo, type Site } from './info.ts';
import { argumentCoercer } from './inputs.ts';
import type { Variables } from './selection.ts';

/** One execution of an operation. */
export interface Run {
  readonly contextValue: unknown;
  readonly variables: Variables;
  readonly failures: Failures;
  /** By what writes objects: the last one that it has written, and its text. */
  readonly written: Map<unknown, { readonly source: unknown; readonly text: string }>;
}

/** For resolvers that take none. */
export const NO_ARGUMENTS = Object.freeze({});
/** Object, arguments, context, and information about the field and its position. */
const RESOLVER_PARAMETERS = 4;
/** For resolvers that do not take it. */
export const NO_INFO = undefined as never;

/** Calls the resolver of a field. */
export type Resolve = (source: unknown, run: Run, parent: Path, path?: ResponsePath) => unknown;

/** @returns the resolver of a field, or what graphql-js has in its place. */
export function resolverOf(site: Site): Resolve {
  const { field, nodes } = site;
  const { resolve = defaultFieldResolver } = field;
  const infoOf = (run: Run, parent: Path, path?: ResponsePath) =>
    new FieldInfo(site, run.variables, parent, path);
  if (field.args.length > 0) {
    const coerce = argumentCoercer(field, nodes[0] as FieldNode);
    return (source, run, parent, path) =>
      resolve(source, coerce(run.variables), run.contextValue, infoOf(run, parent, path));
  }
  if (resolve === defaultFieldResolver) return memberResolver(field.name, infoOf);
  const ofObject = objectResolver(field);
  if (ofObject) return (source, run) => ofObject(source, NO_ARGUMENTS, run.contextValue, NO_INFO);
  return (source, run, parent, path) =>
    resolve(source, NO_ARGUMENTS, run.contextValue, infoOf(run, parent, path));
}

/**
 * @returns the resolver of a field that depends on its object alone; most do, without the information about the
 *   position.
 */
export function objectResolver({ resolve, args }: GraphQLField<unknown, unknown>) {
  return resolve && args.length === 0 && resolve.length < RESOLVER_PARAMETERS ? resolve : undefined;
}

/** As `defaultFieldResolver` does it. */
function memberResolver(
  name: string,
  infoOf: (run: Run, parent: Path, path?: ResponsePath) => FieldInfo,
): Resolve {
  return (source, run, parent, path) => {
    if ((typeof source !== 'object' && typeof source !== 'function') || source === null) return undefined;
    const value = (source as Record<string, unknown>)[name];
    return typeof value === 'function'
      ? value.call(source, NO_ARGUMENTS, run.contextValue, infoOf(run, parent, path))
      : value;
  };
}
