/**
 * Goal: an installation of several servers works as one gateway does, and a server that dies takes its own cells with it, and no other. Method: two
 * PostgreSQL with two cells each, three gateways behind nginx (test/support/fleet.ts): every walk, shared out among the cells, two of which have
 * PIX at a provider that calls back; streams, pages and console; then one PostgreSQL is killed under load. FLEET_WALKS=all takes every walk in every
 * cell. Losses are judged, times told.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { cellOf } from '../../src/base/ids/cell.ts';
import { openDatabase } from '../../src/store/connection/connection.ts';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { subscribe } from '../live/streams.ts';
import { FLEET_CELLS, type FleetCell, useFleet } from '../support/fleet.ts';
import { isInstalled } from '../support/installed.ts';
import { useReceiver } from '../support/receiver.ts';
import { followEvents, type SteadyCallers, startSteadyCallers } from '../support/steady-callers.ts';
import { untilPaid } from '../support/trading.ts';
import { Client } from '../walk/client.ts';
import { meansOf } from '../walk/means.ts';
import { type Report, runWalk } from '../walk/run.ts';
import { WALKS } from '../walk/walks.ts';

const LONG_MS = 1_200_000;
const PATIENCE = { timeout: 240_000, interval: 300 };
/** Onramps a second of each cell while a server is killed. */
const RATE = 2;
/** Times before, during and after the outage. Unit: ms. */
const PERIOD_MS = 15_000;
const EAST = ['first', 'a1'] as const;
const WEST = ['b2', 'c3'] as const;
const ONRAMP = {
  ...{ amount_payment: 20, currency_exit_received_code: 'USDT_TRX' },
  ...{ client_name: 'Ana', client_tax_id: '52998224725' },
};

