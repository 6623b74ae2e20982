/** What the hot statements are sent for: onramps that are created, paid, credited and told, and lists that are read. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { openCase } from '../../src/resolvers/cases/store-case.ts';
import { startWebhooks } from '../../src/webhooks/worker.ts';
import type { TestApp } from './app.ts';
import { textsSent } from './count-statements.ts';
import { addEndpointRow } from './events.ts';
import { eventually, type Receiver } from './receiver.ts';
import { SILENT } from './webhooks.ts';

/** Adds an endpoint by which deliveries come in, of this name. */
export async function addHotEndpoint(app: TestApp, receiver: Receiver): Promise<void> {
  await addEndpointRow(app.owner, app.accountId, { id: 'hot', url: receiver.url('hot') });
}

/** Opens the case of a customer: without one, the table of cases is empty, and is read whole. */
export async function addHotCase({ database, accountId }: TestApp): Promise<void> {
  const customer = { accountId, taxId: '52998224725', level: 'BASIC' } as const;
  await database.withTx((tx) => openCase(tx, customer, { name: null, provider: null, nowMs: Date.now() }));
}

/** Does it all once, by the webhooks of its endpoint too. */
export async function hotWork(app: TestApp, receiver: Receiver): Promise<void> {
  const worker = startWebhooks(app.services, SILENT, { allowsLoopback: true });
  let stream: Response | undefined;
  try {
    // Held to the end: an answer that nobody holds is ended when memory is collected.
    stream = await fetch(`${app.baseUrl}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${app.apiKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query: 'subscription { events { __typename } }' }),
    });
    const order = {
      amount_payment: 100,
      currency_exit_received_code: 'USDT_TRX',
      client_name: 'Ana Souza',
      client_tax_id: '52998224725',
    };
    const headers = { 'idempotency-key': randomUUID() };
    const { end2end } = (await app.post('/v2/onramp', order, { headers })).json;
    expect((await app.post('/v2/onramp', order, { headers })).json.end2end).toBe(end2end);
    expect((await app.post('/v2/sandbox/trigger', { scenario: 'pay', end2end })).status).toBe(200);
    await eventually('credited', async () => {
      const { json } = await app.get(`/v2/onramp/${end2end}`);
      return json.component === 'success';
    });
    await receiver.until('hot', 3, 30_000);
    const paths = [
      '/v2/onramps',
      '/v2/onramps',
      '/v2/statement',
      '/v2/statement?offset=5000',
      '/v2/balance',
      '/v2/events',
    ];
    for (const path of paths) expect((await app.get(path)).status).toBe(200);
    for (const read of [
      `transaction(end2end: "${end2end}") { state }`,
      'transactions(families: ONRAMPS, first: 20) { totalCount nodes { state } }',
      'statement(first: 20) { totalCount nodes { number transaction { end2end } } }',
      'statement(first: 20) { totalCount nodes { number } }',
      `statement(first: 20, after: "${btoa('900000')}") { nodes { number transaction { end2end } } }`,
      `statement(first: 20, after: "${btoa('900000')}") { nodes { number } }`,
      'events(first: 5) { nodes { transaction { end2end } } }',
      'auditLog(first: 20) { totalCount nodes { at } }',
      'requestLog(first: 20) { totalCount nodes { at } }',
    ])
      expect((await app.graphql(`{ ${read} }`)).json.errors).toBeUndefined();
    for (let open = 0; open < 5; open += 1) expect((await app.post('/v2/onramp', order)).status).toBe(201);
    await eventually('a look at turns', () => textsSent().has('turn_look'));
    await eventually(
      'all told',
      async () =>
        (await app.owner.query('select from webhook_delivery where ended_at is null')).rowCount === 0,
    );
    await eventually(
      'kept requests',
      async () => (await app.owner.query('select from request_log')).rowCount,
    );
  } finally {
    await stream?.body?.cancel();
    await worker.stop();
  }
}
