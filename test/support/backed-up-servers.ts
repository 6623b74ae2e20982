/**
 * Servers that pgBackRest backs up, on machines of a root (rooted-machines.ts), by the recipe of docs/backup.md: `first`, and `second`, which a backup is
 * restored on. The repository is on a disk of its own.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { eventually } from './receiver.ts';
import { MOUNT, openRoot, type Root } from './rooted-machines.ts';

const BIN = '/usr/lib/postgresql/18/bin';
const EXAMPLE = new URL('../../docs/examples/pgbackrest.conf', import.meta.url);
const DATABASE = 'crossramp';
const OWNER = { name: 'gateway', password: 'of-the-gateway' } as const;
const START_MAX_MS = 120_000;

/** Server of a name. */
export interface BackedUpServer {
  /** URL of the database for the gateway. */
  readonly url: string;
  /** The same for the superuser. */
  readonly adminUrl: string;
  /** Runs pgBackRest on its machine. @returns the output. */
  readonly pgbackrest: (...args: string[]) => Promise<string>;
  readonly start: () => Promise<void>;
  /** Ends all processes of its machine at the same time. */
  readonly kill: () => Promise<void>;
}

/** @returns whether a root has the program. */
export function hasPgBackRest(folder: string): boolean {
  return folder !== '' && existsSync(join(folder, 'usr/bin/pgbackrest'));
}

/** Starts `first` with an empty database, which the gateway owns. */
export async function openBackedUpServers(folder: string, home: string) {
  const root = await openRoot(folder, home, ['first', 'second', 'repo']);
  const [first, second] = [await serverOf(root, home, 'first'), await serverOf(root, home, 'second')];
  await root.run('postgres', `${BIN}/initdb`, '-D', `${MOUNT}/first/data`, '--wal-segsize=1', '--auth=trust');
  await first.start();
  const admin = new pg.Client({
    connectionString: Object.assign(new URL(first.adminUrl), { pathname: '/postgres' }).href,
  });
  await admin.connect();
  await admin.query(`create role ${OWNER.name} login createrole password '${OWNER.password}'`);
  await admin.query(`create database ${DATABASE} owner ${OWNER.name}`);
  await admin.end();
  return { first, second, close: () => root.close() };
}

async function serverOf(root: Root, home: string, name: 'first' | 'second'): Promise<BackedUpServer> {
  const port = await freePort();
  const place = `${MOUNT}/${name}`;
  writeFileSync(join(home, `${name}.conf`), settingsOf(name, port), { mode: 0o644 });
  const program = ['pgbackrest', `--config=${MOUNT}/${name}.conf`, '--stanza=crossramp'];
  const settings = {
    port: String(port),
    unix_socket_directories: place,
    archive_mode: 'on',
    archive_command: `${program.join(' ')} archive-push %p`,
    archive_timeout: '60',
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  let kill = async () => {};
  const adminUrl = `postgres://postgres@127.0.0.1:${port}/${DATABASE}`;
  return {
    url: `postgres://${OWNER.name}:${OWNER.password}@127.0.0.1:${port}/${DATABASE}`,
    adminUrl,
    pgbackrest: (...args) => root.run('postgres', ...program, ...args),
    start: async () => {
      const machine = root.machine(name, 'postgres', `${BIN}/postgres`, '-D', `${place}/data`, ...options);
      kill = () => machine.kill();
      await eventually(`server ${name}`, () => takesWrites(adminUrl), START_MAX_MS);
    },
    kill: () => kill(),
  };
}

/** @returns the example, for the folders and ports of the test. */
function settingsOf(name: string, port: number): string {
  const repository = `${MOUNT}/repo`;
  return readFileSync(EXAMPLE, 'utf8')
    .replace('/var/lib/pgbackrest', `${repository}/backups\nlog-path=${repository}\nlock-path=${repository}`)
    .replace(
      '/var/lib/postgresql/18/main',
      `${MOUNT}/${name}/data\npg1-port=${port}\npg1-socket-path=${MOUNT}/${name}`,
    );
}

async function takesWrites(adminUrl: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: Object.assign(new URL(adminUrl), { pathname: '/postgres' }).href,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query('select pg_is_in_recovery() as "isRecovering"');
    return !rows[0].isRecovering;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
