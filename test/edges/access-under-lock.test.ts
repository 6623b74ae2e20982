/**
 * Goal: what a key or person asks for is refused, and changes nothing, when their access ends while the request waits for the lock of
 * the account (C-40). Method: the account is locked, the request waits, the key is revoked, the person removed or the session ended, the
 * lock is released.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { newPayment } from '../../src/rails/sandbox/pix.ts';
import { relyingParty, signInByPasskey, signInOptions } from '../../src/resolvers/people/passkeys.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { addPasskey, removePasskey } from '../../src/store/people/passkeys.ts';
import { removeMembership, setRole } from '../../src/store/people/people.ts';
import { endSession } from '../../src/store/people/person-sessions.ts';
import { type Answer, useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { changedMeanwhile } from '../support/hold-accounts.ts';
import { signInAs } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';
import { softPasskey } from '../support/soft-passkey.ts';

const app = useApp({ rateLimit: null });
const CUSTOMER = { clientName: 'Maria Souza Prado', clientTaxId: '39053344705' };
const PAYOUT = `currency: "USDT_TRX", amount: { brl: "20" }, from: BALANCE, accept: true, pixKey: "ana@example.com", pixKeyType: EMAIL,
  clientName: "Ana", clientTaxId: "52998224725"`;
const PATIENCE = { timeout: 30_000 };
const ERRORS = 'errors { code message path }';
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let platform: bigint;
let endpointId: string;
let people = 0;
let suspenseId: string;
/** An entry of the whitelist, whose address is proven in another group. */
let unprovenId: string;
const { ask, create, fund, stepNow } = graphqlClient(app, () => shop.apiKey);

beforeAll(async () => {
  platform = await platformAccount(app.database, 'sandbox');
  shop = await app.addAccount();
  await fund('USDT_TRX', '100');
  const { json } = await app.graphql(
    `mutation { createWebhookEndpoint(input: { url: "https://shop.invalid/a" }) { webhookEndpoint { endpointId } ${ERRORS} } }`,
    {},
    { key: shop.apiKey },
  );
  endpointId = json.data.createWebhookEndpoint.webhookEndpoint.endpointId;
  const settledAtMs = await app.services.clock.nowMs();
  await app.services.receive(
    newPayment({ txid: null, amount: 7_500n, settledAtMs, payerTaxId: '39053344705' }),
  );
  const { rows } = await app.owner.query('select max(id) as id from suspense_entry');
  suspenseId = String(rows[0].id);
  const address = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
  const entries: string[] = [];
  for (const name of ['proven', 'unproven']) {
    const made = await ask(
      `mutation { createWhitelistGroup(input: { name: "${name}" }) { whitelistGroup { groupId } ${ERRORS} } }`,
    );
    const { groupId } = made.createWhitelistGroup.whitelistGroup;
    const target = `groupId: "${groupId}", target: { wallet: { network: "TRX", address: "${address}" } }`;
    const added = await ask(
      `mutation { addWhitelistEntry(input: { ${target} }) { whitelistEntry { entryId } ${ERRORS} } }`,
    );
    entries.push(added.addWhitelistEntry.whitelistEntry.entryId);
  }
  const proof = '{ id: "made-at-the-signer", expiresAt: "2030-01-02T03:04:05Z" }';
  await ask(input('addWhitelistProof', `entryId: "${entries[0]}", proof: ${proof}`));
  unprovenId = entries[1] as string;
});

/** @returns the id of a new order. */
async function onramp(more: object = {}): Promise<string> {
  const made = await create('createOnramp', { currency: 'USDT_TRX', amount: { brl: '150.00' }, ...more });
  return made.transaction.end2end;
}

const input = (name: string, fields: string) => `mutation { ${name}(input: { ${fields} }) { ${ERRORS} } }`;

