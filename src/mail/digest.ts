/** The daily digest: once a day, accounts with work that waits for a person get a notification with the counts. */
import type { Logger } from 'pino';
import { type AccountMode, keyModeOf } from '../base/access/account-mode.ts';
import { brasiliaDay, brasiliaMidnight } from '../base/time/brasilia-day.ts';
import { countAttention } from '../resolvers/account/read-waiting.ts';
import { type Context, GATEWAY, type Services } from '../resolvers/services/context.ts';
import { addNotifications } from '../store/engine/notifications.ts';
import { accountsDueForDigest, claimDigest } from '../store/people/notification-digests.ts';

/** Time of day from which digests are made: 08:00 (Brasília time). Unit: ms. */
const FROM_MS = 8 * 3_600_000;

/** Makes today's missing digests of the accounts of a mode. */
export type Digests = (mode: AccountMode, signal?: AbortSignal) => Promise<void>;

/**
 * @param log - gets each account whose digest fails, once a day. The account is tried again in the next run, after the
 *   others.
 */
export function createDigests(services: Services, log: Pick<Logger, 'warn'>): Digests {
  const { database } = services;
  const failed = { day: '', accounts: new Set<bigint>() };
  return async (mode, signal) => {
    const nowMs = database.nowMs();
    const day = brasiliaDay(nowMs);
    if (nowMs < brasiliaMidnight(day) + FROM_MS) return;
    if (failed.day !== day) Object.assign(failed, { day, accounts: new Set() });
    let after = 0n;
    for (;;) {
      const accountIds = await accountsDueForDigest(database, { day, mode, after });
      for (const accountId of accountIds) {
        if (signal?.aborted) return;
        after = accountId;
        await makeDigest(services.forMode(mode), accountId, day).catch((err: unknown) => {
          if (!failed.accounts.has(accountId))
            log.warn({ err, account: String(accountId) }, 'the digest of an account has to wait');
          failed.accounts.add(accountId);
        });
      }
      if (accountIds.length === 0) return;
    }
  };
}

async function makeDigest(own: Services, accountId: bigint, day: string): Promise<void> {
  const counts = await countAttention(contextOf(own, accountId));
  const facts = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  await own.database.withTx(async (tx) => {
    if ((await claimDigest(tx, accountId, day)) && Object.keys(facts).length > 0)
      await addNotifications(tx, accountId, [{ kind: 'waiting', subject: day, facts }]);
  });
}

/** Context of the gateway itself, used for reading only. */
function contextOf(own: Services, accountId: bigint): Context {
  const mode = keyModeOf(own.mode);
  const nets = { allowedCidrs: [], allowedOrigins: [] };
  return { ...own, caller: { accountId, id: 'gateway', mode, scopes: ['read'], ...nets }, origin: GATEWAY };
}
