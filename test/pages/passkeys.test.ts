/**
 * Goal: a person adds a passkey, signs in with it, and shows it again before acts that let money out or somebody in (C-40); an
 * answer counts once, for what it was asked for. Method: Chromium with its virtual authenticator, on the real pages.
 */

import { describe, expect, test } from 'vitest';
import { operatorContext } from '../../src/cli/with-store.ts';
import { makeSignInLink } from '../../src/resolvers/people/links.ts';
import { requireFresh } from '../../src/resolvers/services/context.ts';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { givePasskeyDevice } from '../support/passkey-device.ts';
import { inviteByOperator, signInAs, tokenOf } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
const browser = useBrowser();
let count = 0;
const newEmail = () => `key${++count}@shop.invalid`;

/** Somebody who has come in by an invitation, on a device with an authenticator. */
async function comeIn() {
  const shop = await app.addAccount();
  const email = newEmail();
  const { url, member } = await inviteByOperator(app.services, shop.accountId, { email, role: 'owner' });
  const page = await browser.open(url, { locale: 'en-US' });
  await givePasskeyDevice(page);
  await page.getByRole('button', { name: 'Accept invitation' }).click();
  const ask = (query: string) =>
    page.evaluate(async (text) => {
      const answer = await fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: text }),
      });
      return answer.json();
    }, query);
  const addPasskey = async () => {
    await page.getByLabel('Name').fill('Laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Remove' }).waitFor();
  };
  return { shop, email, page, personId: member.id, ask, addPasskey };
}

/** As if the passkey had been shown some time ago. */
const grow = (personId: string, time: string) =>
  app.owner.query(`update person_session set verified_at = now() - $2::interval where person_id = $1`, [
    personId,
    time,
  ]);
const CREATE_KEY =
  'mutation { createApiKey(input: { name: "x", scopes: ["read"] }) { issuedApiKey { key { name } } errors { code message path } } }';
const codeOf = (answer: object) => errorsIn(answer)?.[0]?.extensions.code;

