/** Liveness and readiness. */

import { isClockOff } from '../../resolvers/engine/watch-clock.ts';
import type { Services } from '../../resolvers/services/context.ts';
import { isCloseBehind, standbyBehindMs } from '../../store/account/standby.ts';
import { PROBE_MAX_MS, probeDatabase, type Readiness } from '../../store/webhooks/readiness.ts';
import { type Exchange, sendJson } from './http.ts';

/**
 * A check without a result after this time may wait for a dead connection, so another one begins in parallel. Unit: ms.
 */
const NEXT_MS = 600;
/** Requests that arrive within this time after the start of a check share it. Unit: ms. */
const SHARED_MS = 300;
/** Maximum number of parallel checks, each of which takes a connection: further requests share the newest. */
const CHECKS_MAX = 3;
/** Time limit of all checks for a request, by which the first of them has ended. Unit: ms. */
const ALL_MAX_MS = PROBE_MAX_MS + 100;

const UNREACHABLE: Readiness = { reads: false, writes: false, isReadOnly: false, webhooks: undefined };

/** `/healthz`: the process answers. */
export function serveHealth(exchange: Exchange): void {
  sendJson(exchange, 200, '{"status":"ok"}');
}

/** Parts that a check needs. */
type Checked = Pick<Services, 'database' | 'clock' | 'writes' | 'readsOnly'>;

/**
 * `/readyz`: whether requests can be served, and the lag of webhooks. The status is 503 during shutdown, when the
 * database cannot be read or written, and when writes of callers exceed the time of a check. On a gateway for reads it
 * is 503 when the standby cannot be read or is too far behind. Answers within two seconds.
 */
export function readinessServer(
  services: Checked,
  isDraining: () => boolean,
): (exchange: Exchange) => Promise<void> {
  const check = readinessCheck(services);
  return async (exchange) => {
    const found = isDraining() ? undefined : await check();
    const reason = found ? (unreadyReason(found) ?? clockFailure(services.database)) : 'draining';
    const facts = found && {
      database:
        found.behindMs === undefined
          ? { reads: wordOf(found.reads), writes: wordOf(found.writes) }
          : { reads: wordOf(found.reads), behindSeconds: secondsOf(found.behindMs) },
      webhooks: found.webhooks,
    };
    if (reason === undefined) sendJson(exchange, 200, JSON.stringify({ status: 'ready', ...facts }));
    else {
      const answer = { status: 'not ready', reason, ...facts };
      sendJson(exchange, 503, JSON.stringify(answer), { 'retry-after': '2' });
    }
  };
}

/**
 * @returns a function that names the reason for which requests cannot be served, as `/readyz` does; undefined if they
 * can.
 */
export function unreadinessOf(services: Checked): () => Promise<string | undefined> {
  const check = readinessCheck(services);
  return async () => unreadyReason(await check()) ?? clockFailure(services.database);
}

/** @returns a check of all parts that requests need, which ends within two seconds. */
export function readinessCheck({ database, clock, writes, readsOnly }: Checked): () => Promise<Readiness> {
  const check = sharedCheck(() =>
    readsOnly
      ? probeStandby(database)
      : probeDatabase(database, {
          // Every write first reads the time, and all readers wait for each other.
          toRead: () => clock.nowMs(),
          // Most of them also wait for the database transaction of the writers before them.
          toWrite: () => writes.ended(),
        }),
  );
  return () => firstReady(check);
}

/** Reads the standby of a gateway for reads. @returns its status, after at most 1.5 seconds. */
async function probeStandby(database: Services['database']): Promise<Readiness> {
  const none = { writes: false, isReadOnly: false, webhooks: undefined };
  return database.within(PROBE_MAX_MS, standbyBehindMs).then(
    (behindMs) => ({ ...none, reads: true, behindMs }),
    () => ({ ...none, reads: false }),
  );
}

/**
 * @returns a check that requests share for a short time: a longer one would show them a state from before they arrived.
 */
function sharedCheck(check: () => Promise<Readiness>): () => Promise<Readiness> {
  let latest: { readonly begunAt: number; readonly found: Promise<Readiness> } | undefined;
  let running = 0;
  return () => {
    if (!latest || (performance.now() - latest.begunAt >= SHARED_MS && running < CHECKS_MAX)) {
      const mine = { begunAt: performance.now(), found: check() };
      latest = mine;
      running += 1;
      mine.found.finally(() => {
        running -= 1;
        if (latest === mine) latest = undefined;
      });
    }
    return latest.found;
  };
}

/**
 * Starts a check, and further ones while none has a result.
 *
 * @returns the first success; without any, the last result, as soon as no check is under way.
 */
function firstReady(check: () => Promise<Readiness>): Promise<Readiness> {
  return new Promise((resolve) => {
    let running = 0;
    let last = UNREACHABLE;
    const end = () => {
      clearInterval(next);
      clearTimeout(limit);
      resolve(last);
    };
    const begin = async () => {
      running += 1;
      last = await check();
      running -= 1;
      if (unreadyReason(last) === undefined || running === 0) end();
    };
    const next = setInterval(begin, NEXT_MS);
    const limit = setTimeout(end, ALL_MAX_MS);
    void begin();
  });
}

/** @returns the reason for which requests cannot be served; undefined when they can. */
export function unreadyReason({ reads, writes, isReadOnly, behindMs }: Readiness): string | undefined {
  if (behindMs !== undefined)
    return isCloseBehind(behindMs)
      ? undefined
      : 'the standby is too far behind the primary, or no gateway there has REPLICA_URLS';
  if (reads && writes) return undefined;
  if (reads && isReadOnly) return 'the database is read-only';
  if (reads) return 'the database can be read but not written';
  return writes ? 'the database can be written but not read' : 'database away';
}

/** A wrong clock of the machine affects everything that still depends on it, such as certificates. */
function clockFailure(database: Services['database']): string | undefined {
  return isClockOff(database) ? 'the clock of this machine is off' : undefined;
}

function secondsOf(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms / 1_000);
}

function wordOf(works: boolean): string {
  return works ? 'ok' : 'failing';
}
