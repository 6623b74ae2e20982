/**
 * Goal: the house stays as ARCHITECTURE.md draws it. Method: the sources as text: imports only point down the layers,
 * no cycles (types count), files and functions stay short, template names stand in one place, exports are documented.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { REGISTRY } from '../src/templates/index.ts';
import { functionsLongerThan } from './support/function-lengths.ts';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));
/** Layers from the bottom; folders of one layer never import each other. */
const LAYERS = [
  ['base'],
  ['ledger', 'events', 'ui', 'chains'],
  ['templates'],
  ['store', 'wire', 'postgres'],
  ['resolvers'],
  [
    'schema',
    'compiled',
    'rest-compat',
    'pages',
    'docs',
    'console',
    'mcp',
    'rails',
    'webhooks',
    'mail',
    'psp',
    'checks',
    'signer',
  ],
  ['server'],
  ['compose'],
  ['cli', '.'],
];
/** Rooms inside three of the folders, from the bottom; '.' is the folder itself. Rails never import each other. */
const ROOMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  base: [
    ['trace'],
    ['access', 'concurrency', 'text', 'time'],
    ['errors'],
    ['ids', 'input', 'money'],
    ['chain', 'pix', 'process'],
    ['pages'],
  ],
  store: [
    ['connection'],
    ['engine', 'migration'],
    ['ledger'],
    ['events'],
    ['webhooks', 'account', 'people', 'rails'],
    ['metrics'],
  ],
  resolvers: [
    ['services'],
    ['checks'],
    ['settings', 'audit'],
    ['transactions'],
    ['ledger'],
    ['events', 'webhooks', 'account', 'people', 'exports', 'history'],
    ['pricing', 'cases', 'screening'],
    ['engine'],
    ['med'],
    ['inbound', 'reconciliation'],
    ['orders', 'rails', 'review'],
    ['payer', 'cells'],
    ['sandbox'],
  ],
  server: [['http'], ['process', 'answers', 'sign-in'], ['graphql', 'metrics'], ['streams'], ['.']],
  rails: [
    ['.'],
    ['chain'],
    ['sandbox', 'api-pix', 'evm', 'tron', 'rates', 'inventory', 'identity', 'screening'],
  ],
};
const FILE_LINES_MAX = 400;
const FUNCTION_LINES_MAX = 70;

