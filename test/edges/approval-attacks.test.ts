/**
 * Goal: one person lets nothing out that needs two, whatever they try (C-25, C-40). Method: attacks over HTTP, with many callers at
 * once, with requests that change while they are approved, and from outside of the account; then what left is counted.
 */

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Scope } from '../../src/base/access/api-key.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { useApp } from '../support/app.ts';
import { command } from '../support/command.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { signInAs } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let second: string;
const { ask, refusal, fund, trigger, until } = graphqlClient(app, () => shop.apiKey);
const keyWith = async (...scopes: Scope[]) => (await app.addKey(shop.accountId, scopes)).apiKey;
const fifty = <Each>(make: (index: number) => Each) => Array.from({ length: 50 }, (_, index) => make(index));

beforeEach(async () => {
  shop = await app.addAccount();
  second = await keyWith('read', 'move');
});

describe('C-25: money out that waits', () => {
  const approve = (end2end: string, rest = '') =>
    `mutation { approveMoneyOut(input: { end2end: "${end2end}"${rest} }) { transaction { component state } errors { code message path } } }`;
  const reject = (end2end: string) =>
    `mutation { rejectMoneyOut(input: { end2end: "${end2end}" }) { transaction { component } errors { code message path } } }`;
  const refund = (end2end: string, amount: string) =>
    `mutation { refundPayment(input: { end2end: "${end2end}", amount: "${amount}" }) { transaction { component } errors { code message path } } }`;
  const refunded = async () => {
    const { rows } = await app.owner.query(
      `select brl::text from money_out where account_id = $1 and state <> 'held' order by at`,
      [String(shop.accountId)],
    );
    return rows.map(({ brl }) => Number(brl));
  };

  /** A finished onramp of 550 BRL. */
  async function paid(): Promise<string> {
    const body = {
      amount_payment: 550,
      currency_exit_received_code: 'USDT_TRX',
      client_name: 'Ana Souza',
      client_tax_id: '52998224725',
    };
    const { json } = await app.post('/v2/onramp', body, { key: shop.apiKey });
    await trigger(json.end2end, 'pay');
    await until(json.end2end, 'success/DONE');
    return json.end2end;
  }

  beforeEach(async () => {
    await fund('USDT_TRX', '5000');
    await ask(
      'mutation { updateAccountSettings(input: { approvalAbove: "0" }) { accountSettings { approvalAbove } errors { code message path } } }',
    );
  });

  test('is not approved if its maker has replaced it by another request meanwhile', async () => {
    const end2end = await paid();
    await ask(refund(end2end, '1'));
    const listed = async () =>
      (await ask('{ approvals { brl destination requestedAt } }', {}, second)).approvals[0];
    const read = await listed();
    expect(read).toEqual({ brl: '1', destination: null, requestedAt: expect.any(String) });
    await ask(reject(end2end));
    await ask('mutation { sandboxAdvanceClock(input: { by: "1s" }) { now errors { code message path } } }');
    await ask(refund(end2end, '540'));
    const refused = await refusal(approve(end2end, `, requestedAt: "${read.requestedAt}"`), {}, second);
    expect(refused.code).toBe('STEP_CONFLICT');
    expect(await refunded()).toEqual([]);
    await ask(approve(end2end, `, requestedAt: "${(await listed()).requestedAt}"`), {}, second);
    expect(await refunded()).toEqual([540]);
  });

  test('leaves once when 50 callers approve and reject it in parallel, its maker among them', async () => {
    const end2end = await paid();
    await ask(refund(end2end, '100'));
    const keys = [second, shop.apiKey, await keyWith('read', 'move')];
    const answers = await Promise.all(
      fifty((index) => app.graphql(approve(end2end), {}, { key: keys[index % 3] ?? '' })),
    );
    const done = answers.filter(({ json }) => !errorsIn(json));
    expect([done.length, answers.every(({ status }) => status === 200)]).toEqual([1, true]);
    expect(await refunded()).toEqual([100]);
    await ask(refund(end2end, '50'));
    const mixed = await Promise.all(
      fifty((index) =>
        app.graphql(index % 2 ? approve(end2end) : reject(end2end), {}, { key: keys[index % 3] ?? '' }),
      ),
    );
    const decided = mixed.filter(({ json }) => !errorsIn(json)).flatMap(({ json }) => Object.keys(json.data));
    expect(decided).toHaveLength(1);
    expect(await refunded()).toEqual(decided[0] === 'approveMoneyOut' ? [100, 50] : [100]);
    expect((await verifyLedger(app.database, shop.accountId)).defects).toEqual([]);
  });

  test('of another account looks missing', async () => {
    const end2end = await paid();
    await ask(refund(end2end, '100'));
    const thief = await app.addAccount();
    for (const document of [approve, reject]) {
      const { requestId: _, ...refused } = await refusal(document(end2end), {}, thief.apiKey);
      const { requestId: __, ...missing } = await refusal(document('nothing'), {}, thief.apiKey);
      expect(refused.code).toBe('NOT_FOUND');
      expect(refused).toEqual(missing);
    }
    expect((await ask(`{ approvals(end2end: "${end2end}") { brl } }`, {}, thief.apiKey)).approvals).toEqual(
      [],
    );
    expect(await refunded()).toEqual([]);
  });

  test('C-40: is not approved by its maker in another session, or by a person or key that the maker let in', async () => {
    const email = 'maker@example.com';
    const maker = await signInAs(app, shop.accountId, { email, role: 'owner' });
    const again = await signInAs(app, shop.accountId, { email: 'other@example.com', role: 'owner' });
    const end2end = await paid();
    expect(errorsIn((await maker.graphql(refund(end2end, '100'))).json)).toBeUndefined();
    const { json } = await maker.graphql(
      'mutation { createApiKey(input: { name: "mine", scopes: ["read", "move", "admin"] }) { issuedApiKey { apiKey } errors { code message path } } }',
    );
    const own = json.data.createApiKey.issuedApiKey.apiKey;
    const grandchild = (
      await ask(
        'mutation { createApiKey(input: { name: "x", scopes: ["move"] }) { issuedApiKey { apiKey } errors { code message path } } }',
        {},
        own,
      )
    ).createApiKey.issuedApiKey.apiKey;
    for (const key of [own, grandchild])
      expect((await refusal(approve(end2end), {}, key)).code).toBe('FORBIDDEN');
    expect(errorsIn((await maker.graphql(approve(end2end))).json)[0].extensions.code).toBe('FORBIDDEN');
    expect(await refunded()).toEqual([]);
    expect(errorsIn((await again.graphql(approve(end2end))).json)).toBeUndefined();
    expect(await refunded()).toEqual([100]);
  });
});

