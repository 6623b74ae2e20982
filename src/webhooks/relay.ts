/**
 * The relay: turns new events of the event log into webhook deliveries. The relay is notified of accounts with new
 * events, and polls for missed notifications. Several processes may run a relay; only one at a time works on an
 * account.
 */
import type { Logger } from 'pino';
import type { Services } from '../resolvers/services/context.ts';
import { isDatabaseUnreachable } from '../store/connection/database-error.ts';
import {
  ACCOUNTS_MAX,
  accountsBehind,
  type RelayStep,
  relayLag,
  relayStep,
} from '../store/webhooks/relay.ts';

/** The result of a run of the relay. */
export interface Relayed {
  readonly deliveries: number;
  /**
   * Accounts that another process is relaying. That process may not see the newest events, so these accounts are tried
   * again.
   */
  readonly held: readonly bigint[];
  /** Accounts whose relay failed, with the errors. */
  readonly failed: readonly { readonly accountId: bigint; readonly error: unknown }[];
}

/** The result of a run for named accounts. */
export interface RelayedAccounts extends Relayed {
  /** Accounts for which deliveries were made. */
  readonly wanted: ReadonlySet<bigint>;
}

/** The relay of a process. */
export interface Relay {
  /** Notes accounts with new events for the next cycle. */
  readonly noteEvents: (accountIds: readonly bigint[]) => void;
  /**
   * Relays the noted accounts and, once a second, all accounts that are behind.
   * @returns milliseconds until the next cycle.
   */
  readonly cycle: () => Promise<{ readonly deliveries: number; readonly waitMs: number }>;
}

/** Poll interval, for missed notifications about commits of other processes. Unit: ms. */
const POLL_MS = 1_000;
/**
 * Pause of an account after a cycle that made no delivery for it: either no endpoint subscribes to its events, or
 * another process is relaying them. Unit: ms.
 */
const REST_MS = 50;
/** Lag from which the relay logs a warning, at most every 10 s. Unit: ms. */
const LAG_MS = 5_000;
const LAG_EVERY_MS = 10_000;

type RelayServices = Pick<Services, 'database' | 'clock' | 'mode'>;

/** @returns a relay; it does nothing before its first cycle. */
export function createRelay(services: RelayServices, log: Logger): Relay {
  const notedAccounts = new Set<bigint>();
  /** End of each account's pause. */
  const resting = new Map<bigint, number>();
  let polledAt = Number.NEGATIVE_INFINITY;
  let checkedAt = Number.NEGATIVE_INFINITY;
  /** @returns the noted accounts without a pause, and removes them from the notes. */
  const rested = (): bigint[] => {
    const nowMs = performance.now();
    for (const [accountId, untilMs] of resting) if (untilMs <= nowMs) resting.delete(accountId);
    const accountIds = [...notedAccounts].filter((accountId) => !resting.has(accountId));
    for (const accountId of accountIds) notedAccounts.delete(accountId);
    return accountIds;
  };
  const poll = async () => {
    const found = await relayAll(services);
    polledAt = performance.now();
    if (polledAt - checkedAt < LAG_EVERY_MS) return found;
    checkedAt = polledAt;
    const { database, mode } = services;
    const lag = await relayLag(database, mode);
    if (lag.oldestMs > LAG_MS) log.warn({ mode, ...lag }, 'webhooks are behind the event log');
    return found;
  };
  return {
    noteEvents: (accountIds) => {
      for (const accountId of accountIds) notedAccounts.add(accountId);
    },
    cycle: async () => {
      const accountIds = rested();
      const named = await relayAccounts(services, accountIds);
      for (const accountId of accountIds)
        if (!named.wanted.has(accountId)) resting.set(accountId, performance.now() + REST_MS);
      const found = performance.now() - polledAt >= POLL_MS ? await poll() : NOTHING;
      for (const accountId of [...named.held, ...found.held]) notedAccounts.add(accountId);
      for (const { accountId, error } of [...named.failed, ...found.failed])
        log.warn({ err: error, accountId: String(accountId) }, 'webhooks of an account cannot be relayed');
      return {
        deliveries: named.deliveries + found.deliveries,
        waitMs: notedAccounts.size > 0 ? REST_MS : POLL_MS,
      };
    },
  };
}

const NOTHING: Relayed = { deliveries: 0, held: [], failed: [] };

const NO_STEP: RelayStep = { events: 0, deliveries: 0, wanted: [], unfinished: [], held: [] };

/** Relays all events of these accounts; accounts of the other mode are skipped. */
export async function relayAccounts(
  { database, clock, mode }: RelayServices,
  accountIds: Iterable<bigint>,
): Promise<RelayedAccounts> {
  const waiting = [...new Set(accountIds)];
  const alone: bigint[] = [];
  const held: bigint[] = [];
  const failed: { accountId: bigint; error: unknown }[] = [];
  const wanted = new Set<bigint>();
  let deliveries = 0;
  const step = async (some: readonly bigint[], fail: (error: unknown) => void): Promise<void> => {
    const now = { mode, nowMs: await clock.nowMs() };
    const done = await relayStep(database, some, now).catch((error: unknown): RelayStep => {
      if (isDatabaseUnreachable(error)) throw error;
      fail(error);
      return NO_STEP;
    });
    deliveries += done.deliveries;
    for (const accountId of done.wanted) wanted.add(accountId);
    held.push(...done.held);
    // Accounts with a long backlog go to the end of the line, so that they do not delay the others.
    waiting.push(...done.unfinished);
  };
  while (waiting.length > 0) {
    const some = waiting.splice(0, ACCOUNTS_MAX);
    await step(some, () => alone.push(...some));
    // One account at a time, so that the error of one does not stop the others of its step.
    for (const accountId of alone.splice(0))
      await step([accountId], (error) => failed.push({ accountId, error }));
  }
  return { deliveries, wanted, held, failed };
}

/** Relays all events of all accounts of the mode that are behind. */
export async function relayAll(services: RelayServices): Promise<Relayed> {
  const held: bigint[] = [];
  const failed: Relayed['failed'][number][] = [];
  let deliveries = 0;
  let after = 0n;
  for (;;) {
    const accountIds = await accountsBehind(services.database, services.mode, after);
    if (accountIds.length === 0) return { deliveries, held, failed };
    after = accountIds.at(-1) as bigint;
    const relayed = await relayAccounts(services, accountIds);
    deliveries += relayed.deliveries;
    held.push(...relayed.held);
    failed.push(...relayed.failed);
  }
}
