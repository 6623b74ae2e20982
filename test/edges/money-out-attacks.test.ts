/**
 * Goal: somebody who knows the interfaces and the table of money out moves nothing past the rule (C-25, C-40). Method: attacks with real
 * keys and people: other interfaces, replaced keys and people, changes between a request and its approval, keys of requests used again.
 */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Scope } from '../../src/base/access/api-key.ts';
import { acceptLink } from '../../src/resolvers/people/links.ts';
import { verifyMoneyOut } from '../../src/store/engine/verify-money-out.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { type SignedInForTest, signInAs, tokenOf } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';
import { GROUP, whitelist } from '../support/rest-routes.ts';

const app = useApp({ rateLimit: null });
const ADDRESS = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
const PERSON = { clientName: 'Ana Souza', clientTaxId: '52998224725' };
const PAYEE = { ...PERSON, pixKey: 'ana@example.com', pixKeyType: 'EMAIL' };
let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, refusal, create, fund, trigger, stepNow } = graphqlClient(app, () => shop.apiKey);

beforeEach(async () => {
  shop = await app.addAccount();
  await fund('USDT_TRX', '5000');
});

const keyWith = async (...scopes: Scope[]) => app.addKey(shop.accountId, scopes);
const limit = (input: string) =>
  ask(`mutation { updateAccountSettings(input: { ${input} }) { errors { code message path } } }`);
const reach = (end2end: string, step: string) =>
  vi.waitFor(async () => expect(await stepNow(end2end)).toBe(step), { timeout: 30_000 });
const offramp = async (more: object = {}): Promise<string> => {
  const input = {
    currency: 'USDT_TRX',
    amount: { brl: '100' },
    from: 'BALANCE',
    accept: true,
    ...PAYEE,
    ...more,
  };
  return (await create('createOfframp', input)).transaction.end2end;
};
const heldDeposit = async (): Promise<string> => {
  const end2end = await offramp({ from: 'EXTERNAL' });
  await reach(end2end, 'crypto_deposit/WAITING_DEPOSIT');
  await trigger(end2end, 'deposit-wrong');
  await reach(end2end, 'crypto_deposit/UNDERPAID');
  return end2end;
};
const approve = (end2end: string) =>
  `mutation { approveMoneyOut(input: { end2end: "${end2end}" }) { transaction { component state } errors { code message path } } }`;
const codeOf = async (query: string, key: string): Promise<string | undefined> =>
  errorsIn((await app.graphql(query, {}, { key })).json)?.[0].extensions.code;
const left = async (): Promise<string> => {
  expect(await verifyMoneyOut(app.database, shop.accountId)).toEqual([]);
  const { rows } = await app.owner.query(
    `select coalesce(sum(brl), 0)::text as brl from money_out where account_id = $1 and state <> 'held'`,
    [String(shop.accountId)],
  );
  return rows[0].brl;
};
const advance = (by: string) =>
  ask(`mutation { sandboxAdvanceClock(input: { by: "${by}" }) { now errors { code message path } } }`);

describe('C-25: other interfaces', () => {
  test('fifty payouts in one document pass the threshold no more than fifty documents', async () => {
    await limit('approvalAbove: "250"');
    const fields = Array.from(
      { length: 50 },
      (_, n) =>
        `a${n}: createOfframp(input: { currency: "USDT_TRX", amount: { brl: "15.79" }, from: BALANCE, accept: true, pixKey: "ana@example.com", pixKeyType: EMAIL, clientName: "Ana", clientTaxId: "52998224725" }) { transaction { component } errors { code } }`,
    );
    for (let at = 0; at < fields.length; at += 10)
      await app.graphql(`mutation { ${fields.slice(at, at + 10).join(' ')} }`, {}, { key: shop.apiKey });
    expect(Number(await left())).toBeGreaterThan(0);
    expect(Number(await left())).toBeLessThanOrEqual(250);
  });

  test('a payment page sends a held deposit to its sender only, and opens nothing of the balance', async () => {
    const sessionOf = async (end2end: string) =>
      (
        await app.owner.query(`select process ->> 'session' as token from transaction where end2end = $1`, [
          end2end,
        ])
      ).rows[0].token;
    const post = (token: string, action: string, form: Record<string, string>) =>
      fetch(`${app.baseUrl}/pay/${token}/${action}`, {
        ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams(form) },
        headers: { 'sec-fetch-site': 'same-origin', origin: app.baseUrl },
      });
    const quote = await sessionOf(await offramp({ accept: false }));
    for (const action of ['accept', 'identity', 'renew', 'refund', 'requote'])
      expect((await post(quote, action, { ...PAYEE, mine: 'yes', address: ADDRESS })).status).toBe(404);
    const end2end = await heldDeposit();
    await post(await sessionOf(end2end), 'refund', { mine: 'yes', address: ADDRESS });
    const { rows } = await app.owner.query(
      `select process ->> 'refundAddress' = deposit_from as "isSender", process ->> 'refundAddress' = $2 as "isElsewhere" from transaction where end2end = $1`,
      [end2end, ADDRESS],
    );
    expect([rows, await left()]).toEqual([[{ isSender: true, isElsewhere: false }], '0']);
  });

  test('refused destinations in a batch stop none of the others, and pass with none of them', async () => {
    await limit('whitelistCoolingSeconds: 3600');
    await whitelist(app, shop.accountId, GROUP, [{ pixKeyType: 'email', target: PAYEE.pixKey }]);
    const body = (key: string) => ({
      ...{ amount_sent: '10.01', currency_entry_paid_code: 'USDT_TRX' },
      ...{ client_name: 'Ana', client_tax_id: '52998224725', pix_key: key, pix_key_type: 'email' },
    });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        app.post('/v2/offramp', body(n % 2 ? PAYEE.pixKey : `thief${n}@example.com`), { key: shop.apiKey }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, n) => (n % 2 ? 201 : 422)));
    expect(Number(await left())).toBe(250.25);
  });
});

