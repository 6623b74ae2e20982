/** The daily digest: accounts in which something waits for a person get a notification with the counts, once a day. */
import { type AccountMode, keyModeOf } from '../base/access/account-mode.ts';
import { brasiliaDay, brasiliaMidnight } from '../base/time/brasilia-day.ts';
import { countAttention } from '../resolvers/account/read-waiting.ts';
import { type Context, GATEWAY, type Services } from '../resolvers/services/context.ts';
import { addNotifications } from '../store/engine/notifications.ts';
import { accountsDueForDigest, claimDigest } from '../store/people/notification-digests.ts';

/** Time of day in Brasília from which digests are made: eight o'clock. Unit: ms. */
const FROM_MS = 8 * 3_600_000;

/**
 * Makes the digests of some accounts of the mode that have none of this day.
 *
 * @returns whether more accounts may be due.
 */
export async function makeDigests(services: Services, mode: AccountMode): Promise<boolean> {
  const { database } = services;
  const nowMs = database.nowMs();
  const day = brasiliaDay(nowMs);
  if (nowMs < brasiliaMidnight(day) + FROM_MS) return false;
  const accountIds = await accountsDueForDigest(database, day, mode);
  for (const accountId of accountIds) {
    const counts = await countAttention(contextOf(services.forMode(mode), accountId));
    const facts = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
    await database.withTx(async (tx) => {
      if ((await claimDigest(tx, accountId, day)) && Object.keys(facts).length > 0)
        await addNotifications(tx, accountId, [{ kind: 'waiting', subject: day, facts }]);
    });
  }
  return accountIds.length > 0;
}

/** The gateway's own context, which reads and does nothing else. */
function contextOf(own: Services, accountId: bigint): Context {
  const mode = keyModeOf(own.mode);
  const nets = { allowedCidrs: [], allowedOrigins: [] };
  return { ...own, caller: { accountId, id: 'gateway', mode, scopes: ['read'], ...nets }, origin: GATEWAY };
}
