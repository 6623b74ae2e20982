/** Liveness and readiness. */
import type { Database } from '../store/database.ts';
import { relayLag } from '../store/relay.ts';
import { type Exchange, sendJson } from './http.ts';

/** `/healthz`: the process answers. */
export function serveHealth(exchange: Exchange): void {
  sendJson(exchange, 200, '{"status":"ok"}');
}

/** `/readyz`: requests can be served, and how far webhooks are behind; 503 while the process drains or the database is away. */
export async function serveReadiness(
  exchange: Exchange,
  database: Database,
  isDraining: boolean,
): Promise<void> {
  const webhooks = isDraining ? undefined : await relayLag(database).catch(() => undefined);
  if (webhooks) return sendJson(exchange, 200, JSON.stringify({ status: 'ready', webhooks }));
  const reason = isDraining ? 'draining' : 'database away';
  sendJson(exchange, 503, JSON.stringify({ status: 'not ready', reason }), { 'retry-after': '2' });
}
