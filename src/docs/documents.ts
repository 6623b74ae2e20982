/** The project's documents as pages: `docs/*.md`, its decisions, and what stands at the top of the repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DocGroup, type DocPage, docPath } from './doc-page.ts';
import { renderTwice } from './markdown.ts';

const ROOT = new URL('../../', import.meta.url);
/** Path of the page that lists the documents. */
export const DOCUMENTS_PATH = 'documents';
/** The list of documents by purpose, which the navigation follows. */
const INDEX = 'docs/README.md';
/** Groups of the navigation, by the headings of the list. */
const GROUPS: Readonly<Record<string, DocGroup>> = {
  Tutorials: 'tutorials',
  'How-to guides': 'how-to',
  Reference: 'reference',
  Explanations: 'explanations',
};
/** Documents whose path and title do not follow from their file. */
const NAMED: Readonly<Record<string, { readonly path: string; readonly title: string }>> = {
  [INDEX]: { path: DOCUMENTS_PATH, title: 'Documents' },
  'README.md': { path: 'readme', title: 'First steps' },
  'README.pt-BR.md': { path: 'leia-me', title: 'Primeiros passos' },
  'CHANGELOG.md': { path: 'changelog', title: 'Changelog' },
};

/** Address of a gateway that runs with the settings of the documents. */
const EXAMPLE_URL = 'http://localhost:4000';
/** A document that starts a gateway at that address. */
const STARTS_ONE = 'docs/containers.md';

/**
 * @param publicUrl - base address of this gateway: the commands of the documents go to it.
 * @returns all documents of this installation, in listed order, each rendered when it is requested.
 */
export function* documentPages(publicUrl: string): Generator<DocPage> {
  const decisions = markdownIn('docs/decisions').sort();
  const files: readonly (readonly [file: string, group: DocGroup])[] = [
    ...documentsByPurpose(),
    [INDEX, 'project'],
    ['CHANGELOG.md', 'project'],
    ...decisions.map((name) => [`docs/decisions/${name}`, null] as const),
  ];
  const present = files.filter(([file]) => existsSync(new URL(file, ROOT)));
  const known = new Set(present.map(([file]) => file));
  for (const [file, group] of present) {
    const text = readFileSync(new URL(file, ROOT), 'utf8');
    const own = file === STARTS_ONE ? text : text.replaceAll(EXAMPLE_URL, publicUrl);
    yield pageOf(file, own, group, known);
  }
  yield decisionsPage(decisions);
}

/** @returns the documents that the list names, in its order, each with the group of its heading. */
function* documentsByPurpose(): Generator<readonly [file: string, group: DocGroup]> {
  const [, ...parts] = readFileSync(new URL(INDEX, ROOT), 'utf8').split(/^## /m);
  for (const part of parts) {
    const group = GROUPS[part.slice(0, part.indexOf('\n'))] ?? null;
    for (const [, target = ''] of part.matchAll(/\]\(([^)#]+\.md)\)/g)) {
      const file = posix.join('docs', target);
      if (file in NAMED || /^docs\/[\w-]+\.md$/.test(file)) yield [file, group];
    }
  }
}

function pageOf(file: string, text: string, group: DocGroup, known: ReadonlySet<string>): DocPage {
  const { html, title, ...rest } = renderTwice(text, (target) => linkTo(file, target, known));
  return { path: pathOf(file), title: NAMED[file]?.title ?? title, group, body: html, ...rest };
}

function decisionsPage(names: readonly string[]): DocPage {
  const items = names.map((name) => {
    const [, title = name] =
      /^# (.*)$/m.exec(readFileSync(new URL(`docs/decisions/${name}`, ROOT), 'utf8')) ?? [];
    return `- [${title}](${docPath(pathOf(`docs/decisions/${name}`))})`;
  });
  const { html, ...rest } = renderTwice(`# Decisions\n\n${items.join('\n')}\n`, (target) => target);
  return { ...rest, path: 'decisions', group: 'project', body: html };
}

/**
 * @returns the target of a link of a document: a page, a picture, a published file, another site; null for any other.
 */
function linkTo(file: string, target: string, known: ReadonlySet<string>): string | null {
  if (/^(https?:|mailto:|#)/.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const resolved = posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, '');
  if (known.has(resolved)) return docPath(pathOf(resolved), anchor);
  if (resolved === 'docs/decisions') return docPath('decisions');
  if (/^schema(\.operator)?\.graphql$/.test(resolved)) return docPath('api/graphql');
  if (isPicture(resolved)) return docPath(resolved.slice('docs/'.length));
  return null;
}

/** @returns the picture of a document by its path below `/docs/`; undefined where there is none. */
export function readPicture(path: string): Buffer | undefined {
  return isPicture(`docs/${path}`) ? readFileSync(new URL(`docs/${path}`, ROOT)) : undefined;
}

function isPicture(file: string): boolean {
  return /^docs\/[a-z-]+\/[\w-]+\.png$/.test(file) && existsSync(fileURLToPath(new URL(file, ROOT)));
}

function pathOf(file: string): string {
  return NAMED[file]?.path ?? file.slice('docs/'.length, -'.md'.length);
}

function markdownIn(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, ROOT)).filter((name) => name.endsWith('.md'));
}
