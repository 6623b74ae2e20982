/** The home folder of an embedded server: passwords, and where its data lies. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../base/process/make-folder.ts';
import { canEnter, EmbeddedPostgresError, type SystemUser } from './postgres-binaries.ts';
import { type Cluster, hasData } from './postgres-server.ts';

/** Location of the cluster when the server's user cannot enter home. */
const SHARED_PLACE = '/var/lib/crossramp';

/** File of a home with its passwords. */
export const RECORD = 'postgres.json';
/** File that marks a home during a restore; it is removed last. */
export const RESTORING = 'postgres.restoring';

/** Content of `postgres.json`. */
export interface HomeRecord {
  readonly password: string;
  /** Absent in homes of versions that had one login. */
  readonly gatewayPassword?: string;
  /** Location of the data, when not in home. */
  readonly place?: string;
}

/** @returns the real path of a home folder, which is made if absent. */
export async function openHome(path: string): Promise<string> {
  // The server of root runs as another user, who must be able to pass through to the data; private files have a mode
  // of their own.
  if (!existsSync(path)) await makePlace(path, process.getuid?.() === 0 ? 0o711 : 0o700);
  return realpath(path);
}

/** The cluster of a home, with the password of the gateway's login. */
export interface HomeCluster extends Cluster {
  readonly gatewayPassword: string;
}

/**
 * @param home - real path.
 * @returns the cluster of a home; makes its passwords where it has none.
 * @throws {EmbeddedPostgresError} when a part of it is gone, or a restore into it was cut off.
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
  const place = known?.place ?? (await choosePlace(home, user));
  const dataFolder = join(place, 'postgres');
  if (known === undefined && hasData(dataFolder)) {
    const advice = `restore it, or move ${dataFolder} away to begin with an empty database`;
    throw new EmbeddedPostgresError(`${recordFile} with the database password is gone: ${advice}`);
  }
  const { password = newPassword(), gatewayPassword = newPassword() } = known ?? {};
  if (known?.gatewayPassword === undefined || (known.place ?? home) !== place) {
    await writeRecord(recordFile, { password, gatewayPassword, ...(place !== home && { place }) });
  }
  return clusterIn(home, place, { password, gatewayPassword }, user);
}

/** @returns the cluster of a home whose data lies at `place`. */
export function clusterIn(
  home: string,
  place: string,
  { password, gatewayPassword }: Required<Omit<HomeRecord, 'place'>>,
  user: SystemUser,
): HomeCluster {
  const dataFolder = join(place, 'postgres');
  return { place, dataFolder, logFile: join(home, 'postgres.log'), password, gatewayPassword, user };
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

/** @returns the folder for the data of a home: the home itself where the server's user can enter it. */
export async function choosePlace(home: string, user: SystemUser): Promise<string> {
  if (hasData(join(home, 'postgres')) || canEnter(user, home)) return home;
  const name = placeName(home);
  try {
    if (!existsSync(SHARED_PLACE)) await makePlace(SHARED_PLACE, 0o755);
    const path = join(SHARED_PLACE, name);
    // Existing data belongs to an earlier home of this path, and its password was lost with that home.
    const place = existsSync(path) ? await mkdtemp(`${path}-`) : path;
    await makePlace(place, 0o711);
    if (canEnter(user, place)) return place;
  } catch {
    // A read-only system, or no /var/lib: the temporary folder is left.
  }
  // A random name: anyone may have made a folder of a known name there.
  const place = await mkdtemp(join(await realpath(tmpdir()), `crossramp-${name}-`));
  return makePlace(place, 0o711);
}

/** @returns whether `choosePlace` may have given this folder for the data of a home. */
export async function isPlaceOf(home: string, place: string): Promise<boolean> {
  if (place === home) return true;
  const name = placeName(home);
  const temporary = await realpath(tmpdir());
  const isNamed =
    (dirname(place) === SHARED_PLACE && new RegExp(`^${name}(-\\w{6})?$`).test(basename(place))) ||
    (dirname(place) === temporary && new RegExp(`^crossramp-${name}-\\w{6}$`).test(basename(place)));
  const found = isNamed ? lstatSync(place, { throwIfNoEntry: false }) : undefined;
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid);
}

function placeName(home: string): string {
  return createHash('sha256').update(home).digest('hex').slice(0, 12);
}

/** The mode is set afterwards, as the process's umask may take from it. */
async function makePlace(path: string, mode: number): Promise<string> {
  makeFolder(path);
  await chmod(path, mode);
  return path;
}