describe.runIf(hasBrowser)('C-40: a passkey', () => {
  test('is added, signs in, and is requested again after five minutes', async () => {
    const { page, personId, ask, addPasskey, shop } = await comeIn();
    // In a sandbox, and only there, a person without a passkey does everything.
    expect(codeOf(await ask(CREATE_KEY))).toBeUndefined();
    await addPasskey();
    expect(codeOf(await ask(CREATE_KEY))).toBeUndefined();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL(/\/console$/);
    expect(codeOf(await ask(CREATE_KEY))).toBeUndefined();

    await grow(personId, '5 minutes 1 second');
    expect(codeOf(await ask(CREATE_KEY))).toBe('STEP_UP_REQUIRED');
    expect(codeOf(await ask('{ members { email } }'))).toBeUndefined();
    await page.goto(new URL('/console/confirm?next=/console/security?lang=pt', page.url()).href);
    await page.getByRole('button', { name: 'Confirm with passkey' }).click();
    await page.waitForURL(/^[^?]*\/console\/security\?lang=pt/);
    expect(codeOf(await ask(CREATE_KEY))).toBeUndefined();
    expect(page.problems.filter((problem) => !/status of 4\d\d/.test(problem))).toEqual([]);

    const { rows } = await app.owner.query(
      `select act from audit_entry where account_id = $1 and actor_id = $2 and act ~ '^(passkey|session|person)' order by seq`,
      [String(shop.accountId), personId],
    );
    const actions = rows.map(({ act: action }) => action);
    expect(actions).toEqual([
      'person.sign_in',
      'passkey.add',
      'person.sign_out',
      'person.sign_in',
      'session.confirm',
    ]);
  });

  test('is presented before a form is accepted, and the form is sent as filled in', async () => {
    const { page, personId, addPasskey, ask } = await comeIn();
    await addPasskey();
    await grow(personId, '6 minutes');
    await page.goto(new URL('/console/developers', page.url()).href);
    await page.locator('summary', { hasText: 'Create API key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Till 7');
    await page.getByLabel('read', { exact: true }).check();
    await page.getByLabel('create', { exact: true }).check();
    await page.getByRole('button', { name: 'Create API key' }).click();
    expect(await page.locator('h1').innerText()).toBe('Confirm it’s you');
    await page.getByRole('button', { name: 'Confirm with passkey' }).click();
    await page.getByText('Save your API key').first().waitFor();
    const { data } = await ask('{ apiKeys { name scopes } }');
    expect(data.apiKeys).toContainEqual({ name: 'Till 7', scopes: ['read', 'create'] });
  });

  test('that was removed opens nothing; removing it requires it', async () => {
    const { page, personId, addPasskey } = await comeIn();
    await addPasskey();
    await grow(personId, '6 minutes');
    await page.getByRole('button', { name: 'Remove' }).click();
    expect(await page.locator('h1').innerText()).toBe('Confirm it’s you');
    await page.getByRole('button', { name: 'Confirm with passkey' }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No passkeys yet').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await expect.poll(() => page.locator('#say').innerText()).toMatch(/didn’t work/);
    expect(page.url()).toMatch(/sign-in(\?|$)/);
  });

  test('answers once, for its request, and for its own person', async () => {
    const { page, addPasskey } = await comeIn();
    await addPasskey();
    const statuses = await page.evaluate(async () => {
      const post = (path: string, body: unknown) =>
        fetch(`/console/passkeys/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      const answer = async (kind: string) => {
        const options = await (await post(`${kind}/options`, {})).json();
        const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
        const credential = await navigator.credentials.get({ publicKey });
        return { response: (credential as PublicKeyCredential).toJSON() };
      };
      const forConfirm = await answer('confirm');
      const crossed = (await post('sign-in', forConfirm)).status;
      const after = (await post('confirm', forConfirm)).status;
      const again = (await post('confirm', forConfirm)).status;
      const forSignIn = await answer('sign-in');
      const first = (await post('sign-in', forSignIn)).status;
      const second = (await post('sign-in', forSignIn)).status;
      const odd = await Promise.all(
        [{}, { response: null }, { response: { id: 1 } }, { response: { id: 'x', response: {} } }, []].map(
          async (body) => (await post('sign-in', body)).status,
        ),
      );
      return { crossed, after, again, first, second, odd };
    });
    expect(statuses).toEqual({
      crossed: 401,
      after: 200,
      again: 401,
      first: 200,
      second: 401,
      odd: [400, 400, 400, 400, 400],
    });
  });

  test('C-50: members that a browser adds outside of the signed data are left out', async () => {
    const { page } = await comeIn();
    const status = await page.evaluate(async () => {
      const post = (path: string, body: unknown) =>
        fetch(`/console/passkeys/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      const options = await (await post('add/options', {})).json();
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
      const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
      const { response, ...rest } = credential.toJSON();
      const transports = ['internal', '\u0000', 5];
      return (await post('add', { response: { ...rest, response: { ...response, transports } } })).status;
    });
    expect(status).toBe(200);
    const { rows } = await app.owner.query('select transports from passkey order by created_at desc limit 1');
    expect(rows).toEqual([{ transports: ['internal'] }]);
  });

  test('that is lost is removed by the operator, and every session ends', async () => {
    const { page, email, shop, ask, addPasskey } = await comeIn();
    await addPasskey();
    const context = await operatorContext(app.services, shop.accountId);
    const { url } = await makeSignInLink(context, email, true);
    expect((await ask('{ viewer { scopes } }')).code).toBe('UNAUTHORIZED');
    await page.goto(`${new URL(page.url()).origin}/console/link/${tokenOf(url)}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.goto(new URL('/console/security', page.url()).href);
    await page.getByText('No passkeys yet').waitFor();
  });
});

describe('C-40: without a browser', () => {
  test('passkeys are accepted from pages of this gateway only, and from people only', async () => {
    const shop = await app.addAccount();
    const person = await signInAs(app, shop.accountId, { email: newEmail(), role: 'viewer' });
    const post = (path: string, headers: Record<string, string>) =>
      app.post(`/console/passkeys/${path}`, {}, { key: null, headers });
    expect((await post('add/options', person.headers)).status).toBe(200);
    expect((await post('add/options', { ...person.headers, 'sec-fetch-site': 'cross-site' })).status).toBe(
      403,
    );
    expect((await post('add/options', { cookie: person.headers.cookie ?? '' })).status).toBe(403);
    expect((await post('add/options', { 'sec-fetch-site': 'same-origin' })).status).toBe(401);
  });

  test('in a live account a person without a passkey can do nothing that needs one', () => {
    const person = { sessionId: 's', name: 'n', email: 'e', role: 'owner', verifiedAt: null } as const;
    const caller = { person: { ...person, hasPasskey: false } } as never;
    expect(() => requireFresh({ caller, mode: 'live', database: app.database })).toThrow(/needs a passkey/);
    expect(() => requireFresh({ caller, mode: 'sandbox', database: app.database })).not.toThrow();
    const withPasskey = { person: { ...person, hasPasskey: true } } as never;
    expect(() => requireFresh({ caller: withPasskey, mode: 'sandbox', database: app.database })).toThrow(
      /within the last five minutes/,
    );
    expect(() => requireFresh({ caller: {} as never, mode: 'live', database: app.database })).not.toThrow();
  });
});
