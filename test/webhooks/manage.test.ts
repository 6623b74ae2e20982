/**
 * Goal: endpoints, secrets and deliveries are administered over GraphQL, each account for itself, and what was missed can
 * be sent again (C-60 to C-64). Method: the application with relay and dispatcher, receivers on this machine.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { holdRelay } from '../../src/store/webhooks/relay.ts';
import { startWebhooks, type WebhookWorker } from '../../src/webhooks/worker.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient, parametersOf } from '../support/graphql-client.ts';
import { holdAccounts } from '../support/hold-accounts.ts';
import { eventually, type Received, useReceiver } from '../support/receiver.ts';
import { errorsIn } from '../support/refusals.ts';
import { DAY, expectSigned, HOUR, openOnramp, SILENT } from '../support/webhooks.ts';

const app = useApp();
const receiver = useReceiver();
let worker: WebhookWorker;
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let place = 0;
const { ask, refusal } = graphqlClient(app, () => shop.apiKey);

beforeAll(() => {
  worker = startWebhooks(app.services, SILENT, { allowsLoopback: true });
});
afterAll(() => worker.stop());
beforeEach(async () => {
  shop = await app.addAccount();
  place += 1;
});

/** Who waits for an account that is locked. */
const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

interface SecretRow {
  readonly secret: string;
  readonly validUntil: string | null;
}
const ENDPOINT =
  'id: endpointId url description kind template eventNames order maxConcurrency maxPerSecond publicKey state disabledReason isRecoverable failingSince consecutiveFailures createdAt removedAt';
const path = (name = 'hook') => `${name}-${place}`;
const create = async (input: Record<string, unknown> = {}) =>
  (
    await ask(
      `mutation($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { webhookEndpoint { ${ENDPOINT} } errors { code message path } } }`,
      {
        input: { url: receiver.url(path()), ...input },
      },
    )
  ).createWebhookEndpoint.webhookEndpoint;
const refuseCreate = (input: Record<string, unknown>) =>
  refusal(
    'mutation($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { webhookEndpoint { id: endpointId } errors { code message path } } }',
    {
      input: { url: receiver.url(path()), ...input },
    },
  );
const actOn = async (name: string, id: string) =>
  (
    await ask(
      `mutation($id: String!) { ${name}(input: { endpointId: $id }) { webhookEndpoint { ${ENDPOINT} } errors { code message path } } }`,
      { id },
    )
  )[name].webhookEndpoint;
const update = async (id: string, input: Record<string, unknown>) =>
  (
    await ask(
      `mutation($input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(input: $input) { webhookEndpoint { ${ENDPOINT} } errors { code message path } } }`,
      { input: { endpointId: id, ...input } },
    )
  ).updateWebhookEndpoint.webhookEndpoint;
const endpoints = async (key = shop.apiKey) =>
  (await ask(`{ viewer { account { webhookEndpoints { ${ENDPOINT} } } } }`, {}, key)).viewer.account
    .webhookEndpoints;
const secrets = async (endpointId?: string) =>
  (
    await ask(
      'query($endpointId: String) { viewer { account { webhookSecrets(endpointId: $endpointId) { secret validUntil } } } }',
      { endpointId },
    )
  ).viewer.account.webhookSecrets as SecretRow[];
const rotate = async (endpointId: string | undefined, overlapSeconds?: number) =>
  (
    await ask(
      'mutation($endpointId: String, $overlapSeconds: Int! = 86400) { rotateWebhookSecret(input: { endpointId: $endpointId, overlapSeconds: $overlapSeconds }) { secrets { secret validUntil } errors { code message path } } }',
      { endpointId, overlapSeconds },
    )
  ).rotateWebhookSecret.secrets as SecretRow[];
const DELIVERY =
  'id: deliveryId eventCursor state round nextAttemptAt createdAt endedAt endpoint { id: endpointId } transaction { end2end } attempts { attempt status error answer durationMs at }';
const deliveries = async (args = '') =>
  (
    await ask(
      `{ viewer { account { webhookDeliveries${args} { pageInfo { hasNextPage endCursor } edges { node { ${DELIVERY} } } } } } }`,
    )
  ).viewer.account.webhookDeliveries;
