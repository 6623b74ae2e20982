/**
 * Goal: the figures say that a replica is late, and that it is away. Method: a server, and a real standby of it that streams through a slot,
 * stops applying changes, and dies; a subscription beside it.
 */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore, type Store } from '../../src/compose/open-store.ts';
import type { FigureGroup } from '../../src/store/metrics/figures.ts';
import { readFigures } from '../../src/store/metrics/read-figures.ts';
import { newHome } from '../support/home.ts';
import { databaseAt, queryAt, startLogicalPostgres } from '../support/logical-postgres.ts';
import type { MortalPostgres } from '../support/mortal-postgres.ts';
import { eventually } from '../support/receiver.ts';
import { type Standby, startStandby } from '../support/standby.ts';

const { home, remove } = newHome();
let server: MortalPostgres;
let store: Store;
let primary: pg.Client;
let standby: Standby;

/** @returns the first row of a group. */
async function figure(group: FigureGroup) {
  const times = async () => ({ sandbox: Date.now(), live: Date.now() });
  return (await readFigures(store.database, times, [group])).get(group)?.[0];
}

beforeAll(async () => {
  server = await startLogicalPostgres();
  store = await openStore({ home, databaseUrl: server.url, databaseConnections: 2 });
  primary = new pg.Client({ connectionString: server.url });
  await primary.connect();
  await primary.query('grant pg_read_all_stats to crossramp_app');
  standby = await startStandby(server.url, home, 'b');
}, 120_000);
afterAll(async () => {
  await standby?.stop();
  await primary?.end();
  await store?.close();
  await server?.remove();
  remove();
});

test('a replica that follows has no lag, and one that applies nothing lags more every second', async () => {
  const well = await eventually('a replica that streams', () => figure('replicas'));
  expect(well).toMatchObject({ replica: 'b' });
  expect(await figure('slots')).toMatchObject({ slot: 'b', active: 1 });
  expect(await figure('replicaCount')).toEqual({ connected: 1 });
  await primary.query('create table written (n int)');
  await standby.client.query('select pg_wal_replay_pause()');
  const late = await eventually('a lag', async () => {
    await primary.query('insert into written values (1)');
    const found = await figure('replicas');
    return Number(found?.lag ?? 0) >= 2 ? found : undefined;
  });
  expect(Number(late.behind)).toBeGreaterThan(0);
  await eventually(
    'changes that are received',
    async () => Number((await figure('replicas'))?.unapplied) > 0,
  );
}, 60_000);

test('a subscription is no replica', async () => {
  await primary.query('create database copy');
  await primary.query('create publication written for table written');
  await primary.query(`select pg_create_logical_replication_slot('copy', 'pgoutput')`);
  const url = databaseAt(server.url, 'copy');
  await queryAt(url, 'create table written (n int)');
  await queryAt(
    url,
    `create subscription copy connection '${server.url}' publication written with (create_slot = false, slot_name = 'copy', copy_data = false)`,
  );
  await eventually('a subscription that streams', async () => {
    const seen = `select from pg_stat_replication where application_name = 'copy' and replay_lsn is not null`;
    return (await primary.query(seen)).rows.length === 1;
  });
  expect(await figure('replicaCount')).toEqual({ connected: 1 });
  await queryAt(url, 'drop subscription copy');
  // A slot begins where no older transaction runs, of which the server takes note every fifteen seconds.
}, 180_000);

test('a role that may not see replicas has no count', async () => {
  await primary.query('revoke pg_read_all_stats from crossramp_app');
  expect(await figure('replicaCount')).toEqual({ connected: null });
  await primary.query('grant pg_read_all_stats to crossramp_app');
});

test('a replica that has died leaves a slot without a reader', async () => {
  await standby.stop();
  await eventually('an idle slot', async () => (await figure('slots'))?.active === 0);
  expect(await figure('replicas')).toBeUndefined();
  expect(await figure('replicaCount')).toEqual({ connected: 0 });
}, 60_000);
