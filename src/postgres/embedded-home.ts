/** The home folder of an embedded server: passwords, and the location of its data. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../base/process/make-folder.ts';
import { canEnter, EmbeddedPostgresError, type SystemUser } from './postgres-binaries.ts';
import { type Cluster, hasData } from './postgres-server.ts';

/** Location of the cluster if the server's user cannot enter home. */
const SHARED_FOLDER = '/var/lib/crossramp';

/** File of a home with its passwords. */
export const RECORD = 'postgres.json';
/** File that marks a home during a restore; it is removed last. */
export const RESTORING = 'postgres.restoring';

/** Content of `postgres.json`. */
export interface HomeRecord {
  readonly password: string;
  /** Missing in homes of versions that had one login. */
  readonly gatewayPassword?: string;
  /** Location of the data, if it is not in home. */
  readonly place?: string;
}

/** @returns the real path of a home folder, which is created if missing. */
export async function openHome(path: string): Promise<string> {
  // The server of root runs as another user, who must be able to pass through to the data; private files have separate
  // modes.
  if (!existsSync(path)) await makeDataFolder(path, process.getuid?.() === 0 ? 0o711 : 0o700);
  return realpath(path);
}

/** The cluster of a home, with the password of the gateway's login. */
export interface HomeCluster extends Cluster {
  readonly gatewayPassword: string;
}

/**
 * @param home - real path.
 * @returns the cluster of a home; creates missing passwords.
 * @throws {EmbeddedPostgresError} when a part of it is missing, or a restore into it was interrupted.
 */
export async function openCluster(home: string): Promise<HomeCluster> {
  if (existsSync(join(home, RESTORING)))
    throw new EmbeddedPostgresError(
      `a restore into ${home} was cut off: run "crossramp restore" again, or delete the folder`,
    );
  const recordFile = join(home, RECORD);
  const known: HomeRecord | undefined = existsSync(recordFile)
    ? JSON.parse(await readFile(recordFile, 'utf8'))
    : undefined;
  if (known?.place !== undefined && !existsSync(known.place)) {
    const advice = `restore it, or delete ${recordFile} to begin with an empty database`;
    throw new EmbeddedPostgresError(`the database folder ${known.place} is gone: ${advice}`);
  }
  const user = serverUser(join(known?.place ?? home, 'postgres'));
  const folder = known?.place ?? (await chooseFolder(home, user));
  const dataFolder = join(folder, 'postgres');
  if (known === undefined && hasData(dataFolder)) {
    const advice = `restore it, or move ${dataFolder} away to begin with an empty database`;
    throw new EmbeddedPostgresError(`${recordFile} with the database password is gone: ${advice}`);
  }
  const { password = newPassword(), gatewayPassword = newPassword() } = known ?? {};
  if (known?.gatewayPassword === undefined || (known.place ?? home) !== folder) {
    await writeRecord(recordFile, { password, gatewayPassword, ...(folder !== home && { place: folder }) });
  }
  return clusterIn(home, folder, { password, gatewayPassword }, user);
}

/** @returns the cluster of a home whose data is at `place`. */
export function clusterIn(
  home: string,
  folder: string,
  { password, gatewayPassword }: Required<Omit<HomeRecord, 'place'>>,
  user: SystemUser,
): HomeCluster {
  const dataFolder = join(folder, 'postgres');
  return { folder, dataFolder, logFile: join(home, 'postgres.log'), password, gatewayPassword, user };
}

function newPassword(): string {
  return randomBytes(24).toString('base64url');
}

/** Replaces the record of a home. */
export async function writeRecord(path: string, record: HomeRecord): Promise<void> {
  await writeAnew(`${path}.draft`, `${JSON.stringify(record, null, 2)}\n`);
  await rename(`${path}.draft`, path);
}

/** Writes a private file, replacing an existing one, which may be a link to another file. */
export async function writeAnew(path: string, text: string): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, text, { mode: 0o600, flag: 'wx', flush: true });
}

/** @returns the user that the server runs as: PostgreSQL refuses to run as root. */
export function serverUser(dataFolder: string): SystemUser {
  if (process.getuid?.() !== 0) return undefined;
  if (existsSync(dataFolder)) {
    const { uid, gid } = statSync(dataFolder);
    if (uid !== 0) return { uid, gid };
  }
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const account = ['postgres', 'nobody'].map((name) => accounts.find((it) => it[0] === name)).find(Boolean);
  if (account) return { uid: Number(account[2]), gid: Number(account[3]) };
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root, and there is no user postgres or nobody: set DATABASE_URL',
  );
}

/** @returns the folder for the data of a home: the home itself if the server's user can enter it. */
export async function chooseFolder(home: string, user: SystemUser): Promise<string> {
  if (hasData(join(home, 'postgres')) || canEnter(user, home)) return home;
  const name = folderName(home);
  try {
    if (!existsSync(SHARED_FOLDER)) await makeDataFolder(SHARED_FOLDER, 0o755);
    const path = join(SHARED_FOLDER, name);
    // Existing data belongs to an earlier home of this path, and its password was lost with that home.
    const folder = existsSync(path) ? await mkdtemp(`${path}-`) : path;
    await makeDataFolder(folder, 0o711);
    if (canEnter(user, folder)) return folder;
  } catch {
    // On a read-only system, or without /var/lib, only the temporary folder remains.
  }
  // The name is random, because anyone may have made a folder of a known name there.
  const folder = await mkdtemp(join(await realpath(tmpdir()), `crossramp-${name}-`));
  return makeDataFolder(folder, 0o711);
}

/** @returns whether this folder is one that `chooseFolder` may have chosen for the data of a home. */
export async function isFolderOf(home: string, folder: string): Promise<boolean> {
  if (folder === home) return true;
  const name = folderName(home);
  const temporary = await realpath(tmpdir());
  const isNamed =
    (dirname(folder) === SHARED_FOLDER && new RegExp(`^${name}(-\\w{6})?$`).test(basename(folder))) ||
    (dirname(folder) === temporary && new RegExp(`^crossramp-${name}-\\w{6}$`).test(basename(folder)));
  const found = isNamed ? lstatSync(folder, { throwIfNoEntry: false }) : undefined;
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid);
}

function folderName(home: string): string {
  return createHash('sha256').update(home).digest('hex').slice(0, 12);
}

/** The mode is set afterwards, because the process's umask may remove bits of it. */
async function makeDataFolder(path: string, mode: number): Promise<string> {
  makeFolder(path);
  await chmod(path, mode);
  return path;
}
