/**
 * An installation of several servers: two PostgreSQL with two cells each, and three gateways behind nginx with the configuration that
 * `crossramp cell routes` prints. Each gateway lacks one cell, so that two or three serve each.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { cellNamed } from '../../src/base/ids/cell.ts';
import { writeRailsSettings } from '../../src/psp/rails-settings.ts';
import { freePort } from './free-port.ts';
import { newHome } from './home.ts';
import { type MortalPostgres, startMortalPostgres } from './mortal-postgres.ts';
import { type Nginx, startNginx } from './nginx.ts';
import { crossramp, type Running, start } from './process.ts';
import { type TestPsp, usePsp } from './psp.ts';

/** Cells by name, in the order of the file: two at each server. */
export const FLEET_CELLS = ['first', 'a1', 'b2', 'c3'] as const;
/** A cell of the fleet. */
export type FleetCell = (typeof FLEET_CELLS)[number];

/** The fleet. */
export interface Fleet {
  /** Address of nginx. */
  readonly url: string;
  readonly nginx: Nginx;
  readonly gateways: readonly Running[];
  /** Server of the first two cells, and of the others. */
  readonly servers: { readonly east: MortalPostgres; readonly west: MortalPostgres };
  /** Providers of PIX of two cells, one at each server; the others have PIX inside. */
  readonly psps: Readonly<Partial<Record<FleetCell, TestPsp>>>;
  readonly keys: Readonly<
    Record<FleetCell, { readonly own: string; readonly second: string; readonly platform: string }>
  >;
  /** @returns the URL of a cell's database and its schema. */
  readonly databaseOf: (cell: FleetCell) => { readonly url: string; readonly schema: string };
  /** Runs a command on a cell. */
  readonly command: (cell: FleetCell, ...args: string[]) => ReturnType<typeof crossramp>;
  /** @returns the cell that a gateway lacks. */
  readonly lackOf: (gateway: number) => FleetCell;
}

/** Starts the fleet before the tests of the file and ends it after them. */
export function useFleet(): Fleet {
  const { home, remove } = newHome();
  const psps = { first: usePsp(), c3: usePsp() };
  const fleet = { psps } as { -readonly [Name in keyof Fleet]: Fleet[Name] };
  const isOfEast = (cell: FleetCell) => FLEET_CELLS.indexOf(cell) < 2;
  fleet.databaseOf = (cell) => ({
    url: isOfEast(cell) ? fleet.servers.east.url : fleet.servers.west.url,
    schema: cell === 'first' ? 'public' : cell,
  });
  fleet.lackOf = (gateway) => FLEET_CELLS[gateway] as FleetCell;
  const env = (lack?: FleetCell) => {
    const file = join(home, `cells-${lack}.json`);
    writeFileSync(file, JSON.stringify({ cells: cellsWithout(fleet, home, lack) }));
    return {
      ...{ CROSSRAMP_HOME: home, CELLS_FILE: file, PUBLIC_URL: fleet.url, SANDBOX: '1', RATE_LIMIT: 'off' },
      ...{ LOG_LEVEL: 'fatal', DRAIN_DELAY: '0', SECRETS_KEY_FILE: join(home, 'secrets.key') },
    };
  };
  fleet.command = (cell, ...args) => crossramp({ ...env(), CELL: cellNamed(cell) ?? '' }, ...args);
  beforeAll(async () => {
    const port = await freePort();
    fleet.url = `http://127.0.0.1:${port}`;
    const [east, west] = await Promise.all([startMortalPostgres(), startMortalPostgres()]);
    fleet.servers = { east, west };
    for (const cell of ['first', 'c3'] as const) writeRails(psps[cell], `${fleet.url}/cells/${cell}`);
    // One after the other: the first makes what all of them need.
    fleet.gateways = [];
    for (const n of [0, 1, 2]) {
      const own = String(await freePort());
      const running = await start({ ...env(fleet.lackOf(n)), PORT: own });
      fleet.gateways = [...fleet.gateways, { ...running, baseUrl: `http://127.0.0.1:${own}` }];
    }
    for (const [n, { baseUrl }] of fleet.gateways.entries())
      for (const cell of FLEET_CELLS.filter((each) => each !== fleet.lackOf(n)))
        await vi.waitFor(
          async () => expect((await fetch(`${baseUrl}/cells/${cell}/readyz`)).status).toBe(200),
          {
            timeout: 240_000,
          },
        );
    const to = FLEET_CELLS.flatMap((cell) => {
      const serving = fleet.gateways.filter((_, n) => fleet.lackOf(n) !== cell);
      return ['--to', `${cell}=${serving.map(({ baseUrl }) => new URL(baseUrl).host)}`];
    });
    const { stdout, stderr } = await crossramp(
      {},
      'cell',
      'routes',
      '--nginx',
      '--listen',
      `127.0.0.1:${port}`,
      ...to,
    );
    expect(stderr).toBe('');
    fleet.nginx = startNginx(stdout);
    await vi.waitFor(() => fetch(`${fleet.url}/healthz`), { timeout: 30_000 });
    const keys = await Promise.all(
      FLEET_CELLS.map(async (cell) => [cell, await keysOf(fleet, home, cell)] as const),
    );
    fleet.keys = Object.fromEntries(keys) as Fleet['keys'];
  }, 600_000);
  afterAll(async () => {
    await fleet.nginx?.stop();
    await Promise.all((fleet.gateways ?? []).map((each) => each.end('SIGKILL')));
    await Promise.all(Object.values(fleet.servers ?? {}).map((server) => server.remove()));
    remove();
  }, 120_000);
  return fleet;
}

/** @returns `CELLS_FILE` of a gateway: the cell that it lacks is served behind nginx. */
function cellsWithout({ url, databaseOf, psps }: Fleet, home: string, lack: FleetCell | undefined): object {
  const cells = FLEET_CELLS.map((cell) => {
    if (cell === lack) return [cell, { address: url }];
    const { url: databaseUrl, schema: databaseSchema } = databaseOf(cell);
    const psp = psps[cell];
    const railsFile = psp && { railsFile: join(psp.home, 'rails.json') };
    const database = { databaseUrl, notifyUrl: databaseUrl, databaseSchema, databaseConnections: 5 };
    return [cell, { ...database, secretsKeyFile: join(home, `${cell}.key`), ...railsFile }];
  });
  return Object.fromEntries(cells);
}

/** Writes the rails of a cell: the provider calls back at the path of the cell, behind nginx. */
function writeRails(psp: TestPsp, address: string): void {
  const file = writeRailsSettings(psp, psp.home, 1);
  const rails = JSON.parse(readFileSync(file, 'utf8'));
  rails.sandbox.pix.callback = { url: `${address}/rails/sandbox/pix`, secretFile: 'callback-secret' };
  writeFileSync(join(psp.home, 'callback-secret'), 'a secret of the callbacks of this cell');
  writeFileSync(file, JSON.stringify(rails));
}

async function keysOf({ command }: Fleet, home: string, cell: FleetCell) {
  const file = cell === 'first' ? join(home, 'sandbox.json') : join(home, cell, 'sandbox.json');
  const { apiKey: own, platformKey: platform } = JSON.parse(readFileSync(file, 'utf8'));
  const made = await command(
    cell,
    ...['key', 'create', '--account', 'sandbox', '--name', 'second', '--scopes', 'read,move', '--json'],
  );
  expect(made.stderr).toBe('');
  return { own, platform, second: JSON.parse(made.stdout).apiKey };
}
