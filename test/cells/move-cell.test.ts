/**
 * Goal: a cell moves to another server while callers go on; nothing is lost or doubled, whatever ends the command that moves it. Method: two
 * servers, a gateway on each, a caller who creates onramps under idempotency keys and repeats what is refused at either gateway; the
 * command is killed at each of its steps and run again; a gateway that was forgotten goes on.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { newHome } from '../support/home.ts';
import { queryAt, startLogicalPostgres } from '../support/logical-postgres.ts';
import type { MortalPostgres } from '../support/mortal-postgres.ts';
import { begin, crossramp, type Ended, launch, type Running, start } from '../support/process.ts';

const LONG_MS = 1_200_000;
const PATIENCE = { timeout: 120_000, interval: 200 };
const { home, remove } = newHome();
let source: MortalPostgres;
let target: MortalPostgres;
let old: Running;
let fresh: { base: string; process: ReturnType<typeof launch> } | undefined;
let key = '';
/** End2ends that callers were told, by their idempotency keys. */
const told = new Map<string, string>();
/** Log of the gateway of the target, for failures. */
const freshLog: string[] = [];
let isCalling = true;
let calling: Promise<void>;

beforeAll(async () => {
  [source, target] = await Promise.all([startLogicalPostgres(), startLogicalPostgres()]);
  writeFileSync(join(home, 'target-url'), target.url);
  old = await start(sourceEnv());
  const made = await crossramp(
    sourceEnv(),
    ...['key', 'create', '--account', 'sandbox', '--json'],
    ...['--name', 'caller', '--scopes', 'read,create'],
  );
  key = JSON.parse(made.stdout).apiKey;
  calling = call();
}, LONG_MS);
afterAll(async () => {
  isCalling = false;
  await calling;
  await old?.end('SIGKILL');
  fresh?.process.child.kill('SIGKILL');
  await fresh?.process.ended;
  await source?.remove();
  await target?.remove();
  remove();
}, LONG_MS);

const sourceEnv = () => ({ CROSSRAMP_HOME: home, DATABASE_URL: source.url, SANDBOX: '1', RATE_LIMIT: 'off' });
const targetEnv = () => ({ ...sourceEnv(), DATABASE_URL: target.url });
const MOVE = ['cell', 'move', 'first', '--to-file', join(home, 'target-url'), '--json'];

const query = (server: MortalPostgres, text: string): Promise<pg.QueryResultRow[]> =>
  queryAt(server.url, text);

/** Creates onramps, each until a gateway has answered it. */
async function call(): Promise<void> {
  for (let n = 0; isCalling; n++) {
    for (let attempts = 0; isCalling && !told.has(`order-${n}`); attempts++) {
      const base = attempts % 2 === 1 && fresh ? fresh.base : old.baseUrl;
      const end2end = await create(base, `order-${n}`).catch(() => undefined);
      if (end2end !== undefined) told.set(`order-${n}`, end2end);
    }
  }
}

