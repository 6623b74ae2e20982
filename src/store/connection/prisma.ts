/** Prisma, for relations and administrative records of GraphQL. Loading it and its query compiler costs 0.4 s of CPU. */
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import type { Database } from './database.ts';

const CLIENTS = new WeakMap<Database['source'], PrismaClient>();

/** @returns Prisma over the connections of a database; always the same client for a database. */
export function prismaOf({ source }: Pick<Database, 'source'>): PrismaClient {
  const known = CLIENTS.get(source);
  if (known) return known;
  const { pool, schema } = source;
  const client = new PrismaClient({ adapter: new PrismaPg(pool, { schema }), errorFormat: 'minimal' });
  CLIENTS.set(source, client);
  return client;
}
