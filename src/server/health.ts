/** Liveness and readiness. */
import type { Services } from '../resolvers/services/context.ts';
import { PROBE_MAX_MS, probeDatabase, type Readiness } from '../store/webhooks/readiness.ts';
import { type Exchange, sendJson } from './http.ts';

/** `/healthz`: the process answers. */
export function serveHealth(exchange: Exchange): void {
  sendJson(exchange, 200, '{"status":"ok"}');
}

/**
 * `/readyz`: whether requests can be served, and how far webhooks are behind. 503 during shutdown, when the database cannot be
 * read or written, or when the writes of callers wait longer than a probe may. It answers within two seconds. Requests during
 * a running check get its result.
 */
export function readinessServer(
  { database, clock, writes }: Pick<Services, 'database' | 'clock' | 'writes'>,
  isDraining: () => boolean,
): (exchange: Exchange) => Promise<void> {
  let probing: Promise<Readiness> | undefined;
  const look = async (): Promise<Readiness> => {
    // Every write asks for the time first, and all who ask wait for each other.
    const found = await probeDatabase(database, () => clock.nowMs());
    return { ...found, writes: found.writes && writes.oldestMs() < PROBE_MAX_MS };
  };
  const probe = () => {
    probing ??= look().finally(() => {
      probing = undefined;
    });
    return probing;
  };
  return async (exchange) => {
    const found = isDraining() ? undefined : await probe();
    const reason = found ? failureOf(found) : 'draining';
    const facts = found && {
      database: { reads: wordOf(found.reads), writes: wordOf(found.writes) },
      webhooks: found.webhooks,
    };
    if (reason === undefined) sendJson(exchange, 200, JSON.stringify({ status: 'ready', ...facts }));
    else {
      const answer = { status: 'not ready', reason, ...facts };
      sendJson(exchange, 503, JSON.stringify(answer), { 'retry-after': '2' });
    }
  };
}

function failureOf({ reads, writes }: Readiness): string | undefined {
  if (reads && writes) return undefined;
  if (reads) return 'the database can be read but not written';
  return writes ? 'the database can be written but not read' : 'database away';
}

function wordOf(works: boolean): string {
  return works ? 'ok' : 'failing';
}
