/**
 * Goal: a merchant sees how an endpoint does, finds the events that it can have, tests its receiver before anything happens, and follows
 * a redelivery of many (C-64). Method: the application with relay and dispatcher, a receiver on this machine.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { curlOf } from '../../src/console/parts/webhook-request.ts';
import { NOTIFICATION_NAMES } from '../../src/events/notification-names.ts';
import { sampleRow } from '../../src/resolvers/webhooks/send-sample.ts';
import { eventNamesOf } from '../../src/templates/event-names.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { startWebhooks, type WebhookWorker } from '../../src/webhooks/worker.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { isInstalled } from '../support/installed.ts';
import { eventually, type Received, useReceiver } from '../support/receiver.ts';
import { expectSigned, openOnramp, SILENT } from '../support/webhooks.ts';

const app = useApp();
const receiver = useReceiver();
let worker: WebhookWorker;
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let place = 0;
const { ask, refusal } = graphqlClient(app, () => shop.apiKey);

beforeAll(() => {
  worker = startWebhooks(app.services, SILENT, { allowsLoopback: true, timeoutMs: 600_000 });
});
afterAll(() => worker.stop());
beforeEach(async () => {
  shop = await app.addAccount();
  place += 1;
});

const path = (name = 'tool') => `${name}-${place}`;
const create = async (name = path(), more = '') =>
  (
    await ask(
      `mutation { createWebhookEndpoint(input: { url: "${receiver.url(name)}" ${more} }) { webhookEndpoint { id: endpointId } errors { code message path } } }`,
    )
  ).createWebhookEndpoint.webhookEndpoint.id as string;
const secretOf = async (id: string) =>
  (await ask(`{ viewer { account { webhookSecrets(endpointId: "${id}") { secret } } } }`)).viewer.account
    .webhookSecrets[0].secret as string;
const endpointOf = async (id: string, fields: string) =>
  (await ask(`{ viewer { account { webhookEndpoint(endpointId: "${id}") { ${fields} } } } }`)).viewer.account
    .webhookEndpoint;
const ended = (id: string) =>
  eventually('every delivery has ended', async () => {
    const { viewer } = await ask(
      `{ viewer { account { webhookDeliveries(endpointId: "${id}", first: 100) { nodes { deliveryId state } } } } }`,
    );
    const { nodes } = viewer.account.webhookDeliveries;
    return nodes.length > 0 && nodes.every(({ state }: { state: string }) => state !== 'PENDING') && nodes;
  });

describe('health of an endpoint', () => {
  const HEALTH =
    'health(hours: 24) { total { delivered attempts failedAttempts successRate medianMs p95Ms } slices { delivered } }';

  test('counts its own deliveries and attempts without tests, and rounds its share of successes down', async () => {
    const id = await create();
    await create(path('other'));
    expect((await endpointOf(id, HEALTH)).health.total).toMatchObject({ attempts: 0, successRate: null });
    await openOnramp(app, shop.apiKey);
    const { length } = await ended(id);
    await ask(
      `mutation { sendTestWebhook(input: { endpointId: "${id}" }) { webhookDelivery { deliveryId } errors { code message path } } }`,
    );
    await receiver.until(path(), length + 1);
    const { health } = await endpointOf(id, HEALTH);
    expect(health.total).toEqual({
      delivered: length,
      attempts: length,
      failedAttempts: 0,
      successRate: '1',
      medianMs: expect.any(Number),
      p95Ms: expect.any(Number),
    });
    expect(health.slices).toHaveLength(24);
    await app.owner.query(
      `update webhook_attempt set status = 500 where account_id = $1 and (delivery_id, attempt) = (
        select delivery_id, attempt from webhook_attempt w join webhook_delivery d on d.account_id = w.account_id and d.id = w.delivery_id
         where d.account_id = $1 and d.endpoint_id = $2 and d.round = 0 order by d.id limit 1)`,
      [String(shop.accountId), id],
    );
    const share = Math.floor((1 - 1 / length) * 10_000) / 10_000;
    expect((await endpointOf(id, HEALTH)).health.total).toMatchObject({
      failedAttempts: 1,
      successRate: String(share),
    });
  });

  test('can be read only with the scope `admin`, and only for endpoints of the caller’s account', async () => {
    const id = await create();
    const other = await app.addAccount();
    const text = `{ viewer { account { webhookEndpoint(endpointId: "${id}") { endpointId } } } }`;
    expect((await ask(text, {}, other.apiKey)).viewer.account.webhookEndpoint).toBeNull();
  });
});

describe('names of events', () => {
  const find = async (text?: string, template?: string) =>
    (
      await ask(
        'query ($text: String, $template: Template) { webhookEventNames(text: $text, template: $template) { name template } }',
        { text, template },
      )
    ).webhookEventNames as { name: string; template: string }[];

  test('are exactly those that an endpoint can choose', async () => {
    const names = (await find()).map(({ name }) => name);
    expect(names).toEqual([...REGISTRY.templates.flatMap(eventNamesOf), ...NOTIFICATION_NAMES]);
  });

  test('are found by words of the name and of the meaning, in both languages and without accents', async () => {
    const paid = await find('onramp depositpix.paid');
    expect(paid.map(({ name }) => name)).toContain('onramp.depositpix.paid');
    expect((await find('PIX RECEIVED')).map(({ name }) => name)).toContain('onramp.depositpix.paid');
    expect(await find('saida retida')).toEqual(await find('saída retida'));
    expect((await find('saida retida')).length).toBeGreaterThan(0);
    expect(await find('nothing of this')).toEqual([]);
    expect(new Set((await find(undefined, 'onramp')).map(({ template }) => template))).toEqual(
      new Set(['onramp']),
    );
  });
});

describe('a sample event', () => {
  const SEND =
    'mutation ($id: String!, $eventName: String!) { sendSampleWebhook(input: { endpointId: $id, eventName: $eventName }) { webhookSample { sampleId webhookId body } errors { code message path } } }';
  const SAMPLES = 'samples { sampleId eventName status answer error durationMs attemptedAt }';

  test('of one account is not delayed by many of another, whose receiver does not answer', async () => {
    receiver.answer(path('slow'), 'hang');
    const slow = await create(path('slow'));
    const eventName = 'onramp.depositpix.paid';
    for (let sent = 0; sent < 16; sent += 1) await ask(SEND, { id: slow, eventName });
    await receiver.until(path('slow'), 4);
    const ofSlow = () =>
      app.owner.query(
        'select count(*)::int as n from webhook_sample where account_id = $1 and duration_ms is not null',
        [String(shop.accountId)],
      );
    const flooding = shop;
    shop = await app.addAccount();
    await ask(SEND, { id: await create(path('quick')), eventName });
    shop = flooding;
    await receiver.until(path('quick'), 1);
    expect((await ofSlow()).rows[0].n).toBe(0);
    expect(receiver.most(path('slow'))).toBe(4);
    receiver.answer(path('slow'), { status: 200 });
    receiver.cut(path('slow'));
    await receiver.until(path('slow'), 16);
  });

  test('has the published form at every step of every template', async () => {
    const { json } = await app.get('/v2/openapi.json', { key: null });
    const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(json, 'openapi');
    for (const template of REGISTRY.templates) {
      const matches = ajv.compile({ $ref: `openapi#/components/schemas/${template.typeName}` });
      for (const step of template.steps) {
        const body = JSON.parse(app.services.render(sampleRow(1n, template, step, new Date())));
        expect([template.name, step, matches(body), matches.errors]).toEqual([
          template.name,
          step,
          true,
          null,
        ]);
      }
    }
  });

  test('is sent before the account has an event: signed, marked as a test, once', async () => {
    const id = await create();
    const { sendSampleWebhook } = await ask(SEND, { id, eventName: 'onramp.depositpix.paid' });
    const { webhookSample: made } = sendSampleWebhook;
    const [received] = (await receiver.until(path(), 1)) as [Received];
    expect(received.headers).toMatchObject({
      'crossramp-test': 'true',
      'crossramp-event': 'onramp.depositpix.paid',
      'webhook-id': made.webhookId,
    });
    expect(received.headers['webhook-id']).toMatch(/^evt_0_/);
    expect(received.body).toBe(made.body);
    expect(JSON.parse(received.body)).toMatchObject({
      template: 'onramp',
      component: 'depositpix',
      state: 'PAID',
    });
    expectSigned(received, await secretOf(id));
    await eventually('its outcome', async () => (await endpointOf(id, SAMPLES)).samples[0].status === 200);
    expect(receiver.at(path())).toHaveLength(1);
    const { end2end } = JSON.parse(received.body);
    expect((await ask(`{ transaction(end2end: "${end2end}") { end2end } }`)).transaction).toBeNull();
  });

  test('is not repeated after a failure, and does not count against its endpoint', async () => {
    const id = await create();
    receiver.answer(path(), { status: 410 });
    await ask(SEND, { id, eventName: 'offramp.success.done' });
    await eventually('its outcome', async () => (await endpointOf(id, SAMPLES)).samples[0].status === 410);
    expect(await endpointOf(id, 'state consecutiveFailures')).toEqual({
      state: 'ENABLED',
      consecutiveFailures: 0,
    });
    expect(receiver.at(path())).toHaveLength(1);
  });

  test('of a name that the endpoint never gets is refused, and the error suggests the nearest name', async () => {
    const id = await create(path(), 'template: onramp');
    expect(await refusal(SEND, { id, eventName: 'onramp.depositpix.payed' })).toMatchObject({
      code: 'INVALID_PARAMETER',
      message: expect.stringContaining('onramp.depositpix.paid'),
    });
    expect(await refusal(SEND, { id, eventName: 'offramp.success.done' })).toMatchObject({
      code: 'INVALID_PARAMETER',
    });
    const other = await app.addAccount();
    expect(await refusal(SEND, { id, eventName: 'onramp.depositpix.paid' }, other.apiKey)).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('is stored among the newest twenty of its endpoint', async () => {
    const id = await create();
    await ask(
      `mutation { pauseWebhookEndpoint(input: { endpointId: "${id}" }) { errors { code message path } } }`,
    );
    for (let count = 0; count < 21; count += 1) await ask(SEND, { id, eventName: 'onramp.depositpix.paid' });
    expect((await endpointOf(id, SAMPLES)).samples).toHaveLength(20);
  });
});

describe('a bulk redelivery', () => {
  const MANY =
    'mutation ($filter: WebhookRedeliveryFilter!) { redeliverWebhooks(input: { filter: $filter }) { redelivery { matched redelivered redeliveryId } errors { code message path } } }';
  const PROGRESS =
    '{ viewer { account { webhookRedeliveries { redeliveryId requestedAt matched redelivered pending delivered dead skipped } } } }';
  const progress = async () => (await ask(PROGRESS)).viewer.account.webhookRedeliveries;

  test('of a period reports progress until it is done, and excludes events at and after the end of the period', async () => {
    const id = await create();
    await openOnramp(app, shop.apiKey);
    const before = (await ended(id)).length;
    const until = new Date((await app.services.clock.nowMs()) + 1_000).toISOString();
    const filter = { endpointId: id, states: ['DELIVERED'], until };
    const { redelivery } = (await ask(MANY, { filter })).redeliverWebhooks;
    expect(redelivery).toMatchObject({ matched: before, redelivered: before });
    await receiver.until(path(), 2 * before);
    const done = await eventually('its end', async () => {
      const [newest] = await progress();
      return newest.pending === 0 && newest;
    });
    expect(done).toMatchObject({
      redeliveryId: redelivery.redeliveryId,
      redelivered: before,
      delivered: before,
      dead: 0,
    });
    const past = { ...filter, until: '2020-01-01T00:00:00Z' };
    expect((await ask(MANY, { filter: past })).redeliverWebhooks.redelivery).toEqual({
      matched: 0,
      redelivered: 0,
      redeliveryId: null,
    });
    expect(await progress()).toHaveLength(1);
  });
});

describe.runIf(isInstalled('curl') && isInstalled('openssl', 'version'))(
  'the command that repeats a request',
  () => {
    test('sends the same body and fields, signed by the secret of the shell alone', async () => {
      const id = await create();
      const secret = await secretOf(id);
      const parts = {
        url: receiver.url(path('curl')),
        webhookId: 'evt_7_0123456789abcdef',
        eventName: 'onramp.depositpix.paid',
        sequence: 3,
        attempt: 2,
        isTest: true,
        body: `{"name":"O'Brien $HOME \`id\` \\"ção\\""}`,
      };
      const command = curlOf(parts);
      expect(command).not.toContain(secret);
      const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secret };
      await promisify(execFile)('sh', ['-c', command], { env, timeout: 60_000 });
      const [received] = (await receiver.until(path('curl'), 1)) as [Received];
      expect(received.body).toBe(parts.body);
      expect(received.headers).toMatchObject({
        'content-type': 'application/json',
        'webhook-id': parts.webhookId,
        'crossramp-event': parts.eventName,
        'crossramp-sequence': '3',
        'crossramp-attempt': '2',
        'crossramp-test': 'true',
      });
      expectSigned(received, secret);
    });
  },
);
