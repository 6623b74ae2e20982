/**
 * The writers of an operation: functions that write the values of its fields as JSON text. An operation gets its
 * writers when it first meets a type. They follow the algorithm of graphql-js, so that values, nulls and errors are
 * the same.
 */
import {
  defaultTypeResolver,
  type FieldNode,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type ResponsePath,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import { quotedUtf8 } from '../base/text/quoted.ts';
import { Failures, type Path, withPosition } from './failures.ts';
import { FieldInfo, pathOf, type Site } from './info.ts';
import { isOfTexts, type LeafText, leafText } from './leaf.ts';
import { NO_ARGUMENTS, NO_INFO, objectResolver, type Resolve, type Run, resolverOf } from './resolver.ts';
import { runtimeType } from './runtime-type.ts';
import { type CompiledOperation, fieldsOf, type Variables } from './selection.ts';
import { isPromise, objectWriter, type Text, writeList } from './text.ts';

/** Writes a value that stands at this place. */
type Write = (value: unknown, run: Run, path: ResponsePath) => Text;
/** Writes the fields of an object at this place. */
type WriteFields = (source: unknown, run: Run, path: Path) => Text;

/** The writers of one operation under one set of values of its directives. */
export class Plan {
  readonly #compiled: CompiledOperation;
  readonly #directives: Variables;
  readonly #grow: (fields: number) => void;
  readonly #objects = new Map<string, WriteFields>();
  readonly #leaves = new Map<unknown, LeafText>();
  readonly #numbers = new Map<SelectionSetNode, number>();
  #root: WriteFields | undefined;

  /**
   * @param directives - values of the variables that directives use.
   * @param grow - is called with the number of additional cached fields.
   */
  constructor(compiled: CompiledOperation, directives: Variables, grow: (fields: number) => void) {
    this.#compiled = compiled;
    this.#directives = directives;
    this.#grow = grow;
  }

  /** Writes the data of the operation. Throws, or rejects, when the whole data is null. */
  write(run: Run): Text {
    const { schema, operation } = this.#compiled;
    this.#root ??= this.#object(schema.getQueryType() as GraphQLObjectType, [operation.selectionSet]);
    return this.#root(undefined, run, undefined);
  }

  /** The same selections of the same type are written by the same function, wherever they stand. */
  #object(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): WriteFields {
    const name = `${type.name} ${sets.map((set) => this.#numberOf(set)).join(' ')}`;
    let write = this.#objects.get(name);
    if (!write) {
      const fields = this.#fields(type, sets);
      write = objectWriter(fields.map(({ site, write: of }) => [site.key, of]));
      if (fields.every(({ site }) => isPlain(site))) write = remembered(write);
      else if (isOfItself(type)) write = sharedInRun(write);
      this.#objects.set(name, write);
    }
    return write;
  }

  #numberOf(set: SelectionSetNode): number {
    const known = this.#numbers.get(set) ?? this.#numbers.size;
    this.#numbers.set(set, known);
    return known;
  }

  #fields(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): WrittenSite[] {
    const found: WrittenSite[] = [];
    for (const [key, nodes] of fieldsOf(this.#compiled, type, sets, this.#directives)) {
      const field = this.#definition(type, (nodes[0] as FieldNode).name.value);
      const site = field && { compiled: this.#compiled, key, nodes, parentType: type, field };
      if (site) found.push({ site, write: this.#field(site) });
    }
    this.#grow(found.length);
    return found;
  }

  #definition(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
    if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
    if (type === this.#compiled.schema.getQueryType()) {
      if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
      if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
    }
    return type.getFields()[name];
  }

  #field(site: Site): WriteFields {
    const { field, parentType } = site;
    if (field === TypeNameMetaFieldDef) {
      const name = JSON.stringify(parentType.name);
      return () => name;
    }
    const resolve = resolverOf(site);
    if (isLeafType(getNullableType(field.type))) return this.#leafField(site, resolve);
    const complete = guarded(site, field.type, this.#value(site, field.type));
    return (source, run, parent) => {
      const path = pathOf(site, parent);
      let value: unknown;
      try {
        value = resolve(source, run, parent, path);
      } catch (error) {
        return nulled(site, field.type, error, run, path);
      }
      return isPromise(value)
        ? value.then(
            (found) => complete(found, run, path),
            (error) => nulled(site, field.type, error, run, path),
          )
        : complete(value, run, path);
    };
  }

  /** Most fields are leaves: their place is of interest only when something goes wrong. */
  #leafField(site: Site, resolve: Resolve): WriteFields {
    const { type } = site.field;
    const write = this.#value(site, type) as (value: unknown) => string;
    const failed = (error: unknown, run: Run, parent: Path) =>
      nulled(site, type, error, run, pathOf(site, parent));
    const complete = (value: unknown, run: Run, parent: Path): string => {
      try {
        return write(value);
      } catch (error) {
        return failed(error, run, parent);
      }
    };
    const writeAny = (value: unknown, run: Run, parent: Path): Text =>
      isPromise(value)
        ? value.then(
            (found) => complete(found, run, parent),
            (error) => failed(error, run, parent),
          )
        : write(value);
    const ofObject = objectResolver(site.field);
    const leaf = getNullableType(type) as GraphQLLeafType;
    // Most are texts that their object has, and are written without a step between.
    if (ofObject && isOfTexts(leaf))
      return (source, run, parent) => {
        try {
          const value = ofObject(source, NO_ARGUMENTS, run.contextValue, NO_INFO);
          return typeof value === 'string' ? quotedUtf8(value) : writeAny(value, run, parent);
        } catch (error) {
          return failed(error, run, parent);
        }
      };
    return (source, run, parent) => {
      try {
        return writeAny(resolve(source, run, parent), run, parent);
      } catch (error) {
        return failed(error, run, parent);
      }
    };
  }

  /** Writes a value of a type; its error belongs to the nearest nullable position around it. */
  #value(site: Site, type: GraphQLOutputType): Write {
    if (isNonNullType(type)) {
      const inner = this.#present(site, type.ofType);
      const { parentType, field } = site;
      return (value, run, path) => {
        if (value == null)
          throw new Error(`Cannot return null for non-nullable field ${parentType.name}.${field.name}.`);
        return inner(value, run, path);
      };
    }
    const inner = this.#present(site, type);
    return (value, run, path) => (value == null ? 'null' : inner(value, run, path));
  }

  /** Writes a value that is not null. */
  #present(site: Site, type: GraphQLOutputType): Write {
    if (isLeafType(type)) {
      const known = this.#leaves.get(type) ?? leafText(type);
      this.#leaves.set(type, known);
      return known;
    }
    if (isListType(type)) return this.#list(site, type.ofType);
    const sets = site.nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    if (isObjectType(type)) {
      let write: WriteFields | undefined;
      return (value, run, path) => {
        if (value instanceof Error) throw value;
        write ??= this.#object(type, sets);
        return write(value, run, path);
      };
    }
    return this.#abstract(site, type as GraphQLAbstractType, sets);
  }

  #list(site: Site, type: GraphQLOutputType): Write {
    const item = guarded(site, type, this.#value(site, type));
    return (value, run, path) => {
      if (value instanceof Error) throw value;
      const items = Array.isArray(value) ? value : iterated(site, value);
      return writeList(items, (each, index) => {
        const at = { prev: path, key: index, typename: undefined };
        return isPromise(each)
          ? each.then(
              (found) => item(found, run, at),
              (error) => nulled(site, type, error, run, at),
            )
          : item(each, run, at);
      });
    };
  }

  #abstract(site: Site, type: GraphQLAbstractType, sets: readonly SelectionSetNode[]): Write {
    const resolveType = type.resolveType ?? defaultTypeResolver;
    const writers = new Map<unknown, WriteFields>();
    const write = (name: unknown, value: unknown, run: Run, path: ResponsePath): Text => {
      let known = writers.get(name);
      if (!known) {
        known = this.#object(runtimeType(site, type, name, value), sets);
        writers.set(name, known);
      }
      return known(value, run, path);
    };
    return (value, run, path) => {
      if (value instanceof Error) throw value;
      const name = resolveType(
        value,
        run.contextValue,
        new FieldInfo(site, run.variables, path.prev, path),
        type,
      );
      return isPromise(name)
        ? name.then((found) => write(found, value, run, path))
        : write(name, value, run, path);
    };
  }
}

