/**
 * Restores a backup into a new home: the files, checked against the manifest, then the archived log up to a time. Works
 * in a draft, and moves the data into its final place when it is complete. Until then, a mark in the home keeps
 * gateways out.
 */
import { existsSync, lstatSync } from 'node:fs';
import { chown, mkdtemp, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  chooseFolder,
  clusterIn,
  type HomeCluster,
  openHome,
  RECORD,
  RESTORING,
  serverUser,
  writeAnew,
  writeRecord,
} from '../embedded-home.ts';
import { withHomeLock } from '../embedded-postgres.ts';
import {
  EmbeddedPostgresError,
  findPackage,
  prepareBinaries,
  type SystemUser,
} from '../postgres-binaries.ts';
import { isRunning, removeFolder, stopServer } from '../postgres-server.ts';
import { isSegment, segmentAfter, WAL_FOLDER } from '../wal-archive.ts';
import { listSets, manifestOf, type SetName } from './backup-folder.ts';
import { compareFiles, copyChecked, DIFFERS, damaged, IS_MISSING } from './check-files.ts';
import {
  checksumOf,
  copyFile,
  inParallel,
  MAYBE_EMPTY,
  makePrivate,
  syncFolder,
  syncFolders,
} from './copy-files.ts';
import { DATA, SECRETS_KEY } from './create-backup.ts';
import type { Manifest } from './manifest.ts';
import { inPlainWords } from './plain-words.ts';
import { recover } from './recover.ts';
import { readMark, refuseForeignHome, refuseUnwritable } from './refuse-home.ts';

/** The prefix is that of createData, which removes such drafts. */
const DRAFT = 'postgres.draft-';

/** Input of a restore. */
export interface RestoreOptions {
  readonly home: string;
  readonly folder: string;
  /** RFC 3339; undefined: to the end of the archive. */
  readonly until?: string | undefined;
  /** Target of the key file, if the backup has one; undefined: it is not restored. */
  readonly secretsKeyFile?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Result of a restore. */
export interface RestoreReport {
  /** Path of the backup. */
  readonly from: string;
  /** Time of the last transaction in the restored database, RFC 3339; null if there is none after the backup. */
  readonly lastChangeAt: string | null;
  /** Whether the key file came with the backup. */
  readonly hasSecretsKey: boolean;
}

/**
 * @throws {EmbeddedPostgresError} when the home has a database, the backup is damaged, or `until` is outside of the
 * restorable period; the home is unchanged then.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  return inPlainWords(`restoring into ${options.home}`, async () => {
    const { set, advice } = await chooseSet(options);
    const manifest = await orAdvise(advice, () => manifestOf(set));
    await orAdvise(advice, () => compareFiles(set.path, manifest.files));
    const segments = await archivedFrom(options, manifest);
    const home = await openHome(options.home);
    refuseForeignHome(home);
    if (manifest.hasSecretsKey) await refuseUnwritable(options.secretsKeyFile);
    return withHomeLock(
      home,
      async () => {
        const cluster = await prepareHome(home);
        try {
          const done = await restoreInto(home, cluster, { options, set, advice, manifest, segments });
          // The mark is removed last, also in the order of writes to the disk.
          await syncFolder(cluster.folder);
          if (cluster.folder !== home) await syncFolder(dirname(cluster.folder));
          await syncFolder(home);
          await rm(join(home, RESTORING), { force: true });
          await syncFolder(home);
          return done;
        } catch (error) {
          await clear(home, cluster);
          throw error;
        }
      },
      options.signal,
    );
  });
}

interface ChosenSet {
  readonly set: SetName;
  /** Advice about a damaged backup; empty if no other backup is left. */
  readonly advice: string;
}