function order(base: string, idempotencyKey: string): Promise<Response> {
  return fetch(`${base}/v2/onramp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: JSON.stringify({
      ...{ amount_payment: 10, currency_exit_received_code: 'USDT_TRX' },
      ...{ client_name: 'Ana', client_tax_id: '52998224725' },
    }),
    signal: AbortSignal.timeout(30_000),
  });
}

async function create(base: string, idempotencyKey: string): Promise<string | undefined> {
  const answer = await order(base, idempotencyKey);
  return answer.status === 201 ? ((await answer.json()) as { end2end: string }).end2end : undefined;
}

/** Moves the cell. @param killedAt - the command is killed as soon as it says this step. */
async function move(killedAt?: string): Promise<Ended> {
  const { child, ended } = begin(sourceEnv(), ...MOVE);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (killedAt !== undefined && said.includes(`"step":"${killedAt}"}`)) child.kill('SIGKILL');
  });
  return ended;
}

const stateOf = async (server: MortalPostgres) => (await query(server, 'select state, epoch from cell'))[0];
/** Waits until callers were told of some more. */
async function moreTold(): Promise<void> {
  const before = told.size;
  await vi.waitFor(
    () => expect(told.size, freshLog.join('').slice(-3_000)).toBeGreaterThan(before + 2),
    PATIENCE,
  );
}

test(
  'a server without logical replication is refused before anything is changed',
  async () => {
    await query(source, 'alter system set wal_level = replica');
    source.kill();
    await source.start();
    const refused = await move();
    expect(refused.stderr).toContain(
      'the source has wal_level = replica: set it to logical, and restart the server',
    );
    await query(source, 'alter system set wal_level = logical');
    source.kill();
    await source.start();
    await moreTold();
    expect(await stateOf(source)).toEqual({ state: 'serving', epoch: '1' });
  },
  LONG_MS,
);

test(
  'a move that ends before its switch leaves the source serving, or removes the fence when it is aborted',
  async () => {
    await moreTold();
    for (const step of ['prepared', 'copied']) {
      await move(step);
      expect(await stateOf(source)).toEqual({ state: 'serving', epoch: '1' });
      await moreTold();
    }
    await move('fenced');
    expect(await stateOf(source)).toMatchObject({ state: 'fenced' });
    await expect(query(source, 'update account set name = name')).rejects.toThrow(
      'the cell is moved to another server',
    );
    const refused = await order(old.baseUrl, 'fenced');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([
      503,
      expect.stringMatching(/^\d+$/),
    ]);
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${old.baseUrl}/v2/balance`, { headers })).status).toBe(200);
    const readiness = await fetch(`${old.baseUrl}/readyz`);
    expect([readiness.status, await readiness.text()]).toEqual([503, expect.stringContaining('read-only')]);
    const aborted = await crossramp(sourceEnv(), ...MOVE, '--abort');
    expect(aborted).toMatchObject({ code: 0, stderr: '' });
    expect(await stateOf(source)).toMatchObject({ state: 'serving' });
    await moreTold();
  },
  LONG_MS,
);

test(
  'the same command continues where it was killed; 0 lost, 0 doubled, 0 accepted at the source after the fence',
  async () => {
    const port = await freePort();
    fresh = {
      base: `http://127.0.0.1:${port}`,
      process: launch({ ...targetEnv(), PORT: String(port), START_WAIT: '3000' }),
    };
    fresh.process.child.stderr?.on('data', (chunk: Buffer) => freshLog.push(chunk.toString()));
    await move('fenced');
    await move('compared');
    await move('switched');
    expect(await stateOf(target)).toEqual({ state: 'serving', epoch: '2' });
    const late = await crossramp(sourceEnv(), ...MOVE, '--abort');
    expect(late.stderr).toContain('the cell works in the target already');
    const before = await query(source, 'select count(*) from transaction');
    const done = await move();
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(done.stdout)).toMatchObject({ code: 'first', epoch: '2' });
    // The forgotten gateway of the source goes on, and is refused.
    expect((await order(old.baseUrl, 'forgotten')).status).toBe(503);
    await moreTold();
    isCalling = false;
    await calling;
    expect(await query(source, 'select count(*) from transaction')).toEqual(before);
    const stored = await query(target, `select end2end from transaction`);
    const known = new Set(stored.map(({ end2end }) => end2end));
    expect([...told.values()].filter((end2end) => !known.has(end2end))).toEqual([]);
    expect(new Set(told.values()).size).toBe(told.size);
    // Of the last order the answer may not have come.
    expect(stored.length - told.size).toBeLessThanOrEqual(1);
    const triggers = `select c.relname, t.tgname, t.tgenabled from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and t.tgname <> 'cell_fence' and c.relnamespace = 'public'::regnamespace order by 1, 2`;
    expect(await query(target, triggers)).toEqual(await query(source, triggers));
    // A move is no restore: rails go on.
    const points = `select count(*)::int as servers, count(since)::int as restores from restore_point`;
    expect(await query(target, points)).toEqual([{ servers: 2, restores: 0 }]);
    expect((await crossramp(targetEnv(), 'verify')).code).toBe(0);
    const checked = await crossramp(targetEnv(), 'cell', 'verify');
    expect(checked, checked.stdout).toMatchObject({ code: 0 });
  },
  LONG_MS,
);

test(
  'a gateway does not start where the cell was',
  async () => {
    const refused = await crossramp(sourceEnv(), 'balance');
    expect(refused.stderr).toMatch(/^crossramp: the cell was moved to .*: use that database/);
  },
  LONG_MS,
);