describe('C-25: between a request and its approval', () => {
  let second: string;
  beforeEach(async () => {
    second = (await keyWith('read', 'move')).apiKey;
  });

  test('the payee of a payout that waits cannot be replaced', async () => {
    await limit('approvalAbove: "0"');
    const end2end = await offramp({
      pixKey: undefined,
      pixKeyType: undefined,
      clientName: undefined,
      clientTaxId: undefined,
    });
    const name = (key: string) =>
      `mutation { provideIdentity(input: { end2end: "${end2end}", pixKey: "${key}", pixKeyType: EMAIL, clientName: "Ana", clientTaxId: "52998224725" }) { errors { code message path } } }`;
    await ask(name('ana@example.com'));
    expect((await refusal(name('thief@example.com'))).code).toBe('STEP_CONFLICT');
    await ask(approve(end2end), {}, second);
    const { rows } = await app.owner.query('select pix_key from transaction where end2end = $1', [end2end]);
    expect(rows).toEqual([{ pix_key: 'ana@example.com' }]);
  });

  test('a price that was accepted late is not approved after its lock', async () => {
    await limit('approvalAbove: "0"');
    const end2end = await offramp();
    await advance('31m');
    expect(await codeOf(approve(end2end), second)).toBe('STEP_CONFLICT');
    expect(await left()).toBe('0');
  });

  test('a lower ceiling holds what waits already, and a destination that was taken off the whitelist is refused', async () => {
    await limit('approvalAbove: "0"');
    const [payout, deposit] = [await offramp(), await heldDeposit()];
    await ask(
      `mutation { resolveDeposit(input: { end2end: "${deposit}", resolution: REFUND, address: "${ADDRESS}" }) { errors { code message path } } }`,
    );
    await limit('outflowPerHour: "50"');
    await ask(approve(payout), {}, second);
    expect([await stepNow(payout), await left()]).toEqual(['quote/QUOTE', '0']);
    await limit('whitelistCoolingSeconds: 3600');
    const third = (await keyWith('read', 'move')).apiKey;
    await app.owner.query(`update api_key set created_at = now() - interval '2 days' where account_id = $1`, [
      String(shop.accountId),
    ]);
    for (const end2end of [payout, deposit])
      expect(await codeOf(approve(end2end), third)).toBe('ADDRESS_NOT_WHITELISTED');
    expect(await left()).toBe('0');
  });

  test('a key or person whose access has ended lifts no ceiling with one more', async () => {
    await limit('outflowPerHour: "50"');
    await whitelist(app, shop.accountId, GROUP, [{ network: 'TRX', target: ADDRESS }]);
    const stolen = await keyWith('read', 'move');
    const person = (n: number) =>
      signInAs(app, shop.accountId, { email: `p${n}-${shop.accountId}@shop.invalid`, role: 'finance' });
    const [leaver, demoted] = [await person(1), await person(2)];
    const input = { amountReceived: '20', currency: 'USDT_TRX', groupId: GROUP };
    const withdrawal = (await create('createWithdrawal', input)).transaction.end2end;
    const all = [await offramp(), await offramp(), await offramp(), withdrawal];
    for (const end2end of [all[0], withdrawal]) await ask(approve(end2end), {}, stolen.apiKey);
    for (const [index, each] of [leaver, demoted].entries())
      expect(errorsIn((await each.graphql(approve(all[index + 1]))).json)).toBeUndefined();
    for (const end of [
      `revokeApiKey(input: { keyId: "${stolen.keyId}" })`,
      `removeMember(input: { personId: "${leaver.personId}" })`,
      `changeMemberRole(input: { personId: "${demoted.personId}", role: DEVELOPER })`,
    ])
      await ask(`mutation { ${end} { errors { code message path } } }`);
    for (const end2end of all) await ask(approve(end2end), {}, second);
    expect(await left()).toBe('0');
    const { approvals } = await ask('{ approvals { approvalsNeeded } }', {}, second);
    expect(approvals).toEqual(all.map(() => ({ approvalsNeeded: 1 })));
    const third = (await keyWith('read', 'move')).apiKey;
    for (const end2end of all) await ask(approve(end2end), {}, third);
    expect(Number(await left())).toBeGreaterThan(400);
  });

  test('an approval by a key that was replaced since still counts', async () => {
    await limit('outflowPerHour: "50"');
    const first = await keyWith('read', 'move');
    const end2end = await offramp();
    await ask(approve(end2end), {}, first.apiKey);
    await ask(
      `mutation { rotateApiKey(input: { keyId: "${first.keyId}", overlapSeconds: 0 }) { errors { code message path } } }`,
    );
    await ask(approve(end2end), {}, second);
    expect(await left()).toBe('100');
  });
});

