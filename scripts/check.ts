/** Typed documents, formatting, lint and types of the whole project; stops at the first that fails. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const checks = [
  ['graphql-codegen', '--config', 'codegen.ts', '--silent'],
  ['biome', 'check', '.'],
  // Stores results of the compiler for each file, so that a further check takes a quarter of the processor time.
  ['tsc', '-p', '.', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/tsc/project.tsbuildinfo'],
  // Code for browsers knows nothing of Node, and the other way round.
  ['tsc', '-p', 'src/pages/island'],
  ['tsc', '-p', 'src/docs/island'],
  ['tsc', '-p', 'src/console/island'],
  ['tsc', '-p', 'src/signer/island'],
  ['tsc', '-p', 'packages/sdk', '--noEmit'],
];

for (const [command = '', ...args] of checks) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
}
