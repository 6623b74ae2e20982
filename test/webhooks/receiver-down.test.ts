/**
 * Goal: a receiver that is down for an hour, in whatever way, gets everything afterwards, in order of each transaction,
 * byte for byte what the API says (C-9, C-62). Method: transactions played in the sandbox, whose clock is set ahead; the
 * receiver at each transaction's own URL.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { closeWebhookConnections } from '../../src/webhooks/send.ts';
import { startWebhooks, type WebhookWorker } from '../../src/webhooks/worker.ts';
import { useApp } from '../support/app.ts';
import { freePort } from '../support/free-port.ts';
import { type Behaviour, eventually, type Received, useReceiver } from '../support/receiver.ts';
import { expectSigned, HOUR, MINUTE, openOnramp, SILENT } from '../support/webhooks.ts';

const app = useApp();
const receiver = useReceiver();
let worker: WebhookWorker;
let shop: Awaited<ReturnType<typeof app.addAccount>>;

beforeAll(() => {
  worker = startWebhooks(app.services, SILENT, { allowsLoopback: true });
});
afterAll(async () => {
  const stopped = worker.stop();
  closeWebhookConnections();
  await stopped;
});
/** A try that is not answered ends after this time, from now on. */
async function endTriesAfter(timeoutMs: number): Promise<void> {
  await worker.stop();
  worker = startWebhooks(app.services, SILENT, { allowsLoopback: true, timeoutMs });
}
beforeEach(async () => {
  shop = await app.addAccount();
});

const open = (webhook?: string) => openOnramp(app, shop.apiKey, webhook);
const trigger = async (scenario: string, end2end: string) =>
  expect((await app.post('/v2/sandbox/trigger', { scenario, end2end }, { key: shop.apiKey })).status).toBe(
    200,
  );
const advance = (ms: number) => app.services.sandbox?.advanceClock(ms);
const eventsOf = async (
  end2end: string,
): Promise<{ payload: string; name: string; state: string; seq: string }[]> =>
  (
    await app.owner.query(
      `select event_body(e.form, e.payload) as payload, e.name, e.state, e.seq from event e join transaction t on t.account_id = e.account_id and t.id = e.transaction_id
        where t.end2end = $1 order by e.sequence`,
      [end2end],
    )
  ).rows;
const states = async () =>
  (
    await app.owner.query<{ state: string; attempts: number }>(
      'select state, attempts from webhook_delivery where account_id = $1',
      [String(shop.accountId)],
    )
  ).rows;
const attempts = async () => (await states()).reduce((sum, row) => sum + row.attempts, 0);
/** Tries that have ended. */
const attemptsAt = async (url: string) =>
  (
    await app.owner.query(
      `select from webhook_attempt a join webhook_delivery d on d.account_id = a.account_id and d.id = a.delivery_id
         join webhook_endpoint p on p.account_id = d.account_id and p.id = d.endpoint_id
        where p.account_id = $1 and p.url = $2`,
      [String(shop.accountId), url],
    )
  ).rowCount;

/** Waits until all that can be sent at this time of the clock was tried, and nothing is under way. */
const calm = () =>
  eventually('nothing to be tried', async () => {
    const { rows } = await app.owner.query(
      `select from relay_queue where account_id = $1 union all
       select from webhook_delivery d join webhook_endpoint p on p.account_id = d.account_id and p.id = d.endpoint_id
        where d.account_id = $1 and d.state = 'pending' and (d.leased_until is not null or
          (d.due_at <= $2 and coalesce(p.blocked_until <= $2, true) and not exists (
            select from webhook_delivery e where e.account_id = d.account_id and e.transaction_id = d.transaction_id
               and e.state = 'pending' and e.event_seq < d.event_seq)))`,
      [String(shop.accountId), new Date(await app.services.clock.nowMs())],
    );
    return rows.length === 0;
  });

