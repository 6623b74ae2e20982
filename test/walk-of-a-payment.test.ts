/**
 * Goal: the walk of a payment in ARCHITECTURE.md names files that a payment really goes through. Method: an onramp from its creation to the
 * webhook that reports its end, in one process, with the functions that ran.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WebhookWorker } from '../src/webhooks/worker.ts';
import { inboundOf } from './resolvers/inbound/support.ts';
import { useApp } from './support/app.ts';
import { useReceiver } from './support/receiver.ts';
import { stopsOf } from './support/walk-of-a-request.ts';
import { runWebhooks, TestClock } from './support/webhooks.ts';

const app = useApp();
const receiver = useReceiver();
const { play } = inboundOf(app);
const clock = new TestClock();
let webhooks: WebhookWorker;

beforeAll(() => {
  webhooks = runWebhooks(app.database, clock);
});
afterAll(() => webhooks.stop());

const [, WALK = ''] = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8').split(
  '## A payment, from the request to the webhook\n',
);
/** Files that the section names, in its order. */
const NAMED = [...(WALK.split('\n## ')[0] ?? '').matchAll(/`src\/([\w./-]+\.ts)`/g)].map(
  ([, path]) => path as string,
);

it('a payment goes through every file that ARCHITECTURE.md names in its walk', async () => {
  const own = await app.addAccount();
  const ran = await stopsOf(async () => {
    const { status, json } = await app.post(
      '/v2/onramp',
      {
        ...{
          currency_exit_received_code: 'USDT_TRX',
          amount_payment: '100.00',
          webhook: receiver.url('walk'),
        },
        ...{ client_name: 'Ana Souza', client_tax_id: '52998224725' },
      },
      { key: own.apiKey },
    );
    expect(status).toBe(201);
    await play(own, 'pay', json);
    const isDone = () => receiver.at('walk').some(({ body }) => /"component":"success"/.test(body));
    await expect.poll(isDone).toBe(true);
  });
  const files = new Set(ran.map(({ path }) => path));
  expect(NAMED.length).toBeGreaterThan(10);
  expect(NAMED.filter((path) => !files.has(path))).toEqual([]);
});
