/**
 * Goal: the figures say that a replica is late, and that it is away. Method: a server, and a real standby of it that streams through a slot,
 * stops applying changes, and dies.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore, type Store } from '../../src/compose/open-store.ts';
import { findPackage, prepareBinaries } from '../../src/postgres/postgres-binaries.ts';
import { type Cluster, startServer, stopServer } from '../../src/postgres/postgres-server.ts';
import type { FigureGroup } from '../../src/store/metrics/figures.ts';
import { readFigures } from '../../src/store/metrics/read-figures.ts';
import { freePort } from '../support/free-port.ts';
import { newHome } from '../support/home.ts';
import { type MortalPostgres, startMortalPostgres } from '../support/mortal-postgres.ts';
import { eventually } from '../support/receiver.ts';

const { home, remove } = newHome();
let server: MortalPostgres;
let store: Store;
let primary: pg.Client;
let standby: pg.Client;
let cluster: Cluster;
let binaries: string;

/** Copies the data of the running primary, and starts them as a standby that reads from the slot `b`. */
async function startStandby(): Promise<pg.Client> {
  const { rows } = await primary.query('show data_directory');
  const from: string = rows[0].data_directory;
  const { uid, gid } = statSync(from);
  const url = new URL(server.url);
  const dataFolder = join(home, 'standby');
  cluster = {
    ...{ place: home, dataFolder, logFile: join(home, 'standby.log'), password: url.password },
    user: process.getuid?.() === 0 ? { uid, gid } : undefined,
  };
  binaries = await prepareBinaries(await findPackage(), home, cluster.user);
  await primary.query(`select pg_create_physical_replication_slot('b', true)`);
  await primary.query(`select pg_backup_start('b', true)`);
  execFileSync('cp', ['-a', from, dataFolder]);
  const { rows: stopped } = await primary.query('select labelfile from pg_backup_stop(true)');
  for (const name of ['postmaster.pid', 'postmaster.opts', 'pg_replslot/b'])
    rmSync(join(dataFolder, name), { recursive: true, force: true });
  const conninfo = `host=127.0.0.1 port=${url.port} user=${url.username} password=${url.password} application_name=b`;
  writeFileSync(join(dataFolder, 'backup_label'), stopped[0].labelfile);
  writeFileSync(join(dataFolder, 'standby.signal'), '');
  appendFileSync(
    join(dataFolder, 'postgresql.auto.conf'),
    `primary_conninfo = '${conninfo}'\nprimary_slot_name = 'b'\nwal_receiver_status_interval = 1\n`,
  );
  execFileSync('chown', ['-R', `${uid}:${gid}`, home]);
  const { client } = await startServer(cluster, binaries, {}, freePort);
  return client;
}

/** @returns the first row of a group. */
async function figure(group: FigureGroup) {
  const times = async () => ({ sandbox: Date.now(), live: Date.now() });
  return (await readFigures(store.database, times, [group])).get(group)?.[0];
}

beforeAll(async () => {
  server = await startMortalPostgres();
  store = await openStore({ home, databaseUrl: server.url, databaseConnections: 2 });
  primary = new pg.Client({ connectionString: server.url });
  await primary.connect();
  await primary.query('grant pg_read_all_stats to crossramp_app');
  standby = await startStandby();
}, 120_000);
afterAll(async () => {
  await standby?.end().catch(() => {});
  if (cluster) await stopServer(cluster, binaries).catch(() => {});
  await primary?.end();
  await store?.close();
  await server?.remove();
  remove();
});

test('a replica that follows is not late, and one that applies nothing is later every second', async () => {
  const well = await eventually('a replica that streams', () => figure('replicas'));
  expect(well).toMatchObject({ replica: 'b' });
  expect(await figure('slots')).toMatchObject({ slot: 'b', active: 1 });
  await primary.query('create table written (n int)');
  await standby.query('select pg_wal_replay_pause()');
  const late = await eventually('a lag', async () => {
    await primary.query('insert into written values (1)');
    const found = await figure('replicas');
    return Number(found?.lag ?? 0) >= 2 ? found : undefined;
  });
  expect(Number(late.behind)).toBeGreaterThan(0);
}, 60_000);

test('a replica that has died leaves a slot without a reader', async () => {
  await standby.end();
  await stopServer(cluster, binaries);
  await eventually('an idle slot', async () => (await figure('slots'))?.active === 0);
  expect(await figure('replicas')).toBeUndefined();
}, 60_000);