/** Everything happened to each transaction reached the path: each event at least once, in order, and as it is. */
async function expectAll(name: string, end2ends: readonly string[]): Promise<void> {
  const [secret] = (
    await app.graphql('{ viewer { account { webhookSecrets { secret } } } }', {}, { key: shop.apiKey })
  ).json.data.viewer.account.webhookSecrets;
  for (const end2end of end2ends) {
    const events = await eventsOf(end2end);
    expect(events.length).toBeGreaterThan(2);
    const taken = receiver.at(name).filter(({ body }) => JSON.parse(body).end2end === end2end);
    // A try that failed may come several times; what was taken comes once, behind all that was before it.
    const last = new Map<string, Received>();
    for (const one of taken) {
      last.delete(one.headers['webhook-id'] as string);
      last.set(one.headers['webhook-id'] as string, one);
    }
    const received = [...last.values()];
    expect(received.map(({ body }) => body)).toEqual(events.map(({ payload }) => payload));
    expect(received.map(({ headers }) => headers['crossramp-event'])).toEqual(
      events.map((event) => event.name),
    );
    expect(received.map(({ headers }) => headers['crossramp-sequence'])).toEqual(
      events.map((_, at) => String(at + 1)),
    );
    for (const one of received) expectSigned(one, secret.secret);
    const now = await app.get(`/v2/onramp/${end2end}`, { key: shop.apiKey });
    expect(received.at(-1)?.body).toBe(now.text);
  }
}

describe('an hour without the receiver', () => {
  const ways: readonly (readonly [string, Behaviour])[] = [
    ['errors', { status: 503 }],
    ['silence', 'hang'],
    ['cut off answers', 'cut'],
    ['redirects', { status: 301, headers: { location: 'https://example.com/' } }],
    ['too many requests', { status: 429, headers: { 'retry-after': '120' } }],
  ];
  test.each(ways)('%s', async (_way, behaviour) => {
    const name = `down-${shop.accountId}`;
    if (behaviour === 'hang') await endTriesAfter(300);
    receiver.answer(name, behaviour);
    const end2ends = [await open(receiver.url(name)), await open(receiver.url(name))];
    for (const end2end of end2ends) await trigger('pay', end2end);
    for (let minutes = 0; minutes < 60; minutes += 10) {
      await calm();
      await advance(10 * MINUTE);
    }
    await calm();
    expect((await states()).every(({ state }) => state === 'pending')).toBe(true);
    expect(await attempts()).toBeGreaterThanOrEqual(6);
    receiver.answer(name, { status: 200 });
    await eventually('everything is delivered', async () => {
      await advance(HOUR);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return (await states()).every(({ state }) => state === 'delivered') || undefined;
    });
    await expectAll(name, end2ends);
    const attempt = receiver
      .at(name)
      .map(({ headers }) => `${headers['webhook-id']} ${headers['crossramp-attempt']}`);
    expect(new Set(attempt).size).toBe(attempt.length);
  });

  test('no receiver', async () => {
    const end2end = await open(`http://127.0.0.1:${await freePort()}/hook`);
    await trigger('pay', end2end);
    await eventually('a try', async () => (await attempts()) > 0 || undefined);
    await calm();
    const { rows } = await app.owner.query(
      'select error, status from webhook_attempt where account_id = $1',
      [String(shop.accountId)],
    );
    expect(rows[0]).toEqual({ error: 'ECONNREFUSED', status: null });
    expect((await states()).every(({ state }) => state === 'pending')).toBe(true);
  });
});

test('while one receiver is silent another gets its events immediately', async () => {
  // The silence lasts longer than this test.
  await endTriesAfter(120_000);
  const [silent, well] = [`silent-${shop.accountId}`, `well-${shop.accountId}`];
  receiver.answer(silent, 'hang');
  for (let n = 0; n < 5; n += 1) await open(receiver.url(silent));
  const end2end = await open(receiver.url(well));
  await trigger('pay', end2end);
  await eventually('all of it', async () => {
    const { rows } = await app.owner.query('select from job where account_id = $1 and due_at <= $2', [
      String(shop.accountId),
      new Date(await app.services.clock.nowMs()),
    ]);
    return (rows.length === 0 && receiver.at(well).length === (await eventsOf(end2end)).length) || undefined;
  });
  expect(await attemptsAt(receiver.url(silent))).toBe(0);
  receiver.answer(silent, { status: 200 });
  await expectAll(well, [end2end]);
});
