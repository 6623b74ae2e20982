/** Copies files with their checksums, flushed to the disk, for the server's user alone. */
import { createHash } from 'node:crypto';
import { chown, constants, type FileHandle, mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EmbeddedPostgresError, type SystemUser } from '../postgres-binaries.ts';
import type { BackedUpFile } from './manifest.ts';

const CHUNK_BYTES = 1024 * 1024;
/** Files that are copied in parallel. */
const PARALLEL_MAX = 8;

/** The server's user could plant a link that root would follow to another user's file. Windows has no such flag. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/** Makes a folder that only the server's user can enter. */
export async function makePrivate(path: string, user: SystemUser): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (user) await chown(path, user.uid, user.gid);
}

/** Writes a file; it is on the disk when this resolves. */
export async function writeDurably(path: string, text: string, user: SystemUser): Promise<BackedUpFile> {
  const bytes = Buffer.from(text);
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(bytes);
    if (user) await file.chown(user.uid, user.gid);
    await file.sync();
  } finally {
    await file.close();
  }
  return { path, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Flushes the names in a folder to the disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/**
 * Copies a file to a new name; a link is not followed.
 * @returns size and checksum of the copy; undefined if the file has disappeared, as files of a running server may.
 */
export async function copyFile(
  from: string,
  to: string,
  user: SystemUser,
): Promise<Omit<BackedUpFile, 'path'> | undefined> {
  const source = await open(from, READ).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!source) return undefined;
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      const copied = await pour(source, target);
      if (user) await target.chown(user.uid, user.gid);
      await target.sync();
      return copied;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function pour(source: FileHandle, target: FileHandle | undefined): Promise<Omit<BackedUpFile, 'path'>> {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let size = 0;
  for (;;) {
    const { bytesRead } = await source.read(chunk, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return { size, sha256: hash.digest('hex') };
    const part = chunk.subarray(0, bytesRead);
    hash.update(part);
    await target?.writeFile(part);
    size += bytesRead;
  }
}

/** @returns size and checksum of a file. */
export async function checksumOf(path: string): Promise<Omit<BackedUpFile, 'path'>> {
  const source = await open(path, READ);
  return pour(source, undefined).finally(() => source.close());
}

/** Flushes the names in all folders of these files, from the root on. */
export async function syncFolders(root: string, paths: readonly string[]): Promise<void> {
  const folders = new Set<string>(['.']);
  for (const path of paths)
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  for (const folder of folders) await syncFolder(join(root, folder));
}

/** Runs the work for each item, a few items in parallel. After a failure it waits for the running work, then fails. */
export async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const lane = async () => {
    for (const item of queue) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: PARALLEL_MAX }, lane));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}

/** A file or folder below a data folder. */
export interface DataEntry {
  /** Relative to the data folder. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** Folders whose contents a backup leaves out, as pg_basebackup does. */
const EMPTIED: readonly string[] = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
];
/** Folders that a server needs even if they are empty, and that are in no path of a manifest. */
export const MAYBE_EMPTY: readonly string[] = [
  ...EMPTIED,
  'pg_wal/archive_status',
  'pg_wal/summaries',
  'pg_tblspc',
  'pg_twophase',
  'pg_commit_ts',
  'pg_stat',
  'pg_logical/snapshots',
  'pg_logical/mappings',
  'pg_multixact/members',
  'pg_multixact/offsets',
];
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|current_logfiles.*|pgsql_tmp.*|pg_internal\.init.*|backup_label.*|tablespace_map.*|.*\.signal)$/;

/** @returns the files and folders of a data folder that a backup copies; a folder comes before its contents. */
export async function listData(dataFolder: string, below = ''): Promise<DataEntry[]> {
  const entries = await readdir(join(dataFolder, below), { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' || below === '') throw error;
      return [];
    },
  );
  const found: DataEntry[] = [];
  for (const entry of entries) {
    if (LEFT_OUT.test(entry.name)) continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isSymbolicLink())
      throw new EmbeddedPostgresError(
        `${join(dataFolder, path)} is outside of the data folder: tablespaces cannot be backed up`,
      );
    if (entry.isFile()) found.push({ path, isFolder: false });
    if (!entry.isDirectory()) continue;
    found.push({ path, isFolder: true });
    if (!EMPTIED.includes(path)) found.push(...(await listData(dataFolder, path)));
  }
  return found;
}
