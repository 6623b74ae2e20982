/** Liveness and readiness. */
import type { Database, Statement } from '../store/database.ts';
import { type Exchange, sendJson } from './http.ts';

const PROBE: Statement = { name: 'readiness_probe', text: 'select 1 as one' };

/** `/healthz`: the process answers. */
export function serveHealth(exchange: Exchange): void {
  sendJson(exchange, 200, '{"status":"ok"}');
}

/** `/readyz`: requests can be served; 503 while the process drains or the database is away. */
export async function serveReadiness(
  exchange: Exchange,
  database: Database,
  isDraining: boolean,
): Promise<void> {
  const reason = isDraining
    ? 'draining'
    : await database.query(PROBE, []).then(
        () => undefined,
        () => 'database away',
      );
  if (reason === undefined) sendJson(exchange, 200, '{"status":"ready"}');
  else sendJson(exchange, 503, JSON.stringify({ status: 'not ready', reason }), { 'retry-after': '2' });
}
