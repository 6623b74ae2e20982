/**
 * Goal: people come in by a provider of sign-ins (OpenID Connect), if they were invited under the e-mail address that it has
 * verified, and nobody else does (C-40). Method: a real provider (`oidc-provider`) on loopback, and Chromium.
 */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { Provider } from 'oidc-provider';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { acceptLink } from '../../src/resolvers/people/links.ts';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { inviteByOperator, signInAs, tokenOf } from '../support/people.ts';

const port = await freePort();
const oidc = {
  issuer: `http://localhost:${port}`,
  clientId: 'crossramp',
  clientSecret: 'a secret of the tests',
  trustsEmail: false,
};
const lines: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
const app = useApp({ oidc, log });
const trusting = useApp({ oidc: { ...oidc, clientId: 'trusting', trustsEmail: true } });
const deceived = useApp({ oidc: { ...oidc, clientId: 'deceived' }, log });
const misnamed = useApp({ oidc: { ...oidc, issuer: `http://127.0.0.1:${port}` }, log });
/** Clients whose gateway is given other keys than those that sign: as if somebody else had signed. */
let hasForeignKeys = false;
const browser = useBrowser();
/** Whether the provider has verified the addresses that begin with this. */
const UNVERIFIED = 'unverified';
/** The claim of those whose addresses begin with this is the text `true`; of others it is missing. */
const AS_TEXT = 'text';
const UNSAID = 'unsaid';
let server: Server;
let count = 0;
const newEmail = (name = 'oidc') => `${name}${++count}@shop.invalid`;
const door = (path: string, at = app) => new URL(path, at.baseUrl.replace('127.0.0.1', 'localhost')).href;

beforeAll(async () => {
  const provider = new Provider(oidc.issuer, {
    clients: (
      [
        [oidc.clientId, app],
        ['trusting', trusting],
        ['deceived', deceived],
      ] as const
    ).map(([client_id, at]) => ({
      client_id,
      client_secret: oidc.clientSecret,
      redirect_uris: [door('/console/oidc/callback', at)],
    })),
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    // The name under which somebody signs in is the address.
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, ...verifiedClaim(id) }),
    }),
    features: { devInteractions: { enabled: true } },
    cookies: { keys: ['keys of the tests'] },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  });
  const serve = provider.callback();
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const foreign = { keys: [{ ...publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] };
  server = createServer((request, response) => {
    if (hasForeignKeys && request.url === '/jwks')
      return void response.setHeader('content-type', 'application/json').end(JSON.stringify(foreign));
    serve(request, response);
  }).listen(port, '127.0.0.1');
});
afterAll(() => {
  server?.closeAllConnections();
  server?.close();
});

function verifiedClaim(id: string): object {
  if (id.startsWith(UNSAID)) return {};
  return { email_verified: id.startsWith(AS_TEXT) ? 'true' : !id.startsWith(UNVERIFIED) };
}

/** Goes from our door through the pages of the provider, and back. */
async function comeIn(email: string, path = '/console/sign-in', at = app) {
  const page = await browser.open(door(path, at), { locale: 'en-US', javaScriptEnabled: false });
  await page.getByRole('link', { name: 'Sign in with SSO' }).click();
  await page.locator('input[name=login]').fill(email);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.locator('button[type=submit]').click();
  return page;
}

