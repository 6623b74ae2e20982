/** TypeScript types of `/v2`, from its OpenAPI document. */
import { docOf } from './graphql-types.ts';

/** A JSON schema as the OpenAPI document has it, as far as it is used there. */
export interface Schema {
  readonly $ref?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

interface Content {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

/** The OpenAPI document, as far as types need it. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: { readonly requestBody: Content } }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Schemas of the page of events, of notifications and of problems: the SDK has types of its own for them. */
const LEFT_OUT = ['EventPage', 'Notification', 'Problem'];

/**
 * @param integers - members whose numbers are counts; all other numbers are amounts, as decimal text.
 * @returns the types as text.
 */
export function restTypes(document: OpenApi, integers: ReadonlySet<string>): string {
  const text = writer(integers);
  const schemas = Object.entries(document.components.schemas)
    .filter(([name]) => !LEFT_OUT.includes(name))
    .map(([name, schema]) => `export type ${name} = ${text(schema)};`);
  const bodies = Object.entries(document.webhooks).map(
    ([name, { post }]) => [name, text(bodyOf(post.requestBody))] as const,
  );
  const isNotification = ([, body]: readonly [string, string]) => body === 'Notification';
  const events = bodies
    .filter((each) => !isNotification(each))
    .map(([name, body]) => `  readonly '${name}': ${body};`);
  const notifications = bodies.filter(isNotification).map(([name]) => `'${name}'`);
  return [
    ...schemas,
    `/** Body of each event, by its name. */\nexport interface EventBodies {\n${events.join('\n')}\n}`,
    `/** Name of a notification. */\nexport type NotificationName = ${notifications.join(' | ')};`,
    operations('Get', 'get', document, text),
    operations('Post', 'post', document, text),
  ].join('\n');
}

/** @returns the members that are integers wherever they are numbers in an answer. */
export function integersOf(document: OpenApi): string[] {
  const isInteger = new Map<string, boolean>();
  const visit = (schema: Schema): void => {
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      const types = [member.type ?? []].flat();
      if (types.includes('integer') || types.includes('number'))
        isInteger.set(name, !types.includes('number') && isInteger.get(name) !== false);
      visit(member);
    }
    for (const each of schema.oneOf ?? []) visit(each);
    if (schema.items) visit(schema.items);
    if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties);
  };
  for (const [name, schema] of Object.entries(document.components.schemas))
    if (name !== 'Problem') visit(schema);
  for (const operation of Object.values(document.paths).flatMap((each) => Object.values(each)))
    visit(answerOf(operation));
  return [...isInteger].flatMap(([name, is]) => (is ? [name] : [])).toSorted();
}

type Write = (schema: Schema, name?: string) => string;

function writer(integers: ReadonlySet<string>): Write {
  const write: Write = (schema, name = '') => {
    if (schema.$ref) return schema.$ref.slice('#/components/schemas/'.length);
    if (schema.const !== undefined) return `'${schema.const}'`;
    if (schema.enum) return schema.enum.map((each) => `'${each}'`).join(' | ');
    if (schema.oneOf) return schema.oneOf.map((each) => write(each, name)).join(' | ');
    const types = new Set([schema.type ?? 'object'].flat().map((type) => ofType(type, schema, name)));
    return [...types].join(' | ');
  };
  const ofType = (type: string, schema: Schema, name: string): string => {
    if (type === 'object') return objectText(schema);
    if (type === 'array') return `readonly (${write(schema.items ?? {}, name)})[]`;
    if (type === 'integer') return integers.has(name) ? 'number' : 'string';
    return type === 'number' ? 'string' : type;
  };
  const objectText = ({ properties = {}, required = [], additionalProperties }: Schema): string => {
    if (typeof additionalProperties === 'object')
      return `{ readonly [name: string]: ${write(additionalProperties)} }`;
    return members(Object.entries(properties), required, write);
  };
  return write;
}

function members(
  entries: readonly (readonly [name: string, schema: Schema])[],
  required: readonly string[],
  write: Write,
): string {
  const lines = entries.map(([name, schema]) => {
    const isRequired = required.includes(name);
    const text = `${write(schema, name)}${isRequired ? '' : ' | undefined'}`;
    return `${docOf(schema.description, '    ')}    readonly ${name}${isRequired ? '' : '?'}: ${text};`;
  });
  return lines.length > 0 ? `{\n${lines.join('\n')}\n  }` : '{}';
}

function operations(name: string, method: string, document: OpenApi, write: Write): string {
  const lines = Object.entries(document.paths).flatMap(([path, { [method]: operation }]) => {
    if (!operation) return [];
    const body = operation.requestBody && bodyOf(operation.requestBody);
    const parameters = operation.parameters.filter((each) => each.in !== 'header');
    const inPath = parameters.filter((each) => each.in === 'path').map((each) => each.name);
    const entries = [
      ...parameters.map((each) => [each.name, { description: each.description, ...each.schema }] as const),
      ...Object.entries(body?.properties ?? {}),
    ] as [string, Schema][];
    if (new Set(entries.map(([each]) => each)).size < entries.length)
      throw new Error(`${path} has one name for two parameters`);
    const params = members(entries, [...inPath, ...(body?.required ?? [])], (schema, each) =>
      schema.type === 'integer' ? 'number' : write(schema, each),
    );
    const answer = path === '/v2/events' ? 'EventPage' : write(answerOf(operation));
    return [
      `${docOf(operation.summary, '  ')}  readonly '${path}': { readonly params: ${params}; readonly answer: ${answer} };`,
    ];
  });
  return `/** Paths of \`${method.toUpperCase()}\`, with parameters and answer. */\nexport interface ${name} {\n${lines.join('\n')}\n}`;
}

function answerOf({ responses }: Operation): Schema {
  const [success] = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  if (!success) throw new Error('an operation has an answer');
  return bodyOf(success[1]);
}

function bodyOf({ content }: Content): Schema {
  const [media] = Object.values(content);
  if (!media) throw new Error('a body has a schema');
  return media.schema;
}