const nodes = async (args = '') =>
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  (await deliveries(args)).edges.map(({ node }: { node: any }) => node);
const redeliver = async (filter: Record<string, unknown>, dryRun = false) =>
  (
    await ask(
      'mutation($filter: WebhookRedeliveryFilter!, $dryRun: Boolean!) { redeliverWebhooks(input: { filter: $filter, dryRun: $dryRun }) { redelivery { matched redelivered lastCursor } errors { code message path } } }',
      { filter, dryRun },
    )
  ).redeliverWebhooks.redelivery;
const recover = (id: string) =>
  ask(
    'mutation($id: String!) { recoverWebhookEndpoint(input: { endpointId: $id }) { redelivery { matched redelivered lastCursor } errors { code message path } } }',
    {
      id,
    },
  );
const advance = (ms: number) => app.services.sandbox?.advanceClock(ms);

const open = (webhook?: string) => openOnramp(app, shop.apiKey, webhook);
const eventCount = async () =>
  Number(
    (
      await app.owner.query('select event_seq from account_head where account_id = $1', [
        String(shop.accountId),
      ])
    ).rows[0].event_seq,
  );
const untilDelivered = (name = path()) =>
  eventually(`everything at ${name}`, async () => {
    const { rows } = await app.owner.query(
      `select from webhook_delivery where account_id = $1 and state = 'pending'
       union all select from relay_queue where account_id = $1`,
      [String(shop.accountId)],
    );
    return rows.length === 0 ? receiver.at(name) : undefined;
  });

describe('the shared secret', () => {
  test('exists before the first delivery: it is created once, however many request it in parallel, and signs later deliveries', async () => {
    const { apiKey } = await app.addAccount();
    const query = '{ viewer { account { webhookSecrets { secret validUntil } } } }';
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(query, {}, apiKey)));
    const [shared, ...others] = answers[0]?.viewer.account.webhookSecrets ?? [];
    expect([shared.validUntil, others]).toEqual([null, []]);
    for (const { viewer } of answers) expect(viewer.account.webhookSecrets).toEqual([shared]);
    await openOnramp(app, apiKey, receiver.url('first'));
    for (const received of await receiver.until('first', 1)) expectSigned(received, shared.secret);
  });
});