/** Requests of an account holder. */
const OWN: readonly (readonly [string, () => string])[] = [
  ['an endpoint is made', () => input('createWebhookEndpoint', 'url: "https://shop.invalid/late"')],
  [
    'events of an endpoint',
    () => input('updateWebhookEndpoint', `endpointId: "${endpointId}", eventNames: ["onramp.*"]`),
  ],
  [
    'the query of the URL of an endpoint',
    () =>
      input('updateWebhookEndpoint', `endpointId: "${endpointId}", url: "https://shop.invalid/a?to=late"`),
  ],
  ['an endpoint is paused', () => input('pauseWebhookEndpoint', `endpointId: "${endpointId}"`)],
  ['a key is made', () => input('createApiKey', 'name: "late", scopes: ["read"]')],
  ['a key is revoked', () => input('revokeApiKey', `keyId: "${shop.keyId}"`)],
  [
    'origins of browsers',
    () => input('updateAllowedOrigins', 'origins: ["https://late.invalid"], replaces: []'),
  ],
  ['a quote', () => input('createQuote', 'template: onramp, currency: "USDT_TRX", amount: { brl: "50" }')],
  ['a group of destinations', () => input('createWhitelistGroup', 'name: "late"')],
  [
    'a proof of a destination that another entry has',
    () => input('withdrawWhitelistProof', `entryId: "${unprovenId}"`),
  ],
  ['a looser setting', () => input('updateAccountSettings', 'approvalAbove: "900000"')],
  ['a stricter setting', () => input('updateAccountSettings', 'outflowPerHour: "1"')],
  [
    'a person is invited',
    () => input('inviteMember', 'name: "Late", email: "late@shop.invalid", role: VIEWER'),
  ],
];

/** Requests of the operator, and whether they wait for the account of the platform instead of that of the shop. */
const OF_OPERATOR: readonly (readonly [string, () => string | Promise<string>, 'platform' | 'shop'])[] = [
  [
    'a limit of a customer',
    () =>
      input(
        'grantCustomerLimits',
        `account: "${shop.accountId}", taxId: "52998224725", level: VERIFIED, limitDaily: "20000"`,
      ),
    'shop',
  ],
  [
    'a customer is frozen',
    () => input('freezeCustomer', `account: "${shop.accountId}", taxId: "52998224725", reason: "late"`),
    'shop',
  ],
  [
    'a journal is proposed',
    () =>
      input(
        'proposeJournal',
        `account: "${shop.accountId}", debit: "X.loss", credit: "A.pix", currency: "BRL", amount: "12.34", reason: "late"`,
      ),
    'shop',
  ],
  ['a network is paused', () => input('pauseNetwork', 'network: "ETH", reason: "late"'), 'platform'],
  [
    'money in suspense is assigned',
    () =>
      input('assignSuspense', `suspenseId: "${suspenseId}", account: "${shop.accountId}", reason: "late"`),
    'platform',
  ],
  [
    'a step-up is denied',
    async () => {
      const end2end = await onramp({ externalCode: 'sandbox:step-up-require', ...CUSTOMER });
      await vi.waitFor(async () => expect(await stepNow(end2end)).toBe('valida_id/PENDING'), PATIENCE);
      return input('denyStepUp', `account: "${shop.accountId}", end2end: "${end2end}", reason: "late"`);
    },
    'shop',
  ],
];

const auditCount = async () =>
  (await app.owner.query('select count(*)::int as n from audit_entry')).rows[0].n as number;

/** Sends a request that waits for the lock of `accountId` until `end` is done. @returns its errors, and the number of new entries of the audit log. */
async function waiting(accountId: bigint, send: () => Promise<Answer>, end: () => Promise<unknown>) {
  const before = await auditCount();
  const { json } = await changedMeanwhile(app.owner, accountId, send, end);
  const [error] = errorsIn(json) ?? [];
  return [error?.extensions.code, error?.message, (await auditCount()) - before];
}

const REFUSED = ['FORBIDDEN', 'your access has ended', 0];
/** A key bounds the keys that it makes, so it is looked up. */
const NO_KEY = ['UNAUTHORIZED', 'a valid API key is required', 0];
const revoke = (id: string) => app.owner.query('update api_key set revoked_at = now() where id = $1', [id]);

