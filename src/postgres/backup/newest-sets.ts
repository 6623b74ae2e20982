/** Number of backups that stay in a folder. */
import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EmbeddedPostgresError } from '../postgres-binaries.ts';
import { removeFolder } from '../postgres-server.ts';
import { segmentOrder, WAL_FOLDER } from '../wal-archive.ts';
import { GONE, listSets, manifestOf, type SetName } from './backup-folder.ts';
import type { Manifest } from './manifest.ts';

/** A backup with its manifest. */
interface BackupSet {
  readonly set: SetName;
  readonly manifest: Manifest;
}

/** @returns backups by the start of their log, because the clock may have been set back between them. */
export function inLogOrder(sets: readonly BackupSet[]): BackupSet[] {
  const startOf = ({ manifest }: BackupSet) =>
    manifest.startLsn
      .split('/')
      .map((half) => half.padStart(8, '0'))
      .join('');
  return sets.toSorted((one, other) => (startOf(one) < startOf(other) ? -1 : 1));
}

/**
 * Removes all backups except the newest ones, and the log that only the removed ones needed.
 * @param made - path of the new backup, which stays.
 * @returns names of the removed backups.
 * @throws {EmbeddedPostgresError} when one of them cannot be read; nothing is removed then.
 */
export async function removeOldSets(folder: string, count: number, made: string): Promise<string[]> {
  const sets: BackupSet[] = [];
  for (const set of await listSets(folder))
    sets.push({ set, manifest: await manifestOf(set).catch((error) => refuse(made, error)) });
  const others = inLogOrder(sets.filter(({ set }) => set.path !== made));
  const removed = others.slice(0, Math.max(0, others.length - (count - 1)));
  const remaining = sets.filter((each) => !removed.includes(each));
  for (const { set } of removed) {
    const gone = join(dirname(set.path), `${GONE}${set.name}`);
    await rename(set.path, gone);
    await removeFolder(gone);
  }
  const [first = ''] = remaining.map(({ manifest }) => segmentOrder(manifest.startWal)).toSorted();
  for (const name of await readdir(join(folder, WAL_FOLDER)))
    if (/^[0-9A-F]{24}/.test(name) && segmentOrder(name) < first)
      await rm(join(folder, WAL_FOLDER, name), { force: true });
  return removed.map(({ set }) => set.name);
}

function refuse(made: string, error: unknown): never {
  if (!(error instanceof EmbeddedPostgresError)) throw error;
  throw new EmbeddedPostgresError(`${made} is complete, and no other backup was removed: ${error.message}`);
}