describe('endpoints', () => {
  test('are made, changed, listed and removed', async () => {
    const made = await create({
      description: 'Books',
      template: 'onramp',
      eventNames: ['onramp.*.*'],
      order: 'ACCOUNT',
      maxConcurrency: 2,
      maxPerSecond: 7,
      isSignedByKey: true,
    });
    expect(made).toMatchObject({
      id: expect.stringMatching(/^whe_[\w-]{16}$/),
      kind: 'TEMPLATE',
      template: 'onramp',
      order: 'ACCOUNT',
      maxConcurrency: 2,
      maxPerSecond: 7,
      publicKey: expect.stringMatching(/^whpk_/),
      state: 'ENABLED',
      isRecoverable: false,
      removedAt: null,
    });
    expect(await secrets(made.id)).toEqual([{ secret: expect.stringMatching(/^whsec_/), validUntil: null }]);
    const changed = await update(made.id, {
      description: null,
      maxPerSecond: null,
      eventNames: [],
      isSignedByKey: true,
    });
    expect(changed).toEqual({ ...made, description: null, maxPerSecond: null, eventNames: [] });
    expect((await update(made.id, { url: receiver.url('x'), isSignedByKey: false })).publicKey).toBeNull();
    expect(await endpoints()).toHaveLength(1);
    expect((await actOn('removeWebhookEndpoint', made.id)).removedAt).not.toBeNull();
    expect(await endpoints()).toEqual([]);
    const again = await actOn('removeWebhookEndpoint', made.id);
    expect(again.removedAt).not.toBeNull();
  });

  test('C-61: a new one gets no event from before its creation, although the relay is behind', async () => {
    await open();
    await untilDelivered();
    await app.database.withTx(async (tx) => {
      await tx.query({ name: '', text: 'set local idle_in_transaction_session_timeout = 0' }, []);
      await holdRelay(tx, shop.accountId);
      await open();
      await create();
    });
    const end2end = await open();
    const received = await untilDelivered();
    expect(new Set(received.map(({ body }) => JSON.parse(body).end2end))).toEqual(new Set([end2end]));
  });

  test('pausing, resuming, changing, testing or redelivering to a removed one is refused with that reason', async () => {
    const { id } = await create();
    await actOn('removeWebhookEndpoint', id);
    const calls = [
      ...['pauseWebhookEndpoint', 'resumeWebhookEndpoint', 'sendTestWebhook'].map(
        (name) => `mutation { ${name}(input: { endpointId: "${id}" }) { errors { code message path } } }`,
      ),
      `mutation { updateWebhookEndpoint(input: { endpointId: "${id}" }) { webhookEndpoint { id: endpointId } errors { code message path } } }`,
      `mutation { recoverWebhookEndpoint(input: { endpointId: "${id}" }) { redelivery { matched } errors { code message path } } }`,
      `mutation { rotateWebhookSecret(input: { endpointId: "${id}" }) { secrets { secret } errors { code message path } } }`,
      `mutation { redeliverWebhooks(input: { filter: { endpointId: "${id}" } }) { redelivery { matched } errors { code message path } } }`,
    ];
    for (const call of calls)
      expect(await refusal(call), call).toMatchObject({
        code: 'STEP_CONFLICT',
        message: 'the endpoint was removed',
      });
  });

  test('C-61: a name that no event can have is refused, and the error suggests the nearest valid name', async () => {
    const refused = async (input: object) =>
      (await refuseCreate({ url: receiver.url('x'), ...input })).violations;
    const said = (hint: string) => [
      { parameter: 'input.eventNames', message: expect.stringContaining(hint) },
    ];
    expect(await refused({ eventNames: ['onramp.depositpix.payd'] })).toEqual(
      said('did you mean onramp.depositpix.paid?'),
    );
    expect(await refused({ eventNames: ['onramp.*.*', 'onramp.deposit_pix.*'] })).toEqual(
      said('did you mean onramp.depositpix.*?'),
    );
    expect(await refused({ eventNames: ['onramp.payment.*'] })).toEqual(said('no event'));
    const foreign = { eventNames: ['offramp.quote.quote'] };
    expect(await refused({ template: 'onramp', ...foreign })).toEqual(said('no event'));
    const { id } = await create({ template: 'onramp' });
    for (const [call, parameter] of [
      [
        `updateWebhookEndpoint(input: { endpointId: "${id}", eventNames: ["offramp.quote.quote"] }) { webhookEndpoint { id: endpointId } errors { code message path } }`,
        'input',
      ],
      [
        `redeliverWebhooks(input: { filter: { endpointId: "${id}", eventNames: ["offramp.quote.quote"] } }) { redelivery { matched } errors { code message path } }`,
        'input.filter',
      ],
    ])
      expect((await refusal(`mutation { ${call} }`)).violations).toEqual([
        { parameter: `${parameter}.eventNames`, message: expect.stringContaining('no event') },
      ]);
  });

  test('invalid input is named in the error', async () => {
    const bad = await refuseCreate({
      url: 'http://example.com/hook',
      eventNames: ['Onramp.paid'],
      maxConcurrency: 0,
      maxPerSecond: 1_001,
      description: '',
    });
    expect(bad.code).toBe('INVALID_PARAMETER');
    expect(parametersOf(bad).toSorted()).toEqual([
      'input.description',
      'input.eventNames',
      'input.maxConcurrency',
      'input.maxPerSecond',
      'input.url',
    ]);
    for (const url of ['https://user:pass@example.com/', 'ftp://example.com', 'x'])
      expect(parametersOf(await refuseCreate({ url }))).toEqual(['input.url']);
  });

  test('need the scope admin, and belong to one account', async () => {
    const made = await create();
    const { apiKey } = await app.addKey(shop.accountId, ['read', 'create', 'move']);
    const other = await app.addAccount();
    const actions = [
      ...['removeWebhookEndpoint', 'pauseWebhookEndpoint', 'resumeWebhookEndpoint'].map(
        (name) =>
          `mutation($id: String!) { ${name}(input: { endpointId: $id }) { errors { code message path } } }`,
      ),
      'mutation($id: String!) { updateWebhookEndpoint(input: { endpointId: $id }) { webhookEndpoint { id: endpointId } errors { code message path } } }',
      'mutation($id: String!) { rotateWebhookSecret(input: { endpointId: $id }) { secrets { secret } errors { code message path } } }',
      'mutation($id: String!) { sendTestWebhook(input: { endpointId: $id }) { webhookDelivery { id: deliveryId } errors { code message path } } }',
      'mutation($id: String!) { recoverWebhookEndpoint(input: { endpointId: $id }) { redelivery { matched } errors { code message path } } }',
      'mutation($id: String!) { redeliverWebhooks(input: { filter: { endpointId: $id } }) { redelivery { matched } errors { code message path } } }',
      'query($id: String!) { viewer { account { webhookSecrets(endpointId: $id) { secret } } } }',
    ];
    for (const text of actions) {
      expect((await refusal(text, { id: made.id }, apiKey)).code, text).toBe('FORBIDDEN');
      expect((await refusal(text, { id: made.id }, other.apiKey)).code, text).toBe('NOT_FOUND');
      expect((await refusal(text, { id: 'whe_0000000000000000' })).code, text).toBe('NOT_FOUND');
    }
    expect(await endpoints(other.apiKey)).toEqual([]);
  });

  test('of transactions share a secret', async () => {
    await open(receiver.url(path('one')));
    await open(receiver.url(path('two')));
    await open(receiver.url(path('two')));
    const [one] = (await receiver.until(path('one'), 1)) as [Received];
    const [two] = (await receiver.until(path('two'), 1)) as [Received];
    const [secret] = (await secrets()) as [SecretRow, ...SecretRow[]];
    expectSigned(one, secret.secret);
    expectSigned(two, secret.secret);
    const listed = await endpoints();
    expect(listed).toMatchObject([{ kind: 'TRANSACTION' }, { kind: 'TRANSACTION' }]);
    const refused = await refusal(
      'mutation($id: String!, $url: String!) { updateWebhookEndpoint(input: { endpointId: $id, url: $url }) { webhookEndpoint { id: endpointId } errors { code message path } } }',
      { id: listed[0].id, url: receiver.url('x') },
    );
    expect(parametersOf(refused)).toEqual(['input.url']);
    await actOn('removeWebhookEndpoint', listed[1].id);
    await open(receiver.url(path('two')));
    expect(await endpoints()).toHaveLength(2);
  });
});