describe.each(OWN)('C-40: %s', (name, query) => {
  test('by a key that was revoked', async () => {
    const { apiKey, keyId } = await app.addKey(shop.accountId, ['read', 'create', 'move', 'admin']);
    const send = () => app.graphql(query(), {}, { key: apiKey });
    const refused = name === 'a key is made' ? NO_KEY : REFUSED;
    expect(await waiting(shop.accountId, send, () => revoke(keyId))).toEqual(refused);
  });

  test('by a person who was removed', async () => {
    people += 1;
    const who = { email: `p${people}@shop.invalid`, role: 'owner' } as const;
    const { personId, graphql } = await signInAs(app, shop.accountId, who);
    const end = () => removeMembership(app.database, shop.accountId, personId);
    expect(await waiting(shop.accountId, () => graphql(query()), end)).toEqual(REFUSED);
  });
});

describe.each([
  ['in its own right', ''],
  ['under an idempotency key', ', idempotencyKey: "late"'],
])('C-40: a scenario is played %s', (_name, more) => {
  test('by a key that was revoked', async () => {
    const query = input('sandboxTrigger', `end2end: "${await onramp(CUSTOMER)}", scenario: PAY${more}`);
    const { apiKey, keyId } = await app.addKey(shop.accountId, ['read', 'create']);
    const send = () => app.graphql(query, {}, { key: apiKey });
    expect(await waiting(shop.accountId, send, () => revoke(keyId))).toEqual(REFUSED);
  });
});

test.each([
  ['a view is saved', () => input('saveView', 'name: "late", path: "/console/transactions"')],
  ['notifications are chosen', () => input('chooseNotifications', 'kinds: [], language: EN')],
])('C-40: %s by a person who was removed', async (_name, query) => {
  people += 1;
  const who = { email: `p${people}@shop.invalid`, role: 'owner' } as const;
  const { personId, graphql } = await signInAs(app, shop.accountId, who);
  const end = () => removeMembership(app.database, shop.accountId, personId);
  expect(await waiting(shop.accountId, () => graphql(query()), end)).toEqual(REFUSED);
});

test.each([
  ['an endpoint is paused', () => input('pauseWebhookEndpoint', `endpointId: "${endpointId}"`)],
  ['a transaction is cancelled', async () => input('cancelTransaction', `end2end: "${await onramp()}"`)],
  ['the balance is paid out', () => input('createOfframp', PAYOUT)],
])('C-40: %s by a person who ended the session in another browser', async (_name, make) => {
  const query = await make();
  people += 1;
  const who = { email: `p${people}@shop.invalid`, role: 'owner' } as const;
  const { personId, sessionId, graphql } = await signInAs(app, shop.accountId, who);
  const end = () => endSession(app.database, personId, sessionId, new Date(app.database.nowMs()));
  expect(await waiting(shop.accountId, () => graphql(query), end)).toEqual(REFUSED);
});

test('C-40: nobody signs in by a passkey that was removed meanwhile', async () => {
  const { personId } = await signInAs(app, shop.accountId, { email: 'lost@shop.invalid', role: 'owner' });
  const passkey = softPasskey();
  const publicKey = Buffer.from(passkey.publicKey, 'base64url');
  const stored = { id: passkey.id, personId, publicKey, counter: 0n, transports: [] };
  await addPasskey(app.database, stored, 'lost', new Date());
  const { challenge } = await signInOptions(app.services);
  const { origin, rpID: rpId } = relyingParty(app.services.publicUrl);
  const device = { origin: { requestId: null, address: null }, userAgent: null };
  const send = () => signInByPasskey(app.services, passkey.answer(challenge, { origin, rpId }), device);
  const caught = async () => {
    const json = await send().catch(({ code, message }) => ({ errors: [{ message, extensions: { code } }] }));
    return { json: typeof json === 'string' ? {} : json } as Answer;
  };
  const end = () => removePasskey(app.database, personId, passkey.id);
  const late = 'the passkey is not known here, or its answer came too late';
  expect(await waiting(shop.accountId, caught, end)).toEqual(['UNAUTHORIZED', late, 0]);
});

