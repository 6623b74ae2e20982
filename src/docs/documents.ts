/** The project's documents as pages: `docs/*.md`, its decisions, and what stands at the top of the repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DocGroup, type DocPage, docPath } from './doc-page.ts';
import { renderMarkdown } from './markdown.ts';

const ROOT = new URL('../../', import.meta.url);
/** What a reader wants first comes first; what is not named follows in the order of the alphabet. */
const ORDER = [
  'checkout',
  'console',
  'walks',
  'graphql',
  'rest-v2',
  'events',
  'sandbox',
  'ledger',
  'limits',
  'security',
  'operations',
  'rails',
  'signer',
  'cli',
  'errors',
  'catalogue',
  'reliability',
];
/** Documents at the top of the repository, with the path and the title that they get. */
const AT_THE_TOP: Readonly<Record<string, { readonly path: string; readonly title: string }>> = {
  'README.md': { path: 'readme', title: 'First steps' },
  'README.pt-BR.md': { path: 'leia-me', title: 'Primeiros passos' },
  'CHANGELOG.md': { path: 'changelog', title: 'Changelog' },
};

/** @returns all documents that this installation has, in the order in which they are listed, each drawn when it is asked for. */
export function* documentPages(): Generator<DocPage> {
  const guides = markdownIn('docs').sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  const decisions = markdownIn('docs/decisions').sort();
  const files: readonly (readonly [file: string, group: DocGroup])[] = [
    ...guides.map((name) => [`docs/${name}`, 'guides'] as const),
    ...Object.keys(AT_THE_TOP).map((name) => [name, 'project'] as const),
    ...decisions.map((name) => [`docs/decisions/${name}`, null] as const),
  ];
  const present = files.filter(([file]) => existsSync(new URL(file, ROOT)));
  const known = new Set(present.map(([file]) => file));
  for (const [file, group] of present) yield pageOf(file, group, known);
  yield decisionsPage(decisions);
}

function pageOf(file: string, group: DocGroup, known: ReadonlySet<string>): DocPage {
  const text = readFileSync(new URL(file, ROOT), 'utf8');
  const { html, title, sections } = renderMarkdown(text, (target) => linkTo(file, target, known));
  return { path: pathOf(file), title: AT_THE_TOP[file]?.title ?? title, group, body: html, sections };
}

function decisionsPage(names: readonly string[]): DocPage {
  const items = names.map((name) => {
    const [, title = name] =
      /^# (.*)$/m.exec(readFileSync(new URL(`docs/decisions/${name}`, ROOT), 'utf8')) ?? [];
    return `- [${title}](${docPath(pathOf(`docs/decisions/${name}`))})`;
  });
  const { html, title, sections } = renderMarkdown(
    `# Decisions\n\n${items.join('\n')}\n`,
    (target) => target,
  );
  return { path: 'decisions', title, group: 'project', body: html, sections };
}

/** @returns where a link of a document leads: to a page, a picture, a published file, another site; null where it is none of these. */
function linkTo(file: string, target: string, known: ReadonlySet<string>): string | null {
  if (/^(https?:|mailto:|#)/.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const resolved = posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, '');
  if (known.has(resolved)) return docPath(pathOf(resolved), anchor);
  if (resolved === 'docs/decisions') return docPath('decisions');
  if (resolved === 'schema.graphql') return docPath('api/graphql');
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
  return AT_THE_TOP[file]?.path ?? file.slice('docs/'.length, -'.md'.length);
}

function markdownIn(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, ROOT)).filter((name) => name.endsWith('.md'));
}

function rank(name: string): number {
  const at = ORDER.indexOf(name.slice(0, -'.md'.length));
  return at < 0 ? ORDER.length : at;
}
