/** The reference of GraphQL, drawn from the schema: what can be asked, and a page for each type. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { type DocPage, docPath } from './doc-page.ts';
import { renderTwice } from './markdown.ts';
import { cell, code, table } from './markdown-parts.ts';

const PATH = 'api/graphql';

/** @returns the page of all operations, and one for each type, each drawn when it is asked for. */
export function* graphqlReference(schema: GraphQLSchema): Generator<DocPage> {
  const roots = [
    ['Queries', schema.getQueryType()],
    ['Mutations', schema.getMutationType()],
    ['Subscriptions', schema.getSubscriptionType()],
  ] as const;
  const isRoot = (type: GraphQLNamedType) => roots.some(([, root]) => root === type);
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !type.name.startsWith('__') && !isRoot(type))
    .sort((a, b) => a.name.localeCompare(b.name));
  const index = `# GraphQL reference

All that \`/graphql\` answers, drawn from the schema of this gateway. How it is used stands in
[GraphQL](${docPath('graphql')}).

${roots.map(([title, root]) => (root ? `## ${title}\n\n${fieldsText(Object.values(root.getFields()))}` : '')).join('\n')}
## Types

${types.map(({ name }) => `[${name}](${docPath(`${PATH}/${name}`)})`).join(' · ')}
`;
  yield page(PATH, index, 'reference');
  for (const type of types) yield page(`${PATH}/${type.name}`, typeText(schema, type), null);
}

function page(path: string, text: string, group: DocPage['group']): DocPage {
  const { html, ...rest } = renderTwice(text, (target) => target);
  return { ...rest, path, group, body: html };
}

function typeText(schema: GraphQLSchema, type: GraphQLNamedType): string {
  const head = `# ${type.name}\n\n${kindOf(type)}. ${type.description ?? ''}\n\n`;
  if (isEnumType(type)) {
    return (
      head +
      table(
        ['Value', 'Meaning'],
        type.getValues().map(({ name, description }) => [code(name), cell(description)]),
      )
    );
  }
  if (isUnionType(type)) return `${head}One of ${type.getTypes().map(typeLink).join(', ')}.\n`;
  if (isInputObjectType(type)) return head + argumentsTable('Field', Object.values(type.getFields()));
  if (!isObjectType(type) && !isInterfaceType(type)) return head;
  const has = type.getInterfaces().map(typeLink);
  const are = isInterfaceType(type) ? schema.getPossibleTypes(type).map(typeLink) : [];
  const relations = [
    has.length > 0 ? `Has the fields of ${has.join(', ')}.` : '',
    are.length > 0 ? `Types with these fields: ${are.join(', ')}.` : '',
  ];
  return `${head}${relations.join('\n\n')}\n\n${fieldsText(Object.values(type.getFields()))}`;
}

function fieldsText(fields: readonly GraphQLField<unknown, unknown>[]): string {
  return fields
    .map(
      (field) =>
        `### ${field.name}\n\n${cell(field.description)} Answers ${typeLink(field.type)}.\n\n${argumentsTable('Argument', field.args)}`,
    )
    .join('\n');
}

function argumentsTable(
  title: string,
  of: readonly Pick<GraphQLArgument, 'name' | 'type' | 'description'>[],
): string {
  return table(
    [title, 'Type', 'Meaning'],
    of.map(({ name, type, description }) => [code(name), typeLink(type), cell(description)]),
  );
}

/** @returns a type as it is written, leading to its page. */
function typeLink(
  type: GraphQLArgument['type'] | GraphQLField<unknown, unknown>['type'] | GraphQLNamedType,
): string {
  return `[${code(String(type))}](${docPath(`${PATH}/${getNamedType(type).name}`)})`;
}

function kindOf(type: GraphQLNamedType): string {
  if (isEnumType(type)) return 'An enum';
  if (isUnionType(type)) return 'A union';
  if (isInputObjectType(type)) return 'An input';
  if (isInterfaceType(type)) return 'An interface';
  return isObjectType(type) ? 'An object' : 'A scalar';
}
