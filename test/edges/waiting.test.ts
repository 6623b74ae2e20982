/**
 * C-22, C-40: what waits for a person: approvals and who may give them, what screening holds, counts of all of it; `awaitingMe` of
 * the lists; and what came in and went out by the ledger.
 */

import { pino } from 'pino';
import { beforeAll, expect, test } from 'vitest';
import { settle } from '../../src/resolvers/engine/run-jobs.ts';
import { useApp } from '../support/app.ts';
import { fundAccount } from '../support/fund-account.ts';
import { errorsIn } from '../support/refusals.ts';
import { GROUP, whitelist } from '../support/rest-routes.ts';

const app = useApp();
const LOG = pino({ level: 'silent' });
const WALLET = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';

let shop: { accountId: bigint; apiKey: string; keyId: string };
let second: { apiKey: string; keyId: string };
let reader: { apiKey: string };

async function query(query: string, key = shop.apiKey, variables: Record<string, unknown> = {}) {
  const { json } = await app.graphql(query, variables, { key });
  expect(errorsIn(json), query).toBeUndefined();
  return json.data;
}

beforeAll(async () => {
  shop = await app.addAccount();
  second = await app.addKey(shop.accountId, ['read', 'move']);
  reader = await app.addKey(shop.accountId, ['read']);
  await query(
    'mutation { updateAccountSettings(input: { whitelistCoolingSeconds: 0, approvalAbove: "100" }) { accountSettings { approvalAbove } errors { code message path } } }',
  );
  for (const [currency, amount] of [
    ['USDT_TRX', '500'],
    ['BRL', '1000'],
  ])
    await query(
      'mutation ($c: String!, $a: Decimal!) { sandboxFund(input: { currency: $c, amount: $a }) { funding { __typename } errors { code message path } } }',
      shop.apiKey,
      {
        c: currency,
        a: amount,
      },
    );
});

const APPROVALS = '{ approvals { requestedBy mayApprove whyNot transaction { end2end component } } }';
const AWAITING = '{ transactions(filter: { awaitingMe: true }) { totalCount nodes { end2end } } }';
const COUNTS =
  '{ attention { approvals heldDeposits holds stepUps failedRefunds suspense disabledWebhookEndpoints failedJobs expiringKeys } }';
const NOTHING = {
  approvals: 0,
  heldDeposits: 0,
  holds: 0,
  stepUps: 0,
  failedRefunds: 0,
  suspense: 0,
  disabledWebhookEndpoints: 0,
  failedJobs: 0,
  expiringKeys: 0,
};

async function withdrawal(notes: string): Promise<string> {
  const {
    createWhitelistGroup: { whitelistGroup: group },
  } = await query(
    'mutation { createWhitelistGroup(input: { name: "t" }) { whitelistGroup { id: groupId } errors { code message path } } }',
  );
  await query(
    `mutation ($id: String!) { addWhitelistEntry(input: { groupId: $id, target: { wallet: { network: "TRX", address: "${WALLET}" } } }) { whitelistEntry { id: entryId } errors { code message path } } }`,
    shop.apiKey,
    { id: group.id },
  );
  const { createWithdrawal } = await query(
    'mutation ($input: CreateWithdrawalInput!) { createWithdrawal(input: $input) { transaction { end2end } errors { code message path } } }',
    shop.apiKey,
    { input: { amountReceived: '30', currency: 'USDT_TRX', groupId: group.id, notes } },
  );
  await settle(app.services, LOG, { mode: 'sandbox' });
  return createWithdrawal.transaction.end2end;
}

test('an approval waits for the second key, not for the requester, nor for one that only reads', async () => {
  expect((await query(COUNTS)).attention).toEqual(NOTHING);
  const end2end = await withdrawal('rent');
  const transaction = { end2end, component: 'approval_withdrawl_dash' };
  const seen = async (key: string) => (await query(APPROVALS, key)).approvals;
  const waiting = { requestedBy: shop.keyId, transaction };
  expect(await seen(second.apiKey)).toEqual([{ ...waiting, mayApprove: true, whyNot: null }]);
  expect(await seen(shop.apiKey)).toEqual([{ ...waiting, mayApprove: false, whyNot: 'SAME_MAKER' }]);
  expect(await seen(reader.apiKey)).toEqual([{ ...waiting, mayApprove: false, whyNot: 'SCOPE' }]);

  const awaiting = async (key: string) => (await query(AWAITING, key)).transactions.nodes;
  expect(await awaiting(second.apiKey)).toEqual([{ end2end }]);
  expect(await awaiting(shop.apiKey)).toEqual([]);
  expect(await awaiting(reader.apiKey)).toEqual([]);
  expect((await query(COUNTS)).attention).toEqual({ ...NOTHING, approvals: 1 });

  // Of one withdrawal, with the name of who asked, as it is now.
  const one = async (id: string) =>
    (await query(`{ approvals(end2end: ${JSON.stringify(id)}) { requestedByName mayApprove } }`)).approvals;
  const { apiKeys } = await query('{ apiKeys { keyId name } }');
  const { name } = apiKeys.find(({ keyId }: { keyId: string }) => keyId === shop.keyId);
  expect(await one(end2end)).toEqual([{ requestedByName: name, mayApprove: false }]);
  for (const id of ['CRX00', '', '\u0000']) expect(await one(id)).toEqual([]);

  await query(
    `mutation { approveWithdrawal(input: { end2end: "${end2end}" }) { transaction { end2end } errors { code message path } } }`,
    second.apiKey,
  );
  await expect
    .poll(
      async () =>
        (await query(`{ transaction(end2end: "${end2end}") { statusCode } }`)).transaction.statusCode,
      { timeout: 20_000 },
    )
    .toBe('SUCCESS');
  expect(await seen(second.apiKey)).toEqual([]);
  expect(await awaiting(second.apiKey)).toEqual([]);
});