interface Source {
  readonly path: string;
  readonly folder: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const SOURCES: readonly Source[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.includes(join('/generated', '')))
  .map((path) => {
    const text = readFileSync(join(SRC, path), 'utf8');
    const imports = [...text.matchAll(/(?:from |import\()'(\.[^']+)'/g)].map((match) =>
      relative(SRC, join(SRC, dirname(path), match[1] as string)),
    );
    const folder = path.includes('/') ? (path.split('/')[0] as string) : '.';
    return { path, folder, text, imports: imports.filter((target) => !target.includes('generated')) };
  });

const layerOf = (folder: string) => LAYERS.findIndex((folders) => folders.includes(folder));
/** config.ts stands beside main.ts: programs read it and pass its values down. */
const isSettings = (target: string) => target === 'config.ts';

describe('layers', () => {
  test('every folder has its layer', () => {
    expect(SOURCES.filter(({ folder }) => layerOf(folder) < 0).map(({ path }) => path)).toEqual([]);
  });

  test('imports only point down', () => {
    const wrong = SOURCES.flatMap(({ path, folder, imports }) =>
      imports
        .filter((target) => !isSettings(target))
        .map((target) => ({ target, to: target.includes('/') ? (target.split('/')[0] as string) : '.' }))
        .filter(({ to }) => to !== folder && layerOf(to) >= layerOf(folder))
        .map(({ target }) => `${path} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('the console reads data only through documents, by the executor that it is given', () => {
    const allowed = ['base', 'ui', 'console'];
    const wrong = SOURCES.filter(({ folder }) => folder === 'console').flatMap(({ path, imports }) =>
      imports
        .filter((target) => !allowed.includes(target.split('/')[0] as string))
        .map((to) => `${path} → ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  test.each(['psp', 'checks', 'signer'])('%s is a program that knows nothing of the gateway', (program) => {
    const allowed = ['base', 'chains', program];
    const wrong = SOURCES.filter(({ folder }) => folder === program).flatMap(({ path, imports }) =>
      imports
        .filter((target) => !allowed.includes(target.split('/')[0] as string))
        .map((to) => `${path} → ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  test.each(Object.entries(ROOMS))('inside %s imports point down from room to room', (layer, rooms) => {
    const roomOf = (path: string) => path.split('/').slice(1, -1).join('/') || '.';
    const heightOf = (path: string) => rooms.findIndex((each) => each.includes(roomOf(path)));
    const inside = SOURCES.filter(({ folder }) => folder === layer);
    expect(inside.filter(({ path }) => heightOf(path) < 0).map(({ path }) => path)).toEqual([]);
    const wrong = inside.flatMap(({ path, imports }) =>
      imports
        .filter((target) => target.startsWith(`${layer}/`) && roomOf(target) !== roomOf(path))
        .filter((target) => heightOf(target) >= heightOf(path))
        .map((target) => `${path} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('tests are in the folder of the code that they test, or in a folder named for their subject', () => {
    const about = [
      'cells',
      'clients',
      'edges',
      'fuzz',
      'generated',
      'live',
      'operate',
      'support',
      'tools',
      'vectors',
      'walk',
    ];
    const tests = readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' });
    const folders = new Set(
      tests
        .filter((path) => /.\/.*\.ts$/.test(path) && !path.includes('node_modules'))
        .map((path) => path.split('/')[0]),
    );
    const known = [...LAYERS.flat(), ...about];
    expect([...folders].filter((name) => !known.includes(name as string))).toEqual([]);
  });

  test.each(Object.entries(ROOMS))('tests of %s are in its rooms', (layer, rooms) => {
    const folder = new URL(`./${layer}/`, import.meta.url);
    const given = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(given.map(({ name }) => name).filter((name) => !rooms.flat().includes(name))).toEqual([]);
  });

  test('there are no cycles, types counted', () => {
    const graph = new Map(SOURCES.map(({ path, imports }) => [path, imports]));
    const done = new Set<string>();
    const walk = (path: string, trail: readonly string[]): string[] => {
      if (trail.includes(path)) return [[...trail.slice(trail.indexOf(path)), path].join(' → ')];
      if (done.has(path)) return [];
      const found = (graph.get(path) ?? []).flatMap((next) => walk(next, [...trail, path]));
      done.add(path);
      return found;
    };
    expect(SOURCES.flatMap(({ path }) => walk(path, []))).toEqual([]);
  });

  test('rails other than the sandbox are loaded only where they are configured', () => {
    const wrong = SOURCES.filter(({ folder }) => folder !== 'rails').flatMap(({ path, text }) =>
      [...text.matchAll(/^import (?!type )[^;]*? from '([./]+rails\/(?!sandbox\/)[^']+)'/gm)].map(
        (match) => `${path} → ${match[1]}`,
      ),
    );
    expect(wrong).toEqual([]);
  });

  test.each([
    '@redis/client',
    '@simplewebauthn/server',
  ])('%s is loaded at its first use: most starts and commands do without it', (name) => {
    const gateway = SOURCES.filter(({ folder }) => folder !== 'signer');
    const loads = (text: string) => new RegExp(`^import (?!type )[^;]*? from '${name}'`, 'm').test(text);
    expect(gateway.filter(({ text }) => loads(text)).map(({ path }) => path)).toEqual([]);
  });

  test('Prisma serves GraphQL, and no other folder', () => {
    const wrong = SOURCES.filter(({ folder }) => folder !== 'schema').flatMap(({ path, imports }) =>
      imports.filter((target) => target === join('store', 'connection', 'prisma.ts')).map(() => path),
    );
    expect(wrong).toEqual([]);
  });

  test('C-40: the audit log is written where access is judged under the lock, and nowhere else', () => {
    const writers = SOURCES.filter(({ text }) => /\b(appendAudit|chainActions|chain)\(/.test(text));
    expect(writers.map(({ path }) => path).toSorted()).toEqual([
      'resolvers/checks/audited.ts',
      'resolvers/engine/advance-transaction.ts',
      'resolvers/engine/batch.ts',
      'resolvers/sandbox/note-scenario.ts',
      'store/engine/audit.ts',
    ]);
    // The engine's authors come from `asCaller`, apart from that of a new transaction: one with `create` lets nothing out.
    const authors = SOURCES.filter(({ text }) => /\bauthor: authorOf\(/.test(text));
    expect(authors.map(({ path }) => path).toSorted()).toEqual([
      'resolvers/engine/advance-for-caller.ts',
      'resolvers/orders/create-transaction.ts',
    ]);
  });

  test('ARCHITECTURE.md draws every folder and room', () => {
    const [, drawing = ''] = readFileSync(join(SRC, '../ARCHITECTURE.md'), 'utf8').split('```');
    const names = [...LAYERS.flat(), ...Object.values(ROOMS).flat(2)].filter((name) => name !== '.');
    expect(names.filter((name) => !drawing.includes(`${name}/`))).toEqual([]);
  });

  test('ARCHITECTURE.md names the place of each rule: the file exports the function', () => {
    const [, section = ''] = readFileSync(join(SRC, '../ARCHITECTURE.md'), 'utf8').split(
      '## The place of a rule\n',
    );
    const rules = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| .+ \| `(\w+)` \| `(.+)` \|$/gm)].map(
      ([, name = '', path = '']) => ({ name, path }),
    );
    expect(rules.length).toBeGreaterThan(10);
    const textOf = (path: string) => SOURCES.find((source) => source.path === join(path))?.text ?? '';
    const missing = rules.filter(
      ({ name, path }) => !new RegExp(`^export (async )?(function|const) ${name}\\b`, 'm').test(textOf(path)),
    );
    expect(missing).toEqual([]);
  });

  test('only programs read the environment, through config.ts; the database server inherits three names of it', () => {
    const readers = SOURCES.filter(({ text }) => /process\.env\b/.test(text)).map(({ path }) => path);
    const allowed = [
      'main.ts',
      join('cli', 'with-store.ts'),
      join('cli', 'doctor.ts'),
      join('postgres', 'postgres-binaries.ts'),
    ];
    expect(readers.filter((path) => !allowed.includes(path))).toEqual([]);
  });
});

describe('size', () => {
  test(`no file is longer than ${FILE_LINES_MAX} lines`, () => {
    const long = SOURCES.map(({ path, text }) => `${path} ${text.split('\n').length}`).filter(
      (each) => Number(each.split(' ')[1]) > FILE_LINES_MAX,
    );
    expect(long).toEqual([]);
  });

  test(`no function is longer than ${FUNCTION_LINES_MAX} lines`, async () => {
    expect(await functionsLongerThan(FUNCTION_LINES_MAX)).toEqual([]);
  });
});

describe('names', () => {
  test('template names are literals in src/templates only, and in the paths of the families', () => {
    const names = REGISTRY.templates.map(({ name }) => `'${name}'`);
    const wrong = SOURCES.filter(
      ({ folder, path }) => folder !== 'templates' && path !== join('rest-compat', 'families.ts'),
    )
      .filter(({ text }) => names.some((name) => text.includes(name)))
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });

  test('every exported function, class and type has a docblock', () => {
    const bare = SOURCES.flatMap(({ path, text }) =>
      [...text.matchAll(/(\*\/\n)?^export (?:async )?(?:function\*?|class|interface|type|const) (\w+)/gm)]
        .filter((match) => match[1] === undefined)
        .map((match) => `${path} ${match[2]}`),
    );
    expect(bare).toEqual([]);
  });

  test('every file begins with a description', () => {
    expect(SOURCES.filter(({ text }) => !text.startsWith('/**')).map(({ path }) => path)).toEqual([]);
  });
});
