/**
 * A cluster of Patroni: three machines with PostgreSQL, of which one takes writes and the others are its synchronous standbys; one etcd; haproxy in front. The
 * machines reach etcd and each other over proxies of the test, so each can be cut off from them while gateways and haproxy still reach it.
 * The settings are those of docs/examples.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { startProxy, type TestProxy } from './proxy.ts';
import { eventually } from './receiver.ts';
import { type RestProxy, startRestProxy } from './rest-proxy.ts';
import { type Machine, MOUNT, openRoot, type Root } from './rooted-machines.ts';

const NAMES = ['n1', 'n2', 'n3'] as const;
const DATABASE = 'crossramp';
const OWNER = { name: 'gateway', password: 'of the gateway' } as const;
const LOGINS = {
  superuser: { username: 'postgres', password: 'of postgres' },
  replication: { username: 'replicator', password: 'of replicator' },
} as const;
/** Examples of the documents, which the cluster runs with. */
const EXAMPLES = new URL('../../docs/examples/', import.meta.url);
const START_MAX_MS = 120_000;

/** A machine of the cluster. */
export interface Member extends Machine {
  readonly name: string;
  /** URL of its server for the gateway. */
  readonly url: string;
  /** The same for the superuser. */
  readonly adminUrl: string;
  /** URL of the REST interface of its Patroni. */
  readonly restUrl: string;
  /** Cuts it off from etcd and the other machines. What is sent meanwhile arrives when it is joined again, as with TCP. */
  readonly isolate: () => void;
  /** Cuts its standbys off from it. */
  readonly dropStandbys: () => void;
  readonly join: () => void;
  /** Fills its disk. @returns what frees it again. */
  readonly fillDisk: () => () => void;
}

/** The cluster. */
export interface PatroniCluster {
  readonly members: readonly Member[];
  /** URL of the database over haproxy. */
  readonly proxyUrl: string;
  readonly etcd: Machine;
  /** @returns the one that takes writes, once two standbys follow it and its commits wait for them. */
  readonly untilWhole: () => Promise<Member>;
  readonly stop: () => Promise<void>;
}

interface Ports {
  readonly postgres: number;
  readonly rest: number;
}

/** Proxies on the ways to a machine, and on its way to etcd. */
interface Ways {
  readonly postgres: TestProxy;
  readonly rest: RestProxy;
  readonly etcd: TestProxy;
}

/** Starts a cluster with an empty database that the gateway owns. @param folder - root with Patroni. @param home - folder for its files. */
export async function startPatroni(folder: string, home: string): Promise<PatroniCluster> {
  const root = await openRoot(folder, home, NAMES);
  const etcdPort = await freePort();
  const etcd = await startEtcd(root, home, etcdPort);
  const members: Member[] = [];
  const ways: Ways[] = [];
  const ports: Ports[] = [];
  for (const name of NAMES) {
    const own = { postgres: await freePort(), rest: await freePort() };
    const to = {
      postgres: await startProxy(own.postgres),
      rest: await startRestProxy(own.rest),
      etcd: await startProxy(etcdPort),
    };
    writeFileSync(join(home, `${name}.yml`), JSON.stringify(settingsOf(name, own, to)), { mode: 0o644 });
    const machine = root.machine(name, 'postgres', 'patroni', `${MOUNT}/${name}.yml`);
    ways.push(to);
    ports.push(own);
    members.push(memberOf(name, machine, root, own, to, ways));
  }
  const haproxyPort = await freePort();
  writeFileSync(join(home, 'haproxy.cfg'), haproxySettings(haproxyPort, ports), { mode: 0o644 });
  root.machine('haproxy', 'root', 'haproxy', '-db', '-f', `${MOUNT}/haproxy.cfg`);
  const untilWhole = () => eventually('a cluster of three', () => findPrimary(members), START_MAX_MS);
  const primary = await untilWhole();
  await createDatabase(primary.adminUrl);
  return {
    members,
    proxyUrl: urlAt(haproxyPort, OWNER.name, OWNER.password),
    etcd,
    untilWhole,
    stop: async () => {
      root.close();
      for (const each of ways) for (const way of Object.values(each)) await way.close();
    },
  };
}

