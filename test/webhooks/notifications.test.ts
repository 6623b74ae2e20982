/**
 * Goal: an endpoint that names notifications of its account gets each once, signed as events are, again where it was not taken, and no other
 * account's; the guard of webhooks holds for it (decision 0094). Method: the application, its sender of notifications, a receiver here.
 */
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, test } from 'vitest';
import { createDigests } from '../../src/mail/digest.ts';
import { createNotificationSender } from '../../src/webhooks/notifications.ts';
import { startWebhooks } from '../../src/webhooks/worker.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { useReceiver } from '../support/receiver.ts';
import { SILENT } from '../support/webhooks.ts';

/** Times of what administers an account have milliseconds. */
const ISO_MILLIS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const app = useApp();
const receiver = useReceiver();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let place = 0;
const { ask, refusal } = graphqlClient(app, () => shop.apiKey);

beforeEach(async () => {
  await app.owner.query('delete from notification');
  await app.owner.query(`update webhook_endpoint set removed_at = now() where removed_at is null`);
  shop = await app.addAccount();
  place += 1;
});

const path = () => `notified-${place}`;
const own = () => app.services.forMode('sandbox');
/** Sends what is due now to each endpoint, and waits for the answers. */
const send = async (allowsLoopback = true) => {
  const sender = createNotificationSender(own(), SILENT, { allowsLoopback });
  await sender.cycle();
  await sender.idle();
};
const CREATE =
  'mutation ($url: String!, $names: [String!]!, $template: Template) { createWebhookEndpoint(input: { url: $url, eventNames: $names, template: $template }) { webhookEndpoint { endpointId eventNames } errors { code message path } } }';
async function endpoint(
  names: readonly string[],
  key = shop.apiKey,
): Promise<{ id: string; secret: string }> {
  const { createWebhookEndpoint } = await ask(CREATE, { url: receiver.url(path()), names }, key);
  expect(createWebhookEndpoint.errors).toEqual([]);
  const { endpointId: id } = createWebhookEndpoint.webhookEndpoint;
  const { viewer } = await ask(
    'query ($id: String!) { viewer { account { webhookSecrets(endpointId: $id) { secret } } } }',
    { id },
    key,
  );
  return { id, secret: viewer.account.webhookSecrets[0].secret };
}
const newKey = (key = shop.apiKey) =>
  ask(
    'mutation { createApiKey(input: { name: "shop server", scopes: ["read"] }) { issuedApiKey { apiKey } errors { message } } }',
    {},
    key,
  );
const hooks = async () =>
  (
    await app.owner.query(
      'select state, attempts, last_error from notification_hook order by notification_id',
    )
  ).rows;
const later = () => app.owner.query('update notification_hook set due_at = now(), leased_until = null');

