/**
 * The folder of the backups of one database: each backup is in `base/<time>`, the archived log in `wal`, and
 * `crossramp-backup.json` names the database.
 */
import { existsSync, statSync } from 'node:fs';
import { chmod, chown, readdir, readFile, realpath, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../base/process/make-folder.ts';
import { hasEnded } from '../embedded-postgres.ts';
import { canEnter, EmbeddedPostgresError, type SystemUser } from '../postgres-binaries.ts';
import { removeFolder } from '../postgres-server.ts';
import { WAL_FOLDER } from '../wal-archive.ts';
import { makePrivate, syncFolder, writeDurably } from './copy-files.ts';
import { MANIFEST, type Manifest, readManifest } from './manifest.ts';

/** File that marks a folder of backups. */
export const MARK = 'crossramp-backup.json';
const BASE = 'base';
/** Prefix of an unfinished backup; the name of its process follows. */
const DRAFT = '.draft-';
/** Prefix of a backup that is being removed. */
export const GONE = '.gone-';
const SET_NAME = /^\d{8}T\d{6}\.\d{3}Z$/;

/** A complete backup in a folder. */
export interface SetName {
  /** Its time, `20261129T011500.000Z`. */
  readonly name: string;
  readonly path: string;
  /** The same time, RFC 3339. */
  readonly endedAt: string;
}

/**
 * Creates the folder for the backups of a database, or opens that of earlier ones.
 * @returns its real path.
 * @throws {EmbeddedPostgresError} when the folder has other contents, belongs to another database, or is not writable
 * for the server's user.
 */
export async function openBackupFolder(
  path: string,
  systemIdentifier: string,
  user: SystemUser,
): Promise<string> {
  const isNew = !existsSync(path);
  if (!isNew && !statSync(path).isDirectory())
    throw new EmbeddedPostgresError(`${path} is a file: name a folder for backups`);
  if (isNew) makeFolder(dirname(path));
  const parent = await realpath(isNew ? dirname(path) : join(path, '..'));
  if (!canEnter(user, parent))
    throw new EmbeddedPostgresError(
      `the user that the database runs as (uid ${user?.uid}) cannot enter ${parent}: name another folder for backups`,
    );
  if (isNew) makeFolder(path, 0o700);
  const folder = await realpath(path);
  const mark = join(folder, MARK);
  if (existsSync(mark)) {
    const owner = await ownerOf(mark);
    if (owner !== systemIdentifier)
      throw new EmbeddedPostgresError(
        `${folder} holds the backups of another database (${owner}): name another folder`,
      );
  } else {
    // An interrupted first backup leaves empty folders of these names.
    const others = (await readdir(folder)).filter(
      (name) => ![BASE, WAL_FOLDER, `${MARK}.draft`].includes(name),
    );
    if (others.length > 0)
      throw new EmbeddedPostgresError(
        `${folder} is not empty and holds no backups: name an empty folder, or one that does not exist`,
      );
  }
  await divide(folder, user);
  if (!existsSync(mark)) {
    await writeDurably(`${mark}.draft`, `${JSON.stringify({ format: 1, systemIdentifier })}\n`, undefined);
    await rename(`${mark}.draft`, mark);
    await syncFolder(folder);
    if (isNew) await syncFolder(parent);
  }
  return folder;
}

/**
 * The backups belong to the user of this process. A server that runs as another user needs to pass through the folder,
 * and owns only the log.
 */
async function divide(folder: string, user: SystemUser): Promise<void> {
  const [base, wal] = [join(folder, BASE), join(folder, WAL_FOLDER)];
  if (!existsSync(base)) await makePrivate(base, undefined);
  if (!existsSync(wal)) await makePrivate(wal, user);
  // Earlier versions gave the whole folder to the server's user.
  if (user) for (const path of [folder, base]) await chown(path, 0, 0);
  await chmod(folder, user ? 0o711 : 0o700);
}

async function ownerOf(mark: string): Promise<string> {
  try {
    return String(JSON.parse(await readFile(mark, 'utf8')).systemIdentifier);
  } catch {
    throw new EmbeddedPostgresError(`${mark} cannot be read: is this a folder of backups?`);
  }
}

/** @returns path of an unfinished backup. @param owner - text of `thisProcess`. */
export function draftOf(folder: string, owner: string): string {
  return join(folder, BASE, `${DRAFT}${owner}`);
}

/** @returns name and path for a backup that ends now. */
export function setNamed(folder: string, endedAt: string): SetName {
  const name = endedAt.replaceAll(/[-:]/g, '');
  return { name, path: join(folder, BASE, name), endedAt };
}

/** Removes the remains of interrupted backups and removals. */
export async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(join(folder, BASE))) {
    const isCutOff = name.startsWith(DRAFT) && hasEnded(name.slice(DRAFT.length));
    if (isCutOff || name.startsWith(GONE)) await removeFolder(join(folder, BASE, name));
  }
}

/**
 * @returns the complete backups, oldest first.
 * @throws {EmbeddedPostgresError} when the folder is not marked as one of backups.
 */
export async function listSets(folder: string): Promise<SetName[]> {
  if (!existsSync(join(folder, MARK)))
    throw new EmbeddedPostgresError(`${folder} is no folder of backups: ${MARK} is missing`);
  const names = (await readdir(join(folder, BASE))).filter((name) => SET_NAME.test(name)).toSorted();
  return names.map((name) => ({ name, path: join(folder, BASE, name), endedAt: timeOf(name) }));
}

function timeOf(name: string): string {
  return name.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(.*)$/, '$1-$2-$3T$4:$5:$6');
}

/** @throws {EmbeddedPostgresError} when the manifest is missing or damaged. */
export function manifestOf({ path }: SetName): Promise<Manifest> {
  return readManifest(join(path, MANIFEST));
}
