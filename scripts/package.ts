/**
 * Makes the tarballs of production installations (docs/operations.md, decisions 0018 and 0063). dist/crossramp-gateway-VERSION.tgz
 * holds the sources as JavaScript, all that is generated, the migrations, and a lock file without the tools.
 * dist/crossramp-signer-VERSION.tgz holds the signer alone, and needs the packages that it imports.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { importClosure } from './import-closure.ts';
import { packagedFiles } from './packaged-files.ts';

/** A package as a lock file has it. */
interface Locked {
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
}

/** Members of the package.json of one of the two packages. */
interface Manifest {
  readonly name: string;
  readonly description: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly engines: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
}

/** Time of every file of a tarball, as npm has it. */
const MADE_AT = new Date('1985-10-26T08:15:00Z');
const PASSKEYS = '@simplewebauthn/server';
const root = new URL('..', import.meta.url);
const dist = new URL('dist/', root);
const stage = new URL('package/', dist);
/** Folder of the signer's package while it is made. */
const signer = new URL('signer/package/', dist);
const pathOf = (name: string, base = root) => fileURLToPath(new URL(name, base));
const readJson = (name: string) => JSON.parse(readFileSync(pathOf(name), 'utf8'));

for (const folder of [stage, new URL('..', signer)]) rmSync(folder, { recursive: true, force: true });
mkdirSync(pathOf('bin/', stage), { recursive: true });
// A fresh checkout has no types of the console's documents; only the checks make them, otherwise.
run(pathOf('node_modules/.bin/graphql-codegen'), ['--config', 'codegen.ts', '--silent'], root);
run(
  pathOf('node_modules/.bin/tsc'),
  ['-p', 'scripts/tsconfig.package.json', '--outDir', pathOf('src', stage)],
  root,
);
for (const file of packagedFiles(pathOf(''))) copy(file, root, stage);
cpSync(pathOf('scripts/ready.js'), pathOf('bin/ready.js', stage));
const { dependencies, optionalDependencies, ...about } = readJson('package.json');
const bin = {
  crossramp: 'bin/crossramp',
  'crossramp-gateway': 'bin/crossramp-gateway',
  'crossramp-ready': 'bin/crossramp-ready',
};
pack(stage, {
  name: about.name,
  description: about.description,
  bin,
  // This Node runs npm; where there is no Node of ours besides, the launcher says which one is needed.
  engines: about.engines,
  scripts: { start: `exec ${bin['crossramp-gateway']}`, crossramp: `exec ${bin.crossramp}` },
  dependencies,
  optionalDependencies,
});
packSigner();
for (const folder of [stage, new URL('..', signer)]) rmSync(folder, { recursive: true });

/** The files that the signer consists of, out of those of the gateway. */
function packSigner(): void {
  const { files, packages } = importClosure(pathOf('src/cli/signer-main.js', stage));
  for (const file of [
    ...files.map((each) => relative(pathOf('', stage), each)),
    'src/signer/island',
    'LICENSE',
    '.npmrc',
  ])
    copy(file, stage, signer);
  const versions = (isWanted: (each: string) => boolean) =>
    Object.fromEntries(packages.filter(isWanted).map((each) => [each, dependencies[each]]));
  pack(signer, {
    name: 'crossramp-signer',
    description: 'The process that holds the keys of a Crossramp Gateway',
    bin: { 'crossramp-signer': 'bin/crossramp-signer' },
    engines: { node: '>=24.12' },
    dependencies: versions((each) => each !== PASSKEYS),
    // For the page of the signer, so that a signer without one may leave out a library that brings many more.
    optionalDependencies: versions((each) => each === PASSKEYS),
  });
}

function copy(file: string, from: URL, to: URL): void {
  mkdirSync(dirname(pathOf(file, to)), { recursive: true });
  cpSync(pathOf(file, from), pathOf(file, to), { recursive: true });
}

