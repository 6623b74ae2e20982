/** Goal: documents say what is so. Method: the sets that code and documents both list are compared. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { withActions } from '../scripts/actions-table.ts';
import { catalogueText } from '../scripts/catalogue.ts';
import { withFilters } from '../scripts/filters-table.ts';
import { ACTIONS } from '../src/base/access/actions.ts';
import { PASSKEY_ACTIONS } from '../src/base/access/passkey-actions.ts';
import { ERRORS } from '../src/base/errors/errors.ts';
import { CURRENCIES } from '../src/base/money/currency.ts';

const root = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
/** @returns the names by which links reach the headings of a document, as GitHub makes them. */
const anchorsOf = (text: string) =>
  new Set(
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_\- ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
const markdownOf = (folder: string) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => `${folder}${name}`);
const DOCUMENTS = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...markdownOf('docs/'),
  ...markdownOf('bench/'),
];

test('docs/README.md names every document once, under its purpose', () => {
  const [, ...parts] = read('docs/README.md').split(/^## /m);
  expect(parts.map((part) => part.split('\n')[0])).toEqual([
    'Tutorials',
    'How-to guides',
    'Reference',
    'Explanations',
  ]);
  const named = parts.flatMap((part) =>
    [...part.matchAll(/^\| \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map(([, name]) => name),
  );
  const top = DOCUMENTS.filter((name) => /^docs\/[\w-]+\.md$/.test(name) && name !== 'docs/README.md');
  expect(named.toSorted()).toEqual(top.map((name) => name.slice('docs/'.length)).toSorted());
});

test('README.pt-BR.md names every document', () => {
  const named = new Set(
    [...read('README.pt-BR.md').matchAll(/\]\((docs\/[\w-]+\.md)\)/g)].map((match) => match[1]),
  );
  const top = DOCUMENTS.filter((name) => /^docs\/[\w-]+\.md$/.test(name));
  expect(top.filter((name) => !named.has(name))).toEqual([]);
});

test('CHANGELOG.md describes its first release in at most 2,000 words, and docs/versions.md has at most 600', () => {
  const words = (text: string) => text.split(/\s+/).filter(Boolean).length;
  const [, first = ''] = read('CHANGELOG.md').split(/^## /m).slice(-2);
  expect(read('CHANGELOG.md')).toContain('## 1.0.0');
  expect(words(first)).toBeLessThanOrEqual(2_000);
  expect(words(read('docs/versions.md'))).toBeLessThanOrEqual(600);
});

test('docs/errors.md explains every code with its status, and no other', () => {
  const sections = read('docs/errors.md').split(/^## /m).slice(1);
  const explained = sections.map((section) => [
    section.split('\n')[0],
    Number(/Status (\d+)/.exec(section)?.[1]),
  ]);
  expect(Object.fromEntries(explained)).toEqual(
    Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status])),
  );
});

test('docs/catalogue.md equals the templates', () => {
  expect(read('docs/catalogue.md')).toBe(catalogueText());
});

test('C-40: docs/security.md has every action with its scope', () => {
  expect(read('docs/security.md')).toBe(withActions(read('docs/security.md')));
});

test('docs/exports.md has every filter of transactions with its names', () => {
  expect(read('docs/exports.md')).toBe(withFilters(read('docs/exports.md')));
});

test('docs/security.md lists every action that needs a fresh passkey, and no other', () => {
  const [, section = ''] = read('docs/security.md').split('### Passkeys\n');
  const [table = ''] = section.split('\nSo do ');
  const listed = [...table.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map((match) => match[1] as string);
  expect(listed.filter((name) => !(name in ACTIONS))).toEqual([]);
  expect(listed.sort()).toEqual([...PASSKEY_ACTIONS].sort());
});

test('docs/rails.md lists every currency with its decimals and contract', () => {
  const [, section = ''] = read('docs/rails.md').split('## Currencies\n');
  const [table = ''] = section.split('\n## ');
  const listed = [...table.matchAll(/^\| `(\w+)` \| (\d+) \| (?:`(\w+)`|–) \|$/gm)].map(
    ([, code, decimals, contract]) => ({ code, decimals: Number(decimals), contract }),
  );
  expect(listed, 'a row of the table for each of CURRENCIES, in their order').toEqual(
    CURRENCIES.map(({ code, decimals, contract }) => ({ code, decimals, contract })),
  );
});

test('docs/operations.md lists every setting of src/config.ts', () => {
  const settings = new Set(
    [...read('src/config.ts').matchAll(/(?:env\.|env,\s*')([A-Z_]+)/g)].map((match) => match[1]),
  );
  const table = read('docs/operations.md').split('## Commands')[0] as string;
  const listed = new Set([...table.matchAll(/`([A-Z_]{4,})`/g)].map((match) => match[1]));
  for (const name of settings) expect(listed, name).toContain(name);
});

test('docs/operations.md lists every command', () => {
  const [, table = ''] = read('docs/operations.md').split('## Commands');
  const listed = [...table.matchAll(/`([\w-]+)(?: ([^`]+))?`/g)].flatMap(([, group, names = '']) =>
    names.split('\\|').map((name) => `${group} ${name.split(' ')[0]}`),
  );
  const commands = [...read('docs/cli.md').matchAll(/^## crossramp ([\w-]+ \w+)$/gm)].map(
    (match) => match[1],
  );
  expect(commands.filter((command) => !listed.includes(command as string))).toEqual([]);
});

describe.each(DOCUMENTS)('%s', (document) => {
  const text = read(document);

  test('accounts of commands are placeholders, or have ids that can exist', () => {
    const ids = [...text.matchAll(/--account (\d+)/g)].map((match) => Number(match[1]));
    // The first account has the id 100.
    expect(ids.filter((id) => id < 100)).toEqual([]);
  });

  test('links lead somewhere', () => {
    const targets = [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map((match) => match[1] as string);
    const missing = targets.filter((target) => !existsSync(new URL(target, new URL(document, root))));
    expect(missing).toEqual([]);
  });

  test('links to a section lead to a heading', () => {
    const targets = [...text.matchAll(/\]\((?!https?:)([^)#]*\.md)?#([^)]+)\)/g)];
    const missing = targets.filter(([, path, anchor = '']) => {
      const file = path ? read(new URL(path, new URL(document, root)).href) : text;
      return !anchorsOf(file).has(anchor);
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });

  test('named files exist', () => {
    const named = [...text.matchAll(/`((?:src|test|prisma|scripts|docs|bench)\/[\w./-]+\w)`/g)].map(
      (match) => match[1] as string,
    );
    expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  });
});

test('GraphQL in documents fits the schema', () => {
  const schema = buildSchema(read('schema.operator.graphql'));
  const blocks = DOCUMENTS.flatMap((document) =>
    [...read(document).matchAll(/```graphql\n([\s\S]*?)```/g)].map((match) => match[1] as string),
  );
  expect(blocks.flatMap((block) => validate(schema, parse(block)).map(String))).toEqual([]);
  expect(blocks.length).toBeGreaterThan(1);
});

test('decisions that code and documents cite exist', () => {
  const decisions = readdirSync(new URL('docs/decisions/', root)).map((name) => name.slice(0, 4));
  const sources = [
    ...DOCUMENTS,
    ...readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('generated'))
      .map((name) => `src/${name}`),
    'prisma.config.ts',
  ];
  const cited = sources.flatMap((path) =>
    [...read(path).matchAll(/decisions?[ /](\d{4})/gi)].map((match) => match[1] as string),
  );
  expect(cited.filter((number) => !decisions.includes(number))).toEqual([]);
  expect(cited.length).toBeGreaterThan(3);
});

test('the README’s commands are those of package.json', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const named = [...read('README.md').matchAll(/^npm (?:run (?:-s )?)?([\w:]+)/gm)].map(
    (match) => match[1] as string,
  );
  expect(named.filter((name) => name !== 'ci' && scripts[name] === undefined)).toEqual([]);
});
