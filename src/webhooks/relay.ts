/**
 * The relay: turns what is new in the event log into deliveries. It is a follower of the log like any other: rung for an
 * account that moved, and looking now and then for what nobody rang for. Several processes may relay at once; each account is
 * relayed by one of them at a time.
 */
import type { Logger } from 'pino';
import type { Services } from '../resolvers/context.ts';
import { ACCOUNTS_MAX, accountsBehind, relayLag, relayStep } from '../store/relay.ts';

/** What a run of the relay found. */
export interface Relayed {
  readonly deliveries: number;
  /** Accounts that somebody else works on; he may not have seen all that is there. */
  readonly held: readonly bigint[];
}

/** The relay of a process. */
export interface Relay {
  /** Notes accounts that moved, for the next turn. */
  readonly hear: (accountIds: readonly bigint[]) => void;
  /** Relays what was heard of, and now and then all that is behind. @returns when it wants the next turn, milliseconds. */
  readonly turn: () => Promise<{ readonly deliveries: number; readonly waitMs: number }>;
}

/** How often is looked for what nobody rang for: commits of other processes. */
const POLL_MS = 1_000;
/** Accounts that another process relays are asked for again so soon. */
const HELD_MS = 20;
/** A relay that is so far behind says so, and again after so long. */
const LAG_MS = 5_000;
const LAG_EVERY_MS = 10_000;

type RelayServices = Pick<Services, 'database' | 'clock' | 'mode'>;

/** @returns a relay; nothing is relayed until its first turn. */
export function createRelay(services: RelayServices, log: Logger): Relay {
  const heard = new Set<bigint>();
  let polledAt = Number.NEGATIVE_INFINITY;
  let judgedAt = Number.NEGATIVE_INFINITY;
  const poll = async () => {
    const found = await relayAll(services);
    polledAt = performance.now();
    if (polledAt - judgedAt < LAG_EVERY_MS) return found;
    judgedAt = polledAt;
    const lag = await relayLag(services.database, services.mode);
    if (lag.oldestMs > LAG_MS) log.warn(lag, 'webhooks are behind the event log');
    return found;
  };
  return {
    hear: (accountIds) => {
      for (const accountId of accountIds) heard.add(accountId);
    },
    turn: async () => {
      const accountIds = [...heard];
      heard.clear();
      const rung = await relayAccounts(services, accountIds);
      for (const accountId of rung.held) heard.add(accountId);
      const found = performance.now() - polledAt >= POLL_MS ? await poll() : NOTHING;
      const isHeld = rung.held.length + found.held.length > 0;
      return { deliveries: rung.deliveries + found.deliveries, waitMs: isHeld ? HELD_MS : POLL_MS };
    },
  };
}

const NOTHING: Relayed = { deliveries: 0, held: [] };

/** Relays all events of those among the accounts that have the mode. */
export async function relayAccounts(
  { database, clock, mode }: RelayServices,
  accountIds: Iterable<bigint>,
): Promise<Relayed> {
  const waiting = [...new Set(accountIds)];
  const held: bigint[] = [];
  let deliveries = 0;
  while (waiting.length > 0) {
    const now = { mode, nowMs: await clock.nowMs() };
    const step = await relayStep(database, waiting.splice(0, ACCOUNTS_MAX), now);
    deliveries += step.deliveries;
    held.push(...step.held);
    // Behind the others: an account with a long backlog does not keep them waiting.
    waiting.push(...step.unfinished);
  }
  return { deliveries, held };
}

/** Relays all events of all accounts of the mode that are behind. */
export async function relayAll(services: RelayServices): Promise<Relayed> {
  const held: bigint[] = [];
  let deliveries = 0;
  let after = 0n;
  for (;;) {
    const accountIds = await accountsBehind(services.database, services.mode, after);
    if (accountIds.length === 0) return { deliveries, held };
    after = accountIds.at(-1) as bigint;
    const relayed = await relayAccounts(services, accountIds);
    deliveries += relayed.deliveries;
    held.push(...relayed.held);
  }
}
