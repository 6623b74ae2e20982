/**
 * Goal: a move of a cell loses and doubles nothing, whenever the command that moves it is killed and whichever gateway is forgotten. Method:
 * runs by a seed. In each, callers create and pay onramps at a steady rate, with webhooks, and clients follow the events; the mover is killed
 * once at each of its steps and run again; a gateway of the source is stopped (SIGSTOP) before the fence and goes on after the switch. Afterwards
 * everything is compared. A move that nobody kills says how long writes waited. MOVES=50 for more runs, SEED to repeat them; losses are judged, times told.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/store/connection/connection.ts';
import { CellServer } from '../../src/store/migration/cell-server.ts';
import { checkCell } from '../../src/store/migration/check-cell.ts';
import type { MoveStep } from '../../src/store/migration/move-cell.ts';
import { audit } from '../support/crash.ts';
import { freePort } from '../support/free-port.ts';
import { newHome } from '../support/home.ts';
import { type Random, randomOf } from '../support/load.ts';
import { databaseAt, queryAt, startLogicalPostgres } from '../support/logical-postgres.ts';
import type { MortalPostgres } from '../support/mortal-postgres.ts';
import { begin, launch, type Running, start } from '../support/process.ts';
import { useReceiver } from '../support/receiver.ts';
import {
  followEvents,
  type Places,
  type SteadyCallers,
  startSteadyCallers,
} from '../support/steady-callers.ts';
import { untilPaid } from '../support/trading.ts';

const MOVES = Number(process.env.MOVES ?? 2);
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Onramps a second. */
const RATE = 20;
const CELL = 'a1';
const RUN_MAX_MS = 1_200_000;
const PATIENCE = { timeout: 180_000, interval: 200 };
/** Steps at which the mover is killed, in their order. */
const STEPS = [
  'checked',
  'verified',
  'prepared',
  'copying',
  'copied',
  'comparing',
  'prechecked',
  'fenced',
  'caught up',
  'compared',
  'switched',
] as const satisfies readonly MoveStep[];
/** Time between what the mover says and its death. Unit: ms. */
const LIFE_MS = [0, 300] as const;
const BUSY_MS = 200;
/** Share of calls that go to the gateway that is stopped: balancers find out soon. */
const STOPPED_SHARE = 0.05;
/** SQL of an event's `webhook-id`. */
const EVENT_ID = `'evt_' || seq || '_' || token`;

const receiver = useReceiver();
const { home, remove } = newHome();
const keyFile = join(home, 'secrets.key');
let source: MortalPostgres;
let target: MortalPostgres;
let key: string;

beforeAll(async () => {
  [source, target] = await Promise.all([startLogicalPostgres(), startLogicalPostgres()]);
  const first = await start(envOf('template', source.url));
  key = JSON.parse(readFileSync(join(home, CELL, 'sandbox.json'), 'utf8')).apiKey;
  await first.end('SIGTERM');
}, RUN_MAX_MS);
afterAll(async () => {
  await source?.remove();
  await target?.remove();
  remove();
}, RUN_MAX_MS);

/** @returns the environment of a gateway of the cell at a database. */
function envOf(name: string, databaseUrl: string): Record<string, string> {
  const file = join(home, `${name}.json`);
  const cell = { databaseUrl, notifyUrl: databaseUrl, databaseSchema: CELL, secretsKeyFile: keyFile };
  writeFileSync(file, JSON.stringify({ cells: { [CELL]: cell } }));
  return {
    ...{ CROSSRAMP_HOME: home, CELLS_FILE: file, CELL, SANDBOX: '1', RATE_LIMIT: 'off' },
    ...{ LOG_LEVEL: 'fatal', DRAIN_DELAY: '0', START_WAIT: '3600' },
  };
}

/** Both places of the cell in one run, and its gateways. */
interface Stage {
  readonly random: Random;
  readonly sourceUrl: string;
  readonly targetUrl: string;
  readonly sourceEnv: Record<string, string>;
  readonly targetFile: string;
  /** Path of the receiver of webhooks. */
  readonly hook: string;
  readonly old: Running;
  /** The gateway that is forgotten. */
  readonly forgotten: Running;
  readonly fresh: { readonly base: string; process?: ReturnType<typeof launch> };
  /** Whether the balancer sends to the new gateway alone. */
  isMoved: boolean;
}

