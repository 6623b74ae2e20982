/** A payment that the sandbox's PIX rail tells of and the ledger does not have. */
import { newEndToEndId } from '../../src/base/pix/end-to-end-id.ts';
import type { TestApp } from './app.ts';

/** @returns its `EndToEndId`, and when it was paid (Unix milliseconds). */
export async function plantPayment(app: TestApp): Promise<{ endToEndId: string; nowMs: number }> {
  const nowMs = await app.services.clock.nowMs();
  const endToEndId = newEndToEndId({ ispb: '99999999', at: new Date(nowMs) });
  const body = { kind: 'payment', endToEndId, amount: '7.00', settledAt: new Date(nowMs).toISOString() };
  await app.owner.query(
    `insert into rail_news (mode, rail, kind, key, body, outcome) values ('sandbox', 'pix', 'payment', $1, $2, 'failed')`,
    [`pix:${endToEndId}`, JSON.stringify(body)],
  );
  return { endToEndId, nowMs };
}
