/**
 * Goal: `crossramp webhook` has the described effects, and refuses in one line. Method: the command, on a
 * database.
 */
import { beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../src/store/account/accounts.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { command } from '../support/command.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();
let account = '';

beforeAll(async () => {
  const templates = REGISTRY.templates.map(({ name }) => name);
  account = String(await createAccount(store.database, 'Shop', { templates }));
});

const webhook = (...args: string[]) =>
  command({ DATABASE_URL: store.url }, 'webhook', ...args, '--account', account, '--json');

test('an endpoint is added, listed, paused, resumed, and its secret rotated', async () => {
  const made = JSON.parse(
    (await webhook('create', '--url', 'https://hooks.example.com/a', '--events', 'onramp.*.paid')).stdout,
  );
  expect(made).toEqual({ id: expect.stringMatching(/^whe_/), secret: expect.stringMatching(/^whsec_/) });
  const states = async () =>
    JSON.parse((await webhook('list')).stdout).map(({ id, state }: { id: string; state: string }) => [
      id,
      state,
    ]);
  expect(await states()).toEqual([[made.id, 'enabled']]);
  await webhook('pause', made.id);
  expect(await states()).toEqual([[made.id, 'paused']]);
  await webhook('resume', made.id);
  expect(await states()).toEqual([[made.id, 'enabled']]);
  const secrets = JSON.parse((await webhook('secret', made.id, '--rotate')).stdout);
  expect(secrets.map(({ validUntil }: { validUntil: string | null }) => validUntil === null)).toEqual([
    true,
    false,
  ]);
  expect(secrets[1]).toEqual({
    secret: made.secret,
    validUntil: expect.stringMatching(/^\d{4}-.+T.+\.\d{3}Z$/),
  });
  expect(JSON.parse((await webhook('redeliver', '--count')).stdout)).toEqual({ matched: 0, redelivered: 0 });
}, 120_000);

test('C-61: every form of a name in the help is accepted, and means the same everywhere', async () => {
  const names = 'onramp.*.paid, onramp.*, *.success.done';
  const { id } = JSON.parse(
    (await webhook('create', '--url', 'https://hooks.example.com/b', '--events', names)).stdout,
  );
  const { rows } = await store.owner.query('select event_names from webhook_endpoint where id = $1', [id]);
  expect(rows[0].event_names).toEqual(['onramp.*.paid', 'onramp.*.*', '*.success.done']);
}, 60_000);

test('C-64: a command on a removed endpoint reports that it was removed', async () => {
  const { id } = JSON.parse((await webhook('create', '--url', 'https://hooks.example.com/c')).stdout);
  await store.owner.query('update webhook_endpoint set removed_at = now() where id = $1', [id]);
  for (const args of [
    ['pause', id],
    ['resume', id],
    ['recover', id],
    ['redeliver', '--endpoint', id],
  ]) {
    const { code, stderr } = await webhook(...args);
    expect([code, stderr]).toEqual([1, 'crossramp: the endpoint was removed\n']);
  }
}, 60_000);

test.each<[string[], RegExp, number?]>([
  [['create', '--url', 'ftp://x'], /url: must be an https URL/, 2],
  [['create', '--url', 'https://a.example', '--template', 'none'], /--template: must be one of .*onramp/, 2],
  [['pause', 'whe_none'], /the path or record does not exist/],
  [['redeliver', '--since', 'yesterday'], /--since: must be an instant/, 2],
])(
  '%j fails with one clear line',
  async (args, line, exitCode = 1) => {
    const { code, stderr } = await webhook(...args);
    expect(stderr).toMatch(line);
    expect(code).toBe(exitCode);
  },
  60_000,
);

test('deliveries are listed by endpoint and state, newest first, with the answer to the last attempt', async () => {
  const { id } = JSON.parse((await webhook('create', '--url', 'https://hooks.example.com/d')).stdout);
  await store.owner.query(
    `insert into webhook_delivery (account_id, endpoint_id, event_seq, transaction_id, state, attempts, due_at, created_at, ended_at)
     values ($1, $2, 1, 1, 'dead', 10, now(), now(), now()), ($1, $2, 2, 1, 'pending', 1, now(), now(), null)`,
    [account, id],
  );
  const { rows } = await store.owner.query(
    'select id from webhook_delivery where endpoint_id = $1 order by id',
    [id],
  );
  const [dead, pending] = rows.map(({ id: each }: { id: string }) => each);
  await store.owner.query(
    `insert into webhook_attempt (account_id, delivery_id, attempt, at, duration_ms, status, error)
     values ($1, $2, 9, now(), 5, null, 'no answer'), ($1, $2, 10, now(), 5, 503, null)`,
    [account, dead],
  );
  const listed = async (...args: string[]) => JSON.parse((await webhook('deliveries', ...args)).stdout);
  expect(await listed('--endpoint', id)).toMatchObject([
    { id: pending, state: 'pending', due: expect.any(String), ended: null, status: null },
    { id: dead, state: 'dead', attempts: 10, due: null, ended: expect.any(String), status: 503, error: null },
  ]);
  expect(await listed('--endpoint', id, '--limit', '1')).toHaveLength(1);
  expect((await listed('--state', 'dead')).map((each: { id: string }) => each.id)).toEqual([dead]);
  expect(await listed('--state', 'skipped')).toEqual([]);
  expect((await webhook('deliveries', '--endpoint', 'whe_none')).code).toBe(1);
}, 60_000);
