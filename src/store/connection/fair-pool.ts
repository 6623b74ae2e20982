/**
 * A pool of which each caller gets at most a share (decision 0053). A caller with that many connections waits in a line of
 * its own, no longer than any wait for the pool: its slow reads delay no other caller. Work on behalf of no caller uses any
 * free connection.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { behalf } from '../../base/concurrency/on-behalf.ts';
import type { PoolUse } from './database.ts';
import { isServerFull } from './database-error.ts';

/** Pause before another attempt where the server had no slot for another connection. Unit: ms. */
const FULL_PAUSE_MS = 100;
/** Divisor of the pool that gives the share of one caller, at least one connection. */
const SHARE = 3;

/** Parts of a pool with this many connections. */
export interface FairPoolConfig extends pg.PoolConfig {
  readonly max: number;
  readonly connectionTimeoutMillis: number;
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void;

/** See the file. */
export class FairPool extends pg.Pool {
  readonly #most: number;
  readonly #waitMaxMs: number;
  /** Number of callers that have connections. */
  readonly #lines = new Map<unknown, Line>();

  constructor(config: FairPoolConfig) {
    super(config);
    this.#most = Math.max(1, Math.round(config.max / SHARE));
    this.#waitMaxMs = config.connectionTimeoutMillis;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  /** Everything that needs a connection comes here: statements of the pool, and Prisma. */
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const key = behalf();
    const connecting = key === undefined ? this.#connect() : this.#connectFor(key);
    if (!callback) return connecting;
    connecting.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }

  /** @returns the current use of the pool. */
  use(): PoolUse {
    let waiting = this.waitingCount;
    for (const line of this.#lines.values()) waiting += line.waiting;
    return { max: this.options.max, open: this.totalCount, used: this.totalCount - this.idleCount, waiting };
  }

  /** Waits where the server had no slot for another connection: by then one of the pool may be free. */
  protected whenFull(): Promise<void> {
    return sleep(FULL_PAUSE_MS);
  }

  async #connect(): Promise<pg.PoolClient> {
    const untilMs = performance.now() + this.#waitMaxMs;
    for (;;) {
      try {
        return await super.connect();
      } catch (error) {
        if (!isServerFull(error) || this.totalCount === 0 || performance.now() > untilMs) throw error;
        await this.whenFull();
      }
    }
  }

  async #connectFor(key: unknown): Promise<pg.PoolClient> {
    const line = this.#lines.get(key) ?? new Line(this.#most);
    this.#lines.set(key, line);
    const waiting = line.enter(this.#waitMaxMs);
    if (waiting) await waiting;
    const leave = () => {
      if (line.leave()) this.#lines.delete(key);
    };
    try {
      return leaving(await this.#connect(), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }
}

/** @returns the connection, which leaves its line when it is released: once, however often its holder releases it. */
function leaving(client: pg.PoolClient, leave: () => void): pg.PoolClient {
  const { release } = client;
  let isReleased = false;
  // The pool makes another release function each time it lends the connection.
  client.release = (error) => {
    try {
      release(error);
    } finally {
      if (!isReleased) leave();
      isReleased = true;
    }
  };
  return client;
}

/** The slots of one caller, and its waiters, first come first served. */
class Line {
  readonly #most: number;
  readonly #waiting = new Set<() => void>();
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Number of waiters. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Takes a place.
   *
   * @returns undefined when a slot is free, or else a promise that resolves when it is taken.
   * @throws after the maximum wait.
   */
  enter(waitMaxMs: number): Promise<void> | undefined {
    if (this.#held >= this.#most) return this.#wait(waitMaxMs);
    this.#held += 1;
    return undefined;
  }

  #wait(waitMaxMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(go);
        // In the pool's own wording, so that database-error.ts recognises it.
        reject(
          new Error(
            'timeout exceeded when trying to connect: other requests of the same caller use its share',
          ),
        );
      }, waitMaxMs);
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.add(go);
    });
  }

  /**
   * Releases a slot to the first waiter.
   *
   * @returns whether no slot is in use any more.
   */
  leave(): boolean {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next();
      return false;
    }
    this.#held -= 1;
    return this.#held === 0;
  }
}