describe.runIf(hasBrowser)('C-40: by a provider of sign-ins', () => {
  test('an invited person signs in, and is known from then on', async () => {
    const shop = await app.addAccount();
    const email = newEmail();
    const { member } = await inviteByOperator(app.services, shop.accountId, { email, role: 'viewer' });
    for (const _time of [1, 2]) {
      const page = await comeIn(email);
      expect(new URL(page.url()).pathname).toMatch(/^\/console(\/security)?$/);
      const cookies = await page.context().cookies(door('/'));
      expect(cookies.map(({ name }) => name)).toContain('session');
      expect(cookies.map(({ name }) => name)).not.toContain('oidc');
    }
    const { rows } = await app.owner.query(
      `select act, after from audit_entry where account_id = $1 and actor_id = $2 order by seq`,
      [String(shop.accountId), member.id],
    );
    expect(rows.map(({ act: action }) => action)).toEqual([
      'identity.add',
      'person.sign_in',
      'person.sign_in',
    ]);
    expect(rows[1].after).toEqual({ way: 'OIDC', role: 'viewer' });
  });

  test('continues to the requested page, in the account of the newest invitation', async () => {
    const [first, last] = [await app.addAccount(), await app.addAccount()];
    const email = newEmail();
    // The newer invitation is that of the account with the lower number.
    for (const { accountId } of [last, first])
      await inviteByOperator(app.services, accountId, { email, role: 'viewer' });
    const page = await comeIn(email, '/console/sign-in?next=%2Fconsole%2Fevents%3Fstate%3Dx');
    expect(page.url()).toBe(door('/console/events?state=x'));
    const { rows } = await app.owner.query(
      'select account_id from membership m join person p on p.id = m.person_id where p.email = $1 and joined_at is not null',
      [email],
    );
    expect(rows).toEqual([{ account_id: String(first.accountId) }]);
  });

  test.each([
    ['whose provider sends the claim as text', AS_TEXT, app],
    ['whose issuer is trusted without the claim', UNSAID, trusting],
  ])('a person %s comes in', async (_who, name, at) => {
    const shop = await at.addAccount();
    const email = newEmail(name);
    await inviteByOperator(at.services, shop.accountId, { email, role: 'viewer' });
    const page = await comeIn(email, undefined, at);
    expect(new URL(page.url()).pathname).toMatch(/^\/console(\/security)?$/);
  });

  test('an ID token with a foreign signature signs no one in', async () => {
    hasForeignKeys = true;
    const shop = await deceived.addAccount();
    const email = newEmail();
    await inviteByOperator(deceived.services, shop.accountId, { email, role: 'owner' });
    const page = await comeIn(email, undefined, deceived);
    hasForeignKeys = false;
    expect((await page.context().cookies(door('/'))).map(({ name }) => name)).not.toContain('session');
    expect(lines.at(-1)).toMatch(/sign-in refused/);
    expect(JSON.parse(lines.at(-1) ?? '{}').reason).toMatch(/./);
  });

  test.each([
    ['was not invited', newEmail(), false, 'no one was invited under the e-mail address'],
    ['has no verified address', newEmail(UNVERIFIED), true, /does not report the e-mail address as verified/],
    ['has an address of which the provider says nothing', newEmail(UNSAID), true, /OIDC_TRUST_EMAIL/],
  ])('somebody who %s stays outside, and the log says why', async (_who, email, isInvited, reason) => {
    const shop = await app.addAccount();
    if (isInvited) await inviteByOperator(app.services, shop.accountId, { email, role: 'owner' });
    const page = await comeIn(email);
    expect(await page.locator('h1').innerText()).toBe('You don’t have access');
    expect(JSON.parse(lines.at(-1) ?? '{}')).toMatchObject({
      msg: 'sign-in refused',
      reason: expect.stringMatching(reason),
    });
    expect((await page.context().cookies(door('/'))).map(({ name }) => name)).not.toContain('session');
  });

  test('the owner of the address ends sessions that others began under it', async () => {
    const evil = await app.addAccount();
    const email = newEmail();
    const squatter = await signInAs(app, evil.accountId, { email, role: 'viewer' });
    await comeIn(email);
    expect((await squatter.graphql('{ viewer { scopes } }')).status).toBe(401);
  });

  test('an answer that was begun in another browser is worth nothing', async () => {
    const mine = await fetch(door('/console/oidc'), { redirect: 'manual' });
    const { searchParams } = new URL(mine.headers.get('location') ?? '');
    expect(searchParams.get('code_challenge_method')).toBe('S256');
    const callback = `/console/oidc/callback?code=x&state=${searchParams.get('state')}`;
    expect((await fetch(door(callback), { redirect: 'manual' })).status).toBe(401);
    const cookie = mine.headers.get('set-cookie')?.split(';')[0] ?? '';
    const forged = await fetch(door(callback), { redirect: 'manual', headers: { cookie } });
    expect([forged.status, forged.headers.get('set-cookie')]).toEqual([
      401,
      expect.stringMatching(/^oidc=;/),
    ]);
  });
});

test('an invitation that was accepted by its link needs no provider, and the provider no link', async () => {
  const shop = await app.addAccount();
  const { url } = await inviteByOperator(app.services, shop.accountId, { email: newEmail(), role: 'viewer' });
  const device = { origin: { requestId: null, address: null }, userAgent: null };
  await expect(acceptLink(app.services, tokenOf(url), device, undefined)).resolves.toMatch(/^[\w-]{43}$/);
});

test('an issuer that differs from the setting is named in the log', async () => {
  const { status } = await fetch(door('/console/oidc', misnamed), { redirect: 'manual' });
  const line = JSON.parse(lines.at(-1) ?? '{}');
  expect([status, line.msg]).toEqual([503, 'sign-in refused']);
  expect(JSON.stringify(line)).toContain(oidc.issuer);
});

describe('settings', () => {
  const all = { OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' };
  test('are all there or none, and the issuer is reached by https', () => {
    expect(readConfig({}).oidc).toBeNull();
    expect(readConfig(all).oidc).toEqual({
      issuer: 'https://id.example.com',
      clientId: 'x',
      clientSecret: 'y',
      trustsEmail: false,
    });
    expect(() => readConfig({ ...all, OIDC_CLIENT_ID: '' })).toThrow(/expected all of them, or none/);
    expect(() => readConfig({ ...all, OIDC_ISSUER: 'http://id.example.com' })).toThrow(
      /expected an https URL/,
    );
    const file = { ...all, OIDC_CLIENT_SECRET: undefined, OIDC_CLIENT_SECRET_FILE: '/nowhere/at/all' };
    expect(() => readConfig(file)).toThrow(/cannot read/);
  });
});
