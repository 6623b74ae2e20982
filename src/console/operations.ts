/** The published documents of the console: one for each screen and one for each action, from `documents/`. */
import { readdirSync, readFileSync } from 'node:fs';
import { type DocumentNode, Kind, type OperationDefinitionNode, parse, type TypeNode, visit } from 'graphql';

/** A variable of an operation. */
export interface Variable {
  readonly name: string;
  /** Its named type, such as `Decimal`. */
  readonly type: string;
  readonly isList: boolean;
  readonly isRequired: boolean;
}

/** A published operation: its text runs unchanged over `/graphql`. */
export interface Operation {
  readonly name: string;
  readonly text: string;
  readonly isMutation: boolean;
  /** The first field of the operation: for an action, its mutation. */
  readonly field: string;
  readonly variables: readonly Variable[];
}

const FOLDER = new URL('./documents/', import.meta.url);

/** All operations of the console by name. */
export const OPERATIONS: ReadonlyMap<string, Operation> = readOperations();

/** @returns the operation of this name. @throws {Error} when there is none: an error of the calling code. */
export function operationNamed(name: string): Operation {
  const operation = OPERATIONS.get(name);
  if (!operation) throw new Error(`the console has no document ${name}`);
  return operation;
}

function readOperations(): ReadonlyMap<string, Operation> {
  const texts = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => readFileSync(new URL(name, FOLDER), 'utf8'));
  const documents = texts.map((text) => parse(text));
  const fragments = new Map(
    documents.flatMap(({ definitions }) =>
      definitions.flatMap((each) =>
        each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, sourceOf(each)] as const] : [],
      ),
    ),
  );
  const operations = documents.flatMap(({ definitions }) =>
    definitions.flatMap((each) =>
      each.kind === Kind.OPERATION_DEFINITION ? [operationOf(each, fragments)] : [],
    ),
  );
  return new Map(operations.map((each) => [each.name, each]));
}

function operationOf(definition: OperationDefinitionNode, fragments: ReadonlyMap<string, string>): Operation {
  const [first] = definition.selectionSet.selections.filter((each) => each.kind === Kind.FIELD);
  const own = sourceOf(definition);
  const text = [own, ...usedFragments(own, fragments)].join('\n\n');
  return {
    name: definition.name?.value ?? '',
    text: `${text}\n`,
    isMutation: definition.operation === 'mutation',
    field: first?.name.value ?? '',
    variables: (definition.variableDefinitions ?? []).map(({ variable, type }) => ({
      name: variable.name.value,
      ...typeOf(type),
    })),
  };
}

/** The fragments that a text spreads, directly and indirectly, each once. */
function usedFragments(text: string, fragments: ReadonlyMap<string, string>): readonly string[] {
  const used = new Map<string, string>();
  const collect = (document: DocumentNode) =>
    visit(document, {
      FragmentSpread: ({ name }) => {
        const fragment = fragments.get(name.value);
        if (fragment === undefined || used.has(name.value)) return;
        used.set(name.value, fragment);
        collect(parse(fragment));
      },
    });
  collect(parse(text));
  return [...used.values()];
}

function sourceOf({
  loc,
}: {
  readonly loc?: { source: { body: string }; start: number; end: number };
}): string {
  return loc ? loc.source.body.slice(loc.start, loc.end) : '';
}

function typeOf(type: TypeNode): Omit<Variable, 'name'> {
  if (type.kind === Kind.NON_NULL_TYPE) return { ...typeOf(type.type), isRequired: true };
  if (type.kind === Kind.LIST_TYPE) return { type: typeOf(type.type).type, isList: true, isRequired: false };
  return { type: type.name.value, isList: false, isRequired: false };
}
