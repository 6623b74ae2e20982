/**
 * Goal: what the gateway is made from is known and stays what it was (ASVS 15.2): exact versions with hashes, no scripts at
 * installation, licences that may be passed on, a purpose for each. Method: the lock file, and what is said of each package.
 */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const ROOT = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const manifest = JSON.parse(read('package.json'));
const lock: {
  readonly packages: Readonly<Record<string, Locked>>;
} = JSON.parse(read('package-lock.json'));

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const installed = Object.entries(lock.packages).filter(([path]) => path !== '');
const shipped = installed.filter(([, { dev, devOptional }]) => !dev && !devOptional);

const REGISTRY = 'https://registry.npmjs.org/';
/** Licences under which the package may be passed on together with its own. */
const LICENCES = [
  'MIT',
  'MIT-0',
  'Apache-2.0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  '(MIT OR Apache-2.0)',
];

test('every package has a version and a hash, and comes from the configured registry', () => {
  // A tool for another system than that of the developer has none: it is never installed here.
  const hashed = installed.filter(([, { dev, optional }]) => !(dev && optional));
  const wrong = hashed.filter(
    ([, { version, integrity, resolved = REGISTRY }]) =>
      !version || !integrity?.startsWith('sha512-') || !resolved.startsWith(REGISTRY),
  );
  expect(wrong.map(([path]) => path)).toEqual([]);
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
    expect(version, name).toMatch(/^\d+\.\d+\.\d+/);
});

test('no package runs a script when it is installed', () => {
  expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
});

test('shipped packages have a licence that allows redistribution', () => {
  const wrong = shipped.filter(([, { license }]) => !license || !LICENCES.includes(license));
  expect(wrong.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

test('decision 0002 gives the purpose of every dependency', () => {
  const table = read('docs/decisions/0002-dependencies.md');
  const named = new Set([...table.matchAll(/`([^`]+)`/g)].flatMap(([, name = '']) => expand(name)));
  const names = [
    ...Object.keys(manifest.dependencies),
    ...Object.keys(manifest.optionalDependencies),
    ...Object.keys(manifest.devDependencies),
  ];
  const unknown = names.filter(
    (name) =>
      !name.startsWith('@types/') &&
      !named.has(name) &&
      ![...named].some((each) => each.endsWith('*') && name.startsWith(each.slice(0, -1))),
  );
  expect(unknown).toEqual([]);
});

/** @returns the names that a name of the table stands for: braces, a platform, the packages of a family. */
function expand(name: string): string[] {
  const braces = /^(.*)\{(.*)\}$/.exec(name);
  if (braces) return (braces[2] as string).split(',').map((each) => `${braces[1]}${each}`);
  return [name.replace(/<\w+>$/, '*').replace(/^-/, '@pothos/')];
}

test('decision 0108 gives the purpose of every package that a dependency brings, by the dependencies that bring it', () => {
  const table = read('docs/decisions/0108-packages-that-others-bring.md');
  const namesIn = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  const rows = [...table.matchAll(/^\| (`.+`) \| (.+) \|$/gm)].flatMap(([, by, packages]) =>
    namesIn(packages).map((name) => [name, namesIn(by).toSorted()] as const),
  );
  const direct = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  const brought = new Map<string, string[]>();
  for (const by of direct.toSorted())
    for (const name of broughtBy(by, direct)) brought.set(name, [...(brought.get(name) ?? []), by]);
  expect(rows.toSorted()).toEqual([...brought].toSorted());
});

/** @returns names of the packages that a dependency brings, those aside that `package.json` names itself. */
function broughtBy(dependency: string, direct: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  const paths = new Set([`node_modules/${dependency}`]);
  for (const path of paths) {
    const { dependencies, optionalDependencies } = lock.packages[path] as Locked;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = placeOf(name, path);
      if (direct.includes(name) || found === undefined) continue;
      names.add(name);
      paths.add(found);
    }
  }
  return names;
}

/** @returns the place in the lock file at which a package finds another one; undefined for one of another system. */
function placeOf(name: string, from: string): string | undefined {
  for (let folder = `${from}/`; ; folder = folder.slice(0, folder.lastIndexOf('node_modules/'))) {
    const path = `${folder}node_modules/${name}`;
    if (path in lock.packages) return path;
    if (folder === '') return undefined;
  }
}

describe('docs/threats.md', () => {
  test('names tests that there are', () => {
    const named = [...read('docs/threats.md').matchAll(/`(test\/[\w/.-]+)`/g)].map(
      ([, path]) => path as string,
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([]);
  });

  test('has each section of ASVS 5.0 once', () => {
    const cells = [...read('docs/threats.md').matchAll(/^\| (\d[\d.]*(?:(?:, | to )\d[\d.]*)*) /gm)].map(
      ([, cell]) => cell,
    );
    const named = cells.flatMap((cell) =>
      (cell as string).split(', ').flatMap((part) => {
        const [from = '', to = from] = part.split(' to ');
        const [chapter = 0, first] = from.split('.').map(Number);
        if (first === undefined) return sectionsOf(chapter);
        const last = Number(to.split('.')[1]);
        return Array.from({ length: last - first + 1 }, (_, at) => `${chapter}.${first + at}`);
      }),
    );
    const all = Object.keys(ASVS_SECTIONS).flatMap((chapter) => sectionsOf(Number(chapter)));
    expect(named.toSorted()).toEqual(all.toSorted());
  });
});

/** Number of sections of each chapter of ASVS 5.0. */
const ASVS_SECTIONS: Readonly<Record<number, number>> = {
  ...{ 1: 5, 2: 4, 3: 7, 4: 4, 5: 4, 6: 8, 7: 6, 8: 4, 9: 2 },
  ...{ 10: 7, 11: 7, 12: 3, 13: 4, 14: 3, 15: 4, 16: 5, 17: 3 },
};

function sectionsOf(chapter: number): string[] {
  return Array.from({ length: ASVS_SECTIONS[chapter] ?? 0 }, (_, at) => `${chapter}.${at + 1}`);
}