test('one can be removed while outcomes of its deliveries are written, without a deadlock', async () => {
  const { id } = await create();
  await actOn('pauseWebhookEndpoint', id);
  await open();
  const waiting = `from webhook_delivery where endpoint_id = '${id}' and state = 'pending'`;
  await eventually(
    'deliveries',
    async () => (await app.owner.query(`select ${waiting}`)).rowCount || undefined,
  );
  const writer = await app.owner.connect();
  const locked: string[] = [];
  try {
    // As it is done for an endpoint that is well: deliveries, and then its turn.
    await writer.query('begin');
    const { rows } = await writer.query(`select id ${waiting} for no key update`);
    locked.push(...rows.map(({ id: delivery }) => delivery));
    const removed = actOn('removeWebhookEndpoint', id);
    await eventually('it waits', async () => {
      const { rowCount } = await app.owner.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rowCount || undefined;
    });
    await writer.query(`update webhook_turn set at = at where endpoint_id = '${id}'; commit`);
    expect((await removed).removedAt).not.toBeNull();
  } finally {
    await writer.query('rollback');
    writer.release();
  }
  // What the relay adds meanwhile is skipped when its turn comes.
  const { rows } = await app.owner.query('select state from webhook_delivery where id = any ($1)', [locked]);
  expect(rows.map(({ state }) => state)).toEqual(locked.map(() => 'skipped'));
});