async function openStage(n: number, random: Random): Promise<Stage> {
  const name = `run_${n}`;
  await queryAt(databaseAt(source.url, 'postgres'), `create database ${name} template crossramp`);
  await queryAt(databaseAt(target.url, 'postgres'), `create database ${name}`);
  const [sourceUrl, targetUrl] = [databaseAt(source.url, name), databaseAt(target.url, name)];
  const sourceEnv = envOf(`source-${name}`, sourceUrl);
  const targetFile = join(home, `target-${name}`);
  writeFileSync(targetFile, targetUrl);
  const [old, forgotten] = await Promise.all([start(sourceEnv), start(sourceEnv)]);
  const fresh = { base: `http://127.0.0.1:${await freePort()}` };
  return {
    random,
    sourceUrl,
    targetUrl,
    sourceEnv,
    targetFile,
    hook: name,
    old,
    forgotten,
    fresh,
    isMoved: false,
  };
}

async function closeStage(n: number, { old, forgotten, fresh }: Stage): Promise<void> {
  forgotten.child.kill('SIGCONT');
  await Promise.all([old.end('SIGKILL'), forgotten.end('SIGKILL')]);
  fresh.process?.child.kill('SIGKILL');
  await fresh.process?.ended;
  for (const server of [source, target])
    await queryAt(databaseAt(server.url, 'postgres'), `drop database run_${n} with (force)`);
}

/** As a balancer that tries the gateways in turn; now and then it asks the one that does not answer. @param first - for the first call. */
function placesOf(stage: Stage, first?: Running): Places {
  const { random, old, forgotten, fresh } = stage;
  let n = 0;
  return {
    key,
    next: () => {
      n += 1;
      if (n === 1 && first) return first.baseUrl;
      if (!first && random.chance(STOPPED_SHARE)) return forgotten.baseUrl;
      return stage.isMoved || (fresh.process && n % 2 === 0) ? fresh.base : old.baseUrl;
    },
  };
}