describe.skipIf(!isInstalled('nginx', '-v'))('two servers, four cells, three gateways', () => {
  const fleet = useFleet();
  const receiver = useReceiver();
  const clientOf = (cell: FleetCell, key: 'own' | 'second' | 'platform' = 'own') =>
    new Client(fleet.url, fleet.keys[cell][key]);
  const created = async (cell: FleetCell): Promise<string> =>
    (await clientOf(cell).post('/v2/onramp', ONRAMP)).json.end2end;
  const page = (path: string, init: RequestInit = {}) =>
    fetch(fleet.url + path, { redirect: 'manual', ...init });

  /** Runs SQL in a cell, as its owner. */
  const inCell = async <Row extends pg.QueryResultRow>(
    cell: FleetCell,
    text: string,
    values: unknown[] = [],
  ) => {
    const { url: connectionString, schema } = fleet.databaseOf(cell);
    const client = new pg.Client({ connectionString, options: `-c search_path=${schema}` });
    await client.connect();
    try {
      return await client.query<Row>(text, values);
    } finally {
      await client.end();
    }
  };

  /** @returns every defect of the ledger of a cell. */
  const ledgerDefects = async (cell: FleetCell) => {
    const { url, schema } = fleet.databaseOf(cell);
    const database = openDatabase(url, { schema });
    const accounts = await inCell<{ id: string }>(cell, 'select id from account');
    const found = [];
    for (const { id } of accounts.rows) found.push(...(await verifyLedger(database, BigInt(id))).defects);
    await database.close();
    return found;
  };

  test(
    'every walk through nginx is as with one gateway, and callbacks of providers come to their cell',
    async () => {
      const isAll = process.env.FLEET_WALKS === 'all';
      const lanes = FLEET_CELLS.map(async (cell, lane): Promise<Report[]> => {
        const means = await meansOf(clientOf(cell), clientOf(cell, 'second'), clientOf(cell, 'platform'));
        const reports: Report[] = [];
        for (const walk of WALKS.filter((_, n) => isAll || n % FLEET_CELLS.length === lane)) {
          const report = await runWalk(clientOf(cell), means, walk);
          reports.push({ ...report, name: `${cell}: ${report.name}` });
        }
        return reports;
      });
      const reports = (await Promise.all(lanes)).flat();
      expect(reports.length).toBe(WALKS.length * (isAll ? FLEET_CELLS.length : 1));
      expect(reports.filter(({ problems, lacks }) => problems.length > 0 || lacks)).toEqual([]);
      for (const cell of FLEET_CELLS) expect(await ledgerDefects(cell)).toEqual([]);
      for (const [cell, psp] of Object.entries(fleet.psps) as [
        FleetCell,
        (typeof fleet.psps)['first'] & {},
      ][]) {
        const { webhooks } = (await psp.call('GET', '/v2/webhook')).json;
        expect(webhooks[0].webhookUrl).toContain(`${fleet.url}/cells/${cell}/rails/sandbox/pix/`);
        const { json } = await psp.control('GET', '/books');
        expect(json.callbacks.open).toBe(0);
        const { rows } = await inCell<{ key: string }>(
          cell,
          `select substr(key, 5) as key from rail_news where kind = 'payment'`,
        );
        const ids = json.received.map(({ endToEndId }: { endToEndId: string }) => endToEndId);
        expect(ids.length).toBeGreaterThan(0);
        expect(rows.map(({ key }) => key).toSorted()).toEqual(ids.toSorted());
      }
      // Everybody had a part in it.
      const asked = new Set(fleet.nginx.upstreams());
      expect(fleet.gateways.filter(({ baseUrl }) => !asked.has(new URL(baseUrl).host))).toEqual([]);
    },
    LONG_MS,
  );

  test(
    'streams, pages and the console of every cell are the same at any gateway',
    async () => {
      for (const cell of FLEET_CELLS) {
        const stream = await subscribe(
          { baseUrl: fleet.url, apiKey: fleet.keys[cell].own },
          'subscription { events { __typename cursor ... on TransactionEvent { transaction { end2end } } } }',
        );
        onTestFinished(stream.close);
        await vi.waitFor(() => expect(stream.beginning()).toBeDefined(), PATIENCE);
        const end2end = await created(cell);
        await stream.until(1, PATIENCE.timeout);
        expect(stream.events[0]?.data.data.events.transaction.end2end).toBe(end2end);
        const { rows } = await inCell<{ token: string }>(
          cell,
          `select process ->> 'session' as token from transaction where end2end = $1`,
          [end2end],
        );
        const token = rows[0]?.token ?? '';
        // Several times, because each may come to another gateway.
        for (let n = 0; n < 4; n++) expect((await page(`/pay/${token}`)).status).toBe(200);
        const payer = await subscribe(
          { baseUrl: fleet.url, apiKey: token },
          'subscription { paymentSession { __typename } }',
        );
        onTestFinished(payer.close);
        expect((await payer.until(1)).length).toBeGreaterThan(0);
        expect(await consoleOf(cell)).toContain(end2end);
      }
    },
    LONG_MS,
  );

  /** Signs a person in by a link. @returns the list of transactions as the console shows it. */
  async function consoleOf(cell: FleetCell): Promise<string> {
    const made = await fleet.command(
      cell,
      ...[
        'person',
        'invite',
        `ana@${cell}.invalid`,
        '--account',
        'sandbox',
        '--role',
        'owner',
        '--name',
        'Ana',
        '--json',
      ],
    );
    expect(made.stderr).toBe('');
    const { pathname } = new URL(JSON.parse(made.stdout).url);
    const cookies = new Map<string, string>();
    const visit = async (path: string, form?: Record<string, string>) => {
      const answer = await page(path, {
        headers: {
          cookie: [...cookies].map((each) => each.join('=')).join('; '),
          'accept-language': 'en',
          origin: fleet.url,
        },
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      });
      for (const text of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
        cookies.set(name, value);
      }
      return { status: answer.status, text: await answer.text() };
    };
    const link = await visit(pathname);
    expect(link.status, link.text).toBe(200);
    const csrf = /name="csrf" value="([^"]+)"/.exec(link.text)?.[1] ?? '';
    expect((await visit(pathname, { csrf })).status).toBe(303);
    expect(cellOf(cookies.get('session') ?? '')).toBe(cell === 'first' ? '' : cell);
    for (let n = 0; n < 3; n++) expect((await visit('/console')).status).toBe(200);
    const list = await visit('/console/transactions');
    expect(list.status).toBe(200);
    return list.text;
  }

  test(
    'a record of another cell looks like a missing one, and a gateway says where a cell is that it lacks',
    async () => {
      const made = await Promise.all(FLEET_CELLS.map(created));
      for (const [n, cell] of FLEET_CELLS.entries()) {
        const foreign = made[(n + 1) % made.length] as string;
        const missing = `CRX01ARZ3NDEKTSV4RRFFQ69G5FAV`;
        const answers = await Promise.all(
          [foreign, missing].map((id) => clientOf(cell).get(`/v2/onramp/${id}`)),
        );
        const [one, other] = answers.map(({ status, json: { request_id: _, ...rest } }) => ({
          status,
          rest,
        }));
        expect(one).toEqual(other);
        expect(one).toMatchObject({ status: 404, rest: { code: 'NOT_FOUND' } });
        const { transaction } = await clientOf(cell).graphql(
          'query ($id: String!) { transaction(end2end: $id) { end2end } }',
          { id: foreign },
        );
        expect(transaction).toBeNull();
      }
      for (const [n, { baseUrl }] of fleet.gateways.entries()) {
        const lack = fleet.lackOf(n);
        const answer = await fetch(`${baseUrl}/v2/balance`, {
          headers: { authorization: `Bearer ${fleet.keys[lack].own}` },
        });
        expect([answer.status, (await answer.json()).address]).toEqual([421, fleet.url]);
      }
    },
    LONG_MS,
  );

  test(
    'a server that is killed takes its own cells with it, and they come back; the others lose nothing and answer on',
    async () => {
      const sets = FLEET_CELLS.map((cell) => {
        const places = { next: () => fleet.url, key: fleet.keys[cell].own };
        return { cell, places, callers: startSteadyCallers(places, RATE, receiver.url(cell)) };
      });
      const callersOf = (cell: FleetCell) =>
        sets.find((each) => each.cell === cell)?.callers as SteadyCallers;
      const followers = EAST.map((cell) =>
        followEvents({ next: () => fleet.url, key: fleet.keys[cell].own }),
      );
      await Promise.all(followers.map(({ begun }) => begun));
      const moreTold = (cells: readonly FleetCell[]) => {
        const enough = cells.map((cell) => [cell, callersOf(cell).told.size + RATE] as const);
        return vi.waitFor(() => {
          for (const [cell, count] of enough)
            expect(callersOf(cell).told.size, `${cell}: ${[...callersOf(cell).refused]}`).toBeGreaterThan(
              count,
            );
        }, PATIENCE);
      };
      await moreTold(FLEET_CELLS);
      await sleep(PERIOD_MS);
      const killedMs = performance.now();
      fleet.servers.west.kill();
      for (const cell of WEST) {
        await vi.waitFor(
          async () => expect((await page(`/cells/${cell}/readyz`)).status).toBe(503),
          PATIENCE,
        );
        const answer = await page('/v2/balance', {
          headers: { authorization: `Bearer ${fleet.keys[cell].own}` },
        });
        expect(answer.status).toBe(503);
        expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      }
      for (const { baseUrl } of fleet.gateways)
        await vi.waitFor(async () => {
          const answer = await fetch(`${baseUrl}/readyz`);
          expect(answer.status, await answer.text()).toBe(200);
        }, PATIENCE);
      await sleep(PERIOD_MS);
      await moreTold(EAST);
      const startedMs = performance.now();
      await fleet.servers.west.start();
      await moreTold(FLEET_CELLS);
      const backMs = Math.max(
        ...WEST.map(
          (cell) => (callersOf(cell).answers.find(({ atMs }) => atMs > startedMs)?.atMs ?? 0) - startedMs,
        ),
      );
      await Promise.all(sets.map(({ callers }) => callers.stop()));
      const times = { killedMs, startedMs, backMs };
      for (const { cell, callers } of sets) process.stdout.write(`${cell}: ${storyOf(callers, times)}\n`);
      for (const { cell, callers } of sets) {
        await untilPaid((text, values) => inCell(cell, text, values), [...callers.told.values()]);
        const { rows } = await inCell<{ end2end: string }>(
          cell,
          `select end2end from transaction where webhook = $1`,
          [receiver.url(cell)],
        );
        expect(rows.map(({ end2end }) => end2end).toSorted()).toEqual([...callers.told.values()].toSorted());
        expect(await ledgerDefects(cell)).toEqual([]);
      }
      for (const each of followers) await each.stop();
    },
    LONG_MS,
  );
});

/** @returns times of creations before and during the outage, and refusals, in words. */
function storyOf(
  { answers, refused, told }: SteadyCallers,
  { killedMs, startedMs, backMs }: Record<'killedMs' | 'startedMs' | 'backMs', number>,
): string {
  const p99 = (from: number, to: number) => {
    const took = answers
      .filter(({ atMs }) => atMs >= from && atMs < to)
      .map(({ tookMs }) => tookMs)
      .toSorted((a, b) => a - b);
    return `${took.length} in ${Math.round(to - from)} ms, p50 ${Math.round(took[took.length >> 1] ?? 0)} ms, p99 ${Math.round(took[Math.floor(took.length * 0.99)] ?? 0)} ms`;
  };
  return JSON.stringify({
    ...{ onramps: told.size, before: p99(killedMs - PERIOD_MS, killedMs), during: p99(killedMs, startedMs) },
    ...{ refused: Object.fromEntries(refused), backMs: Math.round(backMs), load: loadavg()[0]?.toFixed(1) },
  });
}
