/** Information about its field that a resolver may ask for, built from the plan and the position. */
import type {
  FieldNode,
  GraphQLField,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLResolveInfo,
  ResponsePath,
} from 'graphql';
import type { Path } from './failures.ts';
import type { CompiledOperation, Variables } from './selection.ts';

/** A field of a type of object, as an operation asks for it. */
export interface Site {
  readonly compiled: CompiledOperation;
  /** The name in the answer. */
  readonly key: string;
  readonly nodes: readonly FieldNode[];
  readonly parentType: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
}

/** @returns the position of an object's field, given the position of the object. */
export function pathOf({ key, parentType }: Site, prev: Path): ResponsePath {
  return { prev, key, typename: parentType.name };
}

/** Hardly anyone asks, so nothing is copied. */
export class FieldInfo implements GraphQLResolveInfo {
  readonly #site: Site;
  readonly #parent: Path;
  #path: ResponsePath | undefined;
  readonly variableValues: Variables;

  /** @param path - the position, if it was computed already. */
  constructor(site: Site, variables: Variables, parent: Path, path?: ResponsePath) {
    this.#site = site;
    this.variableValues = variables;
    this.#parent = parent;
    this.#path = path;
  }

  get path(): ResponsePath {
    this.#path ??= pathOf(this.#site, this.#parent);
    return this.#path;
  }

  get rootValue(): undefined {
    return undefined;
  }

  get fieldName(): string {
    return this.#site.field.name;
  }

  get fieldNodes(): readonly FieldNode[] {
    return this.#site.nodes;
  }

  get returnType(): GraphQLOutputType {
    return this.#site.field.type;
  }

  get parentType(): GraphQLObjectType {
    return this.#site.parentType;
  }

  get schema() {
    return this.#site.compiled.schema;
  }

  get fragments() {
    return this.#site.compiled.fragments;
  }

  get operation() {
    return this.#site.compiled.operation;
  }
}
