/** The part of the archived log that a backup needs. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { EmbeddedPostgresError } from '../postgres-binaries.ts';
import { segmentAfter, WAL_FOLDER } from '../wal-archive.ts';
import { checksumOf } from './copy-files.ts';
import type { BackedUpFile, Manifest } from './manifest.ts';

/** Time until the next file is archived. The archiver retries within a minute. Unit: ms. */
const NEXT_FILE_MAX_MS = 100_000;
const POLL_MS = 100;

/**
 * Waits until the archive has all files of the log that a backup needs.
 *
 * @throws {EmbeddedPostgresError} when the archiver fails, or a file does not arrive in time.
 */
export async function archivedWal(
  folder: string,
  { startWal, stopWal, startedAt }: Pick<Manifest, 'startWal' | 'stopWal' | 'startedAt'>,
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal | undefined },
): Promise<BackedUpFile[]> {
  const wal: BackedUpFile[] = [];
  for (let name = startWal; ; name = segmentAfter(name)) {
    const path = `${WAL_FOLDER}/${name}.gz`;
    const deadline = performance.now() + NEXT_FILE_MAX_MS;
    while (!existsSync(join(folder, path))) {
      signal?.throwIfAborted();
      if (performance.now() > deadline || (await hasFailed(client, startedAt)))
        throw new EmbeddedPostgresError(
          `the log of the database cannot be archived into ${join(folder, WAL_FOLDER)}: see postgres.log`,
        );
      await delay(POLL_MS);
    }
    wal.push({ path, ...(await checksumOf(join(folder, path))) });
    if (name === stopWal) return wal;
  }
}

/**
 * Whether the archiver's newest attempt failed, after the backup began. Earlier failures may concern another folder.
 */
async function hasFailed(client: Client, startedAt: string): Promise<boolean> {
  const { rows } = await client.query(
    `select last_failed_time > greatest(coalesce(last_archived_time, '-infinity'), $1::timestamptz) as failed from pg_stat_archiver`,
    [startedAt],
  );
  return rows[0]?.failed === true;
}
