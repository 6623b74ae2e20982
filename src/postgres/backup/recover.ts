/** Starts a server on the files of a backup, so that it replays the archived log, and stops it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { instantOf } from '../../base/time/instant.ts';
import type { HomeCluster } from '../embedded-home.ts';
import { EmbeddedPostgresError } from '../postgres-binaries.ts';
import { type Connection, startServer, stopServer } from '../postgres-server.ts';
import { restoreCommand, startOfSegment } from '../wal-archive.ts';
import { writeDurably } from './copy-files.ts';
import type { Manifest } from './manifest.ts';

/** Longest replay of a log. Unit: ms. */
const RECOVERY_MAX_MS = 24 * 3_600_000;

/** Input of a recovery. */
export interface Recovery {
  readonly walFolder: string;
  readonly until?: string | undefined;
  readonly manifest: Manifest;
  readonly segments: readonly string[];
}

/**
 * Replays the log, and ends in the state of a server that was shut down.
 * @returns time of the last transaction, RFC 3339; null if there is none after the backup.
 * @throws {EmbeddedPostgresError} when the log ends before `until` or in the middle, or has an unreadable file.
 */
export async function recover(
  cluster: HomeCluster,
  binaries: string,
  recovery: Recovery,
): Promise<string | null> {
  const { walFolder, until } = recovery;
  await writeDurably(join(cluster.dataFolder, 'recovery.signal'), '', cluster.user);
  const settings = {
    archive_mode: 'off',
    // Otherwise the server would report ready during recovery.
    hot_standby: 'off',
    restore_command: restoreCommand(walFolder),
    recovery_target_timeline: 'current',
    ...(until !== undefined && {
      // A numeric offset is needed, because names of zones are not known yet when the server reads this.
      recovery_target_time: instantOf(new Date(until)),
      recovery_target_action: 'promote',
    }),
  };
  let connection: Connection;
  try {
    connection = await startServer(cluster, binaries, settings, undefined, RECOVERY_MAX_MS);
  } catch (error) {
    throw refusalOf(await readFile(cluster.logFile, 'utf8').catch(() => ''), recovery) ?? error;
  }
  const { client } = connection;
  const { rows } = await client.query(
    `select to_char(pg_last_xact_replay_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
        pg_last_wal_replay_lsn() >= $1::pg_lsn as whole`,
    [startOfSegment(recovery.segments.at(-1) ?? recovery.manifest.startWal)],
  );
  // The setting belongs to the archive of the former home.
  await client.query('alter system reset archive_timeout');
  await client.end();
  await stopServer(cluster, binaries);
  const [{ at, whole }] = rows;
  if (until === undefined && !whole)
    throw new EmbeddedPostgresError(
      `the archive ends in the middle: nothing was found after ${at ?? recovery.manifest.endedAt}, although later files are there`,
    );
  return at;
}

/** @returns the refusal for a recovery that ended early, from the server's log. */
function refusalOf(
  log: string,
  { until, manifest: { endedAt } }: Recovery,
): EmbeddedPostgresError | undefined {
  const last = /last completed transaction was at log time (\S+) (\S{12})/.exec(log);
  if (/recovery ended before configured recovery target was reached/.test(log))
    return new EmbeddedPostgresError(
      last
        ? `--until ${until} is after the end of the archive: name a time from ${endedAt} to ${last[1]}T${last[2]}Z, or leave --until out`
        : `--until ${until} is after the end of the archive, which has no change after ${endedAt}: leave --until out`,
    );
  if (/before consistent recovery point/.test(log))
    return new EmbeddedPostgresError(
      `--until ${until} is too early for this backup: name a time from ${endedAt} on`,
    );
  const unreadable = /could not restore file "([^"]+)" from archive/.exec(log)?.[1];
  return unreadable === undefined
    ? undefined
    : new EmbeddedPostgresError(
        `the archive is damaged: ${unreadable}.gz cannot be read. Restore to a time before it with --until, or put a copy of it back`,
      );
}