test('C-40: a key that was revoked is told no secret of webhooks', async () => {
  const fresh = await app.addAccount();
  const send = () => app.get('/v2/webhook_secrets', { key: fresh.apiKey });
  const told = async () => {
    const { status, json } = await send();
    return { json: { errors: [{ message: json.detail, extensions: { code: status } }] } } as Answer;
  };
  const [code, message] = await waiting(fresh.accountId, told, () => revoke(fresh.keyId));
  expect([code, message]).toEqual([403, 'your access has ended']);
});

test('C-40: a transaction is cancelled by a key that was revoked', async () => {
  const query = input('cancelTransaction', `end2end: "${await onramp()}"`);
  const { apiKey, keyId } = await app.addKey(shop.accountId, ['read', 'create']);
  const send = () => app.graphql(query, {}, { key: apiKey });
  expect(await waiting(shop.accountId, send, () => revoke(keyId))).toEqual(REFUSED);
});

test('C-40: a person whose role lost the right', async () => {
  const { personId, graphql } = await signInAs(app, shop.accountId, {
    email: 'lowered@shop.invalid',
    role: 'owner',
  });
  const send = () => graphql(input('pauseWebhookEndpoint', `endpointId: "${endpointId}"`));
  const end = () => setRole(app.database, shop.accountId, personId, 'viewer');
  expect(await waiting(shop.accountId, send, end)).toEqual(REFUSED);
});

test('C-40: a key that expired', async () => {
  const { apiKey, keyId } = await app.addKey(shop.accountId, ['read', 'admin']);
  const query = input('pauseWebhookEndpoint', `endpointId: "${endpointId}"`);
  const end = () =>
    app.owner.query('update api_key set expires_at = clock_timestamp() where id = $1', [keyId]);
  const send = () => app.graphql(query, {}, { key: apiKey });
  expect(await waiting(shop.accountId, send, end)).toEqual(REFUSED);
});

test.each([
  ['pauses an endpoint', () => input('pauseWebhookEndpoint', `endpointId: "${endpointId}"`)],
  [
    'pays out of the balance',
    () =>
      input(
        'createOfframp',
        `currency: "USDT_TRX", amount: { brl: "100" }, from: BALANCE, accept: true, pixKey: "ana@example.com",
         pixKeyType: EMAIL, clientName: "Ana", clientTaxId: "52998224725"`,
      ),
  ],
])('C-40: a person %s whose sign-in was ended from another browser', async (_what, query) => {
  people += 1;
  const who = { email: `p${people}@shop.invalid`, role: 'owner' } as const;
  const { personId, sessionId, graphql } = await signInAs(app, shop.accountId, who);
  await fund('USDT_TRX', '100');
  const end = () => endSession(app.database, personId, sessionId, new Date(app.database.nowMs()));
  expect(await waiting(shop.accountId, () => graphql(query()), end)).toEqual(REFUSED);
});

describe.each(OF_OPERATOR)('C-40: %s for the operator', (_name, make, at) => {
  test('by a key that was revoked', async () => {
    const scopes = ['read', 'platform:risk', 'platform:pricing', 'platform:books', 'platform:rails'] as const;
    const query = await make();
    const { apiKey, keyId } = await app.addKey(platform, scopes);
    const send = () => app.graphql(query, {}, { key: apiKey });
    const held = at === 'platform' ? platform : shop.accountId;
    expect(await waiting(held, send, () => revoke(keyId))).toEqual(REFUSED);
  });
});

test('C-40: a key ends itself', async () => {
  const { apiKey, keyId } = await app.addKey(shop.accountId, ['read', 'admin']);
  const { json } = await app.graphql(input('revokeApiKey', `keyId: "${keyId}"`), {}, { key: apiKey });
  expect(errorsIn(json)).toBeUndefined();
});
