/** Applies changes of settings once their cooling time has passed (C-40). */
import type { Logger } from 'pino';
import { ACCOUNT_MODES, keyModeOf } from '../../base/access/account-mode.ts';
import { accountsWithDueChanges } from '../../store/account/setting-changes.ts';
import { plainMessage } from '../../store/connection/database-error.ts';
import { type Context, GATEWAY, type Services } from '../services/context.ts';
import { settleProtections } from '../settings/protections.ts';
import { type BackgroundWork, type RepeatOptions, repeat } from './repeat.ts';

const REPEAT: RepeatOptions = { failedMs: 5_000, complaint: 'changes of settings have to wait' };
const EVERY_MS = 1_000;

/** Starts the work of this process. Several processes may work on one database: a change takes effect once, under the account's lock. */
export function startSettlingSettings(services: Services, log: Logger): BackgroundWork {
  const stopping = new AbortController();
  const loop = repeat(stopping.signal, log, REPEAT, async () => {
    await settleSettings(services);
    return EVERY_MS;
  });
  return {
    stop: async () => {
      stopping.abort();
      await loop.done;
    },
  };
}

/**
 * Applies all due changes, for the accounts of both modes.
 *
 * @throws {AggregateError} the failures of accounts, after the changes of all other accounts: a locked account stops no
 * other.
 */
export async function settleSettings(services: Services): Promise<void> {
  const failures: Error[] = [];
  for (const mode of ACCOUNT_MODES) {
    const own = services.forMode(mode);
    const at = new Date(await own.clock.nowMs());
    for (const accountId of await accountsWithDueChanges(own.database, mode, at))
      await settleProtections(gatewayContext(own, accountId)).catch((cause: unknown) =>
        failures.push(new Error(`account ${accountId}: ${plainMessage(cause)}`, { cause })),
      );
  }
  const [first] = failures;
  if (first) throw new AggregateError(failures, `settings of ${first.message}`);
}

/** The gateway's own context: no key, and no scope. */
function gatewayContext(own: Services, accountId: bigint): Context {
  const caller = {
    accountId,
    id: 'gateway',
    mode: keyModeOf(own.mode),
    scopes: [],
    allowedCidrs: [],
    allowedOrigins: [],
  };
  return { ...own, caller, origin: GATEWAY };
}
