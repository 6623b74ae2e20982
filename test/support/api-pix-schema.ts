/**
 * Requests, answers and callbacks of API Pix, checked against the OpenAPI that the Central Bank publishes
 * (test/vectors/api-pix-2.9.0.yaml, Apache-2.0). Calls that API Pix does not have are not checked.
 */
import { fileURLToPath } from 'node:url';
import { dereference } from '@readme/openapi-parser';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

const FILE = fileURLToPath(new URL('../vectors/api-pix-2.9.0.yaml', import.meta.url));
const PREFIX = /^\/v2(?=\/)/;

// biome-ignore lint/suspicious/noExplicitAny: a document of OpenAPI
type Json = any;

/** Says what is wrong; nothing where all is as published, or where nothing is published. */
export interface ApiPixSchema {
  readonly ofRequest: (method: string, path: string, body: unknown) => readonly string[];
  /** `undeclared` where the operation has no such status. */
  readonly ofAnswer: (method: string, path: string, status: number, body: unknown) => readonly string[];
  /** Of a refusal that no operation declares, as a list's of wrong parameters. */
  readonly ofProblem: (status: number, body: unknown) => readonly string[];
  readonly ofCallback: (body: unknown) => readonly string[];
}

let loaded: Promise<ApiPixSchema> | undefined;

/** @returns the checks; the document is read once. */
export function apiPixSchema(): Promise<ApiPixSchema> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<ApiPixSchema> {
  const document: Json = await dereference(FILE);
  correct(document, new Set());
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  formats.default(ajv);
  const validators = new Map<object, ValidateFunction>();
  const problems = (schema: object | undefined, body: unknown): readonly string[] => {
    if (!schema) return [];
    const validate = validators.get(schema) ?? ajv.compile(schema);
    validators.set(schema, validate);
    if (validate(body)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
  const operationOf = (method: string, path: string): Json => {
    const plain = (path.split('?')[0] as string).replace(PREFIX, '');
    const [, item]: [string, Json] = Object.entries(document.paths).find(([template]) =>
      templateOf(template).test(plain),
    ) ?? ['', {}];
    return item[method.toLowerCase()];
  };
  return {
    ofRequest: (method, path, body) => problems(schemaIn(operationOf(method, path)?.requestBody), body),
    ofAnswer: (method, path, status, body) => {
      const operation = operationOf(method, path);
      if (!operation) return [];
      const declared = operation.responses[status];
      if (!declared) return [`undeclared: ${method} ${path} answers ${status}`];
      return problems(schemaIn(declared), body);
    },
    ofProblem: (status, body) => {
      const isOfToken = typeof body === 'object' && body !== null && 'error' in body;
      return status < 400 || isOfToken ? [] : problems(document.components.schemas.Problema, body);
    },
    ofCallback: (body) => {
      const { callbacks } = document.paths['/webhook/{chave}'].put;
      const [path]: Json[] = Object.values(callbacks.listaPix);
      return problems(schemaIn(path.post.requestBody), body);
    },
  };
}

function schemaIn(of: Json): object | undefined {
  const content = of?.content ?? {};
  return (content['application/json'] ?? content['application/problem+json'])?.schema;
}

/** The location of a code is a path of one step, which would be everything. */
function templateOf(template: string): RegExp {
  if (/^\/\{\w+\}$/.test(template)) return /^$/;
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`);
}

/**
 * Mistakes of the published document, put right: patterns with the slashes of another language around them, patterns that are
 * not bound to begin and end, locations that are said to be URIs and have no scheme, and a list of PIX that must have charges.
 */
function correct(node: Json, seen: Set<object>): void {
  if (typeof node !== 'object' || node === null || seen.has(node)) return;
  seen.add(node);
  if (typeof node.pattern === 'string') node.pattern = `^(?:${node.pattern.replace(/^\/|\/$/g, '')})$`;
  if (node.title === 'Localização do payload') delete node.format;
  if (node.title === 'Pix Consultados') node.required = ['parametros', 'pix'];
  for (const each of Object.values(node)) correct(each, seen);
}
