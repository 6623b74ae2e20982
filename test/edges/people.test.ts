/**
 * Goal: people act as keys do (C-40): a role has the scopes that it says, sessions end when they should, invitations let in
 * once, and nobody gives what they have not. Method: over GraphQL with the cookie of a session, on a real database.
 */

import { beforeAll, describe, expect, test, vi } from 'vitest';
import { ACCOUNT_ROLES, type Role, scopesOf } from '../../src/base/access/roles.ts';
import { signInByIdentity } from '../../src/resolvers/people/identities.ts';
import { acceptLink, makeNewcomerLink, readLink, startContext } from '../../src/resolvers/people/links.ts';
import { registrationOptions } from '../../src/resolvers/people/passkeys.ts';
import { callerOfSession, type PersonCaller } from '../../src/resolvers/people/signed-in.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { haveOneMaker } from '../../src/store/account/api-keys.ts';
import { verifyAudit } from '../../src/store/engine/verify-audit.ts';
import { useApp } from '../support/app.ts';
import { holdAccounts } from '../support/hold-accounts.ts';
import { inviteByOperator, type SignedInForTest, signInAs, tokenOf } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
const DEVICE = { origin: { requestId: null, address: '127.0.0.1' }, userAgent: 'Test/1.0' };
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let owner: SignedInForTest;
let count = 0;
const newEmail = () => `person${++count}@shop.invalid`;
const codeOf = (answer: { json: { errors?: { extensions: { code: string } }[] } }) =>
  errorsIn(answer.json)?.[0]?.extensions.code;

const givePasskey = ({ personId }: SignedInForTest) =>
  app.owner.query(
    `insert into passkey (id, person_id, name, public_key, counter, transports, created_at) values ($1, $1, 'x', '', 0, '{}', now())`,
    [personId],
  );

beforeAll(async () => {
  shop = await app.addAccount();
  owner = await signInAs(app, shop.accountId, { email: newEmail(), role: 'owner' });
});

describe('C-40: a signed-in person', () => {
  test('sees their own data, and has no key', async () => {
    const { json } = await owner.graphql(
      '{ viewer { scopes account { accountId } person { personId role hasPasskey accounts { accountId role } } } }',
    );
    const accountId = String(shop.accountId);
    expect(json.data.viewer).toEqual({
      scopes: ['read', 'create', 'move', 'admin'],
      account: { accountId },
      person: {
        personId: owner.personId,
        role: 'OWNER',
        hasPasskey: false,
        accounts: [{ accountId, role: 'OWNER' }],
      },
    });
    expect(codeOf(await owner.graphql('{ viewer { key { keyId } } }'))).toBe('FORBIDDEN');
  });

  test.each(
    Object.keys(ACCOUNT_ROLES) as Role[],
  )('%s may do what the scopes say, and no more', async (role) => {
    const person = await signInAs(app, shop.accountId, { email: newEmail(), role });
    const asks = {
      read: '{ balances { currency { code } } }',
      create:
        'mutation { createQuote(input: { template: onramp, currency: "USDT_TRX", amount: { brl: "60" } }) { quote { id: quoteId } errors { code message path } } }',
      move: 'mutation { createWhitelistGroup(input: { name: "Treasury" }) { whitelistGroup { id: groupId } errors { code message path } } }',
      admin: '{ apiKeys { keyId } }',
    } as const;
    for (const [scope, query] of Object.entries(asks)) {
      const isAllowed = (scopesOf(role) as readonly string[]).includes(scope);
      expect([scope, codeOf(await person.graphql(query))]).toEqual([
        scope,
        isAllowed ? undefined : 'FORBIDDEN',
      ]);
    }
  });

  test('is let in by a page of our own only, and never to /v2', async () => {
    const query = { query: '{ viewer { scopes } }' };
    for (const site of ['cross-site', 'same-site', 'none', undefined]) {
      const headers = { cookie: owner.headers.cookie ?? '', ...(site && { 'sec-fetch-site': site }) };
      expect((await app.post('/graphql', query, { key: null, headers })).status).toBe(401);
    }
    expect((await app.get('/v2/balance', { key: null, headers: owner.headers })).status).toBe(401);
  });

  test('is named by the audit log, with request and address', async () => {
    await owner.graphql(
      'mutation { createWhitelistGroup(input: { name: "Named" }) { whitelistGroup { id: groupId } errors { code message path } } }',
    );
    const { json } = await owner.graphql(
      `{ auditLog(first: 1, actorId: "${owner.personId}") { nodes { act actorKind actorId address } } }`,
    );
    expect(json.data.auditLog.nodes).toEqual([
      { act: 'whitelist.create_group', actorKind: 'PERSON', actorId: owner.personId, address: '127.0.0.1' },
    ]);
    expect((await verifyAudit(app.database, shop.accountId)).defects).toEqual([]);
  });

  test('creates keys with no scope of others, and counts as one maker with them', async () => {
    const person = await signInAs(app, shop.accountId, { email: newEmail(), role: 'developer' });
    const create = (scope: string) =>
      person.graphql(
        `mutation { createApiKey(input: { name: "x", scopes: ["${scope}"] }) { issuedApiKey { key { keyId madeBy } } errors { code message path } } }`,
      );
    expect(codeOf(await create('move'))).toBe('FORBIDDEN');
    const { keyId, madeBy } = (await create('read')).json.data.createApiKey.issuedApiKey.key;
    expect(madeBy).toBe(person.personId);
    const isOne = (one: string, other: string) => haveOneMaker(app.database, shop.accountId, one, other);
    expect(await isOne(keyId, person.personId)).toBe(true);
    expect(await isOne(person.personId, keyId)).toBe(true);
    expect(await isOne(person.personId, owner.personId)).toBe(false);
    expect(await isOne(owner.personId, owner.personId)).toBe(true);
  });
});