/** The newest backup that ended by that time. */
async function chooseSet({ folder, until }: RestoreOptions): Promise<ChosenSet> {
  const sets = await listSets(await realpath(folder).catch(() => folder));
  const [first] = sets;
  if (!first) throw new EmbeddedPostgresError(`${folder} holds no complete backup`);
  const set = sets.findLast(({ endedAt }) => until === undefined || Date.parse(endedAt) <= Date.parse(until));
  if (set) {
    const move = `: move ${set.path} out of base to restore from the one before it, and the log`;
    return { set, advice: set === first ? '' : move };
  }
  throw new EmbeddedPostgresError(
    `--until ${until} is before the end of the oldest backup: the earliest time that can be restored is ${first.endedAt}`,
  );
}

/** @throws {EmbeddedPostgresError} with the advice when the backup is damaged. */
async function orAdvise<Result>(advice: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const isDamage =
      error instanceof EmbeddedPostgresError &&
      /^the (backup is damaged|manifest .* (is damaged|cannot be read))/.test(error.message);
    throw isDamage ? new EmbeddedPostgresError(`${error.message}${advice}`, { cause: error }) : error;
  }
}

/**
 * @returns names of the archived files of the log, from the first one that the backup needs to the last one without a
 * gap.
 */
async function archivedFrom(
  { folder, until }: RestoreOptions,
  { startWal, wal, timeline }: Manifest,
): Promise<string[]> {
  await inParallel(wal, async ({ path, size, sha256 }) => {
    const found = await checksumOf(join(folder, path)).catch(() => undefined);
    if (!found) throw damaged(join(folder, path), IS_MISSING);
    if (found.size !== size || found.sha256 !== sha256) throw damaged(join(folder, path), DIFFERS);
  });
  const names = (await readdir(join(folder, WAL_FOLDER))).filter((name) => name.endsWith('.gz'));
  const there = new Set(names.map((name) => name.slice(0, -3)).filter(isSegment));
  const segments: string[] = [];
  for (let name = startWal; there.has(name); name = segmentAfter(name)) segments.push(name);
  const last = segments.at(-1) ?? startWal;
  const prefix = timeline.toString(16).toUpperCase().padStart(8, '0');
  const isBeyond = [...there].some((name) => name.startsWith(prefix) && name > last);
  if (isBeyond && until === undefined)
    throw new EmbeddedPostgresError(
      `the archive has a gap: ${segmentAfter(last)}.gz is missing, and later files are there. Put it back, or name a time before it with --until`,
    );
  return segments;
}

/** Refuses a home that has a database, marks it, and removes the remains of an interrupted restore. */
async function prepareHome(home: string): Promise<HomeCluster> {
  const mark = join(home, RESTORING);
  const before = existsSync(mark) ? await readMark(home, mark) : undefined;
  // A restore that fails removes the folder, so any existing file of this name is refused.
  const isThere = (name: string) => lstatSync(join(home, name), { throwIfNoEntry: false }) !== undefined;
  if (!before && (isThere(RECORD) || isThere('postgres')))
    throw new EmbeddedPostgresError(
      `${home} has a database: stop its gateway and move the folder away, or set CROSSRAMP_HOME to a new one`,
    );
  const user = serverUser(join(home, 'postgres'));
  const clusterFolder = before?.place ?? (await chooseFolder(home, user));
  const cluster = clusterIn(home, clusterFolder, { password: '', gatewayPassword: '' }, user);
  if (before) await clear(home, cluster, true);
  await writeAnew(`${mark}.draft`, JSON.stringify({ place: clusterFolder }));
  await rename(`${mark}.draft`, mark);
  await syncFolder(home);
  return cluster;
}

/** Removes all files of a restore, its mark last. */
async function clear(home: string, cluster: HomeCluster, isBegunAgain = false): Promise<void> {
  const { folder: clusterFolder, dataFolder } = cluster;
  const drafts = (await readdir(clusterFolder)).filter((name) => name.startsWith(DRAFT));
  const folders = [...drafts.map((name) => join(clusterFolder, name, DATA)), dataFolder];
  for (const folder of folders.filter(isRunning)) {
    const binaries = await prepareBinaries(await findPackage(), clusterFolder, cluster.user);
    await stopServer({ ...cluster, dataFolder: folder }, binaries, 'immediate');
  }
  for (const name of drafts) await removeFolder(join(clusterFolder, name));
  await removeFolder(dataFolder);
  await rm(join(home, RECORD), { force: true });
  if (!isBegunAgain) await rm(join(home, RESTORING), { force: true });
}