const END_LONG = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and xact_start < now() - interval '1 minute'`;

/** Moves the cell. @param aim - the mover is killed soon after it says this step. @returns how it ended, and for how long it held writes up. */
async function move(
  stage: Stage,
  aim: MoveStep | undefined,
  onStep: (step: MoveStep) => void,
): Promise<{ end: 'done' | 'killed' | 'busy'; heldMs: number | null }> {
  const { child, ended } = begin(
    stage.sourceEnv,
    ...['cell', 'move', CELL, '--json', '--to-file', stage.targetFile],
  );
  let line = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    const lines = (line + chunk.toString()).split('\n');
    line = lines.pop() ?? '';
    for (const each of lines) {
      const step: MoveStep | undefined = each.startsWith('{') ? JSON.parse(each).progress?.step : undefined;
      if (step === undefined) continue;
      onStep(step);
      if (step === aim) setTimeout(() => child.kill('SIGKILL'), stage.random.integer(...LIFE_MS));
    }
  });
  const { code, stdout, stderr } = await ended;
  if (code === null) return { end: 'killed', heldMs: null };
  if (code === 0) return { end: 'done', heldMs: JSON.parse(stdout).heldMs };
  // The gateway that is stopped may have been in the middle of a message, which no time limit of the server ends: the operator does.
  if (stderr.includes('a writer of the source does not end')) await queryAt(stage.sourceUrl, END_LONG);
  // The server may not know yet that the one before is dead.
  else expect(stderr).toContain('another command is moving this cell');
  return { end: 'busy', heldMs: null };
}

/** Tables whose rows are compared with those at the fence. */
const COUNTED = ['transaction', 'event', 'ledger_line', 'journal', 'job'];
const countsAt = async (url: string) => {
  const counts = COUNTED.map((table) => `(select count(*) from ${CELL}.${table})::int as ${table}`);
  return (await queryAt(url, `select ${counts.join(', ')}`))[0];
};

/** Longest time between two acknowledged creations. Unit: ms. */
function longestPause(answers: SteadyCallers['answers']): number {
  return Math.round(Math.max(...answers.map(({ atMs }, n) => atMs - (answers[n - 1]?.atMs ?? atMs))));
}

/** Runs the command until the cell is moved. @returns counts of the source at its fence, and at which steps it was killed. */
async function moveWhole(stage: Stage, aims: readonly MoveStep[]) {
  let fenced: ReturnType<typeof countsAt> | undefined;
  const stopsAt = stage.random.pick(['checked', 'prepared', 'copied'] as const);
  const onStep = (step: MoveStep) => {
    if (step === stopsAt) stage.forgotten.child.kill('SIGSTOP');
    if (step === 'prepared') startFresh(stage);
    if (step === 'fenced') fenced ??= countsAt(stage.sourceUrl);
  };
  const left = [...aims];
  const killed: MoveStep[] = [];
  for (;;) {
    const [aim] = left;
    const { end, heldMs } = await move(stage, aim, onStep);
    if (end === 'done') return { fenced: await fenced, killed, heldMs };
    if (end === 'busy') {
      await sleep(BUSY_MS);
      continue;
    }
    killed.push(aim as MoveStep);
    left.shift();
  }
}

/** Starts the gateway of the target: it waits until the cell is opened there. */
function startFresh({ fresh, targetUrl }: Stage): void {
  if (fresh.process) return;
  const { port } = new URL(fresh.base);
  fresh.process = launch({ ...envOf(`target-${port}`, targetUrl), PORT: port });
}

/** @returns everything that is wrong after a move: of what callers, receivers and followers were told, and of the two servers. */
async function defectsOf(
  { sourceUrl, targetUrl, fresh, hook }: Stage,
  told: ReadonlyMap<string, string>,
  fenced: pg.QueryResultRow | undefined,
  followed: readonly (readonly string[])[],
): Promise<string[]> {
  const found: string[] = [];
  const inTarget = new pg.Pool({ connectionString: targetUrl, max: 4, options: `-c search_path=${CELL}` });
  const compare = (what: string, here: Iterable<string>, there: Iterable<string>) => {
    const [one, other] = [new Set(here), new Set(there)];
    const [less, more] = [[...other].filter((id) => !one.has(id)), [...one].filter((id) => !other.has(id))];
    if (less.length + more.length > 0)
      found.push(`${what}: lacks ${less.slice(0, 5)}, has besides ${more.slice(0, 5)}`);
  };
  const valuesOf = async (text: string) =>
    (await inTarget.query<{ id: string }>(text)).rows.map(({ id }) => id);
  const stored = await valuesOf(`select end2end as id from transaction`);
  compare('transactions', stored, told.values());
  if (stored.length !== told.size) found.push(`${stored.length} transactions of ${told.size} orders`);
  const after = await countsAt(sourceUrl);
  if (JSON.stringify(after) !== JSON.stringify(fenced))
    found.push(`the source had ${JSON.stringify(fenced)} at its fence, and has ${JSON.stringify(after)}`);
  const rows = await queryAt(sourceUrl, `select ${EVENT_ID} as id from ${CELL}.event`);
  const events = await valuesOf(`select ${EVENT_ID} as id from event`);
  const known = new Set(events);
  const lost = rows.filter(({ id }) => !known.has(id));
  if (lost.length > 0) found.push(`${lost.length} events of the source are not in the target`);
  compare(
    'webhooks',
    new Set(receiver.at(hook).map(({ headers }) => headers['webhook-id'] as string)),
    events,
  );
  const cursors = await valuesOf(
    `select e.account_id || ':' || seq || ':' || left(token, 8) as id from event e order by seq`,
  );
  for (const [n, each] of followed.entries()) {
    const places = each.map((cursor) => Buffer.from(cursor, 'base64url').toString().replace(/^e2:/, ''));
    compare(`stream ${n}`, places, cursors);
    if (new Set(places).size !== places.length) found.push(`stream ${n} has events twice`);
  }
  const database = openDatabase(targetUrl, { schema: CELL });
  const { defects } = await audit(database, inTarget, async ({ end2end }) => {
    const answer = await fetch(`${fresh.base}/v2/onramp/${end2end}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return answer.text();
  });
  await database.close();
  await inTarget.end();
  return [...found, ...defects, ...(await leftOf(sourceUrl, targetUrl))];
}

/** @returns what a move left at the servers, and what `cell verify` finds. */
async function leftOf(sourceUrl: string, targetUrl: string): Promise<string[]> {
  const found: string[] = [];
  for (const url of [sourceUrl, targetUrl]) {
    const [left] = await queryAt(
      url,
      `select (select count(*) from pg_publication)::int as publications, (select count(*) from pg_subscription)::int as subscriptions,
              (select count(*) from pg_replication_slots)::int as slots`,
    );
    if (Object.values(left ?? {}).some((count) => count !== 0))
      found.push(`${url} has ${JSON.stringify(left)}`);
    const server = await CellServer.connect({ url, schema: CELL });
    for (const { check, ok, detail } of await checkCell(server).finally(() => server.close()))
      if (!ok) found.push(`${check}: ${detail}`);
  }
  return found;
}

