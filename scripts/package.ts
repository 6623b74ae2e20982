/**
 * Makes the tarball of a production installation: dist/crossramp-gateway-VERSION.tgz. It holds the sources as JavaScript,
 * all that is generated, the migrations, and a lock file without the tools (docs/operations.md, decision 0018).
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A package as a lock file has it. */
interface Locked {
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>;
  devOptional?: boolean;
  optional?: boolean;
}

const root = new URL('..', import.meta.url);
const dist = new URL('dist/', root);
const stage = new URL('package/', dist);
const pathOf = (name: string, base = root) => fileURLToPath(new URL(name, base));
const readJson = (name: string) => JSON.parse(readFileSync(pathOf(name), 'utf8'));
const writeJson = (name: string, value: unknown) =>
  writeFileSync(pathOf(name, stage), `${JSON.stringify(value, null, 2)}\n`);

rmSync(stage, { recursive: true, force: true });
mkdirSync(pathOf('bin/', stage), { recursive: true });
// A fresh checkout has no types of the console's documents; only the checks make them, otherwise.
run(pathOf('node_modules/.bin/graphql-codegen'), ['--config', 'codegen.ts', '--silent'], root);
run(
  pathOf('node_modules/.bin/tsc'),
  ['-p', 'scripts/tsconfig.package.json', '--outDir', pathOf('src', stage)],
  root,
);
// What programs read besides: the style and the script of the pages, migrations, explanations of errors, an example.
for (const name of [
  'src/ui/styles',
  'src/pages/island/island.ts',
  'src/docs/island/graphiql.ts',
  'README.pt-BR.md',
  'src/console/console.css',
  'src/console/documents',
  'src/console/island',
  'src/pages/island/passkeys.ts',
  'prisma/schema.prisma',
  'prisma/migrations',
  'schema.graphql',
  'docs',
  'README.md',
  'CHANGELOG.md',
  // Not needed to run it, but the documents lead there.
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'bench/README.md',
  'bench/RESULTS.md',
  'LICENSE',
  '.npmrc',
])
  cpSync(pathOf(name), pathOf(name, stage), { recursive: true });
cpSync(pathOf('scripts/check-node.js'), pathOf('bin/check-node.js', stage));
const bin = { crossramp: 'bin/crossramp', 'crossramp-gateway': 'bin/crossramp-gateway' };
for (const path of Object.values(bin)) {
  cpSync(pathOf('scripts/launcher.sh'), pathOf(path, stage));
  chmodSync(pathOf(path, stage), 0o755);
}

const { name, version, description, license, type, engines, dependencies, optionalDependencies } =
  readJson('package.json');
const manifest = {
  ...{ name, version, description, license, private: true, type, bin },
  // This Node runs npm; where there is no Node of ours besides, the launcher says which one is needed.
  engines,
  scripts: { start: `exec ${bin['crossramp-gateway']}`, crossramp: `exec ${bin.crossramp}` },
  dependencies,
  optionalDependencies,
};
writeJson('package.json', manifest);
writeJson('npm-shrinkwrap.json', {
  ...{ name, version, lockfileVersion: 3, requires: true },
  packages: {
    '': { name, version, license, bin, engines, dependencies, optionalDependencies },
    ...neededOf(readJson('package-lock.json').packages, { dependencies, optionalDependencies }),
  },
});
// Not by "npm pack", which leaves .npmrc out.
const tarball = pathOf(`${name}-${version}.tgz`, dist);
run('tar', ['--owner=0', '--group=0', '-czf', tarball, 'package'], dist);
rmSync(stage, { recursive: true });
process.stdout.write(`${tarball}\n`);

/** @returns the packages of a lock file that a root with these dependencies needs, tools left out. */
function neededOf(packages: Record<string, Locked>, needing: Locked): Record<string, Locked> {
  const needed = new Set<string>();
  const visit = (path: string, { dependencies, optionalDependencies, ...locked }: Locked) => {
    const peers = Object.keys(locked.peerDependencies ?? {}).filter(
      (peer) => !locked.peerDependenciesMeta?.[peer]?.optional,
    );
    for (const each of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const found = placeOf(packages, path, each);
      if (found === undefined || needed.has(found)) continue;
      needed.add(found);
      visit(found, packages[found] as Locked);
    }
  };
  visit('', needing);
  return Object.fromEntries(
    [...needed].sort().map((path) => {
      const { devOptional, ...locked } = packages[path] as Locked;
      return [path, devOptional ? { ...locked, optional: true } : locked];
    }),
  );
}

/** @returns where the package stands that `from` gets by a name, as Node looks for it. */
function placeOf(packages: Record<string, Locked>, from: string, name: string): string | undefined {
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