describe('C-40: a person with a passkey presents it', () => {
  test('before money goes to a destination of their choice: out of the balance by PIX, or a held deposit to another address', async () => {
    const person = await signInAs(app, shop.accountId, { email: newEmail(), role: 'operator' });
    await givePasskey(person);
    const offramp = (from: string) =>
      person.graphql(
        `mutation { createOfframp(input: { currency: "USDT_TRX", amount: { brl: "100" }, from: ${from}, accept: true, pixKey: "ana@example.com", pixKeyType: EMAIL, clientName: "Ana", clientTaxId: "52998224725" }) { transaction { end2end } errors { code message path } } }`,
      );
    const refund = (address: string) =>
      person.graphql(
        `mutation { resolveDeposit(input: { end2end: "CRX0", resolution: REFUND${address} }) { transaction { end2end } errors { code message path } } }`,
      );
    expect(codeOf(await offramp('BALANCE'))).toBe('STEP_UP_REQUIRED');
    expect(codeOf(await offramp('EXTERNAL'))).toBeUndefined();
    expect(codeOf(await refund(', address: "TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD"'))).toBe('STEP_UP_REQUIRED');
    expect(codeOf(await refund(''))).toBe('NOT_FOUND');
  });

  test('before they name the payee of an order out of the balance, or accept its price, which continues it', async () => {
    const person = await signInAs(app, shop.accountId, { email: newEmail(), role: 'operator' });
    const create = async (from: string, more: string) => {
      const query = `mutation { createOfframp(input: { currency: "USDT_TRX", amount: { brl: "100" }, from: ${from}, ${more} }) { transaction { end2end } errors { code message path } } }`;
      const { json } = await app.graphql(query, {}, { key: shop.apiKey });
      expect(errorsIn(json)).toBeUndefined();
      return json.data.createOfframp.transaction.end2end as string;
    };
    await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '200' }, { key: shop.apiKey });
    const payee =
      'pixKey: "ana@example.com", pixKeyType: EMAIL, clientName: "Ana", clientTaxId: "52998224725"';
    const open = await create('BALANCE', 'accept: true');
    const priced = await create('BALANCE', `accept: false, ${payee}`);
    const deposited = await create('EXTERNAL', 'accept: true');
    await givePasskey(person);
    const name = (end2end: string) =>
      person.graphql(
        `mutation { provideIdentity(input: { end2end: "${end2end}", ${payee} }) { transaction { end2end } errors { code message path } } }`,
      );
    const accept = (end2end: string) =>
      person.graphql(
        `mutation { acceptQuote(input: { end2end: "${end2end}" }) { transaction { end2end } errors { code message path } } }`,
      );
    expect(codeOf(await name(open))).toBe('STEP_UP_REQUIRED');
    expect(codeOf(await accept(priced))).toBe('STEP_UP_REQUIRED');
    expect(codeOf(await name(deposited))).toBeUndefined();
    const byKey = `mutation { acceptQuote(input: { end2end: "${priced}" }) { transaction { end2end } errors { code message path } } }`;
    expect(codeOf(await app.graphql(byKey, {}, { key: shop.apiKey }))).toBeUndefined();
  });
});

