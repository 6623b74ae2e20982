/** A collection for Bruno (usebruno.com) from the OpenAPI document: a folder for each tag, a request with a short name for each operation. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { FAMILIES } from '../src/rest-compat/families.ts';
import { openApiDocument } from '../src/rest-compat/openapi.ts';
import { restRoutes } from '../src/rest-compat/routes.ts';
import { REGISTRY } from '../src/templates/index.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
}

/** As much of an operation as a request shows. */
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly example: object } };
  };
}

/** Where it stands. */
export const BRUNO = new URL('../examples/bruno/', import.meta.url);
const BASE_URL = 'http://localhost:4000';
const COLLECTION: Readonly<Record<string, string>> = {
  'bruno.json': `${JSON.stringify({ version: '1', name: 'Crossramp Gateway', type: 'collection' }, null, 2)}\n`,
  'collection.bru': `auth {
  mode: bearer
}

auth:bearer {
  token: {{apiKey}}
}
`,
  'environments/sandbox.bru': `vars {
  baseUrl: ${BASE_URL}
  end2end: CRX…
}
vars:secret [
  apiKey
]
`,
};

/** @returns the text of each file of the collection, by its path in it. */
export function brunoCollection(): Readonly<Record<string, string>> {
  const policy = { exactIntegers: false, limitOverflow: 'clamp', strictQuery: false } as const;
  const document = openApiDocument(REGISTRY, restRoutes(REGISTRY, policy), BASE_URL);
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  const requests = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation], index): [string, string] => [
      `${operation.tags[0]}/${shortName(operation).replaceAll(' ', '-').toLowerCase()}.bru`,
      requestText(path, method, operation, index),
    ]),
  );
  return { ...COLLECTION, ...Object.fromEntries(requests) };
}

/** `create_crossramp_checkout` is "Create checkout". */
function shortName({ operationId }: Operation): string {
  const words = operationId.replace('crossramp_', '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Variable that holds the record created last: one for all transactions, one for each other kind. */
function variableOf(path: string): string {
  const [, , kind = ''] = path.split('/');
  return FAMILIES.some(({ single }) => single === kind) ? 'end2end' : kind;
}

/** Member of an answer that identifies a record, by variable: of a creation; of deliveries, which nobody creates, of their list. */
const IDENTIFIERS: Readonly<Record<string, string>> = {
  end2end: 'end2end',
  webhook_endpoint: 'id',
  api_key: 'key.key_id',
  static_link: 'slug',
  whitelist_group: 'id',
  whitelist_entry: 'id',
  webhook_deliveries: 'results[0].id',
};

/** Names the records of other requests by their variables. */
function withVariables(body: object): object {
  const variables: Readonly<Record<string, string>> = {
    end2end: '{{end2end}}',
    group_id: '{{whitelist_group}}',
  };
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, variables[name] ?? value]));
}

function requestText(path: string, method: string, operation: Operation, index: number): string {
  const { parameters, requestBody, summary, description } = operation;
  const of = (where: string) => parameters.filter((each) => each.in === where);
  const isKeyed = of('header').some(({ name }) => name === 'Idempotency-Key');
  const body = requestBody?.content['application/json'].example;
  const variable = variableOf(path);
  const known = variable === 'webhook_deliveries' ? 'webhook_delivery' : variable;
  const isKnown = (known !== variable || method === 'post') && path.split('/').length === 3;
  const blocks = [
    block('meta', [`name: ${shortName(operation)}`, 'type: http', `seq: ${index + 1}`]),
    block(method, [
      `url: {{baseUrl}}${path.replace('{id}', ':id')}`,
      `body: ${body ? 'json' : 'none'}`,
      'auth: inherit',
    ]),
    // A tilde leaves a member out until it is wanted.
    block(
      'params:query',
      of('query').map(({ name }) => `~${name}: `),
    ),
    block(
      'params:path',
      of('path').map(({ name }) => `${name}: {{${variable}}}`),
    ),
    block('headers', isKeyed ? ['~Idempotency-Key: order-1'] : []),
    block('body:json', body ? JSON.stringify(withVariables(body), null, 2).split('\n') : []),
    block('vars:post-response', isKnown ? [`${known}: res.body.${IDENTIFIERS[variable]}`] : []),
    block('docs', [`${summary}. ${description}`]),
  ];
  return blocks.filter(Boolean).join('\n');
}

function block(name: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${name} {\n${lines.map((line) => `  ${line}`).join('\n')}\n}\n`;
}

if (process.argv.includes('--write')) {
  rmSync(BRUNO, { recursive: true, force: true });
  for (const [path, text] of Object.entries(brunoCollection())) {
    const file = new URL(path, BRUNO);
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, text);
  }
}
