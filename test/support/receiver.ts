/** A receiver of webhooks on this machine: keeps what it gets, byte for byte, and answers as it is told. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

/** A request as it came. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly atMs: number;
}

/** How a request is answered: a status, or by no whole answer. */
export type Behaviour =
  | 'hang'
  | 'cut'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly delayMs?: number };

/** A receiver. */
export interface Receiver {
  /** `http://127.0.0.1:<port>/<name>`. */
  readonly url: (name: string) => string;
  /** What came to a path, in the order of its beginning. */
  readonly at: (name: string) => Received[];
  /** From now on requests to the path are answered so; 200 is the default. */
  readonly answer: (name: string, behaviour: Behaviour | ((request: Received) => Behaviour)) => void;
  /** Ends the open requests of the path without an answer. */
  readonly cut: (name: string) => void;
  /** Most requests of the path that were open at once. */
  readonly most: (name: string) => number;
  /** Waits until so many have come to the path. */
  readonly until: (name: string, count: number, timeoutMs?: number) => Promise<Received[]>;
}

/** Starts a receiver before the tests of the file and ends it after them. */
export function useReceiver(): Receiver {
  const received: Received[] = [];
  const behaviours = new Map<string, Behaviour | ((request: Received) => Behaviour)>();
  const open = new Map<string, number>();
  const hanging = new Map<string, ServerResponse[]>();
  const most = new Map<string, number>();
  let port = 0;
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    open.set(path, (open.get(path) ?? 0) + 1);
    most.set(path, Math.max(most.get(path) ?? 0, open.get(path) as number));
    response.on('close', () => open.set(path, (open.get(path) as number) - 1));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const body = Buffer.concat(chunks).toString();
    const one = { path, headers, body, atMs: Date.now() };
    received.push(one);
    const told = behaviours.get(path) ?? { status: 200 };
    const behaviour = typeof told === 'function' ? told(one) : told;
    if (behaviour === 'hang') {
      hanging.set(path, [...(hanging.get(path) ?? []), response]);
      return;
    }
    if (behaviour === 'cut') {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half');
      setTimeout(() => response.destroy(), 5);
      return;
    }
    if (behaviour.delayMs) await new Promise((resolve) => setTimeout(resolve, behaviour.delayMs));
    response.writeHead(behaviour.status, behaviour.headers).end(`answer ${behaviour.status}`);
  };
  const at = (name: string) => received.filter(({ path }) => path === `/${name}`);
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    at,
    answer: (name, behaviour) => behaviours.set(`/${name}`, behaviour),
    cut: (name) => {
      for (const response of hanging.get(`/${name}`) ?? []) response.destroy();
    },
    most: (name) => most.get(`/${name}`) ?? 0,
    until: (name, count, timeoutMs = PATIENCE_MS) =>
      eventually(
        `${count} requests at /${name}`,
        () => (at(name).length >= count ? at(name) : undefined),
        timeoutMs,
      ),
  };
}

/** Far above what anything takes on a busy machine: only what never comes is waited for so long. */
const PATIENCE_MS = 30_000;

/** Waits until the look gives something, or true. @throws when it does not in time, naming what is missing. */
export async function eventually<Found>(
  what: string,
  look: () => Found | undefined | false | Promise<Found | undefined | false>,
  timeoutMs = PATIENCE_MS,
): Promise<Found> {
  const until = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > until) throw new Error(`not in ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
