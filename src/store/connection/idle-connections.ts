/** Unused connections of a pool. */
import type pg from 'pg';
import { NoAnswerError } from './database-error.ts';
import { destroy } from './probe-server.ts';

/** The unused connections of one pool, with the time since which each is unused. */
export interface IdleConnections {
  /** Closes connections that are unused since the given time. Unit: ms, of `performance.now()`. */
  readonly closeSince: (atMs: number) => void;
}

/** @returns the idle connections of a new pool. */
export function idleConnections(pool: pg.Pool): IdleConnections {
  const releasedAt = new Map<pg.PoolClient, number>();
  pool.on('release', (_error, client) => void releasedAt.set(client, performance.now()));
  pool.on('acquire', (client) => void releasedAt.delete(client));
  pool.on('remove', (client) => void releasedAt.delete(client));
  return {
    closeSince: (atMs) => {
      for (const [client, since] of releasedAt) if (since < atMs) closeIdle(client);
    },
  };
}

/** Closes an unused connection after another one was found dead. */
export function closeIdle(client: Pick<pg.Client, 'connection'>): void {
  destroy(client, new NoAnswerError('another connection was found dead'));
}
