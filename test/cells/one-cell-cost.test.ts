/**
 * Goal: one process with one cell costs what it costs without cells. Method: the same process without cells, with `CELL`, and with a `CELLS_FILE` of one
 * cell, each on a database of its own; the statements of an onramp that is created, paid and credited, and of reads, are counted by their names.
 */
import { writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCOPES } from '../../src/base/access/api-key.ts';
import { FIRST_CELL } from '../../src/base/ids/cell.ts';
import { openStore } from '../../src/compose/open-store.ts';
import { cellsAround } from '../../src/compose/other-cells.ts';
import { createServices } from '../../src/compose/services.ts';
import { readCellConfigs } from '../../src/config.ts';
import { createKey } from '../../src/resolvers/account/manage-keys.ts';
import { startWorker } from '../../src/resolvers/engine/run-jobs.ts';
import { provisionSandbox } from '../../src/resolvers/sandbox/provision-sandbox.ts';
import type { Services } from '../../src/resolvers/services/context.ts';
import { createApp } from '../../src/server/app.ts';
import { close, listen } from '../../src/server/http/listen.ts';
import { serveCells } from '../../src/server/serve-cells.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { beginCount, counted } from '../support/count-statements.ts';
import { type TestDatabase, useDatabase } from '../support/database.ts';
import { newHome } from '../support/home.ts';
import { cpfOf } from '../support/load.ts';
import { TEST_SECRETS } from '../support/secrets.ts';

const LONG_MS = 900_000;
/** Onramps of which the one with the fewest statements counts: work that comes by time falls into some of them. */
const TIMES = 12;
const { home, remove } = newHome();
const stores = { plain: useDatabase(), cell: useDatabase(), file: useDatabase() };
const LOG = pino({ level: 'silent' });

/** A gateway in this process, whose statements are counted. */
interface Process {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly store: TestDatabase;
  readonly end: () => Promise<unknown>;
}
const processes: Record<string, Process> = {};

beforeAll(async () => {
  const file = join(home, 'cells.json');
  const { url: databaseUrl, ownerUrl: databaseOwnerUrl } = stores.file;
  writeFileSync(file, JSON.stringify({ cells: { b2: { databaseUrl, databaseOwnerUrl } } }));
  const own = ({ url, ownerUrl }: TestDatabase) => ({ DATABASE_URL: url, DATABASE_OWNER_URL: ownerUrl });
  processes.plain = await begin('plain', stores.plain, own(stores.plain));
  processes.cell = await begin('cell', stores.cell, { ...own(stores.cell), CELL: 'a1' });
  processes.file = await begin('file', stores.file, { CELLS_FILE: file });
}, LONG_MS);
afterAll(async () => {
  for (const each of Object.values(processes)) await each.end();
  remove();
}, LONG_MS);

/** Starts what serves requests, as `src/main.ts` does: without the work that comes by time, whose statements would be counted, too. */
async function begin(name: string, test: TestDatabase, env: Record<string, string>): Promise<Process> {
  const configs = readCellConfigs({
    ...{ CROSSRAMP_HOME: join(home, name), RATE_LIMIT: 'off', REQUEST_LOG_DAYS: '0' },
    ...env,
  });
  const [settings] = configs.served;
  if (!settings) throw new Error('no cell');
  let handle: RequestListener = () => {};
  const { server, port } = await listen((request, response) => handle(request, response), {
    host: '127.0.0.1',
    port: 0,
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  const config = { ...settings, publicUrl: baseUrl };
  const store = await openStore(settings);
  const { database } = store;
  const accountId = await provisionSandbox(database, REGISTRY);
  const named = { name: 'caller', scopes: SCOPES, expiresAt: null, allowedCidrs: [] };
  const { apiKey } = await createKey(database, accountId, named);
  const cells = cellsAround(configs, () => services)(0);
  const services: Services = createServices({
    ...{ database, secrets: TEST_SECRETS, registry: REGISTRY, config, cells },
  });
  const app = createApp({ config, services, log: LOG });
  const worker = startWorker(services, LOG);
  const isAlone = configs.elsewhere.size === 0 && settings.cell === undefined;
  const running = { handle: app.handle, unreadyReason: async () => undefined };
  handle = isAlone
    ? app.handle
    : serveCells({
        served: [{ code: settings.cell ?? FIRST_CELL, running: () => running }],
        ...{ elsewhere: configs.elsewhere, publicUrl: baseUrl, isDraining: () => false },
      });
  return {
    ...{ baseUrl, apiKey, store: test },
    end: async () => {
      await close(server, 1_000);
      await app.end();
      await worker.stop();
      await store.close();
    },
  };
}

async function send({ baseUrl, apiKey }: Process, path: string, body?: object) {
  const answer = await fetch(baseUrl + path, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
  });
  expect(answer.status, path).toBeLessThan(300);
  return (await answer.json()) as { end2end: string };
}

let customers = 0;

/** An onramp until it is credited and its jobs have ended. */
async function onramp(process: Process): Promise<void> {
  customers += 1;
  const { end2end } = await send(process, '/v2/onramp', {
    ...{ amount_payment: 100, currency_exit_received_code: 'USDT_TRX' },
    ...{ client_name: 'Ana Souza', client_tax_id: cpfOf(customers) },
  });
  await send(process, '/v2/sandbox/trigger', { scenario: 'pay', end2end });
  // By a connection that is not counted.
  const left = async () => {
    const { rows } = await process.store.owner.query(
      `select count(*)::int as left from transaction t where end2end = $1 and (component <> 'success'
         or exists (select from job j where j.account_id = t.account_id and j.transaction_id = t.id and j.leased_until is not null))`,
      [end2end],
    );
    return rows[0].left;
  };
  await expect.poll(left, { timeout: 120_000, interval: 10 }).toBe(0);
}

const query = '{ transactions(first: 5) { totalCount nodes { end2end } } }';
/** Reads, whose answers are kept. */
const READS: readonly (readonly [path: string, body?: object])[] = [
  ['/v2/onramps?limit=20'],
  ['/v2/balance'],
  ['/v2/statement?limit=20'],
  ['/graphql', { query }],
];

/** @returns the fewest statements of several times, by name. */
async function fewest(work: () => Promise<void>): Promise<Record<string, number>> {
  let least: ReturnType<typeof counted> | undefined;
  for (let n = 0; n < TIMES; n++) {
    beginCount();
    await work();
    const costs = counted();
    if (!least || costs.statements < least.statements) least = costs;
  }
  return Object.fromEntries([...(least?.byName ?? [])].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

test(
  'an onramp and reads cost the same statements without cells, with CELL, and with a CELLS_FILE of one cell',
  async () => {
    const costs: Record<string, { onramp: Record<string, number>; reads: Record<string, number> }> = {};
    // One after the other: statements of the others meanwhile would be counted, too.
    for (const [name, process] of Object.entries(processes)) {
      for (let n = 0; n < TIMES; n++) await onramp(process);
      const paid = await fewest(() => onramp(process));
      const read = async () => {
        for (const [path, body] of READS) await send(process, path, body);
      };
      // The first of each is read anew, by as many statements as check those that are kept.
      await read();
      costs[name] = { onramp: paid, reads: await fewest(read) };
    }
    expect(Object.keys(costs.plain?.onramp ?? {}).length).toBeGreaterThan(10);
    expect(costs.cell).toEqual(costs.plain);
    expect(costs.file).toEqual(costs.plain);
  },
  LONG_MS,
);
