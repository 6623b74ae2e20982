/** A proxy to a server of this machine, on which the network can fail in the ways that networks fail. */
import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';

/**
 * What is wrong with the network. Sockets stay open, unless `refuse` is said.
 * - `hold`: nothing passes; what was sent arrives when the fault is over.
 * - `drop`: nothing passes, and what was sent is lost.
 * - `halve`: the first half of what is sent next arrives; the rest of that connection is lost.
 * - `delay`: everything arrives two seconds late.
 * - `refuse`: new connections are reset.
 */
export type Fault = 'hold' | 'drop' | 'halve' | 'delay' | 'refuse';

/** Which way it goes wrong: what the client sends, what the server sends, or both. */
export type Direction = 'both' | 'up' | 'down';

/** The proxy. */
export interface TestProxy {
  readonly port: number;
  readonly url: string;
  /** Nothing passes any more on the connections that there are; new ones are not concerned. */
  readonly silence: () => void;
  /** From now on, for all connections. */
  readonly fail: (fault: Fault, direction?: Direction) => void;
  /** The network works again. Connections that lost something stay broken, as they do in life. */
  readonly heal: () => void;
  /** Resets the connections that there are. */
  readonly cut: () => void;
  /** Connections after so many more reach the server only after this time. Unit: ms. */
  readonly delayAfter: (connections: number, ms: number) => void;
  /** @returns how many connections were accepted. */
  readonly accepted: () => number;
  readonly close: () => Promise<void>;
}

const DELAY_MS = 2_000;

/** One direction of a connection. */
class Pipe {
  readonly #from: Socket;
  readonly #to: Socket;
  /** What came and did not pass yet, in its order. */
  readonly #waiting: { readonly bytes: Buffer; isHeld: boolean; readonly dueMs: number }[] = [];
  #isSilent = false;
  /** Something of it was lost: what follows makes no sense. */
  #isTorn = false;
  #hasEnded = false;

  constructor(from: Socket, to: Socket, faultNow: () => Fault | undefined) {
    this.#from = from;
    this.#to = to;
    from.on('data', (chunk: Buffer) => this.#take(chunk, faultNow()));
    from.on('close', () => {
      this.#hasEnded = true;
      const fault = faultNow();
      if (fault === 'hold' || fault === 'drop' || this.#isSilent) return;
      setTimeout(() => this.#to.destroy(), fault === 'delay' ? DELAY_MS : 0);
    });
  }

  silence(): void {
    this.#isSilent = true;
    this.#from.pause();
  }

  heal(): void {
    if (this.#isSilent) return;
    for (const each of this.#waiting) each.isHeld = false;
    this.#pass();
    if (this.#hasEnded) this.#to.destroy();
  }

  #take(chunk: Buffer, fault: Fault | undefined): void {
    if (this.#isTorn || this.#isSilent) return;
    if (fault === 'drop' || fault === 'halve') this.#isTorn = true;
    if (fault === 'drop') return;
    const bytes = fault === 'halve' ? chunk.subarray(0, Math.floor(chunk.length / 2)) : chunk;
    const lateMs = fault === 'delay' ? DELAY_MS : 0;
    this.#waiting.push({ bytes, isHeld: fault === 'hold', dueMs: performance.now() + lateMs });
    if (lateMs > 0) setTimeout(() => this.#pass(), lateMs + 1);
    this.#pass();
  }

  /** Bytes of a connection never overtake each other, whatever happened to those before them. */
  #pass(): void {
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      if (first.isHeld || first.dueMs > performance.now()) return;
      this.#waiting.shift();
      this.#to.write(first.bytes);
    }
  }
}

/** Starts a proxy to a port of this machine, to be closed by the test that starts it. */
export async function startProxy(port: number): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  const pipes = new Set<Pipe>();
  let fault: Fault | undefined;
  let direction: Direction = 'both';
  let accepted = 0;
  let delay = { after: Number.POSITIVE_INFINITY, ms: 0 };
  const faultOf = (way: Direction) => () => (direction === 'both' || direction === way ? fault : undefined);
  const server = createServer((near) => {
    accepted += 1;
    if (fault === 'refuse') return near.resetAndDestroy();
    const far = new Socket();
    const join = () => near.destroyed || far.connect(port, '127.0.0.1').once('connect', () => near.resume());
    if (accepted > delay.after) setTimeout(join, delay.ms);
    else join();
    const both = [new Pipe(near, far, faultOf('up')), new Pipe(far, near, faultOf('down'))];
    near.pause();
    for (const pipe of both) pipes.add(pipe);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        if (near.destroyed && far.destroyed) for (const pipe of both) pipes.delete(pipe);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = (server.address() as AddressInfo).port;
  return {
    port: at,
    url: `http://127.0.0.1:${at}`,
    silence: () => {
      for (const pipe of pipes) pipe.silence();
    },
    fail: (kind, way = 'both') => {
      fault = kind;
      direction = way;
    },
    heal: () => {
      fault = undefined;
      for (const pipe of pipes) pipe.heal();
    },
    cut: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    delayAfter: (connections, ms) => {
      delay = { after: accepted + connections, ms };
    },
    accepted: () => accepted,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** @returns the URL of the same database, reached over the proxy. */
export function through(proxy: TestProxy, databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  return url.toString();
}