describe('secrets', () => {
  test('after a rotation requests are signed with both, until the old one expires', async () => {
    const { id } = await create();
    const [old] = (await secrets(id)) as [SecretRow, ...SecretRow[]];
    const rotated = await rotate(id, 3_600);
    expect(rotated).toMatchObject([
      { validUntil: null },
      { secret: old.secret, validUntil: expect.any(String) },
    ]);
    const fresh = rotated[0]?.secret as string;
    await open();
    for (const received of await untilDelivered()) {
      expectSigned(received, old.secret);
      expectSigned(received, fresh);
    }
    await advance(HOUR);
    expect(await secrets(id)).toEqual([{ secret: fresh, validUntil: null }]);
    const before = receiver.at(path()).length;
    await open();
    const later = (await untilDelivered()).slice(before);
    expect(later.length).toBeGreaterThan(0);
    for (const received of later) {
      expectSigned(received, fresh);
      expect(() => expectSigned(received, old.secret)).toThrow();
    }
  });

  test('the old one expires after a day by default, and immediately without an overlap', async () => {
    const { id } = await create();
    const [next] = (await rotate(id, 0)) as [SecretRow, ...SecretRow[]];
    expect(await secrets(id)).toEqual([{ secret: next.secret, validUntil: null }]);
    const [, old] = await rotate(id);
    const inMs = Date.parse(old?.validUntil as string) - (await app.services.clock.nowMs());
    expect(inMs).toBeGreaterThan(DAY - 60_000);
    expect(inMs).toBeLessThanOrEqual(DAY);
    for (const overlapSeconds of [-1, 604_801]) {
      const refused = await refusal(
        'mutation($id: String!, $overlapSeconds: Int!) { rotateWebhookSecret(input: { endpointId: $id, overlapSeconds: $overlapSeconds }) { secrets { secret } errors { code message path } } }',
        { id, overlapSeconds },
      );
      expect(parametersOf(refused)).toEqual(['input.overlapSeconds']);
    }
    for (let n = 2; n < 10; n += 1) await rotate(id);
    expect(await secrets(id)).toHaveLength(10);
    expect(
      (
        await refusal(
          'mutation($id: String!) { rotateWebhookSecret(input: { endpointId: $id }) { secrets { secret } errors { code message path } } }',
          { id },
        )
      ).code,
    ).toBe('INVALID_PARAMETER');
  });
});

