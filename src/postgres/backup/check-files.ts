/** Compares the files of a backup with its manifest. */
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { EmbeddedPostgresError, type SystemUser } from '../postgres-binaries.ts';
import { copyFile, inParallel } from './copy-files.ts';
import { type BackedUpFile, MANIFEST } from './manifest.ts';

/** Text for a changed file. */
export const DIFFERS = 'differs from its manifest';
/** Text for a missing file. */
export const IS_MISSING = 'is missing';

/** @returns the refusal of a backup for one of its files. */
export function damaged(file: string, how: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(`the backup is damaged: ${file} ${how}`);
}

/**
 * Compares names and sizes of the files of a backup with its manifest, before a copy that may take hours.
 *
 * @throws {EmbeddedPostgresError} for a file that is missing, has another size or was added.
 */
export async function compareFiles(root: string, files: readonly BackedUpFile[]): Promise<void> {
  const missing = new Map(files.map(({ path, size }) => [path, size]));
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(root, file);
    const size = missing.get(path);
    if (size === undefined && path !== MANIFEST) throw damaged(file, 'is not in its manifest');
    if (size !== undefined && size !== (await stat(file)).size) throw damaged(file, DIFFERS);
    missing.delete(path);
  }
  for (const path of missing.keys()) throw damaged(join(root, path), IS_MISSING);
}

/**
 * Copies the files of a backup out of it, and compares each with the manifest.
 *
 * @throws {EmbeddedPostgresError} for a file that is missing or differs.
 */
export async function copyChecked(
  files: readonly BackedUpFile[],
  { from, to, user }: { readonly from: string; readonly to: string; readonly user: SystemUser },
  signal?: AbortSignal,
): Promise<void> {
  await inParallel(files, async ({ path, size, sha256 }) => {
    signal?.throwIfAborted();
    const copied = await copyFile(join(from, path), join(to, path), user);
    if (!copied) throw damaged(join(from, path), IS_MISSING);
    if (copied.size !== size || copied.sha256 !== sha256) throw damaged(join(from, path), DIFFERS);
  });
}
