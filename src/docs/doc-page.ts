/** A page below `/docs`, whatever it is made from. */
import type { Section } from './markdown.ts';

/** Path at which the documents are served. */
export const DOCS_PATH = '/docs';

/** List of the navigation that has the page; null for one that another page leads to. */
export type DocGroup = 'tutorials' | 'how-to' | 'reference' | 'explanations' | 'project' | null;

/** A page. */
export interface DocPage {
  /** Path below `/docs/`, without a slash before it. */
  readonly path: string;
  readonly title: string;
  readonly group: DocGroup;
  /** HTML below the page's frame. */
  readonly body: string;
  /** The same as Markdown; its links lead to the Markdown of other pages. */
  readonly markdown: string;
  readonly sections: readonly Section[];
}

/** @returns the URL path of a page, and of a section of it. */
export function docPath(path: string, anchor = ''): string {
  return `${DOCS_PATH}/${path}${anchor === '' ? '' : `#${anchor}`}`;
}
