/**
 * Backs up an embedded server while it works: copies the files of its data folder between `pg_backup_start` and
 * `pg_backup_stop`, and the log that makes them consistent. After the first backup, the log is archived into the same
 * folder.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { realpath, rename } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Client } from 'pg';
import { VERSION } from '../../base/process/version.ts';
import { type HomeCluster, openCluster, openHome, RECORD } from '../embedded-home.ts';
import { acquireEmbeddedPostgres, thisProcess } from '../embedded-postgres.ts';
import { EmbeddedPostgresError } from '../postgres-binaries.ts';
import { removeFolder } from '../postgres-server.ts';
import { archiveFolder, archiveInto, archiveNowhere } from '../wal-archive.ts';
import { archivedWal } from './archived-wal.ts';
import { draftOf, listSets, openBackupFolder, removeDrafts, setNamed } from './backup-folder.ts';
import {
  copyFile,
  inParallel,
  listData,
  makePrivate,
  syncFolder,
  syncFolders,
  writeDurably,
} from './copy-files.ts';
import { type BackedUpFile, MANIFEST, type Manifest, manifestText } from './manifest.ts';
import { removeOldSets } from './newest-sets.ts';
import { inPlainWords } from './plain-words.ts';
import { refuseOtherServer, refuseUnmounted } from './refuse-folder.ts';

/** Name of the key file within a backup. */
export const SECRETS_KEY = 'secrets.key';
/** Folder of a backup that holds the data folder. */
export const DATA = 'data';

/** Key of the advisory lock that a backup holds. The number is arbitrary. */
const BACKUP_KEY = 0x6261636b7570;

/** Input of a backup. */
export interface BackupOptions {
  readonly home: string;
  /** Absolute. */
  readonly folder: string;
  /** Longest time until a change is archived. Unit: seconds. */
  readonly archiveSeconds: number;
  /** Number of backups to keep; undefined keeps all. */
  readonly setsMax?: number | undefined;
  /** Key file to copy; undefined if it is stored elsewhere. */
  readonly secretsKeyFile?: string | undefined;
  readonly onProgress?: (progress: { readonly files: number; readonly of: number }) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Result of a backup. */
export interface BackupReport {
  readonly path: string;
  readonly manifest: Manifest;
  readonly bytes: number;
  /** Names of older backups that were removed. */
  readonly removed: readonly string[];
}

/**
 * @throws {EmbeddedPostgresError} when the folder is not accepted, the disk is full, or the log cannot be archived. On
 * failure, everything written of the backup is removed, and archiving ends if this backup started it and the folder has no
 * other; leftovers of a killed process are removed by the next backup.
 */
export async function createBackup(options: BackupOptions): Promise<BackupReport> {
  return withServer(options, (client, cluster) =>
    inPlainWords(`backing up to ${options.folder}`, async () => {
      const { systemIdentifier } = await identityOf(client);
      const missing = ['gzip', 'cmp'].find((program) => spawnSync(program, ['--help']).error);
      if (missing)
        throw new EmbeddedPostgresError(`the program ${missing} is missing, which archives the log`);
      if (`${options.folder}${sep}`.startsWith(`${cluster.dataFolder}${sep}`))
        throw new EmbeddedPostgresError(
          `${options.folder} is within the data: name another folder for backups`,
        );
      await refuseSecondBackup(client, options.home);
      const before = await archiveFolder(cluster.folder);
      await refuseUnmounted(options.folder, before);
      const folder = await openBackupFolder(options.folder, systemIdentifier, cluster.user);
      await removeDrafts(folder);
      await refuseOtherServer(folder, client);
      await archiveInto(cluster.folder, folder);
      await client.query(`alter system set archive_timeout = ${options.archiveSeconds}`);
      await client.query('select pg_reload_conf()');
      const draft = draftOf(folder, thisProcess());
      const made = await fill(draft, folder, { client, cluster, options })
        .catch(async (error) => {
          // A log without a backup restores nothing, and a full disk would stop the database.
          const sets = before === undefined ? await listSets(folder).catch(() => undefined) : undefined;
          if (sets?.length === 0) await stopArchiving(client, cluster).catch(() => {});
          throw error;
        })
        .finally(() => removeFolder(draft));
      const { setsMax } = options;
      return {
        ...made,
        removed: setsMax === undefined ? [] : await removeOldSets(folder, setsMax, made.path),
      };
    }),
  );
}

/** The lock ends with the connection, in every case. */
async function refuseSecondBackup(client: Client, home: string): Promise<void> {
  const { rows } = await client.query(`select pg_try_advisory_lock(${BACKUP_KEY}) as "isOnly"`);
  if (!rows[0].isOnly)
    throw new EmbeddedPostgresError(`another backup of ${home} is running: wait until it has ended`);
}

/** Ends archiving. @returns the folder of the archive. */
export async function endArchiving(home: string, signal?: AbortSignal): Promise<string | undefined> {
  return withServer({ home, signal }, async (client, cluster) => {
    const folder = await archiveFolder(cluster.folder);
    await stopArchiving(client, cluster);
    return folder;
  });
}

/** The link is removed first, which ends archiving even if the server has died. */
async function stopArchiving(client: Client, { folder }: HomeCluster): Promise<void> {
  await archiveNowhere(folder);
  await client.query('alter system reset archive_timeout');
  await client.query('select pg_reload_conf()');
}

async function withServer<Result>(
  { home, signal }: Pick<BackupOptions, 'home' | 'signal'>,
  work: (client: Client, cluster: HomeCluster) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(join(home, RECORD)))
    throw new EmbeddedPostgresError(
      `there is no database in ${home}: set CROSSRAMP_HOME to the gateway's folder`,
    );
  const server = await acquireEmbeddedPostgres({ home, signal });
  const client = new Client({ connectionString: server.url, application_name: 'crossramp backup' });
  // If the server dies, the waiting statement fails.
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client, await openCluster(await openHome(home)));
  } finally {
    await client.end().catch(() => {});
    await server.release();
  }
}