/** Waits until every webhook has come. */
async function untilDelivered(url: string): Promise<void> {
  const open = `select (select count(*) from ${CELL}.webhook_delivery where state = 'pending')::int + (select count(*) from ${CELL}.relay_queue)::int as left`;
  await vi.waitFor(async () => expect((await queryAt(url, open))[0]).toEqual({ left: 0 }), PATIENCE);
}

/** Requests to the gateway that was forgotten, with their answers: it has the cell no more. */
const CLOSED = {
  '/v2/crossramp_checkout': [503, 'UNAVAILABLE'],
  '/v2/balance': [503, 'UNAVAILABLE'],
  '/v2/onramps': [503, 'UNAVAILABLE'],
  '/graphql': [503, 'UNAVAILABLE'],
  '/cells/a1/readyz': [503, undefined],
};
const BODIES: Readonly<Record<string, object>> = {
  '/v2/crossramp_checkout': { amount_payment: 20, currency_exit_received_code: 'USDT_TRX' },
  '/graphql': { query: '{ transactions(first: 5) { nodes { end2end component } } }' },
};

/** @returns status and code of each answer. */
async function answersOf({ baseUrl }: Running): Promise<Record<string, unknown>> {
  const answers = Object.keys(CLOSED).map(async (path) => {
    const body = BODIES[path];
    const answer = await fetch(baseUrl + path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    const json = await answer.json();
    return [path, [answer.status, json.code ?? json.errors?.[0]?.extensions?.code]];
  });
  return Object.fromEntries(await Promise.all(answers));
}

/** One run: callers, a move, and the comparison. @param aims - steps at which the mover is killed. */
async function run(n: number, seed: number, aims: readonly MoveStep[]): Promise<void> {
  const stage = await openStage(n, randomOf(seed));
  try {
    const { old, forgotten, targetUrl } = stage;
    const followers = [old, forgotten].map((first) => followEvents(placesOf(stage, first)));
    await Promise.all(followers.map(({ begun }) => begun));
    const callers = startSteadyCallers(placesOf(stage), RATE, receiver.url(stage.hook));
    const moreTold = async (count: number) => {
      const enough = callers.told.size + count;
      await vi.waitFor(() => expect(callers.told.size).toBeGreaterThan(enough), PATIENCE);
    };
    await moreTold(RATE);
    const { fenced, killed, heldMs } = await moveWhole(stage, aims);
    stage.isMoved = true;
    forgotten.child.kill('SIGCONT');
    await moreTold(RATE);
    expect(await answersOf(forgotten)).toEqual(CLOSED);
    const ends = await Promise.all([old.end('SIGTERM'), forgotten.end('SIGTERM')]);
    await callers.stop();
    await untilPaid((text, values) => inCell(targetUrl, text, values), [...callers.told.values()]);
    await untilDelivered(targetUrl);
    const [{ events = 0 } = {}] = await queryAt(
      targetUrl,
      `select count(*)::int as events from ${CELL}.event`,
    );
    await vi.waitFor(
      () => expect(followers.map(({ cursors }) => cursors.length)).toEqual([events, events]),
      PATIENCE,
    );
    for (const each of followers) await each.stop();
    const story = {
      ...{ seed, killed, onramps: callers.told.size, events, heldMs, pauseMs: longestPause(callers.answers) },
      ...{ refused: Object.fromEntries(callers.refused), load: loadavg()[0]?.toFixed(1) },
    };
    process.stdout.write(`move ${n}: ${JSON.stringify(story)}\n`);
    expect(
      await defectsOf(
        stage,
        callers.told,
        fenced,
        followers.map(({ cursors }) => cursors),
      ),
    ).toEqual([]);
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect([...callers.refused.keys()].filter((refusal) => refusal.startsWith('500'))).toEqual([]);
  } finally {
    await closeStage(n, stage);
  }
}

async function inCell(url: string, text: string, values: unknown[]): Promise<{ rows: { step: string }[] }> {
  const rows = await queryAt(url, text.replace('from transaction', `from ${CELL}.transaction`), values);
  return { rows: rows as { step: string }[] };
}

test('a move that nobody kills loses and doubles nothing', () => run(0, SEED, []), RUN_MAX_MS);

test.each(Array.from({ length: MOVES }, (_, n) => [SEED + n, n + 1] as const))(
  'seed %i: a mover that is killed at each of its steps loses and doubles nothing',
  (seed, n) => run(n, seed, STEPS),
  RUN_MAX_MS,
);