test('C-40: a withdrawal above a ceiling waits no more for a key that has approved it, nor for one that this key made', async () => {
  const { accountId, apiKey } = await app.addAccount();
  const keys = [];
  for (let index = 0; index < 3; index += 1) keys.push(await app.addKey(accountId, ['read', 'move']));
  const [one, made, other] = keys.map(({ apiKey: key }) => key);
  await app.owner.query('update api_key set made_by = $1 where id = $2', [keys[0]?.keyId, keys[1]?.keyId]);
  await fundAccount(app.database, accountId, { currency: 'USDT_TRX', amount: '500' });
  await query(
    'mutation { updateAccountSettings(input: { outflowPerHour: "50" }) { errors { code message path } } }',
    apiKey,
  );
  await whitelist(app, accountId, GROUP, [{ network: 'TRX', target: WALLET }]);
  const { createWithdrawal } = await query(
    `mutation { createWithdrawal(input: { amountReceived: "30", currency: "USDT_TRX", groupId: "${GROUP}" }) { transaction { end2end } errors { code message path } } }`,
    apiKey,
  );
  const { end2end } = createWithdrawal.transaction;
  const awaiting = async (key = '') => (await query(AWAITING, key)).transactions.nodes;
  for (const key of [one, made, other]) expect(await awaiting(key)).toEqual([{ end2end }]);
  await query(
    `mutation { approveWithdrawal(input: { end2end: "${end2end}" }) { transaction { end2end } errors { code message path } } }`,
    one,
  );
  expect([await awaiting(one), await awaiting(made), await awaiting(other)]).toEqual([[], [], [{ end2end }]]);
});

