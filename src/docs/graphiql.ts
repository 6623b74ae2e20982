/**
 * GraphiQL in files of its own, which a browser keeps: the page is small, and what is large is compressed once. Nothing is
 * loaded from elsewhere.
 */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { digestOf } from '../ui/sheets.ts';
import { FIVE_OPERATIONS } from './graphiql-operations.ts';

/** A file of GraphiQL. */
export interface Asset {
  readonly type: string;
  readonly text: string;
  /** Compressed by Brotli, which all browsers know that GraphiQL runs in. */
  readonly compressed: Promise<Buffer>;
}

/** GraphiQL as it is served. */
export interface Graphiql {
  /** The files by their path below `GRAPHIQL_PATH`; a path changes with its content. */
  readonly assets: ReadonlyMap<string, Asset>;
  readonly paths: Readonly<
    Record<'style' | 'script' | 'start' | 'editorWorker' | 'jsonWorker' | 'graphqlWorker', string>
  >;
}

/** Below which path the files of GraphiQL are. */
export const GRAPHIQL_PATH = '/graphiql';

const compress = promisify(brotliCompress);
/** Of eleven: 9 MB take less than a second, once. */
const QUALITY = 5;
const JAVASCRIPT = 'text/javascript; charset=utf-8';

let loaded: Promise<Graphiql> | undefined;

/** @returns GraphiQL, which is loaded when somebody asks for it for the first time. */
export function loadGraphiql(): Promise<Graphiql> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Graphiql> {
  const parts = await import('@graphql-yoga/render-graphiql/graphiql');
  const start = stripTypeScriptTypes(readFileSync(new URL('island/graphiql.ts', import.meta.url), 'utf8'));
  const files = {
    style: asset('css', 'text/css; charset=utf-8', parts.css),
    script: asset('js', JAVASCRIPT, parts.js),
    start: asset('js', JAVASCRIPT, start),
    editorWorker: asset('js', JAVASCRIPT, parts.editorWorkerService),
    jsonWorker: asset('js', JAVASCRIPT, parts.jsonWorker),
    graphqlWorker: asset('js', JAVASCRIPT, parts.graphqlWorker),
  };
  return {
    assets: new Map(Object.values(files).map(([path, file]) => [path, file])),
    paths: Object.fromEntries(
      Object.entries(files).map(([name, [path]]) => [name, path]),
    ) as Graphiql['paths'],
  };
}

function asset(ending: string, type: string, text: string): readonly [path: string, file: Asset] {
  const compressed = compress(text, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
  return [`${digestOf(text)}.${ending}`, { type, text, compressed }];
}

/** @returns the options with which GraphiQL starts, as JSON. */
export function graphiqlOptions(endpoint: string, isSignedIn: boolean): string {
  const graphiql = {
    endpoint,
    title: 'Crossramp Gateway',
    defaultTabs: FIVE_OPERATIONS.map((query) => ({ query })),
    shouldPersistHeaders: false,
  };
  return JSON.stringify({ isSignedIn, graphiql });
}
