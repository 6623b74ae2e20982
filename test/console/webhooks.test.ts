/**
 * Goal: the screens of one webhook endpoint and of one delivery say what the merchant has to know, and their forms do what they say,
 * without script. Method: forms as a browser sends them, on the real application, with a receiver on this machine.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWebhooks, type WebhookWorker } from '../../src/webhooks/worker.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { eventually, useReceiver } from '../support/receiver.ts';
import { openOnramp, SILENT } from '../support/webhooks.ts';

const app = useApp();
const receiver = useReceiver();
let worker: WebhookWorker;
let owner: SignedInForTest;
let viewer: SignedInForTest;
let endpointId: string;
let screen: string;

beforeAll(async () => {
  worker = startWebhooks(app.services, SILENT, { allowsLoopback: true });
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  viewer = await signInAs(app, app.accountId, { email: 'vera@shop.invalid', role: 'viewer' });
  const { json } = await app.graphql(
    `mutation { createWebhookEndpoint(input: { url: "${receiver.url('shop')}" }) { webhookEndpoint { endpointId } errors { code message path } } }`,
  );
  endpointId = json.data.createWebhookEndpoint.webhookEndpoint.endpointId;
  screen = `/console/webhooks/${endpointId}`;
});
afterAll(() => worker.stop());

const send = (action: string, form: Record<string, string | readonly string[]>) =>
  visit(app, owner, `/console/acts/${action}`, { form: { back: screen, ...form } });
const eventNames = async () => {
  const { json } = await app.graphql(
    `{ viewer { account { webhookEndpoint(endpointId: "${endpointId}") { eventNames } } } }`,
  );
  return json.data.viewer.account.webhookEndpoint.eventNames as string[];
};

describe('an endpoint', () => {
  test('is shown to the scope `admin`; an unknown one is missing', async () => {
    expect((await visit(app, owner, screen)).status).toBe(200);
    expect((await visit(app, viewer, screen)).status).toBe(403);
    expect((await visit(app, owner, '/console/webhooks/whe_0123456789abcdef')).status).toBe(404);
  });

  test('offers the events of a search to add, keeps the chosen ones, and removes one at a time', async () => {
    const whole = await visit(app, owner, screen);
    expect(whole.text).toContain('All events are sent.');
    expect(whole.text).toContain('value="onramp.*.*"');
    const found = await visit(app, owner, `${screen}?find=recebido%20onramp`);
    expect(found.text).toContain('value="onramp.depositpix.paid"');
    expect(found.text).not.toContain('value="onramp.*.*"');
    const added = await send('UpdateWebhookEndpoint', {
      id: endpointId,
      eventNames: ['onramp.depositpix.paid', 'offramp.success.done'],
    });
    expect(added.status).toBe(303);
    expect(await eventNames()).toEqual(['onramp.depositpix.paid', 'offramp.success.done']);
    const chosen = await visit(app, owner, screen);
    expect(chosen.text).toContain('Only these events are sent.');
    // The form that adds sends what was chosen, too.
    const addition = /<form[^>]*UpdateWebhookEndpoint"(?:(?!<\/form>).)*value="addition".*?<\/form>/s.exec(
      chosen.text,
    )?.[0];
    expect(addition).toContain('<input type="hidden" name="eventNames" value="onramp.depositpix.paid">');
    await send('UpdateWebhookEndpoint', { id: endpointId, eventNames: [] });
    expect(await eventNames()).toEqual([]);
  });

  test('shows a test event with the answer of the receiver', async () => {
    await send('SendSampleWebhook', { id: endpointId, eventName: 'onramp.depositpix.paid' });
    const page = await eventually('the answer', async () => {
      const { text } = await visit(app, owner, screen);
      return !text.includes('Being sent') && text;
    });
    expect(page).toContain('webhook-id: evt_0_');
    const refused = await send('SendSampleWebhook', { id: endpointId, eventName: 'onramp.depositpix.payed' });
    expect(refused.status).toBe(400);
  });
});

describe('a delivery', () => {
  test('has request, answers and a command without the secret; of another account it is missing', async () => {
    receiver.answer('shop', { status: 503 });
    await openOnramp(app, app.apiKey);
    const id = await eventually('a failed attempt', async () => {
      const { json } = await app.graphql(
        `{ viewer { account { webhookDeliveries(endpointId: "${endpointId}", first: 100) { nodes { deliveryId attempts { status } } } } } }`,
      );
      const { nodes } = json.data.viewer.account.webhookDeliveries;
      return nodes.find(({ attempts }: { attempts: unknown[] }) => attempts.length > 0)?.deliveryId;
    });
    const { text, status } = await visit(app, owner, `/console/webhook-deliveries/${id}`);
    expect(status).toBe(200);
    expect(text).toContain('crossramp-event: onramp.');
    expect(text).toContain('Attempt 1');
    expect(text).toContain('503');
    expect(text).toContain('openssl dgst');
    expect(text).not.toContain('whsec_Y');
    expect((await visit(app, owner, '/console/webhook-deliveries/99999999')).status).toBe(404);
    const listed = await visit(app, owner, screen);
    expect(listed.text).toContain(`/console/webhook-deliveries/${id}`);
  });
});

describe('a secret', () => {
  test('is replaced with the overlap that was chosen', async () => {
    const page = await visit(app, owner, `/console/webhook-secrets?endpoint=${endpointId}`);
    expect(page.text).toContain('<option value="0">');
    await send('RotateWebhookSecret', { endpointId, overlapSeconds: '0' });
    const { json } = await app.graphql(
      `{ viewer { account { webhookSecrets(endpointId: "${endpointId}") { validUntil } } } }`,
    );
    expect(json.data.viewer.account.webhookSecrets).toEqual([{ validUntil: null }]);
  });
});
