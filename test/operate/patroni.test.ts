/**
 * Goal: gateways go on by themselves when Patroni moves the database to another machine, and no acknowledged payment is lost (docs/reliability.md). Method: three
 * machines with PostgreSQL and Patroni, etcd and haproxy (support/patroni.ts); a pair of gateways that know the machines from `DATABASE_URL`, and a
 * pair that reaches them through haproxy; payments on both pairs, with a webhook for each event. Faults come in an order by a seed. Losses are judged,
 * times are told, and judged with `FAILOVER_TIMES=judged`. It needs root, and a folder with Patroni in `PATRONI_ROOT`.
 */
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/store/connection/connection.ts';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { misplaced, missing, readEvents } from '../support/delivered-events.ts';
import { newHome } from '../support/home.ts';
import { randomOf } from '../support/load.ts';
import { type Member, type PatroniCluster, startPatroni } from '../support/patroni.ts';
import { type Running, start } from '../support/process.ts';
import { eventually, type Receiver, useReceiver } from '../support/receiver.ts';
import { startTrading, untilPaid } from '../support/trading.ts';
import { type Outage, startWriteProbe, type WriteProbe } from '../support/write-probe.ts';

const ROOT = process.env.PATRONI_ROOT ?? '';
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const ROUNDS = Number(process.env.FAILOVER_ROUNDS ?? 1);
const areTimesJudged = process.env.FAILOVER_TIMES === 'judged';
/** Gateways answer writes so soon after the primary takes them. */
const GOAL_MS = 3_000;
/** Merchants trade so long before a fault and after it. */
const TRADE_MS = 3_000;
const FAULT_MAX_MS = 120_000;
/** A write that begins so long after a fault was not under way when it began. */
const UNDER_WAY_MS = 500;
const WAYS = ['several hosts', 'haproxy'] as const;

interface Fault {
  readonly what: string;
  /** Acts on the machine of the primary. @returns what ends the fault. */
  readonly make: (primary: Member, cluster: PatroniCluster) => Promise<() => void>;
  /** The old primary has commits that the new one lacks, and loses them when it returns. */
  readonly diverges?: boolean;
  /** The fault lasts at least so long, default: until the gateways have written. Unit: ms. */
  readonly leastMs?: number;
}

const FAULTS: readonly Fault[] = [
  {
    what: 'the machine is killed',
    make: async (primary) => {
      await primary.kill();
      return () => primary.start();
    },
  },
  {
    what: 'the machine is killed when its standbys lack its last commits',
    diverges: true,
    make: async (primary) => {
      primary.dropStandbys();
      await sleep(2 * UNDER_WAY_MS);
      await primary.kill();
      primary.join();
      return () => primary.start();
    },
  },
  {
    what: 'PostgreSQL is killed, not Patroni',
    make: async (primary) => {
      primary.killOne(/postgres -D/);
      return () => {};
    },
  },
  {
    what: 'the machine is paused for 30 s',
    leastMs: 30_000,
    make: async (primary) => {
      primary.pause();
      return () => primary.resume();
    },
  },
  {
    what: 'the machine is cut off from etcd and standbys, not from gateways and haproxy',
    leastMs: 30_000,
    make: async (primary) => {
      primary.isolate();
      return () => primary.join();
    },
  },
  {
    what: 'the disk is full',
    make: async (primary) => {
      const free = primary.fillDisk();
      await useUpLog(primary);
      return free;
    },
  },
  {
    what: 'etcd is lost for 30 s',
    leastMs: 30_000,
    make: async (_, { etcd }) => {
      await etcd.kill();
      return () => etcd.start();
    },
  },
];

/** Starts files of the log until the server finds no place for another one. */
async function useUpLog({ adminUrl }: Member): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl, query_timeout: 5_000 });
  admin.on('error', () => {});
  await admin.connect();
  const statement = `select pg_logical_emit_message(false, 'fill', 'x'), pg_switch_wal()`;
  for (let isTaken = true; isTaken; )
    isTaken = await admin.query(statement).then(
      () => true,
      () => false,
    );
  admin.end().catch(() => {});
}

