/**
 * Goal: who makes or moves a transaction is in the audit log of its account (C-40), in the database transaction of the step:
 * once, also where a request is repeated, and never where it is refused.
 */
import { beforeAll, expect, test } from 'vitest';
import { verifyAudit } from '../../src/store/engine/verify-audit.ts';
import { useApp } from '../support/app.ts';

const app = useApp();
const BODY = {
  amount_payment: 100,
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Maria Silva',
  client_tax_id: '52998224725',
};
let shop: Awaited<ReturnType<typeof app.addAccount>>;

beforeAll(async () => {
  shop = await app.addAccount();
});

async function entries(): Promise<Record<string, string>[]> {
  const { rows } = await app.owner.query(
    `select act, scope, actor_kind, actor_id, object_kind, object_id, before, after, maker, request_id, address
       from audit_entry where account_id = $1 order by seq`,
    [String(shop.accountId)],
  );
  return rows;
}

const post = (path: string, body: object, headers: Record<string, string>) =>
  app.post(path, body, { key: shop.apiKey, headers });

test('a creation, its cancellation and nothing else', async () => {
  const headers = { 'idempotency-key': 'k1', 'x-request-id': 'create-1' };
  const made = await post('/v2/onramp', BODY, headers);
  expect(made.status).toBe(201);
  expect((await post('/v2/onramp', BODY, { ...headers, 'x-request-id': 'again' })).status).toBe(201);
  const { end2end } = made.json;
  const cancel = (id: string) => post(`/v2/onramp/${end2end}/cancel`, {}, { 'x-request-id': id });
  expect((await cancel('cancel-1')).status).toBe(200);
  expect((await cancel('refused')).status).toBe(409);
  const found = await entries();
  expect(found).toEqual([
    {
      act: 'onramp.create',
      scope: 'create',
      actor_kind: 'KEY',
      actor_id: shop.keyId,
      object_kind: 'transaction',
      object_id: end2end,
      before: null,
      after: expect.objectContaining({
        sourceAmount: '100',
        sourceCurrency: 'BRL',
        template: expect.any(String),
      }),
      maker: null,
      request_id: 'create-1',
      address: '127.0.0.1',
    },
    expect.objectContaining({
      act: 'transaction.cancel',
      object_id: end2end,
      before: { step: expect.any(String) },
      after: { step: expect.stringContaining('/') },
      request_id: 'cancel-1',
    }),
  ]);
  expect(JSON.stringify(found)).not.toMatch(/Maria|52998224725/);
  expect(await verifyAudit(app.database, shop.accountId)).toMatchObject({
    defects: [],
    end: { auditSeq: 2n },
  });
});

test('creations that share a batch have separate positions in the chain', async () => {
  const before = (await entries()).length;
  const made = await Promise.all(
    Array.from({ length: 12 }, (_, n) => post('/v2/onramp', BODY, { 'x-request-id': `many-${n}` })),
  );
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
  const found = (await entries()).slice(before);
  const positionOf = new Map(found.map((entry) => [entry.request_id, entry.object_id]));
  expect(made.map(({ json }, n) => positionOf.get(`many-${n}`) === json.end2end)).toEqual(
    made.map(() => true),
  );
  expect(found.length).toBe(12);
  expect((await verifyAudit(app.database, shop.accountId)).defects).toEqual([]);
});