describe('C-40: people of the platform, and refunds', () => {
  test.each([
    [
      'finance',
      'refundPayment(input: { end2end: "CRX0" }) { transaction { end2end } errors { code message path } }',
    ],
    [
      'platform_operator',
      'releaseHold(input: { account: "1", end2end: "CRX0", reason: "checked" }) { transaction { end2end } errors { code message path } }',
    ],
    [
      'platform_operator',
      'settleRefundByHand(input: { account: "1", end2end: "CRX0", reference: "E1" }) { transaction { end2end } errors { code message path } }',
    ],
    [
      'platform_operator',
      'assignSuspense(input: { suspenseId: "1", account: "1", reason: "checked" }) { suspenseEntry { state } errors { code message path } }',
    ],
    [
      'platform_operator',
      'approveSuspense(input: { suspenseId: "1", account: "1", reason: "checked" }) { suspenseEntry { state } errors { code message path } }',
    ],
    [
      'platform_operator',
      'returnSuspense(input: { suspenseId: "1", reason: "checked" }) { suspenseEntry { state } errors { code message path } }',
    ],
    [
      'platform_operator',
      'settleReceivable(input: { account: "1", currency: "BRL", amount: "1", source: BALANCE }) { booking { amount } errors { code message path } }',
    ],
    [
      'platform_operator',
      'bookCapital(input: { currency: "BRL", amount: "1", direction: IN }) { manualJournal { amount } errors { code message path } }',
    ],
  ] as const)('a %s shows a passkey: %s', async (role, mutation) => {
    const account = role === 'finance' ? shop.accountId : await platformAccount(app.database, 'sandbox');
    const person = await signInAs(app, account, { email: newEmail(), role });
    await givePasskey(person);
    expect(codeOf(await person.graphql(`mutation { ${mutation} }`))).toBe('STEP_UP_REQUIRED');
  });

  test('a person makes no stream token: the session opens subscriptions itself', async () => {
    const answer = await owner.graphql(
      'mutation { createStreamToken(input: {}) { streamToken { token } errors { code message path } } }',
    );
    expect(errorsIn(answer.json)[0]).toMatchObject({
      message: 'a stream token is made with an API key: a session opens subscriptions itself',
      extensions: { code: 'FORBIDDEN' },
    });
  });
});