/** @returns the faults of all rounds, each round in an order by the seed. */
function inTurn(): Fault[] {
  const random = randomOf(SEED);
  const only = process.env.FAULT;
  const faults = FAULTS.filter(({ what }) => !only || what.includes(only));
  return Array.from({ length: ROUNDS }).flatMap(() => random.shuffle(faults));
}

if (!ROOT) process.stdout.write('PATRONI_ROOT is not set: no test with Patroni (docs/reliability.md)\n');

describe.skipIf(!ROOT)(`seed ${SEED}: gateways on a cluster of Patroni`, () => {
  const receiver = useReceiver();
  const { home, remove } = newHome();
  const { home: files, remove: removeFiles } = newHome();
  /** Payments that were acknowledged since the start. */
  const paid: string[] = [];
  let cluster: PatroniCluster;
  let probe: WriteProbe;
  /** For each way to the database, a gateway that serves and one that works. */
  const pairs: (readonly [Running, Running])[] = [];

  beforeAll(async () => {
    cluster = await startPatroni(ROOT, home);
    const [first, ...others] = cluster.members.map(({ url }) => new URL(url)) as [URL, URL, URL];
    const hosts = [first, ...others].map(({ host }) => host).join();
    const several = `${first.href.replace(first.host, hosts)}?target_session_attrs=read-write`;
    for (const url of [several, cluster.proxyUrl]) pairs.push(await startPair(url, files));
    const servers = new Map(cluster.members.map(({ name, adminUrl }) => [name, adminUrl]));
    probe = await startWriteProbe(servers, (await cluster.untilWhole()).name);
  }, 300_000);
  afterAll(async () => {
    for (const each of pairs.flat()) await each.end('SIGKILL');
    await probe?.stop();
    await cluster?.stop();
    remove();
    removeFiles();
  }, 60_000);

  test.each(inTurn())('$what: gateways write again, and nothing acknowledged is lost', async (fault) => {
    const primary = await cluster.untilWhole();
    const key: string = JSON.parse(readFileSync(join(files, 'sandbox.json'), 'utf8')).apiKey;
    const webhook = receiver.url('patroni');
    const tradings = pairs.map(([serving]) => startTrading({ gateways: () => [serving], key, webhook }));
    await sleep(TRADE_MS);
    const rewindsBefore = rewindsOf(primary);

    const since = performance.now();
    const end = await fault.make(primary, cluster);
    const madeAt = performance.now();
    const isBack = () => probe.acknowledged.some(({ beganAt }) => beganAt > madeAt + UNDER_WAY_MS);
    await eventually('a primary that takes writes', isBack, FAULT_MAX_MS);
    const backAt = performance.now();
    const writtenAt = await Promise.all(
      tradings.map(async ({ met }) => {
        await eventually('a write of a gateway', () => met.writtenAt > backAt, FAULT_MAX_MS);
        return met.writtenAt;
      }),
    );
    // A new primary may take a write, and then wait until its standby has been rewound.
    const outages = probe.outages(since, Math.max(...writtenAt));
    const written = writtenAt.map((at) => at - (outages.findLast(({ to }) => to <= at)?.to ?? madeAt));
    await sleep(Math.max(0, (fault.leastMs ?? 0) - (performance.now() - since)));
    const endedAt = performance.now();
    end();
    await sleep(TRADE_MS);
    const next = await cluster.untilWhole();
    const wholeAt = performance.now();
    const acknowledged: string[] = [];
    for (const trading of tradings) acknowledged.push(...(await trading.stop()));
    paid.push(...acknowledged);

    const hasRewound = rewindsOf(primary) > rewindsBefore;
    const refused = tradings.flatMap(({ met }) => met.refused);
    const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
    const story = [
      `${fault.what}: ${primary.name} → ${next.name}`,
      outages.length === 0
        ? 'no outage'
        : `writes after ${seconds(lengthOf(outages))}, ${WAYS.map((way, at) => `by ${way} ${seconds(written[at] as number)} after that`).join(', ')}`,
      `three members ${seconds(wholeAt - endedAt)} after the end${hasRewound ? ', by pg_rewind' : ''}`,
      `${acknowledged.length} payments, ${refused.length} answers of 503 or 409, load ${loadavg()[0]?.toFixed(1)}`,
    ];
    process.stdout.write(`${story.join('; ')}\n`);

    expect(refused.filter((each) => !/: 503 |IDEMPOTENCY_RUNNING/.test(each))).toEqual([]);
    expect(tradings.map(({ met }) => met.lost)).toEqual([0, 0]);
    if (fault.diverges) expect(hasRewound).toBe(true);
    if (areTimesJudged) expect(Math.max(...written)).toBeLessThan(GOAL_MS);
    await expectAllKept(next);
    for (const { child, baseUrl } of pairs.flat()) {
      expect(child.exitCode).toBe(null);
      await eventually('a ready gateway', async () => (await fetch(`${baseUrl}/readyz`)).ok);
    }
  }, 600_000);

  function rewindsOf({ name }: Member): number {
    return readFileSync(join(home, `${name}.log`), 'utf8').split('running pg_rewind').length - 1;
  }

  /** Compares what was acknowledged with a server. */
  async function expectAllKept({ adminUrl, url }: Member): Promise<void> {
    const admin = new pg.Client({ connectionString: adminUrl });
    await admin.connect();
    const { rows: payments } = await admin.query('select end2end from transaction');
    expect(payments.map(({ end2end }) => end2end).toSorted()).toEqual(paid.toSorted());
    const { rows: probed } = await admin.query<{ id: string }>('select id from write_probe');
    const ids = new Set(probed.map(({ id }) => Number(id)));
    expect(probe.acknowledged.filter(({ id }) => !ids.has(id))).toEqual([]);
    await untilPaid((text, values) => admin.query(text, values), paid);
    await expectWebhooks(admin, receiver);
    const database = openDatabase(url);
    const { rows: accounts } = await admin.query<{ id: string }>('select id from account');
    for (const { id } of accounts) expect((await verifyLedger(database, BigInt(id))).defects).toEqual([]);
    await database.close();
    await admin.end();
  }

  test('gateways end as usual', async () => {
    for (const each of pairs.flat()) expect((await each.end('SIGTERM')).code).toBe(0);
  }, 60_000);
});

/** @returns time from the last write before outages that follow each other to the first after them. Unit: ms. */
function lengthOf(outages: readonly Outage[]): number {
  return (outages.at(-1)?.to ?? 0) - (outages[0]?.from ?? 0);
}

async function startPair(url: string, files: string): Promise<readonly [Running, Running]> {
  const settings = { SANDBOX: '1', RATE_LIMIT: 'off', LOG_LEVEL: 'error', DRAIN_DELAY: '0' };
  const env = { ...settings, DATABASE_URL: url, CROSSRAMP_HOME: files };
  const pair = [await start({ ...env, ROLE: 'serve' }), await start({ ...env, ROLE: 'work' })] as const;
  for (const { ended } of pair)
    void ended.then(
      ({ code, stderr }) => code && process.stdout.write(`a gateway ended with ${code}: ${stderr}\n`),
    );
  return pair;
}

/** Waits until all webhooks have come; those of a transaction came in the order of its events. */
async function expectWebhooks(admin: pg.Client, receiver: Receiver): Promise<void> {
  const events = await readEvents(admin);
  await eventually('all webhooks', () => missing(events, receiver.at('patroni')).length === 0, FAULT_MAX_MS);
  expect(misplaced(events, receiver.at('patroni'))).toEqual([]);
}
