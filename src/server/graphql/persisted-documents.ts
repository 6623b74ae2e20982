/**
 * Persisted documents (GraphQL over HTTP, appendix A): documents that are registered at the start and requested by
 * `documentId`. With the allow-list, no other document is executed.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type GraphQLSchema, parse, validate } from 'graphql';
import { GatewayError } from '../../base/errors/errors.ts';
import { type Config, ConfigError } from '../../config.ts';
import { conditionError } from './subscription-conditions.ts';

/** Replaces the id in the parameters of a request by its document. @throws {GatewayError} `BAD_REQUEST`. */
export type ResolveDocument = (params: unknown) => unknown;

const SETTING = 'GRAPHQL_DOCUMENTS';
const HASH = /^[0-9a-f]{64}$/;

/**
 * @param path - a folder of `.graphql` files, each a whole document, or a JSON file of documents by id.
 * @returns the documents by id: `sha256:` and the hash of the text, and the name of the file or the id of the JSON file.
 * @throws {ConfigError} for a file that cannot be read, is not valid on the schema, or has the id of another document.
 */
export function readDocuments(path: string, schema: GraphQLSchema): ReadonlyMap<string, string> {
  const documents = new Map<string, string>();
  for (const [id, text] of sourcesOf(path)) {
    const [error] = errorsOf(schema, text);
    if (error !== undefined) throw new ConfigError(`${SETTING}: ${id}: ${error}`);
    // A hash without a prefix, as tools write it, means the id with the prefix.
    const ids = HASH.test(id) ? [id, `sha256:${id}`] : [id, `sha256:${hashOf(text)}`];
    for (const each of ids) {
      if ((documents.get(each) ?? text) !== text)
        throw new ConfigError(`${SETTING}: two documents have the id ${each}`);
      documents.set(each, text);
    }
  }
  return documents;
}

/** @returns a function that resolves the parameters of a request by these settings. */
export function documentResolver(
  { graphqlDocuments, graphqlOnlyDocuments }: Pick<Config, 'graphqlDocuments' | 'graphqlOnlyDocuments'>,
  schema: GraphQLSchema,
): ResolveDocument {
  const documents = graphqlDocuments === undefined ? new Map() : readDocuments(graphqlDocuments, schema);
  return (params) => {
    if (typeof params !== 'object' || params === null) return params;
    const { documentId, ...rest } = params as { documentId?: unknown; query?: unknown };
    if (documentId == null) {
      const hash = rest.query == null ? automaticHash(params) : undefined;
      if (hash !== undefined) {
        const query = documents.get(`sha256:${hash}`);
        if (query === undefined) throw new PersistedQueryNotSupported();
        return { ...rest, query };
      }
      if (graphqlOnlyDocuments)
        throw new GatewayError('BAD_REQUEST', 'only registered documents are executed here: send documentId');
      return rest;
    }
    if (rest.query != null)
      throw new GatewayError('BAD_REQUEST', 'query must not be given together with documentId');
    const query = typeof documentId === 'string' ? documents.get(documentId) : undefined;
    if (query === undefined)
      throw new GatewayError('BAD_REQUEST', 'documentId: no document is registered under this id');
    return { ...rest, query };
  };
}

/**
 * The refusal of an automatic persisted query: a client that sent the hash of a document in place of its text sends the
 * text after this answer. Message and code are those of Apollo's clients and servers.
 */
export class PersistedQueryNotSupported extends GatewayError {
  constructor() {
    super('BAD_REQUEST', 'PersistedQueryNotSupported');
  }
}

/** @returns the hash of an automatic persisted query, in lower case; undefined if the request has none. */
function automaticHash(params: object): string | undefined {
  const { extensions } = params as {
    extensions?: { persistedQuery?: { sha256Hash?: unknown } | null } | null;
  };
  const hash = extensions?.persistedQuery?.sha256Hash;
  return typeof hash === 'string' ? hash.toLowerCase() : undefined;
}

function sourcesOf(path: string): [id: string, text: string][] {
  try {
    if (statSync(path).isDirectory())
      return readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.graphql'))
        .toSorted()
        .map((name) => [basename(name, '.graphql'), readFileSync(join(path, name), 'utf8')]);
    const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const entries = Object.entries(manifest as object);
    if (entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')) return entries;
  } catch (error) {
    throw new ConfigError(`${SETTING}: ${(error as Error).message}`);
  }
  throw new ConfigError(`${SETTING}: expected a folder, or a JSON object of documents by id, at ${path}`);
}

function errorsOf(schema: GraphQLSchema, text: string): string[] {
  try {
    const document = parse(text);
    const error = conditionError(document);
    return (error ? [error] : validate(schema, document)).map(({ message }) => message);
  } catch (error) {
    return [(error as Error).message];
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