interface WrittenSite {
  readonly site: Site;
  readonly write: WriteFields;
}

/** Whether the field is a member of its object, without a resolver of its own. */
function isPlain({ field }: Site): boolean {
  return field.resolve === undefined && isLeafType(getNullableType(field.type));
}

/** Constant values, such as a label of a template, are written once. */
function remembered(write: WriteFields): WriteFields {
  const texts = new WeakMap<object, string>();
  return (source, run, path) => {
    const known = texts.get(source as object);
    if (known !== undefined) return known;
    if (typeof source !== 'object' || source === null || !Object.isFrozen(source))
      return write(source, run, path);
    const failures = new Failures();
    const text = write(source, { ...run, failures }, path);
    if (typeof text !== 'string' || failures.errors.length > 0) return write(source, run, path);
    texts.set(source, text);
    return text;
  };
}

/** Whether the output depends only on the object and the execution, not on its position or arguments. */
function isOfItself(type: GraphQLObjectType, around: readonly GraphQLObjectType[] = []): boolean {
  return Object.values(type.getFields()).every((field) => {
    if (field.args.length > 0 || (field.resolve && !objectResolver(field))) return false;
    const of = getNullableType(field.type);
    if (isLeafType(of)) return true;
    return isObjectType(of) && of !== type && !around.includes(of) && isOfItself(of, [...around, type]);
  });
}

/** Values that successive objects share, such as the ledger account of all lines of a page, are written once. */
function sharedInRun(write: WriteFields): WriteFields {
  return (source, run, path) => {
    const last = run.written.get(write);
    if (last && last.source === source) return last.text;
    const { reported } = run.failures;
    const text = write(source, run, path);
    // An error names its position, so it must be found anew at each one.
    if (typeof text === 'string' && run.failures.reported === reported)
      run.written.set(write, { source, text });
    return text;
  };
}

/**
 * @returns the same writer, whose errors make its position null, or the position around it where the type may not be
 *   null.
 */
function guarded(site: Site, type: GraphQLOutputType, write: Write): Write {
  return (value, run, path) => {
    try {
      const text = write(value, run, path);
      return typeof text === 'string'
        ? text
        : text.then(undefined, (error) => nulled(site, type, error, run, path));
    } catch (error) {
      return nulled(site, type, error, run, path);
    }
  };
}

/** @throws {GraphQLError} when the type may not be null. */
function nulled(site: Site, type: GraphQLOutputType, error: unknown, run: Run, path: Path): string {
  const failure = withPosition(error, site.nodes, path);
  if (isNonNullType(type)) throw failure;
  run.failures.add(failure, path);
  return 'null';
}

/** @throws {GraphQLError} when the value is no list. */
function iterated({ parentType, field }: Site, value: unknown): unknown[] {
  if (typeof value === 'object' && value !== null && Symbol.iterator in value)
    return [...(value as Iterable<unknown>)];
  throw new GraphQLError(
    `Expected Iterable, but did not find one for field "${parentType.name}.${field.name}".`,
  );
}
