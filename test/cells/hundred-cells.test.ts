/**
 * Goal: what routes requests does not care how many cells there are, and a cell that moves or is lost concerns its own callers alone. Method: a
 * simulation. Real are the codes, the listener that divides requests (`serveCells`), the configuration of `cell routes` and nginx; of a cell there is
 * only a table in memory, which accepts writes under idempotency keys and refuses them while it is fenced. 100 cells on 10 listeners; callers of
 * all cells write and read through nginx while cells move to other listeners, and one is lost and comes back. Assumptions: docs/scaling.md.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newApiKey } from '../../src/base/access/api-key.ts';
import { newSessionToken } from '../../src/base/access/session-token.ts';
import { cellName, FIRST_CELL } from '../../src/base/ids/cell.ts';
import { nginxRoutes } from '../../src/cli/cell-routes.ts';
import { type CellTarget, cellOfRequest } from '../../src/server/cell-of-request.ts';
import { type ServedCell, serveCells } from '../../src/server/serve-cells.ts';
import { freePort } from '../support/free-port.ts';
import { isInstalled } from '../support/installed.ts';
import { randomOf } from '../support/load.ts';
import { type Nginx, startNginx } from '../support/nginx.ts';

const CODES = [FIRST_CELL, ...Array.from({ length: 99 }, (_, n) => (n + 36).toString(36).padStart(2, '0'))];
const GATEWAYS = 10;
const MOVES = 20;
const CALLERS = 16;
const FENCE_MS = 100;
const LOST_MS = 2_000;
const PAUSE_MS = 150;
const AGAIN_MS = 50;
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

/** A table of a cell at one place: notes by their idempotency keys. */
interface Place {
  readonly code: string;
  readonly notes: Map<string, string>;
  state: 'serving' | 'fenced' | 'lost';
}

/** A gateway with the cells that it serves. */
interface Gateway {
  readonly server: Server;
  readonly served: ServedCell[];
  readonly elsewhere: Map<string, string>;
  readonly places: Map<string, Place>;
  address: string;
}

const random = randomOf(SEED);
const gateways: Gateway[] = [];
/** Gateway of each cell. */
const homes = new Map<string, Gateway>();
const keys = new Map(CODES.map((code) => [code, newApiKey('live', code)]));
let nginx: Nginx;
let url: string;

/** Accepts `POST /v2/notes` and answers `GET /v2/notes/…`, for the key of its cell alone. */
function handlerOf(place: Place): RequestListener {
  return (request, response) => {
    const { code, notes, state } = place;
    const key = String(request.headers['idempotency-key']);
    response.setHeader('x-cell', cellName(code));
    if (request.headers.authorization !== `Bearer ${keys.get(code)}`) return response.writeHead(401).end();
    if (request.method === 'GET') {
      const note = notes.get(String(request.url).split('/').at(-1) ?? '');
      return response.writeHead(note === undefined ? 404 : 200).end(note);
    }
    if (state === 'fenced') return response.writeHead(503).end();
    const note = notes.get(key) ?? newSessionToken(code);
    notes.set(key, note);
    return response.writeHead(201).end(note);
  };
}

/** Serves a cell at a gateway, with what it had elsewhere. */
function settle(gateway: Gateway, place: Place): void {
  const { code } = place;
  const cell = { handle: handlerOf(place), unreadyReason: async () => undefined };
  gateway.places.set(code, place);
  gateway.elsewhere.delete(code);
  gateway.served.push({ code, running: () => (place.state === 'lost' ? undefined : cell) });
  homes.set(code, gateway);
}

/** Ends serving a cell: its requests are answered 421. */
function leave(gateway: Gateway, code: string): void {
  const at = gateway.served.findIndex((each) => each.code === code);
  gateway.served.splice(at, 1);
  gateway.elsewhere.set(code, url);
  gateway.places.delete(code);
}

const routes = () =>
  nginxRoutes(
    new Map(CODES.map((code) => [cellName(code), [homes.get(code)?.address ?? '']])),
    new URL(url).host,
  );

