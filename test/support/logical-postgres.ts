/** PostgreSQL servers between which cells move: `wal_level = logical`. */
import pg from 'pg';
import { type MortalPostgres, startMortalPostgres } from './mortal-postgres.ts';

/** @returns a server that can be the source of a move. */
export async function startLogicalPostgres(): Promise<MortalPostgres> {
  const server = await startMortalPostgres();
  await queryAt(server.url, 'alter system set wal_level = logical');
  server.kill();
  await server.start();
  return server;
}

/** @returns the rows of a statement on a connection of its own. */
export async function queryAt(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** @returns the URL of another database of the same server. */
export function databaseAt(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}