interface Parts extends ChosenSet {
  readonly options: RestoreOptions;
  readonly manifest: Manifest;
  readonly segments: readonly string[];
}

async function restoreInto(
  home: string,
  empty: HomeCluster,
  { options, set, advice, manifest, segments }: Parts,
): Promise<RestoreReport> {
  const { folder: clusterFolder, user } = empty;
  const { signal, secretsKeyFile } = options;
  const binaries = await prepareBinaries(await findPackage(), clusterFolder, user);
  refuseOtherVersion(manifest, (await findPackage()).version);
  const draft = await mkdtemp(join(clusterFolder, DRAFT));
  if (user) await chown(draft, user.uid, user.gid);
  const copy = { from: set.path, to: draft, user };
  await makeFolders(manifest, draft, user);
  await orAdvise(advice, () => copyChecked(manifest.files, copy, signal));
  const walFolder = user
    ? await stageWal(options.folder, draft, segments, user)
    : join(options.folder, WAL_FOLDER);
  await syncFolders(draft, [
    ...manifest.files.map(({ path }) => path),
    ...MAYBE_EMPTY.map((path) => `${DATA}/${path}/.`),
  ]);
  const { password, gatewayPassword } = JSON.parse(await readFile(join(draft, RECORD), 'utf8'));
  const cluster = clusterIn(home, clusterFolder, { password, gatewayPassword }, user);
  const recovering = { ...cluster, dataFolder: join(draft, DATA), logFile: join(draft, 'postgres.log') };
  const lastChangeAt = await recover(recovering, binaries, { walFolder, ...options, manifest, segments });
  await rename(recovering.dataFolder, cluster.dataFolder);
  await writeRecord(join(home, RECORD), {
    password,
    gatewayPassword,
    ...(clusterFolder !== home && { place: clusterFolder }),
  });
  if (manifest.hasSecretsKey && secretsKeyFile !== undefined && !existsSync(secretsKeyFile))
    await putKeyBack(join(draft, SECRETS_KEY), secretsKeyFile);
  await removeFolder(draft);
  return { from: set.path, lastChangeAt, hasSecretsKey: manifest.hasSecretsKey };
}

async function putKeyBack(from: string, keyFile: string): Promise<void> {
  await rm(`${keyFile}.draft`, { force: true });
  await copyFile(from, `${keyFile}.draft`, undefined);
  await rename(`${keyFile}.draft`, keyFile);
  await syncFolder(dirname(keyFile));
}

function refuseOtherVersion({ postgres }: Manifest, programs: string): void {
  if (postgres.split('.')[0] === programs.split('.')[0]) return;
  throw new EmbeddedPostgresError(
    `the backup is of PostgreSQL ${postgres}, and this gateway has ${programs}: restore it with the gateway version that made it`,
  );
}

async function makeFolders({ files }: Manifest, draft: string, user: SystemUser): Promise<void> {
  const empty = MAYBE_EMPTY.map((path) => `${DATA}/${path}/`);
  for (const path of [...files.map((each) => each.path), ...empty]) {
    const names = path.split('/').slice(0, -1);
    for (let depth = 1; depth <= names.length; depth++) {
      const folder = join(draft, ...names.slice(0, depth));
      if (!existsSync(folder)) await makePrivate(folder, user);
    }
  }
}

/** The server's user may not be able to read the folder of the backups. */
async function stageWal(
  folder: string,
  draft: string,
  segments: readonly string[],
  user: SystemUser,
): Promise<string> {
  const staged = join(draft, WAL_FOLDER);
  await makePrivate(staged, user);
  await inParallel(segments, async (name) => {
    await copyFile(join(folder, WAL_FOLDER, `${name}.gz`), join(staged, `${name}.gz`), user);
  });
  return staged;
}
