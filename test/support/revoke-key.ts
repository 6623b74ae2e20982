/** Ends a key at once, behind the back of everybody who uses it. */
import type { Database } from '../../src/store/connection/database.ts';
import { prismaOf } from '../../src/store/connection/prisma.ts';

/** @returns whether there was such a key that was not revoked before. */
export async function revokeKey(database: Database, id: string): Promise<boolean> {
  const { count } = await prismaOf(database).apiKey.updateMany({
    where: { id, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  return count > 0;
}