async function startEtcd(root: Root, home: string, port: number): Promise<Machine> {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${await freePort()}`];
  mkdirSync(join(home, 'etcd'), { mode: 0o700 });
  const listen = ['--listen-client-urls', client, '--advertise-client-urls', client];
  const peers = ['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer];
  const cluster = ['--initial-cluster', `default=${peer}`];
  return root.machine('etcd', 'root', 'etcd', '--data-dir', `${MOUNT}/etcd`, ...listen, ...peers, ...cluster);
}

function memberOf(
  name: string,
  machine: Machine,
  root: Root,
  { postgres, rest }: Ports,
  own: Ways,
  all: readonly Ways[],
): Member {
  const dropStandbys = () => own.postgres.fail('hold');
  return {
    name,
    start: () => machine.start(),
    kill: () => machine.kill(),
    pause: () => machine.pause(),
    resume: () => machine.resume(),
    killOne: (pattern) => machine.killOne(pattern),
    url: urlAt(postgres, OWNER.name, OWNER.password),
    adminUrl: urlAt(postgres, LOGINS.superuser.username, LOGINS.superuser.password),
    restUrl: `http://127.0.0.1:${rest}`,
    dropStandbys,
    isolate: () => {
      dropStandbys();
      own.etcd.fail('hold');
      for (const { rest: way } of all) way.lose(way === own.rest ? 'all' : 'of a primary');
    },
    join: () => {
      for (const way of [own.postgres, own.etcd]) way.heal();
      for (const { rest: way } of all) way.lose('none');
    },
    fillDisk: () => root.fillDisk(name),
  };
}

function urlAt(port: number, user: string, password: string): string {
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${DATABASE}`;
}

/** Settings of Patroni, which reads JSON as YAML. */
function settingsOf(name: string, { postgres, rest }: Ports, ways: Ways): object {
  const place = `${MOUNT}/${name}`;
  const login = 'scram-sha-256';
  return {
    scope: DATABASE,
    name,
    restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${ways.rest.port}` },
    etcd3: { hosts: `127.0.0.1:${ways.etcd.port}`, use_proxies: true },
    bootstrap: {
      dcs: JSON.parse(readFileSync(new URL('patroni.json', EXAMPLES), 'utf8')),
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums', { 'wal-segsize': '1' }],
    },
    postgresql: {
      listen: `127.0.0.1:${postgres}`,
      connect_address: `127.0.0.1:${ways.postgres.port}`,
      data_dir: `${place}/data`,
      bin_dir: '/usr/lib/postgresql/18/bin',
      pgpass: `${place}/pgpass`,
      authentication: { ...LOGINS, rewind: LOGINS.superuser },
      use_unix_socket: true,
      parameters: {
        unix_socket_directories: place,
        shared_buffers: '32MB',
        max_wal_size: '64MB',
        min_wal_size: '16MB',
      },
      pg_hba: [
        'local all all trust',
        `host all all 127.0.0.1/32 ${login}`,
        `host replication replicator 127.0.0.1/32 ${login}`,
      ],
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
    },
  };
}

/** @returns the example, for the ports of the test. */
function haproxySettings(port: number, ports: readonly Ports[]): string {
  const example = readFileSync(new URL('haproxy.cfg', EXAMPLES), 'utf8');
  return ports.reduce(
    (text, { postgres, rest }, at) =>
      text.replace(`db${at + 1}:5432 check port 8008`, `127.0.0.1:${postgres} check port ${rest}`),
    example.replace('127.0.0.1:5000', `127.0.0.1:${port}`),
  );
}

/** State of a member in the answer of `GET /cluster`. */
interface MemberState {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

async function findPrimary(members: readonly Member[]): Promise<Member | undefined> {
  for (const { restUrl } of members) {
    const answer = await fetch(`${restUrl}/cluster`, { signal: AbortSignal.timeout(1_000) }).catch(
      () => undefined,
    );
    if (!answer?.ok) continue;
    const { members: states } = (await answer.json()) as { members: readonly MemberState[] };
    const primary = states.find(({ role, state }) => role === 'leader' && state === 'running');
    const following = states.filter(({ state }) => state === 'streaming');
    const hasSynchronous = states.some(({ role }) => /^(sync|quorum)_standby$/.test(role));
    if (primary && hasSynchronous && following.length === members.length - 1)
      return members.find(({ name }) => name === primary.name);
  }
  return undefined;
}

async function createDatabase(adminUrl: string): Promise<void> {
  const url = new URL(adminUrl);
  url.pathname = '/postgres';
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`create role ${OWNER.name} login createrole password '${OWNER.password}'`);
  await admin.query(`create database ${DATABASE} owner ${OWNER.name} encoding 'UTF8' template template0`);
  await admin.end();
}
