/** Comments, test titles, descriptions and documents name their subject: none opens with a headless clause (CONTRIBUTING.md). */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { expect, it } from 'vitest';

const HEADLESS = /^(?:what|who|whoever|whom|whose|which|why|how|that which)\b/i;
/** A block comment, or lines of comments in a row. */
const COMMENT = /\/\*\*([\s\S]*?)\*\/|(?:^[ \t]*\/\/ .*\n)+/gm;
const TITLE = /\b(?:it|test|describe)(?:\.\w+)*(?:\([^()'`]*\))?\(\s*(['`])((?:\\.|(?!\1).)*)\1/g;
const TAGS = /@returns |@param \S+ - |@throws \{\S+\} /g;

async function filesOf(
  ...patterns: readonly string[]
): Promise<readonly (readonly [path: string, text: string])[]> {
  const found: [string, string][] = [];
  for await (const path of glob(patterns))
    if (!/node_modules|generated|\/dist\//.test(path)) found.push([path, readFileSync(path, 'utf8')]);
  return found;
}

function headlessIn(path: string, text: string): readonly string[] {
  const sentences = text.replaceAll(TAGS, '. ').split(/(?<=[.!?])\s+/);
  return sentences
    .filter((each) => HEADLESS.test(each) && !each.endsWith('?'))
    .map((each) => `${path}: ${each.slice(0, 100)}`);
}

const plain = (comment: string) =>
  comment
    .replaceAll(/^[ \t]*(?:\/\*\*|\*\/|\*|\/\/)|\*\/$/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

it('a comment of the sources opens with a noun or a verb', async () => {
  const files = await filesOf('src/**/*.ts', 'scripts/**/*.ts', 'packages/*/src/**/*.ts');
  expect(files.length).toBeGreaterThan(700);
  const found = files.flatMap(([path, text]) =>
    [...text.matchAll(COMMENT)].flatMap(([comment]) => headlessIn(path, plain(comment))),
  );
  expect(found).toEqual([]);
});

it('a test title has a subject', async () => {
  const titles = (await filesOf('test/**/*.ts')).flatMap(([path, text]) =>
    [...text.matchAll(TITLE)].map(
      ([, , title = '']) => [path, title.replace(/^C-\d+(?:, C-\d+)*: /, '')] as const,
    ),
  );
  expect(titles.length).toBeGreaterThan(3_000);
  expect(titles.flatMap(([path, title]) => headlessIn(path, title))).toEqual([]);
});

it('a description of the schema opens with a noun or a verb', async () => {
  const described = (await filesOf('schema*.graphql')).flatMap(([path, text]) =>
    [...text.matchAll(/"{3}([\s\S]*?)"{3}|^ *"((?:\\.|[^"\\\n])+)"$/gm)].map(
      ([, block, line]) => [path, (block ?? line ?? '').replaceAll(/\s+/g, ' ').trim()] as const,
    ),
  );
  expect(described.length).toBeGreaterThan(3_000);
  expect(described.flatMap(([path, text]) => headlessIn(path, text))).toEqual([]);
});

it('a sentence of a document names its subject', async () => {
  const paragraphs = (await filesOf('*.md', '{docs,bench,examples}/**/*.md')).flatMap(([path, text]) =>
    text
      .replaceAll(/^ *```[\s\S]*?^ *```$|^#.*$|^\|.*$/gm, '')
      .split(/\n{2,}|\n(?= *(?:[-*]|\d+\.) )/)
      .map((each) => [path, each.replace(/^\s*(?:[-*]|\d+\.) /, '').replaceAll(/\s+/g, ' ')] as const),
  );
  expect(paragraphs.length).toBeGreaterThan(1_500);
  expect(paragraphs.flatMap(([path, text]) => headlessIn(path, text))).toEqual([]);
});