describe('an endpoint that names notifications', () => {
  test('gets one once, signed like an event, and without secrets', async () => {
    const { secret } = await endpoint(['account.notification.key']);
    const { createApiKey } = await newKey();
    await send();
    await later();
    await send();
    const calls = receiver.at(path());
    expect(calls).toHaveLength(1);
    const [{ headers, body } = { headers: {}, body: '' }] = calls;
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      event: 'account.notification.key',
      account: { id: String(shop.accountId) },
      name: 'shop server',
      created_at: expect.stringMatching(ISO_MILLIS),
    });
    expect(headers).toMatchObject({
      'crossramp-event': 'account.notification.key',
      'webhook-id': expect.stringMatching(/^ntf_\d+$/),
    });
    expect(body).not.toContain(createApiKey.issuedApiKey.apiKey);
    expect(await hooks()).toMatchObject([{ state: 'sent', attempts: 1 }]);
  });

  test.each([
    ['account.notification.*', 1],
    ['account.*', 1],
    ['account.notification.invitation', 0],
    ['*.*.*', 0],
    ['onramp.*', 0],
  ])('by the pattern %s gets %s of a new key', async (pattern, count) => {
    await endpoint([pattern]);
    await newKey();
    await send();
    expect(receiver.at(path())).toHaveLength(count);
  });

  test('of all events, of a template, or of another account gets none', async () => {
    await endpoint([]);
    const other = await app.addAccount();
    await endpoint(['account.*'], other.apiKey);
    await newKey();
    await send();
    expect(receiver.at(path())).toEqual([]);
    const template = { url: receiver.url(path()), names: ['account.*'], template: 'onramp' };
    expect(await refusal(CREATE, template)).toMatchObject({ code: 'INVALID_PARAMETER' });
  });

  test('that refuses one gets it again under the same id; a late outcome of an older attempt changes nothing', async () => {
    await endpoint(['account.*']);
    receiver.answer(path(), { status: 500 });
    await newKey();
    await send();
    expect(await hooks()).toMatchObject([{ state: 'pending', attempts: 1, last_error: 'status 500' }]);
    await send();
    expect(receiver.at(path())).toHaveLength(1);
    receiver.answer(path(), { status: 200 });
    await later();
    await Promise.all([send(), send()]);
    const ids = receiver.at(path()).map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(await hooks()).toMatchObject([{ state: 'sent', attempts: 2 }]);
  });

  test('gets its own in time, even if another account has many before it', async () => {
    const busy = await app.addAccount();
    await endpoint(['account.*'], busy.apiKey);
    for (let made = 0; made < 10; made += 1) await newKey(busy.apiKey);
    await endpoint(['account.*']);
    await newKey();
    await send();
    const accounts = receiver.at(path()).map(({ body }) => JSON.parse(body).account.id);
    expect(accounts).toContain(String(shop.accountId));
  });

  test('that unsubscribed or was removed gets no more', async () => {
    await endpoint(['account.*']);
    receiver.answer(path(), { status: 410 });
    await newKey();
    await send();
    expect(await hooks()).toMatchObject([{ state: 'failed' }]);
    await newKey();
    await app.owner.query(`update webhook_endpoint set state = 'paused' where removed_at is null`);
    await send();
    expect(receiver.at(path())).toHaveLength(1);
    await app.owner.query(`update webhook_endpoint set removed_at = now() where removed_at is null`);
    await send();
    expect((await hooks()).map(({ state }) => state)).toEqual(['failed', 'failed']);
    expect(receiver.at(path())).toHaveLength(1);
  });

  test('on loopback is not called if webhooks may not go there', async () => {
    await endpoint(['account.*']);
    await newKey();
    await send(false);
    expect(receiver.at(path())).toEqual([]);
    expect(await hooks()).toMatchObject([
      { state: 'pending', last_error: expect.stringContaining('REFUSED') },
    ]);
  });

  test('gets the digest of the day, even if no person has e-mail', async () => {
    await endpoint(['account.notification.waiting']);
    await app.owner.query(`update api_key set expires_at = now() + interval '3 days' where account_id = $1`, [
      String(shop.accountId),
    ]);
    const database = Object.create(app.services.database, {
      nowMs: { value: () => Date.parse('2026-12-01T15:00:00Z') },
    });
    await createDigests({ ...app.services, database }, SILENT)('sandbox');
    await send();
    const [call] = receiver.at(path());
    expect(JSON.parse(call?.body ?? '{}')).toMatchObject({
      event: 'account.notification.waiting',
      subject: '2026-12-01',
      facts: { expiringKeys: 1 },
    });
  });

  test('is not delayed by many of another account whose endpoint refuses them', async () => {
    await endpoint(['account.*']);
    receiver.answer(path(), { status: 500 });
    await app.owner.query(
      `insert into notification (account_id, kind, subject) select $1, 'key', 'k' || n from generate_series(1, 30) n`,
      [String(shop.accountId)],
    );
    place += 1;
    const other = await app.addAccount();
    await endpoint(['account.*'], other.apiKey);
    await newKey(other.apiKey);
    await send();
    expect(receiver.at(path())).toHaveLength(1);
  });

  test('gets no notification of its own failure', async () => {
    const { id } = await endpoint(['account.*']);
    await app.owner.query(
      `insert into notification (account_id, kind, subject) values ($1, 'endpoint', $2)`,
      [String(shop.accountId), id],
    );
    await send();
    expect(await hooks()).toEqual([]);
  });

  test('gets only the host of another failing endpoint, because its whole URL may be a secret', async () => {
    await endpoint(['account.*']);
    const url = 'https://hooks.invalid/services/T0/secret?token=secret';
    const { createWebhookEndpoint } = await ask(CREATE, { url, names: ['onramp.*'] });
    await app.owner.query(
      `insert into notification (account_id, kind, subject) values ($1, 'endpoint', $2)`,
      [String(shop.accountId), createWebhookEndpoint.webhookEndpoint.endpointId],
    );
    await send();
    const [{ body } = { body: '' }] = receiver.at(path());
    expect(JSON.parse(body)).toMatchObject({ name: 'https://hooks.invalid' });
    expect(body).not.toContain('secret');
  });

  test('can be tested with a sample', async () => {
    const { id } = await endpoint(['account.*']);
    const { sendSampleWebhook } = await ask(
      'mutation ($id: String!) { sendSampleWebhook(input: { endpointId: $id, eventName: "account.notification.outflow" }) { errors { code message path } } }',
      { id },
    );
    expect(sendSampleWebhook.errors).toEqual([]);
    const { rows } = await app.owner.query('select payload from webhook_sample where endpoint_id = $1', [id]);
    expect(JSON.parse(rows[0].payload)).toMatchObject({
      event: 'account.notification.outflow',
      subject: 'test',
      created_at: expect.stringMatching(ISO_MILLIS),
    });
  });
});

describe('a receiver that does not answer', () => {
  const slow = () => `slow-${place}`;
  const slowEndpoint = () => ask(CREATE, { url: receiver.url(slow()), names: ['account.*'] });
  /** @returns the account of the notification that comes to a new endpoint of the key, while the receiver does not answer. */
  const during = async (key: string) => {
    // An attempt lasts longer than the test waits, so that a notification behind it never comes.
    const worker = startWebhooks(own(), SILENT, { allowsLoopback: true, timeoutMs: 120_000 });
    try {
      await receiver.until(slow(), 1);
      await endpoint(['account.*'], key);
      await newKey(key);
      const [call] = await receiver.until(path(), 1);
      return JSON.parse(call?.body ?? '{}').account.id;
    } finally {
      const stopped = worker.stop();
      receiver.answer(slow(), { status: 200 });
      receiver.cut(slow());
      await stopped;
    }
  };

  beforeEach(() => receiver.answer(slow(), 'hang'));

  test('delays no other endpoint of its account, however many wait for it', async () => {
    await slowEndpoint();
    for (let made = 0; made < 40; made += 1) await newKey();
    expect(await during(shop.apiKey)).toBe(String(shop.accountId));
    expect(receiver.most(slow())).toBe(1);
  });

  test('delays no other account, however many of its endpoints do not answer', async () => {
    for (let made = 0; made < 40; made += 1) await slowEndpoint();
    await newKey();
    const other = await app.addAccount();
    expect(await during(other.apiKey)).toBe(String(other.accountId));
  });
});

test('names of notifications are found by words of their headlines, after those of the templates', async () => {
  const find = async (text: string) =>
    (
      await ask(
        'query ($text: String!) { webhookEventNames(text: $text) { name template headline { en } } }',
        { text },
      )
    ).webhookEventNames;
  expect(await find('nova chave')).toEqual([
    { name: 'account.notification.key', template: null, headline: { en: 'New API key' } },
  ]);
});