describe('C-25: actions of the platform', () => {
  let platform: bigint;
  let other: string;
  beforeAll(async () => {
    platform = await platformAccount(app.database, 'sandbox');
    other = (await app.addKey(platform, ['read', 'platform:books', 'platform:risk'])).apiKey;
  });

  const approve = (id: string) =>
    `mutation { approveJournal(input: { proposalId: "${id}" }) { manualJournal { id: proposalId state } errors { code message path } } }`;
  const posted = async (id: string) =>
    (
      await app.owner.query('select count(*)::int as n from journal where account_id = $1 and ref = $2', [
        String(platform),
        `manual:${id}`,
      ])
    ).rows[0].n;
  const book = async (key: string) =>
    (
      await ask(
        'mutation { bookCapital(input: { currency: "BRL", amount: "40", direction: IN }) { manualJournal { id: proposalId } errors { code message path } } }',
        {},
        key,
      )
    ).bookCapital.manualJournal.id;

  test('capital is posted once when 50 callers approve it in parallel, together with the command line', async () => {
    const id = await book(app.platformKey);
    const env = { DATABASE_URL: app.url };
    const [typed, ...answers] = await Promise.all([
      command(env, 'journal', 'approve', id, '--json'),
      ...fifty((index) => app.graphql(approve(id), {}, { key: index % 2 ? other : app.platformKey })),
    ]);
    const done = answers.filter(({ json }) => !errorsIn(json)).length + (typed?.code === 0 ? 1 : 0);
    expect([done, await posted(id)]).toEqual([1, 1]);
    expect((await verifyLedger(app.database, platform)).defects).toEqual([]);
  });

  test('capital that the command line proposed is not approved by it, whoever the user is', async () => {
    const env = { DATABASE_URL: app.url };
    const proposed = await command(
      env,
      ...['capital', 'book', '--currency', 'BRL', '--amount', '7', '--direction', 'out', '--json'],
    );
    expect(proposed.code, proposed.stderr).toBe(0);
    const { id } = JSON.parse(proposed.stdout);
    const approved = await command(env, 'journal', 'approve', id);
    expect([approved.code, await posted(id)]).toEqual([1, 0]);
    expect((await refusal(approve(id))).code).toBe('FORBIDDEN');
    await ask(approve(id), {}, other);
    expect(await posted(id)).toBe(1);
  });

  test('money in suspense is credited to one account when 50 callers decide about it through every interface', async () => {
    const body = {
      amount_payment: 60,
      currency_exit_received_code: 'USDT_TRX',
      client_name: 'Ana Souza',
      client_tax_id: '52998224725',
    };
    const { json } = await app.post('/v2/onramp', body, { key: shop.apiKey });
    await trigger(json.end2end, 'pay');
    await until(json.end2end, 'success/DONE');
    await trigger(json.end2end, 'pay');
    const { id } = (await ask('{ suspense { nodes { id: suspenseId } } }')).suspense.nodes[0];
    const thief = await app.addAccount();
    const decide = (action: string, account?: bigint) =>
      `mutation { ${action}(input: { suspenseId: "${id}"${account ? `, account: "${account}"` : ''}, reason: "checked" }) { suspenseEntry { state } errors { code message path } } }`;
    await ask(decide('assignSuspense', thief.accountId), {}, app.platformKey);
    const missing = await refusal(decide('approveSuspense', thief.accountId), {}, thief.apiKey);
    expect(missing.code).toBe('FORBIDDEN');
    const ways = [
      () => app.graphql(decide('approveSuspense', thief.accountId), {}, { key: other }),
      () => app.graphql(decide('approveSuspense', thief.accountId), {}, { key: app.platformKey }),
      () => app.graphql(decide('assignSuspense', shop.accountId), {}, { key: app.platformKey }),
      () => app.graphql(decide('assignSuspense', thief.accountId), {}, { key: app.platformKey }),
      () => app.graphql(decide('returnSuspense'), {}, { key: other }),
    ];
    await Promise.all(fifty((index) => ways[index % ways.length]?.()));
    const { rows } = await app.owner.query(
      `select account_id = $1 as "isOwn", count(*)::int as n from journal where name in ('L38', 'L53', 'L40')
        and account_id = any ($2) and ref like 'suspense:' || $3 || ':%' group by 1`,
      [String(shop.accountId), [String(shop.accountId), String(thief.accountId)], id],
    );
    const { state } = (await app.owner.query('select state from suspense_entry where id = $1', [id])).rows[0];
    expect(['assigned', 'returning', 'returned']).toContain(state);
    const credited = rows.filter(({ n }) => n > 0).length;
    expect(credited).toBeLessThanOrEqual(state === 'assigned' ? 2 : 0);
    for (const account of [shop.accountId, thief.accountId])
      expect((await verifyLedger(app.database, account)).defects).toEqual([]);
  });
});
