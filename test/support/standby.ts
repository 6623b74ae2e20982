/** A standby of a server of the tests: a copy of its data that streams from it, and can be promoted. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { findPackage, prepareBinaries } from '../../src/postgres/postgres-binaries.ts';
import { type Cluster, startServer, stopServer } from '../../src/postgres/postgres-server.ts';
import { freePort } from './free-port.ts';
import { signalServer } from './mortal-postgres.ts';

/** A standby. */
export interface Standby {
  readonly url: string;
  /** As its owner. */
  readonly client: pg.Client;
  /** Makes it the server that takes writes. It waits for no standby of its own. @returns when it takes them. */
  readonly promote: () => Promise<void>;
  /** Sends a signal to all its processes: SIGKILL, SIGSTOP or SIGCONT. */
  readonly signal: (name: NodeJS.Signals) => void;
  readonly stop: () => Promise<void>;
}

/**
 * @param primaryUrl - of a server with its data on this machine, for its owner.
 * @param home - folder for the data.
 * @param name - of the standby, its folder and its slot.
 */
export async function startStandby(primaryUrl: string, home: string, name: string): Promise<Standby> {
  const primary = new pg.Client({ connectionString: primaryUrl });
  await primary.connect();
  const { rows } = await primary.query('show data_directory');
  const from: string = rows[0].data_directory;
  const { uid, gid } = statSync(from);
  const url = new URL(primaryUrl);
  const dataFolder = join(home, name);
  const cluster: Cluster = {
    ...{ folder: home, dataFolder, logFile: join(home, `${name}.log`), password: url.password },
    user: process.getuid?.() === 0 ? { uid, gid } : undefined,
  };
  const binaries = await prepareBinaries(await findPackage(), home, cluster.user);
  await primary.query('select pg_create_physical_replication_slot($1, true)', [name]);
  await primary.query('select pg_backup_start($1, true)', [name]);
  // Files come and go meanwhile, and `tar` is not troubled by them: the backup is made consistent by the log.
  mkdirSync(dataFolder, { mode: 0o700 });
  const copy = 'tar -C "$1" --exclude="./pg_wal/archive_status/?*" -cf - . | tar -C "$2" -xpf -';
  execFileSync('sh', ['-c', copy, 'sh', from, dataFolder], { stdio: 'pipe' });
  const { rows: stopped } = await primary.query('select labelfile from pg_backup_stop(true)');
  await primary.end();
  for (const left of ['postmaster.pid', 'postmaster.opts', 'pg_replslot/*', 'standby.signal'])
    rmSync(join(dataFolder, left), { recursive: true, force: true });
  execFileSync('sh', ['-c', 'rm -rf "$1"/pg_replslot/*', 'sh', dataFolder]);
  const login = `user=${url.username} password=${url.password}`;
  const conninfo = `host=127.0.0.1 port=${url.port} ${login} application_name=${name}`;
  writeFileSync(join(dataFolder, 'backup_label'), stopped[0].labelfile);
  writeFileSync(join(dataFolder, 'standby.signal'), '');
  appendFileSync(
    join(dataFolder, 'postgresql.auto.conf'),
    `primary_conninfo = '${conninfo}'\nprimary_slot_name = '${name}'\nwal_receiver_status_interval = 1\nsynchronous_standby_names = ''\n`,
  );
  execFileSync('chown', ['-R', `${uid}:${gid}`, home]);
  const { client } = await startServer(cluster, binaries, {}, freePort);
  client.on('error', () => {});
  const { rows: at } = await client.query('show port');
  url.port = at[0].port;
  return {
    url: url.href,
    client,
    promote: async () => void (await client.query('select pg_promote()')),
    signal: (signal) => signalServer(dataFolder, signal),
    stop: async () => {
      await client.end().catch(() => {});
      await stopServer(cluster, binaries).catch(() => {});
    },
  };
}

/** Has a server acknowledge a commit only when this standby has it, and waits until it does. */
export async function makeSynchronous(primaryUrl: string, name: string): Promise<void> {
  const primary = new pg.Client({ connectionString: primaryUrl });
  await primary.connect();
  await primary.query(`alter system set synchronous_standby_names = 'FIRST 1 (${name})'`);
  await primary.query('select pg_reload_conf()');
  for (let attempts = 400; ; attempts -= 1) {
    const { rows } = await primary.query(
      `select from pg_stat_replication where application_name = $1 and sync_state = 'sync'`,
      [name],
    );
    if (rows.length === 1) break;
    if (attempts === 0) throw new Error(`the standby ${name} does not follow`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await primary.end();
}
