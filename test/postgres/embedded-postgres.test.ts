/**
 * The embedded server with real programs, real processes and real crashes. Most tests share one home and
 * leave its server stopped; children hold leases so that they can be killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { acquireEmbeddedPostgres, EmbeddedPostgresError } from '../../src/postgres/embedded-postgres.ts';
import {
  findPackage,
  prepareBinaries,
  problem,
  run,
  type SystemUser,
} from '../../src/postgres/postgres-binaries.ts';
import { type Cluster, createData, startServer } from '../../src/postgres/postgres-server.ts';

const SETTINGS = { fsync: 'off', full_page_writes: 'off' };
const CHILD_LIMIT_MS = 30_000;
const isRoot = process.getuid?.() === 0;

let root: string;
let home: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'embedded-postgres-'));
  await chmod(root, 0o755);
  home = join(root, 'home');
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

afterAll(async () => {
  for (const name of await readdir(root)) await killServer(join(root, name, 'postgres'));
  await rm(root, { recursive: true, force: true });
});

const acquire = (folder = home) => acquireEmbeddedPostgres({ home: folder, settings: SETTINGS });

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function serverPid(dataFolder = join(home, 'postgres')): Promise<number | undefined> {
  const path = join(dataFolder, 'postmaster.pid');
  return existsSync(path) ? Number((await readFile(path, 'utf8')).split('\n')[0]) : undefined;
}

/** Kills the server at once; the next start has to cope with whatever of it is still there. */
async function killServer(dataFolder = join(home, 'postgres')): Promise<void> {
  const pid = await serverPid(dataFolder);
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

/** A process of its own group that runs `script` with the module's functions and is killed after the test. */
function startChild(script: string, options: { uid?: number; gid?: number } = {}): ChildProcess {
  const modules = ['embedded-postgres', 'postgres-binaries']
    .map((name) => new URL(`../../src/postgres/${name}.ts`, import.meta.url).href)
    .map((href) => `...(await import(${JSON.stringify(href)}))`);
  const source = `const api = { ${modules} }; ${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    ...options,
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: CHILD_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  children.push(child);
  return child;
}

interface Holder {
  readonly child: ChildProcess;
  readonly url: string;
  /** The next line the holder prints. */
  nextLine(): Promise<string>;
  /** Lets it release and end. */
  release(): Promise<void>;
  kill(): Promise<void>;
}

async function startHolder(folder = home): Promise<Holder> {
  const options = JSON.stringify({ home: folder, settings: SETTINGS });
  const child = startChild(`
    process.on('SIGINT', () => console.log('SIGINT'));
    const postgres = await api.acquireEmbeddedPostgres(${options});
    console.log(postgres.url);
    process.stdin.once('end', () => postgres.release()).resume();
  `);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const nextLine = async () => (await lines.next()).value as string;
  const end = async (action: () => void) => {
    const ended = once(child, 'exit');
    action();
    await ended;
  };
  return {
    child,
    url: await nextLine(),
    nextLine,
    release: () => end(() => child.stdin?.end()),
    kill: () => end(() => child.kill('SIGKILL')),
  };
}

async function sharedCluster(): Promise<Cluster> {
  const { password } = JSON.parse(await readFile(join(home, 'postgres.json'), 'utf8'));
  const dataFolder = join(home, 'postgres');
  return {
    folder: home,
    dataFolder,
    logFile: join(home, 'postgres.log'),
    password,
    user: await serverUser(),
  };
}

async function serverUser(): Promise<SystemUser> {
  const { uid, gid } = await stat(join(home, 'postgres'));
  return isRoot ? { uid, gid } : undefined;
}

describe('one process', () => {
  it('creates the cluster, serves it on 127.0.0.1 only, and stops it with the last lease', async () => {
    const postgres = await acquire();
    const [row] = await query(
      postgres.url,
      `select current_setting('server_version_num')::int / 10000 as version, current_user as role,
              current_setting('listen_addresses') as addresses, current_setting('fsync') as fsync,
              current_setting('unix_socket_directories') as sockets, current_setting('timezone') as timezone,
              pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale as locale,
              pg_get_userbyid(datdba) as owner
         from pg_database where datname = current_database()`,
    );
    expect(row).toEqual({
      version: 18,
      role: 'crossramp',
      addresses: '127.0.0.1',
      fsync: 'off',
      sockets: '',
      timezone: 'UTC',
      encoding: 'UTF8',
      provider: 'b',
      locale: 'C.UTF-8',
      owner: 'crossramp',
    });
    expect(new URL(postgres.url)).toMatchObject({ hostname: '127.0.0.1', pathname: '/crossramp' });
    await postgres.release();
    expect(await serverPid()).toBeUndefined();
    await expect(query(postgres.url, 'select 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('keeps password and log private, and leaves nothing else in home', async () => {
    expect((await readdir(home)).sort()).toEqual(['postgres', 'postgres.json', 'postgres.log']);
    expect((await stat(home)).mode & 0o777).toBe(isRoot ? 0o711 : 0o700);
    for (const name of ['postgres.json', 'postgres.log']) {
      expect((await stat(join(home, name))).mode & 0o777).toBe(0o600);
    }
  });

  it('holds one lease per call, each released once', async () => {
    const [first, second] = await Promise.all([acquire(), acquire()]);
    expect(second.url).toBe(first.url);
    await Promise.all([first.release(), first.release()]);
    expect(await query(second.url, 'select 1 as up')).toEqual([{ up: 1 }]);
    await second.release();
    expect(await serverPid()).toBeUndefined();
  });

  it('stops with the last of two leases that are released in parallel', async () => {
    const [first, second] = await Promise.all([acquire(), acquire()]);
    await Promise.all([first.release(), second.release()]);
    expect(await serverPid()).toBeUndefined();
  });

  it('uses another port when the chosen one was in use meanwhile', async () => {
    const occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const taken = (occupant.address() as AddressInfo).port;
    const cluster = await sharedCluster();
    const binaries = await prepareBinaries(await findPackage(), home, cluster.user);
    const ports = [
      taken,
      taken,
      await new Promise<number>((resolve) => {
        const probe = createServer().listen(0, '127.0.0.1', () => {
          const { port } = probe.address() as AddressInfo;
          probe.close(() => resolve(port));
        });
      }),
    ];
    const { client, port } = await startServer(cluster, binaries, SETTINGS, async () => ports.shift() ?? 0);
    occupant.close();
    expect(port).not.toBe(taken);
    await client.end();
    await (await acquire()).release();
    expect(await serverPid()).toBeUndefined();
  });
});

describe('several processes', () => {
  it('start one server when they start in parallel, and the last one stops it', async () => {
    const fresh = join(root, 'fresh');
    const holders = await Promise.all([startHolder(fresh), startHolder(fresh), startHolder(fresh)]);
    expect(new Set(holders.map((holder) => holder.url)).size).toBe(1);
    const [first, ...others] = holders;
    await first?.release();
    expect(await query(first?.url ?? '', 'select 1 as up')).toEqual([{ up: 1 }]);
    await Promise.all(others.map((holder) => holder.release()));
    expect(await serverPid(join(fresh, 'postgres'))).toBeUndefined();
  });

  it('a command leaves a running server running', async () => {
    const server = await startHolder();
    const command = await acquire();
    expect(command.url).toBe(server.url);
    await command.release();
    expect(await query(server.url, 'select 1 as up')).toEqual([{ up: 1 }]);
    await server.release();
    expect(await serverPid()).toBeUndefined();
  });

  it('a server started while a command runs is not stopped by the command', async () => {
    const command = await acquire();
    const server = await startHolder();
    await command.release();
    expect(await query(server.url, 'select 1 as up')).toEqual([{ up: 1 }]);
    await server.release();
    expect(await serverPid()).toBeUndefined();
  });

  it('an interrupt of the whole process group does not reach the server', async () => {
    const holder = await startHolder();
    process.kill(-(holder.child.pid ?? 0), 'SIGINT');
    expect(await holder.nextLine()).toBe('SIGINT');
    expect(await query(holder.url, 'select 1 as up')).toEqual([{ up: 1 }]);
    await holder.release();
    expect(await serverPid()).toBeUndefined();
  });
});

describe('after a crash', () => {
  it('of the only holder, the server continues until the next holder releases', async () => {
    const holder = await startHolder();
    const pid = await serverPid();
    await holder.kill();
    const postgres = await acquire();
    expect(await serverPid()).toBe(pid);
    expect(postgres.url).toBe(holder.url);
    await postgres.release();
    expect(await serverPid()).toBeUndefined();
  });

  it('of holder and server, the next start recovers the data', async () => {
    const holder = await startHolder();
    await query(holder.url, 'create table survivor as select 1 as n');
    await holder.kill();
    await killServer();
    const postgres = await acquire();
    expect(await query(postgres.url, 'select n from survivor')).toEqual([{ n: 1 }]);
    await postgres.release();
  });

  it('of holder and server, the pid in its file may belong to another process by now', async () => {
    const holder = await startHolder();
    await holder.kill();
    await killServer();
    const path = join(home, 'postgres', 'postmaster.pid');
    const sleeper = startChild(
      `console.log('asleep'); setInterval(() => {}, 1000);`,
      (await serverUser()) ?? {},
    );
    await once(sleeper.stdout as NodeJS.ReadableStream, 'data');
    await writeFile(path, (await readFile(path, 'utf8')).replace(/^\d+/, String(sleeper.pid)));
    const postgres = await acquire();
    expect(await query(postgres.url, 'select n from survivor')).toEqual([{ n: 1 }]);
    await postgres.release();
    expect(sleeper.exitCode ?? sleeper.signalCode).toBeNull();
  });

  it('of a process in the middle of its work, its lock and its half-made data do not matter', async () => {
    const broken = join(root, 'broken');
    await mkdir(join(broken, 'postgres.draft-abc', 'data'), { recursive: true });
    await writeFile(join(broken, 'postgres.draft-abc', 'data', 'PG_VERSION'), '18\n');
    await mkdir(join(broken, 'postgres.lock'));
    await mkdir(join(broken, 'postgres.lock.999999999-1-waited'));
    const reused = existsSync('/proc/self/stat') ? `${process.pid}-1-reused` : '999999998-1-dead';
    for (const owner of ['999999999-1-dead', reused])
      await writeFile(join(broken, 'postgres.lock', owner), '');
    await (await acquire(broken)).release();
    expect((await readdir(broken)).sort()).toEqual(['postgres', 'postgres.json', 'postgres.log']);
  });
});

describe('a server that dies while it is in use', () => {
  const ONE = 'select 1 as n';
  const answer = (url: () => string) => query(url(), ONE).catch((error: Error) => error.message);

  it('is restarted, with its data, and its last holder stops it', async () => {
    const postgres = await acquire();
    await query(postgres.url, 'create table kept as select 1 as n');
    await killServer();
    await expect.poll(() => answer(() => postgres.url), { timeout: 30_000 }).toEqual([{ n: 1 }]);
    expect(await query(postgres.url, 'select n from kept')).toEqual([{ n: 1 }]);
    await postgres.release();
    expect(await serverPid()).toBeUndefined();
  });

  it('is restarted once for all its users, whoever is first', async () => {
    const several = [await acquire(), await acquire()] as const;
    await killServer();
    const other = await startHolder();
    for (const postgres of several) {
      await expect.poll(() => answer(() => postgres.url), { timeout: 30_000 }).toEqual([{ n: 1 }]);
      expect(postgres.url).toBe(other.url);
    }
    await other.release();
    expect(await answer(() => several[0].url)).toEqual([{ n: 1 }]);
    for (const postgres of several) await postgres.release();
    expect(await serverPid()).toBeUndefined();
  });

  it('stays down when it is released meanwhile', async () => {
    const postgres = await acquire();
    await killServer();
    await postgres.release();
    expect(await query(postgres.url, ONE).catch((error: { code: string }) => error.code)).toBe(
      'ECONNREFUSED',
    );
  });
});

describe('failures are one clear line', () => {
  const message = (promise: Promise<unknown>) =>
    promise.then(
      () => 'no failure',
      (error: unknown) => (error instanceof EmbeddedPostgresError ? error.message : `unexpected ${error}`),
    );

  it('no programs for the platform', async () => {
    expect(await message(findPackage('sunos', 'sparc'))).toBe(
      'no PostgreSQL binaries for sunos-sparc: set DATABASE_URL to a PostgreSQL 16, 17 or 18 server',
    );
  });

  it('a setting the server does not know', async () => {
    expect(await message(acquireEmbeddedPostgres({ home, settings: { no_such: '1' } }))).toBe(
      'PostgreSQL did not start: FATAL:  unrecognized configuration parameter "no_such"',
    );
  });

  it('initdb fails, and leaves nothing behind', async () => {
    const place = join(root, 'failing');
    await mkdir(place);
    await writeFile(
      join(place, 'initdb'),
      '#!/bin/sh\necho Creating files\necho initdb: error: disk full >&2\nexit 1\n',
    );
    await chmod(join(place, 'initdb'), 0o755);
    const cluster = { ...(await sharedCluster()), place, dataFolder: join(place, 'postgres') };
    expect(await message(createData(cluster, place, false))).toBe('initdb failed: initdb: error: disk full');
    expect(await readdir(place)).toEqual(['initdb']);
  });

  it('home cannot be created', async () => {
    const text = await message(acquire(join(home, 'postgres.json', 'below')));
    expect(text).toMatch(/^embedded PostgreSQL in .*postgres\.json\/below: ENOTDIR: [^\n]*$/);
  });

  it.skipIf(isRoot)('home cannot be written to', async () => {
    const closed = join(root, 'closed');
    await mkdir(closed, { mode: 0o500 });
    expect(await message(acquire(closed))).toMatch(/^embedded PostgreSQL in .*closed: EACCES: [^\n]*$/);
  });

  it('the password is missing', async () => {
    const path = join(home, 'postgres.json');
    const record = await readFile(path);
    await rm(path);
    expect(await message(acquire())).toMatch(/postgres\.json with the database password is gone: restore it/);
    await writeFile(path, record, { mode: 0o600 });
  });
});

describe('programs and folders out of reach', () => {
  const withoutLinks = async (folder: string) => {
    const filter = async (path: string) => !(await lstat(path)).isSymbolicLink();
    const source = await findPackage();
    await cp(join(source.folder, 'native'), join(folder, 'native'), { recursive: true, filter });
    return { folder, version: source.version };
  };

  it('links the libraries of a fresh package, from two processes in parallel', async () => {
    const source = JSON.stringify(await withoutLinks(join(root, 'package')));
    const exits = ['first', 'second'].map(async (name) => {
      const copies = join(root, name);
      await mkdir(copies);
      const child = startChild(`await api.prepareBinaries(${source}, ${JSON.stringify(copies)}, undefined);`);
      const [code] = await once(child, 'exit');
      expect(await readdir(copies)).toEqual([]);
      return code;
    });
    expect(await Promise.all(exits)).toEqual([0, 0]);
  });

  it('copies a package that it can neither link nor enter, once', async () => {
    const locked = join(root, 'locked');
    await mkdir(locked);
    const source = await withoutLinks(join(locked, 'package'));
    // Root may write anywhere, but its server's user cannot enter; others can enter, but not write.
    if (isRoot) await chmod(locked, 0o700);
    else await chmod(join(source.folder, 'native', 'lib'), 0o555);
    const copies = join(root, 'copies');
    await mkdir(copies, { mode: 0o755 });
    const user = await serverUser();
    const copy = join(copies, `postgres-binaries-${source.version}`);
    expect(await prepareBinaries(source, copies, user)).toBe(join(copy, 'native', 'bin'));
    const { ino } = await stat(copy);
    expect(await prepareBinaries(source, copies, user)).toBe(join(copy, 'native', 'bin'));
    expect((await stat(copy)).ino).toBe(ino);
    expect(await readdir(copies)).toEqual([`postgres-binaries-${source.version}`]);
    if (!isRoot) await chmod(join(source.folder, 'native', 'lib'), 0o755);
  });

  it.runIf(isRoot)(
    'root: a private home keeps the record, the data are where the server can enter',
    async () => {
      const closed = join(root, 'private');
      await mkdir(closed, { mode: 0o700 });
      const inner = join(closed, 'home');
      const first = await acquire(inner);
      const { place } = JSON.parse(await readFile(join(inner, 'postgres.json'), 'utf8'));
      try {
        expect(await query(first.url, 'show data_directory')).toEqual([
          { data_directory: join(place, 'postgres') },
        ]);
        const second = await acquire(inner);
        expect(second.url).toBe(first.url);
        await first.release();
        await second.release();
        expect(await serverPid(join(place, 'postgres'))).toBeUndefined();
        expect((await readdir(inner)).sort()).toEqual(['postgres.json', 'postgres.log']);
      } finally {
        await killServer(join(place, 'postgres'));
        await rm(place, { recursive: true, force: true });
        if (dirname(place) === '/var/lib/crossramp') await rmdir(dirname(place)).catch(() => {});
      }
    },
  );
});

it('a program that is not finished in time is ended, and its failure says why', async () => {
  const waits = ['-e', 'setTimeout(() => {}, 600_000)'];
  const { ok, output } = await run(process.execPath, waits, tmpdir(), undefined, 100);
  expect(ok).toBe(false);
  expect(problem(output)).toContain('not finished after 0.1 s, because this machine is too busy');
});