test('held transactions are seen by their account and by the operator, and by no other account', async () => {
  await query(
    'mutation { updateAccountSettings(input: { approvalAbove: null }) { accountSettings { approvalAbove } errors { code message path } } }',
  );
  const end2end = await withdrawal('rent sandbox:hold');
  const HOLDS = '{ holds { account heldSince transaction { end2end statusCode } } }';
  const held = [
    {
      account: String(shop.accountId),
      heldSince: expect.stringMatching(/^20/),
      transaction: { end2end, statusCode: 'PENDING' },
    },
  ];
  expect((await query(HOLDS)).holds).toEqual(held);
  expect((await query(HOLDS, app.platformKey)).holds).toEqual(held);
  const other = await app.addAccount();
  expect((await query(HOLDS, other.apiKey)).holds).toEqual([]);
  expect((await query(COUNTS)).attention).toMatchObject({ holds: 1 });
  // What is counted is listed by its own filter, whoever decides.
  const list = (wait: string) =>
    `{ transactions(filter: { waitsFor: ${wait} }) { totalCount nodes { end2end } } }`;
  expect((await query(list('HOLD'))).transactions).toEqual({ totalCount: 1, nodes: [{ end2end }] });
  for (const wait of ['HELD_DEPOSIT', 'STEP_UP'])
    expect((await query(list(wait))).transactions).toEqual({ totalCount: 0, nodes: [] });
  const file = (wait: string) =>
    fetch(`${app.baseUrl}/export/transactions?format=jsonl&waits_for=${wait}`, {
      headers: { authorization: `Bearer ${shop.apiKey}` },
    });
  expect((await (await file('hold')).text()).match(/"end2end":"CRX/g)).toHaveLength(1);
  expect((await file('x')).status).toBe(400);
});

test('returns that failed, and jobs that are retried, are listed by the filter of their count', async () => {
  const seen = async (wait: string) =>
    (
      await query(
        `{ transactions(filter: { waitsFor: ${wait} }) { totalCount totalIsExact nodes { end2end } } }`,
      )
    ).transactions;
  const nothing = { totalCount: 0, totalIsExact: true, nodes: [] };
  expect([await seen('FAILED_REFUND'), await seen('FAILED_JOB')]).toEqual([nothing, nothing]);
  const ordered = await query(
    'mutation ($input: CreateOnrampInput!) { createOnramp(input: $input) { transaction { end2end } errors { code message path } } }',
    shop.apiKey,
    {
      input: {
        amount: { brl: '550.00' },
        currency: 'USDT_TRX',
        clientName: 'Ana Souza',
        clientTaxId: '529.982.247-25',
      },
    },
  );
  const { end2end } = ordered.createOnramp.transaction;
  const play = (scenario: string) =>
    query(
      'mutation ($id: String!, $s: SandboxScenarioName!) { sandboxTrigger(input: { end2end: $id, scenario: $s }) { transaction { end2end } errors { code message path } } }',
      shop.apiKey,
      {
        id: end2end,
        s: scenario,
      },
    );
  await play('REFUND_FAIL');
  await play('PAY_UNDER');
  await settle(app.services, LOG, { mode: 'sandbox' });
  await expect.poll(async () => (await query(COUNTS)).attention.failedRefunds, { timeout: 20_000 }).toBe(1);
  const one = { totalCount: 1, totalIsExact: true, nodes: [{ end2end }] };
  expect(await seen('FAILED_REFUND')).toEqual(one);
  // A job of it that fails, as the worker writes it down.
  await app.database.query(
    {
      name: '',
      text: `insert into job (account_id, transaction_id, kind, payload, due_at, attempts, last_error)
        select account_id, id, 'swap', '{}', 'infinity', 1, 'the rail does not answer' from transaction where end2end = $1`,
    },
    [end2end],
  );
  expect((await query(COUNTS)).attention.failedJobs).toBe(1);
  expect(await seen('FAILED_JOB')).toEqual(one);
});

test('a withdrawal that was approved and is held by screening is seen as held, and counted', async () => {
  await query(
    'mutation { updateAccountSettings(input: { approvalAbove: "100" }) { accountSettings { approvalAbove } errors { code message path } } }',
  );
  const before = (await query(COUNTS)).attention;
  const end2end = await withdrawal('rent sandbox:hold');
  expect((await query(COUNTS)).attention).toEqual({ ...before, approvals: 1 });
  await query(
    `mutation { approveWithdrawal(input: { end2end: "${end2end}" }) { transaction { end2end } errors { code message path } } }`,
    second.apiKey,
  );
  await settle(app.services, LOG, { mode: 'sandbox' });
  const held = async (key: string) =>
    (await query('{ holds { transaction { end2end component state } } }', key)).holds.map(
      (each: { transaction: object }) => each.transaction,
    );
  const transaction = { end2end, component: 'compliance', state: 'UNCOMPLIANT' };
  expect(await held(shop.apiKey)).toContainEqual(transaction);
  expect(await held(app.platformKey)).toContainEqual(transaction);
  expect((await query(COUNTS)).attention).toEqual({ ...before, holds: before.holds + 1 });
});

test('keys that expire soon, disabled endpoints and failed jobs are counted', async () => {
  const { apiKey, accountId } = await app.addAccount();
  await query(apiKey).catch(() => {});
  await app.owner.query(
    `insert into api_key (account_id, id, name, hash, hint, mode, scopes, expires_at)
       values ($1, 'soon', 'soon', sha256('soon'), 'hint', 'test', '{read}', now() + interval '3 days'),
              ($1, 'later', 'later', sha256('later'), 'hint', 'test', '{read}', now() + interval '90 days'),
              ($1, 'gone', 'gone', sha256('gone'), 'hint', 'test', '{read}', now() - interval '1 day')`,
    [String(accountId)],
  );
  await app.owner.query(
    `insert into webhook_endpoint (account_id, id, url, kind, state, disabled_reason, created_at) values ($1, 'we', 'https://a.invalid', 'general', 'disabled', 'x', now())`,
    [String(accountId)],
  );
  expect((await query(COUNTS, apiKey)).attention).toEqual({
    ...NOTHING,
    expiringKeys: 1,
    disabledWebhookEndpoints: 1,
  });
});

test('flows are the money in and out of the ledger; moves between parts of the balance are neither', async () => {
  const flows = async (key = shop.apiKey) =>
    (await query('{ flows(hours: 24) { currency { code } in out } }', key)).flows.map(
      (each: { currency: { code: string }; in: string; out: string }) => [
        each.currency.code,
        each.in,
        each.out,
      ],
    );
  // 30 left for the wallet; twice 30 are held, which is a move within the balance.
  expect(await flows()).toEqual([
    ['BRL', '1000', '0'],
    ['USDT_TRX', '500', '30'],
  ]);
  expect(await flows((await app.addAccount()).apiKey)).toEqual([]);
  for (const hours of [0, 745]) {
    const { json } = await app.graphql(`{ flows(hours: ${hours}) { in } }`);
    expect(JSON.stringify(errorsIn(json))).toContain('"parameter":"hours"');
  }
});