describe('deliveries', () => {
  test('are listed with their attempts, by page and by filter, and on their transaction', async () => {
    const { id } = await create();
    const end2end = await open();
    await open();
    await untilDelivered();
    const all = await nodes('(first: 100)');
    expect(all.length).toBe(await eventCount());
    expect(all[0]).toMatchObject({
      state: 'DELIVERED',
      round: 0,
      nextAttemptAt: null,
      endpoint: { id },
      attempts: [{ attempt: 1, status: 200, error: null, answer: 'answer 200' }],
    });
    const paged = [];
    let after = '';
    for (;;) {
      const page = await deliveries(`(first: 2${after})`);
      // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
      paged.push(...page.edges.map(({ node }: any) => node));
      if (!page.pageInfo.hasNextPage) break;
      after = `, after: "${page.pageInfo.endCursor}"`;
    }
    expect(paged).toEqual(all);
    expect(await nodes(`(endpointId: "${id}", states: [DEAD, PENDING])`)).toEqual([]);
    expect(await nodes('(endpointId: "other")')).toEqual([]);
    const own = await ask(
      `{ transaction(end2end: "${end2end}") { deliveries { id: deliveryId transaction { end2end } } } }`,
    );
    expect(own.transaction.deliveries.length).toBeGreaterThan(0);
    for (const each of own.transaction.deliveries) expect(each.transaction.end2end).toBe(end2end);
    const other = await app.addAccount();
    const theirs = await ask(
      '{ viewer { account { webhookDeliveries { edges { node { id } } } } } }',
      {},
      other.apiKey,
    );
    expect(theirs.viewer.account.webhookDeliveries.edges).toEqual([]);
  });

  test('one can be sent again under the same id, but not by another account', async () => {
    await create();
    await open();
    await untilDelivered();
    const [newest] = await nodes();
    const sent = receiver.at(path()).length;
    const text = `mutation($id: String!) { redeliverWebhook(input: { deliveryId: $id }) { webhookDelivery { ${DELIVERY} } errors { code message path } } }`;
    const {
      redeliverWebhook: { webhookDelivery: again },
    } = await ask(text, { id: newest.id });
    expect(again).toMatchObject({ round: 1, eventCursor: newest.eventCursor });
    const received = (await receiver.until(path(), sent + 1)).at(-1) as Received;
    const first = receiver.at(path()).find(({ body }) => body === received.body) as Received;
    expect(received.headers['webhook-id']).toBe(first.headers['webhook-id']);
    const other = await app.addAccount();
    expect((await refusal(text, { id: newest.id }, other.apiKey)).code).toBe('NOT_FOUND');
    expect((await refusal(text, { id: 'x' })).code).toBe('NOT_FOUND');
  });

  test('those of a filter are counted, then sent again', async () => {
    const { id } = await create();
    await open();
    await untilDelivered();
    const count = await eventCount();
    const since = new Date((await app.services.clock.nowMs()) + 1).toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await open();
    await untilDelivered();
    const total = await eventCount();
    const first = (await nodes('(first: 100)')).at(-1);
    const states = ['DELIVERED'];
    expect(await redeliver({})).toMatchObject({ matched: 0, redelivered: 0, lastCursor: null });
    expect(await redeliver({ states, since }, true)).toEqual({
      matched: total - count,
      redelivered: 0,
      lastCursor: null,
    });
    expect(await redeliver({ states, after: first.eventCursor }, true)).toMatchObject({ matched: total - 1 });
    expect(await redeliver({ states, eventNames: ['onramp.refund.error'] }, true)).toMatchObject({
      matched: 0,
    });
    expect(await redeliver({ states, endpointId: id, eventNames: ['onramp*.*.*'] }, true)).toMatchObject({
      matched: total,
    });
    const sent = receiver.at(path()).length;
    expect(await redeliver({ states, since })).toMatchObject({
      matched: total - count,
      redelivered: total - count,
    });
    await receiver.until(path(), sent + total - count);
    await untilDelivered();
    expect(receiver.at(path())).toHaveLength(sent + total - count);
    const refused = await refusal(
      'mutation { redeliverWebhooks(input: { filter: { eventNames: ["x"] } }) { redelivery { matched } errors { code message path } } }',
    );
    expect(parametersOf(refused)).toEqual(['input.filter.eventNames']);
    const cursor = await refusal(
      'mutation { redeliverWebhooks(input: { filter: { after: "x" } }) { redelivery { matched } errors { code message path } } }',
    );
    expect(parametersOf(cursor)).toEqual(['input.filter.after']);
  });

  test('a test is the newest event, marked as a test, and does not count as a failure', async () => {
    const { id } = await create();
    const text = `mutation($id: String!) { sendTestWebhook(input: { endpointId: $id }) { webhookDelivery { ${DELIVERY} } errors { code message path } } }`;
    expect(await refusal(text, { id })).toMatchObject({
      code: 'STEP_CONFLICT',
      message: 'the account has no event yet: make a transaction first',
    });
    await open();
    const sent = (await untilDelivered()).length;
    receiver.answer(path(), { status: 410 });
    const {
      sendTestWebhook: { webhookDelivery: made },
    } = await ask(text, { id });
    expect(made.round).toBe(-1);
    const received = (await receiver.until(path(), sent + 1)).at(-1) as Received;
    expect(received.headers['crossramp-test']).toBe('true');
    expectSigned(received, ((await secrets(id))[0] as SecretRow).secret);
    await eventually('its end', async () => (await nodes())[0].state === 'DEAD' || undefined);
    expect((await endpoints())[0]).toMatchObject({ state: 'ENABLED', consecutiveFailures: 0 });
  });
});

