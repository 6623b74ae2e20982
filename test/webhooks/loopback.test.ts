/**
 * Goal: beside a live account no webhook reads a service of this machine (C-63). Method: a sandbox account, and a receiver on
 * loopback whose answer is a secret.
 */
import { afterEach, expect, test } from 'vitest';
import { createServices } from '../../src/compose/services.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { startWebhooks, type WebhookWorker } from '../../src/webhooks/worker.ts';
import { useApp } from '../support/app.ts';
import { addBusiness, addEndpointRow, writeEvents } from '../support/events.ts';
import { graphqlClient, parametersOf } from '../support/graphql-client.ts';
import { useReceiver } from '../support/receiver.ts';
import { SILENT } from '../support/webhooks.ts';

const app = useApp();
const receiver = useReceiver();
let worker: WebhookWorker | undefined;
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});

const { refusal } = graphqlClient(app, () => app.apiKey);
const createAt = (url: string) =>
  refusal(
    'mutation($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { webhookEndpoint { id: endpointId } errors { code message path } } }',
    {
      input: { url },
    },
  );

/** Delivers an event of a new sandbox account to this machine. @returns the outcome of the attempt. */
async function deliver(path: string, loopbackWebhooks = true) {
  const services = createServices({
    database: app.database,
    registry: REGISTRY,
    config: { publicUrl: app.baseUrl, exactIntegers: false, sandboxAuto: false, loopbackWebhooks },
  });
  const accountId = await addBusiness(app.database, app.owner);
  await addEndpointRow(app.owner, accountId, { id: path, url: receiver.url(path) });
  worker = startWebhooks(services, SILENT, { allowsLoopback: services.allowsLoopback });
  await writeEvents(app.database, [{ accountId }]);
  services.notifier.notifyMoved([{ accountId, transactionId: 0n }]);
  const attempts = async () =>
    (
      await app.owner.query(
        'select status, error, answer from webhook_attempt where account_id = $1 and delivery_id in (select id from webhook_delivery where account_id = $1)',
        [String(accountId)],
      )
    ).rows;
  await expect.poll(attempts, { timeout: 15_000 }).not.toEqual([]);
  return (await attempts())[0];
}

const REFUSED = { status: null, answer: null, error: 'URL_REFUSED: the address is not public' };

test('C-63: a sandbox without live accounts sends to loopback, unless the setting forbids it', async () => {
  expect(await deliver('alone')).toMatchObject({ status: 200 });
  await worker?.stop();
  expect(await deliver('forbidden', false)).toMatchObject(REFUSED);
  expect(receiver.at('forbidden')).toEqual([]);
});

test('C-63: with a live account nothing is sent to loopback, not even to endpoints made before', async () => {
  expect(await app.services.allowsLoopback()).toBe(true);
  await app.addAccount({ mode: 'live' });
  await expect.poll(() => app.services.allowsLoopback(), { timeout: 15_000 }).toBe(false);
  expect(await app.services.forMode('live').allowsLoopback()).toBe(false);
  expect(await deliver('beside')).toMatchObject(REFUSED);
  expect(receiver.at('beside')).toEqual([]);
  expect(parametersOf(await createAt('http://127.0.0.1:9/hook'))).toEqual(['input.url']);
});
