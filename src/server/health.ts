/** Liveness and readiness. */
import type { Database } from '../store/database.ts';
import { probeDatabase, type Readiness } from '../store/webhooks/readiness.ts';
import { type Exchange, sendJson } from './http.ts';

/** `/healthz`: the process answers. */
export function serveHealth(exchange: Exchange): void {
  sendJson(exchange, 200, '{"status":"ok"}');
}

/**
 * `/readyz`: requests can be served, and how far webhooks are behind; 503 while the process drains, or the database cannot
 * be read or written. It answers within two seconds; whoever asks while the database is looked at gets the same answer.
 */
export function readinessServer(
  database: Database,
  isDraining: () => boolean,
): (exchange: Exchange) => Promise<void> {
  let probing: Promise<Readiness> | undefined;
  const probe = () => {
    probing ??= probeDatabase(database).finally(() => {
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
