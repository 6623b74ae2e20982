/** The check of `doctor` on the archive of the embedded database. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { listSets } from '../postgres/backup/backup-folder.ts';
import { openCluster, openHome } from '../postgres/embedded-home.ts';
import { archiveFolder, linkIn, WAL_FOLDER } from '../postgres/wal-archive.ts';
import type { Database, Statement } from '../store/connection/database.ts';

const ARCHIVER: Statement = {
  name: 'doctor_archiver',
  text: `select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as "isFailing",
    failed_count::int as failures, extract(epoch from clock_timestamp() - last_archived_time)::int as "ageSeconds",
    to_char(last_archived_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "archivedAt",
    to_char(last_failed_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "failedAt",
    (select setting::int from pg_settings where name = 'archive_timeout') as "timeoutSeconds",
    (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs" from pg_stat_archiver`,
};

interface Archiver {
  readonly isFailing: boolean;
  readonly failures: number;
  /** Null if nothing was archived since the statistics began, as after a crash. */
  readonly archivedAt: string | null;
  readonly ageSeconds: number | null;
  readonly failedAt: string | null;
  /** 0 if no backup has begun archiving. */
  readonly timeoutSeconds: number;
  readonly nowMs: string;
}

/** @returns the check; undefined for a server of the operator's own. */
export async function examineArchive(database: Database, { databaseUrl, home }: Config) {
  if (databaseUrl !== undefined) return [];
  const { folder: clusterFolder } = await openCluster(await openHome(home));
  const folder = await archiveFolder(clusterFolder);
  const [archiver] = await database.query<Archiver>(ARCHIVER, []);
  if (folder === undefined)
    return [{ check: 'archive', ...stateWithout(clusterFolder, archiver as Archiver) }];
  const state = stateOf(folder, archiver as Archiver, existsSync(join(folder, WAL_FOLDER)));
  return [
    {
      check: 'archive',
      ...(state.ok ? await withNewest(folder, state, Number((archiver as Archiver).nowMs)) : state),
    },
  ];
}

interface State {
  readonly ok: boolean;
  readonly detail: string;
}

function stateWithout(clusterFolder: string, { timeoutSeconds }: Archiver): State {
  if (timeoutSeconds === 0) return { ok: true, detail: 'none; crossramp backup begins one (docs/backup.md)' };
  const detail = `nothing is archived, although a backup began it: ${linkIn(clusterFolder)} is gone. Run crossramp backup, or crossramp backup --off (docs/backup.md)`;
  return { ok: false, detail };
}

/** @returns the state, with the age of the newest backup. A folder that cannot be read counts as a failure. */
async function withNewest(folder: string, { detail }: State, nowMs: number): Promise<State> {
  try {
    const newest = (await listSets(folder)).at(-1);
    if (newest === undefined)
      return {
        ok: false,
        detail: `${folder} holds no complete backup: run crossramp backup (docs/backup.md)`,
      };
    const hours = Math.max(0, Math.floor((nowMs - Date.parse(newest.endedAt)) / 3_600_000));
    return { ok: true, detail: `${detail}; newest backup of ${newest.endedAt}, ${hours} h ago` };
  } catch (error) {
    return {
      ok: false,
      detail: `the backups in ${folder} cannot be read: ${(error as Error).message} (docs/backup.md)`,
    };
  }
}

function stateOf(
  folder: string,
  { isFailing, failures, archivedAt, ageSeconds, failedAt }: Archiver,
  isThere: boolean,
): State {
  const last =
    archivedAt === null ? 'nothing yet' : `last file at ${archivedAt}, ${Math.max(0, ageSeconds ?? 0)} s ago`;
  if (isThere && !isFailing)
    return { ok: true, detail: `into ${folder}: ${last}; ${failures} failed attempts` };
  const why = isThere
    ? `the last of ${failures} failed attempts was at ${failedAt} (see postgres.log)`
    : 'the folder is not there';
  const detail = `cannot write to ${folder}: ${why}; ${last}. Until this is mended, the log fills the disk of the database: make room, mount the folder, or back up into another one (docs/backup.md)`;
  return { ok: false, detail };
}
