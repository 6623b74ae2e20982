/** The site below `/docs`: the project's documents, the references of its interfaces, and a search over all of them. */
import { setImmediate as otherWork } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import type { DocPage } from './doc-page.ts';
import { documentPages } from './documents.ts';
import { type AsyncApi, eventsReference } from './events-reference.ts';
import { graphqlReference } from './graphql-reference.ts';
import { type OpenApi, restReference } from './rest-reference.ts';
import { type Found, searchOf } from './search.ts';

/** Sources of the site. */
export interface DocSources {
  /** Base address of this gateway, which the commands of the documents get. */
  readonly publicUrl: string;
  readonly schema: GraphQLSchema;
  readonly openApi: () => OpenApi;
  readonly asyncApi: () => AsyncApi;
}

/** The site. */
export interface DocsSite {
  /** Pages that the navigation lists, in their order. */
  readonly listed: readonly DocPage[];
  /** @returns the page of a path below `/docs/`; undefined where there is none. */
  readonly find: (path: string) => DocPage | undefined;
  /** @returns pages that contain all words of a question, the best first, at most 30. */
  readonly search: (question: string) => readonly Found[];
}

/**
 * @returns the site. Reading and rendering it takes half a second, so it is built on the first request, and other
 *   requests run after each page.
 */
export async function docsSite(sources: DocSources): Promise<DocsSite> {
  const pages: DocPage[] = [];
  for (const page of pagesOf(sources)) {
    pages.push(page);
    await otherWork();
  }
  const byPath = new Map(pages.map((page) => [page.path, page]));
  return {
    listed: pages.filter(({ group }) => group !== null),
    find: (path) => byPath.get(path),
    search: searchOf(pages),
  };
}

function* pagesOf({ publicUrl, schema, openApi, asyncApi }: DocSources): Generator<DocPage> {
  yield* documentPages(publicUrl);
  yield restReference(openApi());
  yield* graphqlReference(schema);
  yield eventsReference(asyncApi());
}