interface Identity {
  readonly systemIdentifier: string;
  readonly timeline: number;
  readonly postgres: string;
}

async function identityOf(client: Client): Promise<Identity> {
  const { rows } = await client.query(
    `select system_identifier::text as "systemIdentifier", timeline_id as timeline, current_setting('archive_mode') as mode,
        split_part(current_setting('server_version'), ' ', 1) as postgres
      from pg_control_system(), pg_control_checkpoint()`,
  );
  const [{ mode, ...identity }] = rows;
  if (mode !== 'on')
    throw new EmbeddedPostgresError(
      'the database was started by an earlier version of the gateway, and does not archive its log: restart the gateway',
    );
  return identity;
}

interface Parts {
  readonly client: Client;
  readonly cluster: HomeCluster;
  readonly options: BackupOptions;
}

async function fill(
  draft: string,
  folder: string,
  { client, cluster, options }: Parts,
): Promise<Omit<BackupReport, 'removed'>> {
  const { signal, secretsKeyFile } = options;
  await makePrivate(draft, undefined);
  await makePrivate(join(draft, DATA), undefined);
  const { rows } = await client.query(
    `select lsn::text as "startLsn", pg_walfile_name(lsn) as "startWal", ${TIME} as "startedAt"
      from pg_backup_start('crossramp', true) lsn`,
  );
  const [start] = rows;
  const copied = await copyData(cluster, draft, options);
  signal?.throwIfAborted();
  const stopped = await client.query(
    `select lsn::text as "stopLsn", pg_walfile_name(lsn) as "stopWal", labelfile as label, ${TIME} as "endedAt"
      from pg_backup_stop(false)`,
  );
  const [{ label, ...stop }] = stopped.rows;
  const add = async (path: string, text: string) =>
    copied.push({ ...(await writeDurably(join(draft, path), text, undefined)), path });
  await add(`${DATA}/backup_label`, label);
  const { password, gatewayPassword } = cluster;
  await add(RECORD, `${JSON.stringify({ password, gatewayPassword })}\n`);
  if (secretsKeyFile !== undefined) copied.push(await copyKey(secretsKeyFile, draft));
  const wal = await archivedWal(folder, { ...start, ...stop }, { client, signal });
  const identity = await identityOf(client);
  const files = copied.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const manifest: Manifest = {
    format: 1,
    gateway: VERSION,
    ...identity,
    ...start,
    ...stop,
    hasSecretsKey: secretsKeyFile !== undefined,
    files,
    wal,
  };
  await syncFolders(
    draft,
    files.map(({ path }) => path),
  );
  await writeDurably(join(draft, MANIFEST), manifestText(manifest), undefined);
  await syncFolder(draft);
  const { path } = setNamed(folder, manifest.endedAt);
  await rename(draft, path);
  await syncFolder(join(path, '..'));
  const bytes = [...files, ...wal].reduce((sum, { size }) => sum + size, 0);
  return { path, manifest, bytes };
}

/** The next millisecond of the database's clock, RFC 3339, so that a backup can be restored to it. */
const TIME = `to_char((clock_timestamp() + interval '1 ms') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

async function copyData(
  { dataFolder }: HomeCluster,
  draft: string,
  { signal, onProgress }: BackupOptions,
): Promise<BackedUpFile[]> {
  const entries = await listData(dataFolder);
  for (const { path, isFolder } of entries)
    if (isFolder) await makePrivate(join(draft, DATA, path), undefined);
  const files = entries.filter(({ isFolder }) => !isFolder);
  // The control file is copied last, as pg_basebackup does.
  const isControl = ({ path }: { readonly path: string }) => path === 'global/pg_control';
  const copied: BackedUpFile[] = [];
  const copyOne = async ({ path }: { readonly path: string }) => {
    signal?.throwIfAborted();
    const file = await copyFile(join(dataFolder, path), join(draft, DATA, path), undefined);
    if (file) copied.push({ path: `${DATA}/${path}`, ...file });
    onProgress?.({ files: copied.length, of: files.length });
  };
  await inParallel(
    files.filter((each) => !isControl(each)),
    copyOne,
  );
  for (const each of files.filter(isControl)) await copyOne(each);
  return copied;
}

async function copyKey(file: string, draft: string): Promise<BackedUpFile> {
  const copied = await copyFile(await realpath(file).catch(() => file), join(draft, SECRETS_KEY), undefined);
  if (!copied) throw new EmbeddedPostgresError(`SECRETS_KEY_FILE: ${file} is missing`);
  return { path: SECRETS_KEY, ...copied };
}
