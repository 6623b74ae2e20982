/**
 * A pool that limits each caller to a share of the connections (decision 0053). Further requests of a caller wait in a
 * separate queue, with the time limit of any wait for the pool, so slow reads of one caller do not delay others. Work
 * without a caller uses any free connection.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { behalf } from '../../base/concurrency/on-behalf.ts';
import type { PoolUse } from './database.ts';
import { isServerFull } from './database-error.ts';

/** Pause before another attempt after the server had no slot for a connection. Unit: ms. */
const FULL_PAUSE_MS = 100;
/** Divisor of the pool size for the share of one caller, which has at least one connection. */
const SHARE = 3;

/** Limits of a pool with this many connections. */
export interface FairPoolConfig extends pg.PoolConfig {
  readonly max: number;
  readonly connectionTimeoutMillis: number;
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void;

/** A pool in which the share of one caller is limited by `SHARE`. */
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
  /** All users of connections pass through this function: statements of the pool, and Prisma. */
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

  /** Waits after the server had no slot for another connection, because one of the pool may become free. */
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

/** @returns the connection; releasing it the first time frees its slot, and repeated releases do nothing. */
function leaving(client: pg.PoolClient, leave: () => void): pg.PoolClient {
  const { release } = client;
  let isReleased = false;
  // The pool creates a new release function each time it lends the connection.
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
   * Claims a slot.
   * @returns undefined if a slot is free; otherwise a promise that resolves when the slot is claimed.
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
        // The pool's own wording, so that database-error.ts recognises the error.
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