describe('C-40: a newcomer to the account', () => {
  const approve = (by: SignedInForTest, end2end: string) =>
    by.graphql(
      `mutation { approveWithdrawal(input: { end2end: "${end2end}" }) { transaction { component } errors { code message path } } }`,
    );

  test('approves when its cooling time has passed: one owner can have two addresses', async () => {
    const place = await app.addAccount();
    const boss = await signInAs(app, place.accountId, { email: newEmail(), role: 'owner' });
    const ask = (text: string) => app.graphql(`mutation { ${text} }`, {}, { key: place.apiKey });
    await ask(
      'sandboxFund(input: { currency: "USDT_TRX", amount: "100" }) { funding { journalId } errors { code message path } }',
    );
    const { id } = (
      await ask(
        'createWhitelistGroup(input: { name: "out" }) { whitelistGroup { id: groupId } errors { code message path } }',
      )
    ).json.data.createWhitelistGroup.whitelistGroup;
    await ask(
      `addWhitelistEntry(input: { groupId: "${id}", target: { wallet: { network: "TRX", address: "TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD" } } }) { whitelistEntry { id: entryId } errors { code message path } }`,
    );
    await ask(
      'updateAccountSettings(input: { approvalAbove: "1", whitelistCoolingSeconds: 86400 }) { accountSettings { approvalAbove } errors { code message path } }',
    );
    const made = await ask(
      `createWithdrawal(input: { amountReceived: "10", currency: "USDT_TRX", groupId: "${id}" }) { transaction { end2end } errors { code message path } }`,
    );
    const { end2end } = made.json.data.createWithdrawal.transaction;
    const fresh = await app.addKey(place.accountId, ['move', 'read']);
    const byKey = {
      query: `mutation { approveWithdrawal(input: { end2end: "${end2end}" }) { transaction { component } errors { code message path } } }`,
    };
    expect(codeOf(await app.post('/graphql', byKey, { key: fresh.apiKey }))).toBe('FORBIDDEN');
    expect(codeOf(await approve(boss, end2end))).toBe('FORBIDDEN');
    const waiting = () =>
      boss.graphql(
        '{ approvals { mayApprove whyNot } transactions(filter: { awaitingMe: true }) { nodes { end2end } } }',
      );
    expect((await waiting()).json.data).toEqual({
      approvals: [{ mayApprove: false, whyNot: 'NEWCOMER' }],
      transactions: { nodes: [] },
    });
    await app.owner.query(
      `update membership set joined_at = joined_at - interval '1 day' where person_id = $1`,
      [boss.personId],
    );
    expect((await waiting()).json.data).toEqual({
      approvals: [{ mayApprove: true, whyNot: null }],
      transactions: { nodes: [{ end2end }] },
    });
    expect(codeOf(await approve(boss, end2end))).toBeUndefined();
  });
});

describe('sessions', () => {
  test('are listed, and end immediately when they are ended', async () => {
    const person = await signInAs(app, shop.accountId, { email: newEmail(), role: 'viewer' });
    const { json } = await person.graphql(
      '{ mySessions { sessionId isCurrent userAgent address accountId } }',
    );
    expect(json.data.mySessions).toEqual([
      {
        sessionId: person.sessionId,
        isCurrent: true,
        userAgent: 'Test/1.0',
        address: '127.0.0.1',
        accountId: String(shop.accountId),
      },
    ]);
    const end = (by: SignedInForTest, id: string) =>
      by.graphql(
        'mutation ($id: String!) { revokeSession(input: { sessionId: $id }) { sessionId errors { code message path } } }',
        { id },
      );
    expect(codeOf(await end(owner, person.sessionId))).toBe('NOT_FOUND');
    expect((await end(person, person.sessionId)).json.data.revokeSession.sessionId).toBe(person.sessionId);
    expect((await person.graphql('{ viewer { scopes } }')).status).toBe(401);
  });

  test.each([
    ['12 hours after the last use', `seen_at = now() - interval '12 hours 1 second'`],
    ['7 days after the begin', `created_at = now() - interval '7 days 1 second'`],
  ])('end %s', async (_when, change) => {
    const person = await signInAs(app, shop.accountId, { email: newEmail(), role: 'viewer' });
    await app.owner.query(`update person_session set ${change} where id = $1`, [person.sessionId]);
    expect(await callerOfSession(app.database, person.token)).toBeUndefined();
  });

  test('store no token', async () => {
    const { rows } = await app.owner.query(
      'select to_jsonb(s)::text as session from person_session s where id = $1',
      [owner.sessionId],
    );
    expect(rows[0].session).not.toContain(owner.token);
  });
});