describe('pause and recovery', () => {
  test('failingSince is the time of the first failure in a row, and null after a success', async () => {
    await create();
    expect((await endpoints())[0].failingSince).toBeNull();
    receiver.answer(path(), { status: 500 });
    await open();
    const failing = await eventually('it fails', async () => {
      const [endpoint] = await endpoints();
      return endpoint.failingSince === null ? undefined : endpoint;
    });
    const attempts = (await nodes()).flatMap((delivery: { attempts: { at: string }[] }) => delivery.attempts);
    expect(attempts.map(({ at }: { at: string }) => at)).toContain(failing.failingSince);
    expect(failing).toMatchObject({ state: 'ENABLED', consecutiveFailures: expect.any(Number) });
    await advance(HOUR);
    await eventually('it fails again', async () =>
      (await endpoints())[0].consecutiveFailures > failing.consecutiveFailures ? true : undefined,
    );
    expect((await endpoints())[0].failingSince).toBe(failing.failingSince);
    receiver.answer(path(), { status: 200 });
    await advance(HOUR);
    await untilDelivered();
    expect((await endpoints())[0]).toMatchObject({ failingSince: null, consecutiveFailures: 0 });
  });

  test('events during a pause are sent afterwards, in order', async () => {
    const { id } = await create();
    expect((await actOn('pauseWebhookEndpoint', id)).state).toBe('PAUSED');
    await open();
    const count = await eventCount();
    await eventually('they wait', async () =>
      (await nodes('(states: [PENDING])')).length === count ? true : undefined,
    );
    expect(receiver.at(path())).toEqual([]);
    expect((await actOn('resumeWebhookEndpoint', id)).state).toBe('ENABLED');
    const received = await untilDelivered();
    expect(received.map(({ headers }) => headers['crossramp-sequence'])).toEqual(
      Array.from({ length: count }, (_, at) => String(at + 1)),
    );
  });

  test('recovering a disabled endpoint sends all missed events, and nothing twice', async () => {
    const { id } = await create();
    await open();
    const had = await untilDelivered();
    expect(
      (
        await refusal(
          'mutation($id: String!) { recoverWebhookEndpoint(input: { endpointId: $id }) { redelivery { matched } errors { code message path } } }',
          { id },
        )
      ).code,
    ).toBe('STEP_CONFLICT');
    receiver.answer(path(), { status: 410 });
    await open();
    await eventually('it is disabled', async () =>
      (await endpoints())[0].state === 'DISABLED' ? true : undefined,
    );
    await open();
    await untilDelivered();
    const [disabled] = await endpoints();
    expect(disabled).toMatchObject({ isRecoverable: true, disabledReason: 'the receiver answered 410 Gone' });
    const refused = receiver.at(path()).length;
    receiver.answer(path(), { status: 200 });
    const total = await eventCount();
    const {
      recoverWebhookEndpoint: { redelivery: recovered },
    } = await recover(id);
    expect(recovered).toMatchObject({ matched: total - had.length, redelivered: total - had.length });
    const received = (await receiver.until(path(), refused + total - had.length)).slice(refused);
    await untilDelivered();
    const seqs = received.map(({ headers }) => Number(headers['webhook-id']?.split('_')[1]));
    expect(seqs.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: total - had.length }, (_, at) => had.length + 1 + at),
    );
    expect((await endpoints())[0]).toMatchObject({ state: 'ENABLED', isRecoverable: false });
    await open();
    const last = await untilDelivered();
    expect(last.length).toBe(refused + total - had.length + (await eventCount()) - total);
  });

  test('two parallel recoveries act once, and an endpoint removed before gets no test', async () => {
    const { id } = await create();
    const { id: removed } = await create({ url: receiver.url(path('other')) });
    await open();
    await untilDelivered();
    await app.owner.query(
      `update webhook_endpoint set state = 'disabled', disabled_from_seq = 1 where account_id = $1 and id = $2`,
      [String(shop.accountId), id],
    );
    const action = (name: string, of: string, fields: string) =>
      app.graphql(
        `mutation { ${name}(input: { endpointId: "${of}" }) { ${fields} errors { code message path } } }`,
        {},
        { key: shop.apiKey },
      );
    const held = await holdAccounts(app.owner, shop.accountId);
    const recoveries = [1, 2].map(() => action('recoverWebhookEndpoint', id, 'redelivery { matched }'));
    const removal = action('removeWebhookEndpoint', removed, 'webhookEndpoint { id: endpointId }');
    const trial = action('sendTestWebhook', removed, 'webhookDelivery { id: deliveryId }');
    try {
      await expect.poll(async () => (await app.owner.query(WAITING)).rowCount).toBe(1);
    } finally {
      await held.release();
    }
    const codes = async (answers: readonly ReturnType<typeof action>[]) =>
      (await Promise.all(answers)).map(({ json }) => errorsIn(json)?.[0]?.extensions.code);
    expect((await codes(recoveries)).toSorted()).toEqual(['STEP_CONFLICT', undefined]);
    expect(await codes([removal, trial])).toEqual([undefined, 'STEP_CONFLICT']);
  });

  test('an endpoint resumed without recovery gets only later events', async () => {
    const { id } = await create();
    receiver.answer(path(), { status: 410 });
    await open();
    await eventually('it is disabled', async () =>
      (await endpoints())[0].state === 'DISABLED' ? true : undefined,
    );
    await untilDelivered();
    const before = await eventCount();
    receiver.answer(path(), { status: 200 });
    await actOn('resumeWebhookEndpoint', id);
    await open();
    const received = (await untilDelivered()).slice(1);
    expect(received).toHaveLength((await eventCount()) - before);
    expect((await endpoints())[0].isRecoverable).toBe(true);
  });
});
