/** The reference of `/v2`, drawn from its OpenAPI document. */
import { ERRORS } from '../base/errors/errors.ts';
import { type DocPage, docPath } from './doc-page.ts';
import { renderTwice } from './markdown.ts';
import { cell, code, table } from './markdown-parts.ts';

/** As much of JSON Schema as the document uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly required?: readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: JsonSchema;
}

interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema; readonly example?: unknown }>>;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Answer;
  readonly responses: Readonly<Record<string, Answer>>;
}

/** As much of an OpenAPI document as the reference needs. */
export interface OpenApi {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const PATH = 'api/rest';

/** @returns the page of all operations and bodies. */
export function restReference(document: OpenApi): DocPage {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const base = document.servers[0]?.url ?? '';
  const parts = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return own.length === 0
      ? ''
      : `## ${name}\n\n${description ?? ''}\n\n${own.map((each) => operationText(each, base)).join('\n')}`;
  });
  const bodies = Object.entries(document.components.schemas).map(([name, schema]) => bodyText(name, schema));
  const text = `# REST reference

Every path of this gateway, drawn from [its OpenAPI document](/v2/openapi.json). How the paths are used stands in
[REST \`/v2\`](${docPath('rest-v2')}).

${parts.join('\n')}
## Bodies

${bodies.join('\n')}`;
  const { html, ...rest } = renderTwice(text, (target) => target);
  return { ...rest, path: PATH, title: 'REST reference', group: 'reference', body: html };
}

function operationText(
  { method, path, operation }: { method: string; path: string; operation: Operation },
  base: string,
): string {
  const body = Object.values(operation.requestBody?.content ?? {})[0];
  const answers = Object.entries(operation.responses).map(([status, answer]) => [
    status,
    answerText(status, answer),
  ]);
  return `### ${method} ${path}

${operation.summary}. ${operation.description}

${table(['Parameter', 'In', 'Form', 'Meaning'], operation.parameters.map(parameterRow))}
${body?.schema ? membersTable('Member of the body', body.schema) : ''}
${'```'}sh
${curl(method, base + path, body?.example)}
${'```'}

${table(['Status', 'Answer'], answers)}`;
}

function parameterRow({ name, in: location, required, schema, description }: Parameter): string[] {
  return [code(name), location, form(schema ?? {}), `${required ? 'Required. ' : ''}${cell(description)}`];
}

function answerText(status: string, { $ref, description, content }: Answer): string {
  if ($ref !== undefined) {
    const codes = Object.entries(ERRORS).filter(([, error]) => String(error.status) === status);
    return codes.map(([name]) => `[${name}](${docPath('errors', name.toLowerCase())})`).join(', ');
  }
  const schema = Object.values(content ?? {})[0]?.schema;
  return schema ? form(schema) : cell(description);
}

function bodyText(name: string, schema: JsonSchema): string {
  const table = schema.properties ? membersTable('Member', schema) : `${form(schema)}\n`;
  return `### ${name}\n\n${cell(schema.description)}\n\n${table}`;
}

function membersTable(title: string, { properties = {}, required = [] }: JsonSchema): string {
  const rows = Object.entries(properties).map(([name, schema]) => [
    code(name),
    form(schema),
    `${required.includes(name) ? '' : 'Optional. '}${cell(schema.description)}`,
  ]);
  return table([title, 'Form', 'Meaning'], rows);
}

/** @returns the form of a value, in a few words. */
function form(schema: JsonSchema): string {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum) return schema.enum.map((value) => code(String(value))).join(', ');
  if (schema.oneOf) return schema.oneOf.map(form).join(' or ');
  if (schema.items) return `list of ${form(schema.items)}`;
  const type = schema.type === undefined ? 'any' : [schema.type].flat().join(' or ');
  const rest =
    typeof schema.additionalProperties === 'object' ? ` of ${form(schema.additionalProperties)}` : '';
  const standard = schema.default === undefined ? '' : `, default ${code(String(schema.default))}`;
  return `${type}${schema.format ? ` (${schema.format})` : ''}${rest}${standard}`;
}

function curl(method: string, url: string, example: unknown): string {
  const key = `-H 'Authorization: Bearer <API key>'`;
  if (method === 'GET') return `curl ${key} '${url}'`;
  const body = example === undefined ? '' : ` \\\n  -d '${JSON.stringify(example)}'`;
  return `curl -X ${method} ${key} -H 'Content-Type: application/json'${body} \\\n  '${url}'`;
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
