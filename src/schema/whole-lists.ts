/** Lists that are returned whole, each with its maximum: all current entries, and the newest ended ones. */
import { API_KEYS_MAX } from '../resolvers/account/manage-keys.ts';
import { requireScope } from '../resolvers/services/context.ts';
import { CAME_ENDPOINTS_LISTED, ENDPOINTS_MAX } from '../resolvers/webhooks/manage-webhooks.ts';
import { prismaOf } from '../store/connection/prisma.ts';
import type { GraphqlContext } from './builder.ts';

/** Cost factor: hundreds of records. */
const complexity = { field: 1, multiplier: 100 };

/** Description and cost of the list of an account's keys. */
export const KEY_LIST = {
  description: `The keys of the account, newest first, with their last use: all valid ones, and the newest ended ones; at most ${API_KEYS_MAX} of each. Needs the scope \`admin\`.`,
  complexity,
};

/**
 * @returns all valid keys of the account, then the newest ended ones.
 *
 * @throws {GatewayError} `FORBIDDEN`.
 */
export async function readKeys(context: GraphqlContext, query: object) {
  requireScope(context, 'admin');
  const valid = {
    revokedAt: null,
    OR: [{ expiresAt: null }, { expiresAt: { gt: new Date(context.database.nowMs()) } }],
  };
  const read = (where: object, most = {}) =>
    prismaOf(context.database).apiKey.findMany({
      ...query,
      where: { ...where, accountId: context.caller.accountId },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      ...most,
    });
  const [working, ended] = await Promise.all([read(valid), read({ NOT: valid }, { take: API_KEYS_MAX })]);
  return [...working, ...ended];
}

/** Description and cost of the list of endpoints. */
export const ENDPOINT_LIST = {
  description: `The endpoints of the account without removed ones: those that were created for it, at most ${ENDPOINTS_MAX}, then the newest ones of transactions, at most ${CAME_ENDPOINTS_LISTED}; both oldest first.`,
  complexity,
};

/** @returns the endpoints that were created for an account, then the newest ones of transactions. */
export async function readEndpoints(database: GraphqlContext['database'], query: object, accountId: bigint) {
  const read = (kind: string | { not: string }, order: 'asc' | 'desc', limit: number) =>
    prismaOf(database).webhookEndpoint.findMany({
      ...query,
      where: { accountId, removedAt: null, kind },
      orderBy: [{ createdAt: order }, { id: order }],
      take: limit,
    });
  const [own, came] = await Promise.all([
    read({ not: 'transaction' }, 'asc', ENDPOINTS_MAX),
    read('transaction', 'desc', CAME_ENDPOINTS_LISTED),
  ]);
  return [...own, ...came.reverse()];
}
