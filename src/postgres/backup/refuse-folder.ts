/** Refuses folders in which a backup would be lost, or would overwrite files of another server. */
import { existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Client } from 'pg';
import { EmbeddedPostgresError } from '../postgres-binaries.ts';
import { isSegment, WAL_FOLDER } from '../wal-archive.ts';
import { listSets, MARK, manifestOf } from './backup-folder.ts';
import { inLogOrder } from './newest-sets.ts';

/**
 * A log folder without a mark is the mount point of a disk that is not mounted, so a new one would be on another disk.
 * @param archived - the folder of the archived log.
 * @throws {EmbeddedPostgresError} when `path` is that folder and has no mark.
 */
export async function refuseUnmounted(path: string, archived: string | undefined): Promise<void> {
  if (archived === undefined || existsSync(join(path, MARK))) return;
  if (path !== archived && (await realPathOf(path)) !== archived) return;
  throw new EmbeddedPostgresError(
    `${path} is not mounted or was deleted: mount it, or run "crossramp backup --off" to start again`,
  );
}

/** The real path of something that may not exist yet. */
async function realPathOf(path: string): Promise<string> {
  const parent = dirname(path);
  if (existsSync(path) || parent === path) return realpath(path);
  return join(await realPathOf(parent), basename(path));
}

/**
 * Copies of a database have its identity, and their logs have the same names. A backup must not treat the log of a
 * copied database as its own.
 * @throws {EmbeddedPostgresError} when the folder has log files that this server has yet to write, or its newest backup
 * is of another timeline.
 */
export async function refuseOtherServer(folder: string, client: Client): Promise<void> {
  // The archive is listed first, because the server may continue to its next file meanwhile.
  const names = (await readdir(join(folder, WAL_FOLDER))).filter((name) => name.endsWith('.gz'));
  const { rows } = await client.query('select pg_walfile_name(pg_current_wal_insert_lsn()) as current');
  const { current } = rows[0] as { readonly current: string };
  const timeline = current.slice(0, 8);
  const later = names
    .map((name) => name.slice(0, -3))
    .find((name) => isSegment(name) && name.startsWith(timeline) && name >= current);
  if (later !== undefined)
    throw new EmbeddedPostgresError(
      `${folder} has the log of another server: ${join(folder, WAL_FOLDER, later)}.gz is not written here yet. Name another folder`,
    );
  // A damaged manifest does not prevent further backups.
  const read = (await listSets(folder)).map((set) =>
    manifestOf(set).then(
      (manifest) => [{ set, manifest }],
      () => [],
    ),
  );
  const newest = inLogOrder((await Promise.all(read)).flat()).at(-1)?.manifest;
  const own = Number.parseInt(timeline, 16);
  if (newest !== undefined && newest.timeline !== own)
    throw new EmbeddedPostgresError(
      `${folder} has backups of timeline ${newest.timeline}, and the database is on ${own}, as after a restore: name another folder`,
    );
}
