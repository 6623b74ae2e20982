/**
 * Generates what is not committed: the Prisma client and the Pothos types, from prisma/schema.prisma.
 * Skips the work when the schema has not changed since the last run, so that it can stand before every command.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const generated = new URL('src/store/generated/', root);
const stamp = new URL('stamp', generated);
const inputs = ['prisma/schema.prisma', 'package-lock.json'];

const digest = createHash('sha256');
for (const input of inputs) digest.update(readFileSync(new URL(input, root)));
const wanted = digest.digest('hex');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  const { spawnSync } = await import('node:child_process');
  const cli = fileURLToPath(new URL('node_modules/prisma/build/index.js', root));
  const run = spawnSync(process.execPath, [cli, 'generate'], { cwd: root, encoding: 'utf8' });
  if (run.status !== 0) {
    process.stderr.write(`${run.stdout}${run.stderr}`);
    process.exit(run.status ?? 1);
  }
  writeFileSync(stamp, wanted);
}