beforeAll(async () => {
  if (!isInstalled('nginx', '-v')) return;
  url = `http://127.0.0.1:${await freePort()}`;
  for (let n = 0; n < GATEWAYS; n++) {
    const [served, elsewhere] = [[] as ServedCell[], new Map(CODES.map((code) => [code, url]))];
    const server = createServer(serveCells({ served, elsewhere, publicUrl: url, isDraining: () => false }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    gateways.push({ server, served, elsewhere, places: new Map(), address });
  }
  for (const [n, code] of CODES.entries())
    settle(gateways[n % GATEWAYS] as Gateway, { code, notes: new Map(), state: 'serving' });
  nginx = startNginx(routes());
  await vi.waitFor(() => fetch(url), { timeout: 30_000 });
});
afterAll(async () => {
  await nginx?.stop();
  for (const { server } of gateways) server.close().closeAllConnections();
});

/** Callers of all cells, and everything that they met. */
class Callers {
  readonly told = new Map<string, { code: string; note: string }>();
  /** Answers other than success, by status, with the cells that gave them. */
  readonly refused = new Map<number, Map<string, number>>();
  readonly strangers: string[] = [];
  requests = 0;
  /** Calls without an answer: nginx closes idle connections when its configuration changes. */
  lost = 0;
  isOver = false;

  async call(number: number): Promise<void> {
    for (let n = 0; !this.isOver; n++) {
      const code = CODES[(number + n * CALLERS) % CODES.length] as string;
      const key = `note-${number}-${n}`;
      const note = await this.#succeed(code, '/v2/notes', { 'idempotency-key': key }, 'POST');
      this.told.set(key, { code, note });
      await this.#succeed(code, `/v2/notes/${key}`, {}, 'GET');
    }
  }

  async #succeed(
    code: string,
    path: string,
    headers: Record<string, string>,
    method: string,
  ): Promise<string> {
    for (;;) {
      this.requests += 1;
      const authorization = `Bearer ${keys.get(code)}`;
      const answer = await fetch(url + path, { method, headers: { ...headers, authorization } }).catch(
        () => undefined,
      );
      const text = await answer?.text().catch(() => undefined);
      if (!answer || text === undefined) {
        this.lost += 1;
        continue;
      }
      const said = answer.headers.get('x-cell');
      if (said !== null && said !== cellName(code)) this.strangers.push(`${cellName(code)}: ${said}`);
      if (answer.ok) return text;
      const cells = this.refused.get(answer.status) ?? new Map<string, number>();
      this.refused.set(answer.status, cells.set(code, (cells.get(code) ?? 0) + 1));
      await sleep(AGAIN_MS);
    }
  }
}

/** Moves a cell as `cell move` does: fence, copy, switch, new routes. */
async function moveCell(code: string): Promise<void> {
  const from = homes.get(code) as Gateway;
  const to = random.pick(gateways.filter((each) => each !== from));
  const place = from.places.get(code) as Place;
  place.state = 'fenced';
  await sleep(FENCE_MS);
  settle(to, { code, notes: new Map(place.notes), state: 'serving' });
  leave(from, code);
  nginx.reload(routes());
}

describe.skipIf(!isInstalled('nginx', '-v'))(`seed ${SEED}: 100 cells`, () => {
  test('moves and a lost cell concern their own callers alone; nothing is lost, doubled or answered by another cell', async () => {
    const callers = new Callers();
    const calling = Array.from({ length: CALLERS }, (_, n) => callers.call(n));
    const startedMs = performance.now();
    const [lost, ...rest] = CODES.map((code) => ({ code, at: random.next() }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ code }) => code) as [string, ...string[]];
    const moved = rest.slice(0, MOVES);
    const lose = async () => {
      const place = homes.get(lost)?.places.get(lost) as Place;
      place.state = 'lost';
      await sleep(LOST_MS);
      place.state = 'serving';
    };
    const losing = lose();
    for (const code of moved) {
      await moveCell(code);
      await sleep(PAUSE_MS);
    }
    await losing;
    await sleep(LOST_MS);
    callers.isOver = true;
    await Promise.all(calling);
    const { told, refused, requests, lost: unanswered, strangers } = callers;
    const counts = [...refused].map(([status, cells]) => [
      status,
      [...cells.values()].reduce((a, b) => a + b),
    ]);
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    process.stdout.write(
      `100 cells, SEED=${SEED}: ${requests} requests in ${seconds} s, refused ${JSON.stringify(Object.fromEntries(counts))}, ${unanswered} without an answer\n`,
    );
    expect(strangers).toEqual([]);
    expect([...refused.keys()].filter((status) => status !== 503 && status !== 421)).toEqual([]);
    const concerned = new Set([lost, ...moved]);
    const others = [...refused.values()]
      .flatMap((cells) => [...cells.keys()])
      .filter((code) => !concerned.has(code));
    expect(others).toEqual([]);
    const stored = CODES.flatMap((code) => [...(homes.get(code)?.places.get(code)?.notes ?? [])]);
    expect(stored.length).toBe(told.size);
    expect(stored.filter(([key, note]) => told.get(key)?.note !== note)).toEqual([]);
  }, 120_000);
});

test('to find the cell costs the same however many there are', () => {
  const sent = CODES.map((code) => ({
    url: '/v2/balance',
    headers: { authorization: `Bearer ${keys.get(code)}` },
  }));
  const find = (requests: typeof sent): readonly CellTarget[] => requests.map((each) => cellOfRequest(each));
  expect(find(sent).map(({ cell }) => cell)).toEqual(CODES);
  const ROUNDS = 500;
  const costOf = (requests: typeof sent) => {
    const startedMs = performance.now();
    for (let n = 0; n < ROUNDS; n++) find(requests);
    return ((performance.now() - startedMs) * 1_000) / (ROUNDS * requests.length);
  };
  const one = sent.map(() => sent[1] as (typeof sent)[number]);
  costOf(sent);
  process.stdout.write(
    `to find the cell: ${costOf(one).toFixed(2)} µs with one cell, ${costOf(sent).toFixed(2)} µs with 100\n`,
  );
});