describe('C-40: one person', () => {
  test('approves nothing by the key of somebody else that they replaced', async () => {
    await limit('approvalAbove: "0"');
    const other = await keyWith('read', 'move');
    const { rotateApiKey } = await ask(
      `mutation { rotateApiKey(input: { keyId: "${other.keyId}" }) { issuedApiKey { apiKey } errors { code message path } } }`,
    );
    const end2end = await offramp();
    expect(await codeOf(approve(end2end), rotateApiKey.issuedApiKey.apiKey)).toBe('FORBIDDEN');
    expect(await left()).toBe('0');
  });

  test('approves nothing as a person who was confirmed, removed, and invited again', async () => {
    await limit('approvalAbove: "0"');
    const email = `again${shop.accountId}@shop.invalid`;
    const maker = await signInAs(app, shop.accountId, {
      email: `m${shop.accountId}@shop.invalid`,
      role: 'owner',
    });
    const other = await signInAs(app, shop.accountId, {
      email: `o${shop.accountId}@shop.invalid`,
      role: 'owner',
    });
    const dataOf = async (person: SignedInForTest, query: string) => {
      const { json } = await person.graphql(`mutation { ${query} }`);
      expect(errorsIn(json)).toBeUndefined();
      return json.data;
    };
    const invite = async () => {
      const { inviteMember } = await dataOf(
        maker,
        `inviteMember(input: { name: "Ana", email: "${email}", role: FINANCE }) { invitation { url member { personId } } errors { code message path } }`,
      );
      const { url, member } = inviteMember.invitation;
      const device = { origin: { requestId: null, address: '127.0.0.1' }, userAgent: 'Test/1.0' };
      return { ...member, token: await acceptLink(app.services, tokenOf(url), device, undefined) };
    };
    const { personId } = await invite();
    await dataOf(other, `confirmMember(input: { personId: "${personId}" }) { errors { code message path } }`);
    await dataOf(maker, `removeMember(input: { personId: "${personId}" }) { errors { code message path } }`);
    const { token } = await invite();
    const { json } = await maker.graphql(
      `mutation { createOfframp(input: { currency: "USDT_TRX", amount: { brl: "100" }, from: BALANCE, accept: true, pixKey: "ana@example.com", pixKeyType: EMAIL, clientName: "Ana", clientTaxId: "52998224725" }) { transaction { end2end } errors { code message path } } }`,
    );
    const { end2end } = json.data.createOfframp.transaction;
    const headers = { cookie: `session=${token}`, 'sec-fetch-site': 'same-origin' };
    const answer = await app.post('/graphql', { query: approve(end2end) }, { key: null, headers });
    expect([errorsIn(answer.json)?.[0].extensions.code, await left()]).toEqual(['FORBIDDEN', '0']);
  });
});

test('C-52: one key under several kinds and callers moves each once, and approves nothing', async () => {
  await limit('approvalAbove: "0"');
  await whitelist(app, shop.accountId, GROUP, [{ network: 'TRX', target: ADDRESS }]);
  const headers = { 'idempotency-key': 'one' };
  const second = (await keyWith('read', 'move')).apiKey;
  const bodies: readonly (readonly [string, object])[] = [
    [
      '/v2/offramp',
      {
        ...{ amount_sent: '10', currency_entry_paid_code: 'USDT_TRX', client_name: 'Ana' },
        ...{ client_tax_id: '52998224725', pix_key: 'ana@example.com', pix_key_type: 'email' },
      },
    ],
    ['/v2/withdrawal', { amount_received: '10', currency_receive_code: 'USDT_TRX', group_id: GROUP }],
  ];
  for (const [path, body] of bodies) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        app.post(path, body, { headers, key: n % 2 ? shop.apiKey : second }),
      ),
    );
    const made = answers.flatMap(({ status, json }) => (status < 300 ? [json.end2end] : []));
    expect(new Set(made).size).toBe(1);
    const [end2end] = made;
    const makers = await app.owner.query(
      `select maker from money_out where transaction_id =
      (select id from transaction where end2end = $1) and account_id = $2`,
      [end2end, String(shop.accountId)],
    );
    expect(makers.rows).toHaveLength(1);
    expect(await app.post(`/v2/withdrawal/${end2end}/refund`, {}, { headers, key: second })).toMatchObject({
      status: 404,
    });
  }
  expect(await left()).toBe('0');
});