/** Adds programs, package.json and a lock file to a folder, and makes a tarball of it. */
function pack(folder: URL, own: Manifest): void {
  mkdirSync(pathOf('bin/', folder), { recursive: true });
  cpSync(pathOf('scripts/check-node.js'), pathOf('bin/check-node.js', folder));
  for (const path of Object.values(own.bin)) {
    cpSync(pathOf('scripts/launcher.sh'), pathOf(path, folder));
    chmodSync(pathOf(path, folder), 0o755);
  }
  const { version, license, type } = about;
  const { name, bin, engines, dependencies, optionalDependencies } = own;
  const needed = neededOf(readJson('package-lock.json').packages, { dependencies, optionalDependencies });
  const writeJson = (file: string, value: unknown) =>
    writeFileSync(pathOf(file, folder), `${JSON.stringify(value, null, 2)}\n`);
  writeJson('package.json', { ...own, version, license, private: true, type });
  writeJson('npm-shrinkwrap.json', {
    ...{ name, version, lockfileVersion: 3, requires: true },
    packages: { '': { name, version, license, bin, engines, dependencies, optionalDependencies }, ...needed },
  });
  writeJson('sbom.cdx.json', billOf(folder));
  const tarball = pathOf(`${name}-${version}.tgz`, dist);
  writeFileSync(tarball, tarballOf(folder));
  process.stdout.write(`${tarball}\n`);
}

/** @returns the bill of materials (CycloneDX) of a folder with a lock file, without the number and the time of its making. */
function billOf(folder: URL): object {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
  const text = execFileSync('npm', args, {
    cwd: fileURLToPath(folder),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const { serialNumber: _, metadata, ...bill } = JSON.parse(text);
  const { timestamp: __, ...made } = metadata;
  return { ...bill, metadata: made };
}

/** @returns a tarball that is the same, byte by byte, whenever and wherever it is made. Not by "npm pack", which leaves .npmrc out. */
function tarballOf(folder: URL): Buffer {
  const parent = fileURLToPath(new URL('..', folder));
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const entries = ['package', ...names.map((each) => `package/${each}`)].sort();
  for (const each of entries) utimesSync(`${parent}${each}`, MADE_AT, MADE_AT);
  const [list, plain] = [`${parent}entries`, `${parent}plain.tar`];
  writeFileSync(list, entries.join('\n'));
  run('tar', ['--owner=0', '--group=0', '--no-recursion', '-cf', plain, '-T', list], new URL('..', folder));
  const zipped = gzipSync(readFileSync(plain), { level: 9 });
  for (const each of [list, plain]) rmSync(each);
  return zipped;
}

/** @returns the packages of a lock file that a root with these dependencies needs, tools left out. */
function neededOf(packages: Record<string, Locked>, root: Locked): Record<string, Locked> {
  const required = pathsNeeded(packages, root, false);
  return Object.fromEntries(
    [...pathsNeeded(packages, root, true)].sort().map((path) => {
      const { devOptional, optional, ...locked } = packages[path] as Locked;
      return [path, required.has(path) ? locked : { ...locked, optional: true }];
    }),
  );
}

function pathsNeeded(packages: Record<string, Locked>, root: Locked, withOptional: boolean): Set<string> {
  const needed = new Set<string>();
  const visit = (path: string, { dependencies, optionalDependencies, ...locked }: Locked) => {
    const peers = Object.keys(locked.peerDependencies ?? {}).filter(
      (peer) => !locked.peerDependenciesMeta?.[peer]?.optional,
    );
    const names = Object.keys({ ...dependencies, ...(withOptional && optionalDependencies) });
    for (const each of [...names, ...peers]) {
      const found = folderOf(packages, path, each);
      if (found === undefined || needed.has(found)) continue;
      needed.add(found);
      visit(found, packages[found] as Locked);
    }
  };
  visit('', root);
  return needed;
}

/** @returns where the package stands that `from` gets by a name, as Node looks for it. */
function folderOf(packages: Record<string, Locked>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') return undefined;
  }
}

function run(command: string, args: readonly string[], cwd: URL): void {
  const { status } = spawnSync(command, args, { cwd: fileURLToPath(cwd), stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