describe('passkeys', () => {
  test('are listed by their owner, who removes one after presenting one; no one else does', async () => {
    const person = await signInAs(app, shop.accountId, { email: newEmail(), role: 'viewer' });
    const other = await signInAs(app, shop.accountId, { email: newEmail(), role: 'owner' });
    await app.owner.query(
      `insert into passkey (id, person_id, name, public_key, counter, transports, created_at)
        values ('key-of-ana', $1, 'Laptop', '', 0, '{}', '2026-05-01T10:00:00Z')`,
      [person.personId],
    );
    const list = async (by: SignedInForTest) =>
      (await by.graphql('{ myPasskeys { passkeyId name createdAt lastUsedAt } }')).json.data.myPasskeys;
    const remove = (by: SignedInForTest) =>
      by.graphql(
        'mutation { removePasskey(input: { passkeyId: "key-of-ana" }) { passkeyId errors { code message path } } }',
      );
    const [laptop] = await list(person);
    expect(laptop).toEqual({
      passkeyId: 'key-of-ana',
      name: 'Laptop',
      createdAt: '2026-05-01T10:00:00.000Z',
      lastUsedAt: null,
    });
    expect(await list(other)).toEqual([]);
    expect(codeOf(await remove(other))).toBe('NOT_FOUND');
    expect(codeOf(await remove(person))).toBe('STEP_UP_REQUIRED');
    await app.owner.query('update person_session set verified_at = now() where id = $1', [person.sessionId]);
    expect((await remove(person)).json.data.removePasskey.passkeyId).toBe('key-of-ana');
    expect(await list(person)).toEqual([]);
    const byKey = await app.graphql('{ myPasskeys { name } }', {}, { key: shop.apiKey });
    expect(byKey.json.data.myPasskeys).toEqual([]);
  });
});

describe('C-40: the first passkey', () => {
  test('needs a sign-in of the last ten minutes', async () => {
    const person = await signInAs(app, shop.accountId, { email: newEmail(), role: 'owner' });
    const contextOf = async () => ({
      ...app.services,
      caller: (await callerOfSession(app.database, person.token)) as PersonCaller,
      origin: DEVICE.origin,
    });
    expect((await registrationOptions(await contextOf())).challenge).toBeTruthy();
    await app.owner.query(
      `update person_session set created_at = now() - interval '10 minutes 1 second' where id = $1`,
      [person.sessionId],
    );
    await expect(registrationOptions(await contextOf())).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED' });
  });
});

