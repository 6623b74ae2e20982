/** Files of the checkout that the package has as they are: what programs read, documents, and examples of an installation. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Files and folders of which the package has copies. */
export const COPIED: readonly string[] = [
  'src/ui/styles',
  'src/pages/island/island.ts',
  'src/docs/island/graphiql.ts',
  'README.pt-BR.md',
  'src/console/console.css',
  'src/console/documents',
  'src/console/island',
  'src/pages/island/passkeys.ts',
  'src/signer/island',
  'prisma/schema.prisma',
  'prisma/migrations',
  'schema.graphql',
  'schema.operator.graphql',
  'docs',
  'README.md',
  'CHANGELOG.md',
  // Not needed to run it, but the documents lead there.
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'examples',
  'bench/README.md',
  'bench/RESULTS.md',
  'bench/notes',
  'LICENSE',
  '.npmrc',
  '.env.example',
  'deploy',
];

/** Kinds of the files in these folders; a file of another kind, such as a key, is not copied even if git is unavailable. */
const KINDS =
  /\.(?:bru|cfg|conf|css|graphql|html|js|json|jsx|md|ndjson|php|png|prisma|py|service|sh|sql|toml|tpl|ts|yaml|yml)$|^(?:LICENSE|\.npmrc|\.env\.example)$/;

/** Folders that installations and builds make. */
const MADE = ['node_modules', 'dist'];

/**
 * In a checkout only files that git tracks, because an operator may keep secrets beside them. The image is built without git,
 * from what `.dockerignore` leaves: there the kinds alone decide.
 *
 * @param root - folder of the sources.
 * @returns paths below it, in order.
 * @throws {Error} where git cannot list a checkout.
 */
export function packagedFiles(root: string): readonly string[] {
  const files = existsSync(join(root, '.git'))
    ? trackedFiles(root)
    : COPIED.flatMap((name) => filesIn(root, name));
  return files.filter((path) => KINDS.test(path)).toSorted();
}

function trackedFiles(root: string): readonly string[] {
  const { status, stdout, stderr } = spawnSync('git', ['ls-files', '-z', '--', ...COPIED], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`git cannot list the files of ${root}: ${stderr}`);
  // A file that was removed, but is still in the index, is not there to copy.
  return stdout.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
}

/** Hidden files of a folder, and what an example has installed or built there, are none of the project's. */
function filesIn(root: string, name: string): readonly string[] {
  if (!statSync(join(root, name)).isDirectory()) return [name];
  return readdirSync(join(root, name)).flatMap((each) =>
    each.startsWith('.') || MADE.includes(each) ? [] : filesIn(root, join(name, each)),
  );
}
