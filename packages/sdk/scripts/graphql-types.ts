/** TypeScript types of the merchant's GraphQL contract. */
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isUnionType,
} from 'graphql';

const SCALARS: Readonly<Record<string, string>> = {
  ID: 'string',
  String: 'string',
  Int: 'number',
  Float: 'number',
  Boolean: 'boolean',
  Date: 'string',
  DateTime: 'string',
  Decimal: 'string',
  JSONObject: 'Readonly<Record<string, unknown>>',
};
const ROOTS = ['Mutation', 'Query', 'Subscription'];

/** @returns the types as text: objects with `__typename`, interfaces as unions of their types, `@oneOf` inputs as unions of their members, and each mutation with input and payload. */
export function graphqlTypes(schema: GraphQLSchema): string {
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isScalarType(type) && !ROOTS.includes(type.name))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  const roots = ['Query', 'Subscription'].flatMap((name) => {
    const type = schema.getType(name);
    return type ? [objectOf(type, '')] : [];
  });
  return [...types.map((type) => declaration(schema, type)), ...roots, mutations(schema)].join('\n');
}

/** @returns the names of all inputs. */
export function inputNames(schema: GraphQLSchema): string[] {
  return Object.values(schema.getTypeMap())
    .filter(isInputObjectType)
    .map(({ name }) => name);
}

/** @returns the names of inputs that take an `idempotencyKey`. */
export function onceInputs(schema: GraphQLSchema): string[] {
  return Object.values(schema.getTypeMap())
    .filter((type) => isInputObjectType(type) && 'idempotencyKey' in type.getFields())
    .map(({ name }) => name)
    .toSorted();
}

/** @returns the selection of `errors` of a payload, with the facts of each type of refusal. */
export function refusalSelection(schema: GraphQLSchema): string {
  const refusal = schema.getType('Refusal');
  if (!isInterfaceType(refusal)) throw new Error('Refusal is an interface');
  const shared = Object.keys(refusal.getFields());
  const facts = schema.getPossibleTypes(refusal).flatMap((type) => {
    const own = Object.values(type.getFields()).filter(({ name }) => !shared.includes(name));
    return own.length > 0 ? [`... on ${type.name} { ${own.map(wholeOf).join(' ')} }`] : [];
  });
  return `__typename ${shared.join(' ')} ${facts.join(' ')}`;
}

/** Selects a field with all members of its object, so that its value has the generated type. */
function wholeOf({ name, type }: { readonly name: string; readonly type: GraphQLOutputType }): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return name;
  return `${name} { __typename ${Object.values(named.getFields()).map(wholeOf).join(' ')} }`;
}

function declaration(schema: GraphQLSchema, type: GraphQLNamedType): string {
  const doc = docOf(type.description);
  if (isEnumType(type)) {
    const values = type.getValues().map(({ name }) => `'${name}'`);
    return `${doc}export type ${type.name} = ${values.join(' | ')};`;
  }
  if (isInterfaceType(type) || isUnionType(type)) {
    const names = schema.getPossibleTypes(type).map(({ name }) => name);
    return `${doc}export type ${type.name} = ${names.join(' | ')};`;
  }
  return isInputObjectType(type) && type.isOneOf ? choiceOf(type, doc) : objectOf(type, doc);
}

/** A `@oneOf` input as a union: the compiler refuses two members. */
function choiceOf(type: GraphQLInputObjectType, doc: string): string {
  const fields = Object.values(type.getFields());
  const forms = fields.map(
    (chosen) =>
      `  | { ${fields.map((each) => `readonly ${each.name}${each === chosen ? `: ${presentText(each.type)}` : '?: undefined'}`).join('; ')} }`,
  );
  const lines = fields.map(
    ({ name, description }) => ` * - \`${name}\`: ${description?.replace(/\s+/g, ' ')}`,
  );
  const text = doc.replace('/** ', '/**\n * ').replace(' */\n', `\n${lines.join('\n')}\n */\n`);
  return `${text}export type ${type.name} =\n${forms.join('\n')};`;
}

function objectOf(type: GraphQLNamedType, doc: string): string {
  const lines: string[] = [];
  if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) {
      const isRequired = isNonNullType(field.type) && field.defaultValue === undefined;
      const optional = isRequired ? '' : '?';
      const text = `${typeText(field.type)}${isRequired ? '' : ' | undefined'}`;
      lines.push(`${docOf(field.description, '  ')}  readonly ${field.name}${optional}: ${text};`);
    }
  } else if (isObjectType(type)) {
    lines.push(`  readonly __typename: '${type.name}';`);
    for (const field of Object.values(type.getFields()))
      lines.push(`${docOf(field.description, '  ')}  readonly ${field.name}: ${typeText(field.type)};`);
  }
  return `${doc}export interface ${type.name} {\n${lines.join('\n')}\n}`;
}

function mutations(schema: GraphQLSchema): string {
  const fields = Object.values(schema.getMutationType()?.getFields() ?? {}).map((field) => {
    const [input] = field.args;
    if (input?.name !== 'input') throw new Error(`${field.name} takes one input`);
    return `${docOf(field.description, '  ')}  readonly ${field.name}: { readonly input: ${typeText(input.type)}; readonly payload: ${typeText(field.type)} };`;
  });
  return `/** Mutations by name, with input and payload. */\nexport interface Mutations {\n${fields.join('\n')}\n}`;
}

function typeText(type: GraphQLInputType | GraphQLOutputType): string {
  if (isNonNullType(type)) return presentText(type.ofType);
  return `${presentText(type)} | null`;
}

function presentText(type: GraphQLInputType | GraphQLOutputType): string {
  if (isListType(type)) return `readonly (${typeText(type.ofType)})[]`;
  const { name } = getNamedType(type);
  if (!isScalarType(type)) return name;
  const text = SCALARS[name];
  if (!text) throw new Error(`no TypeScript type for the scalar ${name}`);
  return text;
}

/** @returns a comment, or nothing without a description. */
export function docOf(text: string | null | undefined, indent = ''): string {
  return text ? `${indent}/** ${text.replaceAll('*/', '* /').replace(/\s+/g, ' ')} */\n` : '';
}