describe('C-40: members', () => {
  test('are invited by a link that signs in once, and is invalid when it is replaced, used or withdrawn', async () => {
    const email = newEmail();
    const invite = async () =>
      (
        await owner.graphql(
          `mutation { inviteMember(input: { name: "Ana", email: "${email.toUpperCase()}", role: FINANCE }) { invitation { url member { personId email role joinedAt } } errors { code message path } } }`,
        )
      ).json.data.inviteMember.invitation;
    const first = await invite();
    expect(first.member).toMatchObject({ email, role: 'FINANCE', joinedAt: null });
    expect(first.url).toMatch(/^http:\/\/localhost:\d+\/console\/link\/[\w-]{43}$/);
    const second = await invite();
    await expect(readLink(app.services, tokenOf(first.url))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const attempts = await Promise.allSettled(
      [1, 2, 3].map(() => acceptLink(app.services, tokenOf(second.url), DEVICE, undefined)),
    );
    expect(attempts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);

    const other = newEmail();
    const { url, member } = await inviteByOperator(app.services, shop.accountId, {
      email: other,
      role: 'viewer',
    });
    await owner.graphql(
      `mutation { removeMember(input: { personId: "${member.id}" }) { member { email } errors { code message path } } }`,
    );
    await expect(acceptLink(app.services, tokenOf(url), DEVICE, undefined)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test.each([
    'a link',
    'a provider',
  ])('without a role get in, by %s, and nobody with an earlier session or passkey: an inviter may have used their link', async (by) => {
    const [first, evil] = [await app.addAccount(), await app.addAccount()];
    const who = { email: newEmail(), role: 'viewer' } as const;
    const byProvider = (accountId: bigint) =>
      inviteByOperator(app.services, accountId, who).then(() =>
        signInByIdentity(
          app.services,
          { issuer: 'https://id.invalid', subject: who.email, email: who.email, isVerified: true },
          DEVICE,
        ),
      );
    const accountOf = async (token: string) => (await callerOfSession(app.database, token))?.accountId;
    const caller = await callerOfSession(app.database, await byProvider(first.accountId));
    const personId = caller?.id ?? '';
    const remove = async ({ apiKey: key }: typeof evil) => {
      const query = `mutation { removeMember(input: { personId: "${personId}" }) { errors { code message path } } }`;
      expect(errorsIn((await app.graphql(query, {}, { key })).json)).toBeUndefined();
    };
    await remove(first);
    const planted = await signInAs(app, evil.accountId, who);
    expect(planted.personId).toBe(personId);
    await givePasskey(planted);
    await remove(evil);
    const token =
      by === 'a link' ? (await signInAs(app, shop.accountId, who)).token : await byProvider(shop.accountId);
    expect([await accountOf(planted.token), await accountOf(token)]).toEqual([undefined, shop.accountId]);
    const { rows } = await app.owner.query('select from passkey where person_id = $1', [personId]);
    expect(rows).toEqual([]);
  });

  test('with a role that they got elsewhere while a link of theirs waited do not get in by it', async () => {
    const evil = await app.addAccount();
    const who = { email: newEmail(), role: 'viewer' } as const;
    const { url } = await inviteByOperator(app.services, evil.accountId, who);
    const held = await holdAccounts(app.owner, evil.accountId);
    const late = acceptLink(app.services, tokenOf(url), DEVICE, undefined).catch(({ code }) => code);
    try {
      await vi.waitFor(
        async () => {
          const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
          expect((await app.owner.query(waiting)).rows).toHaveLength(1);
        },
        { timeout: 20_000 },
      );
      await signInAs(app, shop.accountId, who);
    } finally {
      await held.release();
    }
    expect(await late).toBe('FORBIDDEN');
  });

  test('of another account have to sign in before they accept: the inviter holds the link as well', async () => {
    const email = newEmail();
    const victim = await signInAs(app, shop.accountId, { email, role: 'owner' });
    const evil = await app.addAccount();
    const { url } = await inviteByOperator(app.services, evil.accountId, { email, role: 'viewer' });
    await expect(acceptLink(app.services, tokenOf(url), DEVICE, undefined)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    const caller = await callerOfSession(app.database, victim.token);
    const token = await acceptLink(app.services, tokenOf(url), DEVICE, caller);
    expect((await callerOfSession(app.database, token))?.accountId).toBe(evil.accountId);
  });

  test('get no role that exceeds that of the inviter', async () => {
    const developer = await signInAs(app, shop.accountId, { email: newEmail(), role: 'developer' });
    const operator = await signInAs(app, shop.accountId, { email: newEmail(), role: 'operator' });
    const invite = (by: SignedInForTest, role: string) =>
      by.graphql(
        `mutation { inviteMember(input: { name: "x", email: "${newEmail()}", role: ${role} }) { invitation { url } errors { code message path } } }`,
      );
    expect(codeOf(await invite(developer, 'FINANCE'))).toBe('FORBIDDEN');
    expect(codeOf(await invite(developer, 'VIEWER'))).toBeUndefined();
    expect(codeOf(await invite(operator, 'OWNER'))).toBe('FORBIDDEN');
    expect(codeOf(await invite(owner, 'PLATFORM_OWNER'))).toBe('INVALID_PARAMETER');
    const own = `changeMemberRole(input: { personId: "${developer.personId}", role: OWNER }) { member { role } errors { code message path } }`;
    expect(codeOf(await developer.graphql(`mutation { ${own} }`))).toBe('FORBIDDEN');
    const remove = `removeMember(input: { personId: "${owner.personId}" }) { member { role } errors { code message path } }`;
    expect(codeOf(await operator.graphql(`mutation { ${remove} }`))).toBe('FORBIDDEN');
    const byKey = await app.graphql(
      `mutation { inviteMember(input: { name: "x", email: "${newEmail()}", role: OWNER }) { invitation { url } errors { code message path } } }`,
      {},
      { key: shop.apiKey },
    );
    expect(codeOf(byKey)).toBe('FORBIDDEN');
  });

  test('removal and another role take effect immediately; the last owner stays', async () => {
    const place = await app.addAccount();
    const boss = await signInAs(app, place.accountId, { email: newEmail(), role: 'owner' });
    const clerk = await signInAs(app, place.accountId, { email: newEmail(), role: 'viewer' });
    const change = (id: string, role: string) =>
      boss.graphql(
        `mutation { changeMemberRole(input: { personId: "${id}", role: ${role} }) { member { role scopes } errors { code message path } } }`,
      );
    expect(codeOf(await change(boss.personId, 'VIEWER'))).toBe('INVALID_PARAMETER');
    expect((await change(clerk.personId, 'DEVELOPER')).json.data.changeMemberRole.member.scopes).toContain(
      'admin',
    );
    expect(codeOf(await clerk.graphql('{ members { email } }'))).toBeUndefined();
    await boss.graphql(
      `mutation { removeMember(input: { personId: "${clerk.personId}" }) { member { email } errors { code message path } } }`,
    );
    expect((await clerk.graphql('{ members { email } }')).status).toBe(401);
    const left = await boss.graphql('{ members { personId } }');
    expect(left.json.data.members).toEqual([{ personId: boss.personId }]);
    expect(
      codeOf(
        await boss.graphql(
          'mutation { removeMember(input: { personId: "per_none" }) { member { email } errors { code message path } } }',
        ),
      ),
    ).toBe('NOT_FOUND');
    const last = await boss.graphql(
      `mutation { removeMember(input: { personId: "${boss.personId}" }) { member { email } errors { code message path } } }`,
    );
    expect(codeOf(last)).toBe('INVALID_PARAMETER');
  });

  test('a person without the right to rule the account loses the loosenings requested before', async () => {
    const place = await app.addAccount();
    const boss = await signInAs(app, place.accountId, { email: newEmail(), role: 'owner' });
    const clerk = await signInAs(app, place.accountId, { email: newEmail(), role: 'developer' });
    const update = (by: SignedInForTest, input: string) =>
      by.graphql(
        `mutation { updateAccountSettings(input: { ${input} }) { accountSettings { pendingChanges { setting } } errors { code message path } } }`,
      );
    await update(boss, 'whitelistCoolingSeconds: 86400, approvalAbove: "100"');
    const { json } = await update(clerk, 'approvalAbove: null');
    expect(json.data.updateAccountSettings.accountSettings.pendingChanges).toHaveLength(1);
    await boss.graphql(
      `mutation { changeMemberRole(input: { personId: "${clerk.personId}", role: VIEWER }) { member { role } errors { code message path } } }`,
    );
    const left = await update(boss, 'whitelistCoolingSeconds: 86400');
    expect(left.json.data.updateAccountSettings.accountSettings.pendingChanges).toEqual([]);
  });

  test('people invited by a key count as one maker with it', async () => {
    const email = newEmail();
    const { json } = await app.graphql(
      `mutation { inviteMember(input: { name: "x", email: "${email}", role: FINANCE }) { invitation { member { personId } } errors { code message path } } }`,
      {},
      { key: shop.apiKey },
    );
    const { personId } = json.data.inviteMember.invitation.member;
    expect(await haveOneMaker(app.database, shop.accountId, shop.keyId, personId)).toBe(true);
  });
});

describe('C-40: a key that brings people in gains no second maker', () => {
  const invite = (key: string, email: string, role = 'OPERATOR') =>
    app.graphql(
      `mutation { inviteMember(input: { name: "x", email: "${email}", role: ${role} }) { invitation { url member { personId } } errors { code message path } } }`,
      {},
      { key },
    );
  const comeIn = async (url: string) => {
    const token = await acceptLink(app.services, tokenOf(url), DEVICE, undefined);
    const headers = { cookie: `session=${token}`, 'sec-fetch-site': 'same-origin' };
    return (query: string) => app.post('/graphql', { query }, { key: null, headers });
  };
  const isOne = (one: string, other: string) => haveOneMaker(app.database, shop.accountId, one, other);

  test('by the people whom those people invite', async () => {
    const { url } = (await invite(shop.apiKey, newEmail())).json.data.inviteMember.invitation;
    const first = await comeIn(url);
    const { json } = await first(
      `mutation { inviteMember(input: { name: "x", email: "${newEmail()}", role: FINANCE }) { invitation { member { personId } } errors { code message path } } }`,
    );
    expect(await isOne(shop.keyId, json.data.inviteMember.invitation.member.personId)).toBe(true);
  });

  test('by removing a person, whose key or withdrawal stays', async () => {
    const { url, member } = (await invite(shop.apiKey, newEmail())).json.data.inviteMember.invitation;
    const person = await comeIn(url);
    const made = await person(
      'mutation { createApiKey(input: { name: "x", scopes: ["move"] }) { issuedApiKey { key { keyId } } errors { code message path } } }',
    );
    const remove = `mutation { removeMember(input: { personId: "${member.personId}" }) { member { email } errors { code message path } } }`;
    expect(errorsIn((await app.graphql(remove, {}, { key: shop.apiKey })).json)).toBeUndefined();
    expect(await isOne(shop.keyId, member.personId)).toBe(true);
    expect(await isOne(shop.keyId, made.json.data.createApiKey.issuedApiKey.key.keyId)).toBe(true);
  });

  test('by a new link for a person whom another has invited', async () => {
    const email = newEmail();
    const { member } = await inviteByOperator(app.services, shop.accountId, { email, role: 'finance' });
    await invite(shop.apiKey, email, 'FINANCE');
    expect(await isOne(shop.keyId, member.id)).toBe(true);
    expect(await isOne(owner.personId, member.id)).toBe(false);
  });

  test('nor does a person, through people, keys and links, until another owner confirms', async () => {
    const inviting = async (by: SignedInForTest['graphql'], role: string) =>
      (
        await by(
          `mutation { inviteMember(input: { name: "x", email: "${newEmail()}", role: ${role} }) { invitation { url member { personId } } errors { code message path } } }`,
        )
      ).json.data.inviteMember.invitation;
    const first = await inviting(owner.graphql, 'OWNER');
    const graphql = await comeIn(first.url);
    const second = await inviting(graphql, 'FINANCE');
    const made = await (await comeIn(second.url))('{ viewer { person { personId } } }');
    expect(made.json.data.viewer.person.personId).toBe(second.member.personId);
    expect(await isOne(owner.personId, second.member.personId)).toBe(true);

    const other = await signInAs(app, shop.accountId, { email: newEmail(), role: 'owner' });
    const confirm = (personId: string) =>
      `mutation { confirmMember(input: { personId: "${personId}" }) { member { personId isConfirmed } errors { code message path } } }`;
    for (const by of [owner.graphql, graphql])
      expect(codeOf(await by(confirm(second.member.personId)))).toBe('FORBIDDEN');
    const byKey = await app.graphql(confirm(first.member.personId), {}, { key: shop.apiKey });
    expect(codeOf(byKey)).toBe('FORBIDDEN');
    const { personId } = first.member;
    const confirmed = (await other.graphql(confirm(personId))).json.data.confirmMember.member;
    expect(confirmed).toEqual({ personId, isConfirmed: true });
    expect(await isOne(owner.personId, personId)).toBe(false);
    expect(await isOne(personId, second.member.personId)).toBe(true);
  });
});

test('the starter of a sandbox signs in as its owner, and as the platform for sandbox accounts', async () => {
  const { url } = await makeNewcomerLink(app.database, startContext(app.services));
  const again = await makeNewcomerLink(app.database, startContext(app.services));
  expect(again.url).not.toBe(url);
  const token = await acceptLink(app.services, tokenOf(url), DEVICE, undefined);
  const caller = await callerOfSession(app.database, token);
  expect(caller).toMatchObject({ accountId: app.accountId, mode: 'test', person: { role: 'owner' } });
  const { rows } = await app.owner.query(
    `select a.mode, a.is_platform, m.role from membership m join account a on a.id = m.account_id where person_id = $1 order by 2`,
    [caller?.id],
  );
  expect(rows).toEqual([
    { mode: 'sandbox', is_platform: false, role: 'owner' },
    { mode: 'sandbox', is_platform: true, role: 'platform_owner' },
  ]);
});
