/**
 * Goal: a person adds a passkey, signs in with it, and shows it again before acts that let money out or somebody in (C-40); an
 * answer counts once, for what it was asked for. Method: Chromium with its virtual authenticator, on the real pages.
 */
import { describe, expect, test } from 'vitest';
import { operatorContext } from '../../src/cli/with-store.ts';
import { makeSignInLink } from '../../src/resolvers/people/links.ts';
import { requireFresh } from '../../src/resolvers/services/context.ts';
import { checkProof } from '../../src/signer/proof.ts';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { command } from '../support/command.ts';
import { givePasskeyDevice } from '../support/passkey-device.ts';
import { inviteByOperator, signInAs, tokenOf } from '../support/people.ts';

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
  await page.getByRole('button', { name: 'Accept and come in' }).click();
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
    await page.getByLabel('Its name').fill('Laptop');
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
const CREATE_KEY = 'mutation { createApiKey(input: { name: "x", scopes: ["read"] }) { key { name } } }';
const codeOf = (answer: { errors?: { extensions: { code: string } }[] }) =>
  answer.errors?.[0]?.extensions.code;

describe.runIf(hasBrowser)('C-40: a passkey', () => {
  test('is added, signs in, and is asked for again after five minutes', async () => {
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
    await page.getByRole('button', { name: 'Show a passkey' }).click();
    await page.waitForURL(/^[^?]*\/console\/security\?lang=pt/);
    expect(codeOf(await ask(CREATE_KEY))).toBeUndefined();
    expect(page.problems.filter((problem) => !/status of 4\d\d/.test(problem))).toEqual([]);

    const { rows } = await app.owner.query(
      `select act from audit_entry where account_id = $1 and actor_id = $2 and act ~ '^(passkey|session|person)' order by seq`,
      [String(shop.accountId), personId],
    );
    const acts = rows.map(({ act }) => act);
    expect(acts).toEqual([
      'person.sign_in',
      'passkey.add',
      'person.sign_out',
      'person.sign_in',
      'session.confirm',
    ]);
  });

  test('is shown before a form is taken, and the form is sent as it was filled in', async () => {
    const { page, personId, addPasskey, ask } = await comeIn();
    await addPasskey();
    await grow(personId, '6 minutes');
    await page.goto(new URL('/console/developers', page.url()).href);
    await page.locator('summary', { hasText: 'Make a key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Till 7');
    await page.getByLabel('read', { exact: true }).check();
    await page.getByLabel('create', { exact: true }).check();
    await page.getByRole('button', { name: 'Make a key' }).click();
    expect(await page.locator('h1').innerText()).toBe('Is it you?');
    await page.getByRole('button', { name: 'Show a passkey' }).click();
    await page.getByText('Your new key').first().waitFor();
    const { data } = await ask('{ apiKeys { name scopes } }');
    expect(data.apiKeys).toContainEqual({ name: 'Till 7', scopes: ['read', 'create'] });
  });

  test('that was removed opens nothing; removing it needs it', async () => {
    const { page, personId, addPasskey } = await comeIn();
    await addPasskey();
    await grow(personId, '6 minutes');
    await page.getByRole('button', { name: 'Remove' }).click();
    expect(await page.locator('h1').innerText()).toBe('Is it you?');
    await page.getByRole('button', { name: 'Show a passkey' }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('You have none yet').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await expect.poll(() => page.locator('#say').innerText()).toMatch(/did not work/);
    expect(page.url()).toMatch(/sign-in(\?|$)/);
  });

  test('C-22: signs an address of the whitelist; the signer believes it for that address and no other', async () => {
    const { page, email, ask, addPasskey } = await comeIn();
    await addPasskey();
    const { data: group } = await ask('mutation { createWhitelistGroup(name: "Cold") { id } }');
    const address = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
    const input = `{ network: "TRX", address: "${address}" }`;
    await ask(
      `mutation { addWhitelistEntry(groupId: "${group.createWhitelistGroup.id}", input: ${input}) { id } }`,
    );
    await page.goto(new URL('/console/whitelist', page.url()).href);
    await page.getByRole('link', { name: 'Sign it with a passkey' }).click();
    expect(await page.locator('main').innerText()).toContain(address);
    await page.getByRole('button', { name: 'Sign it with a passkey' }).click();
    await page.waitForURL(/^[^?]*\/console\/whitelist/);
    expect(await page.getByRole('link', { name: 'Sign it with a passkey' }).count()).toBe(0);

    const { rows } = await app.owner.query(
      'select proof from whitelist_entry where target = $1 and proof is not null',
      [address],
    );
    const env = { DATABASE_URL: app.url, PUBLIC_URL: app.baseUrl };
    const { stdout } = await command(env, 'person', 'passkeys', email, '--json');
    const policy = { approvers: JSON.parse(stdout), withdrawn: new Set<string>() };
    await checkProof(policy, rows[0].proof, 'TRX', address);
    await expect(checkProof(policy, rows[0].proof, 'ETH', address)).rejects.toMatchObject({
      reason: 'proof_wrong',
    });

    await page.locator('summary', { hasText: 'Withdraw its proof' }).click();
    await page.getByRole('button', { name: 'Yes, withdraw it' }).click();
    await page.getByRole('link', { name: 'Sign it with a passkey' }).waitFor();
  });

  test('C-22: signs no address of another account, no PIX key, and not what somebody else asks', async () => {
    const { page, ask, addPasskey } = await comeIn();
    await addPasskey();
    const other = await app.addAccount();
    const foreign = await app.graphql(
      'mutation { createWhitelistGroup(name: "x") { id } }',
      {},
      { key: other.apiKey },
    );
    const add = (groupId: string, input: string) =>
      `mutation { addWhitelistEntry(groupId: "${groupId}", input: ${input}) { id } }`;
    const address = '{ network: "TRX", address: "TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD" }';
    const theirs = await app.graphql(
      add(foreign.json.data.createWhitelistGroup.id, address),
      {},
      { key: other.apiKey },
    );
    const { data } = await ask('mutation { createWhitelistGroup(name: "x") { id } }');
    const key = await ask(add(data.createWhitelistGroup.id, '{ pixKeyType: CPF, pixKey: "52998224725" }'));
    const own = await ask(add(data.createWhitelistGroup.id, address));
    const ids = [theirs.json.data, key.data, own.data].map(({ addWhitelistEntry }) => addWhitelistEntry.id);
    const statuses = await page.evaluate(async (entries) => {
      const post = (path: string, body: unknown) =>
        fetch(`/console/passkeys/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      const options = await (await post('confirm/options', {})).json();
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
      const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
      const crossed = await post('prove', { entry: entries[2], response: credential.toJSON() });
      const asked = await Promise.all(
        [entries[0], entries[1], 'wle_nothing', undefined].map(
          async (entry) => (await post('prove/options', { entry })).status,
        ),
      );
      const empty = await post('prove', { entry: entries[2], response: {} });
      const odd = await post('prove', { entry: entries[2], response: { id: '\u0000' } });
      return { crossed: crossed.status, asked, empty: empty.status, odd: odd.status };
    }, ids);
    expect(statuses).toEqual({ crossed: 400, asked: [404, 404, 404, 404], empty: 400, odd: 400 });
  });

  test('answers once, for what it was asked for, and for its own person', async () => {
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

  test('C-50: what a browser adds to its answer, outside of what is signed, is refused or left out', async () => {
    const { page, ask } = await comeIn();
    const { data } = await ask('mutation { createWhitelistGroup(name: "x") { id } }');
    const address = '{ network: "TRX", address: "TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD" }';
    const own = await ask(
      `mutation { addWhitelistEntry(groupId: "${data.createWhitelistGroup.id}", input: ${address}) { id } }`,
    );
    const entry = own.data.addWhitelistEntry.id;
    const statuses = await page.evaluate(async (id) => {
      const post = (path: string, body: unknown) =>
        fetch(`/console/passkeys/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      const added = async (transports: unknown) => {
        const options = await (await post('add/options', {})).json();
        const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
        const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
        const { response, ...rest } = credential.toJSON();
        return (await post('add', { response: { ...rest, response: { ...response, transports } } })).status;
      };
      const add = [await added(['internal', '\u0000', 5])];
      const options = await (await post('prove/options', { entry: id })).json();
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
      const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
      const { response, ...rest } = credential.toJSON();
      const prove = async (more: string) => {
        const clientDataJSON = `${response.clientDataJSON}${more}`;
        return (
          await post('prove', { entry: id, response: { ...rest, response: { ...response, clientDataJSON } } })
        ).status;
      };
      return { add, prove: [await prove('\u0000'), await prove('')] };
    }, entry);
    expect(statuses).toEqual({ add: [200], prove: [400, 200] });
    const { rows } = await app.owner.query('select transports from passkey order by created_at desc limit 1');
    expect(rows).toEqual([{ transports: ['internal'] }]);
  });

  test('that is lost is forgotten by the operator, and every session ends', async () => {
    const { page, email, shop, ask, addPasskey } = await comeIn();
    await addPasskey();
    const context = await operatorContext(app.services, shop.accountId);
    const { url } = await makeSignInLink(context, email, true);
    expect((await ask('{ viewer { scopes } }')).code).toBe('UNAUTHORIZED');
    await page.goto(`${new URL(page.url()).origin}/console/link/${tokenOf(url)}`);
    await page.getByRole('button', { name: 'Come in' }).click();
    await page.goto(new URL('/console/security', page.url()).href);
    await page.getByText('You have none yet').waitFor();
  });
});

describe('C-40: without a browser', () => {
  test('passkeys are taken from pages of this gateway only, and from people only', async () => {
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

  test('in a live account a person without a passkey does nothing that needs one', () => {
    const person = { sessionId: 's', name: 'n', email: 'e', role: 'owner', verifiedAt: null } as const;
    const caller = { person: { ...person, hasPasskey: false } } as never;
    expect(() => requireFresh({ caller, mode: 'live' })).toThrow(/needs a passkey/);
    expect(() => requireFresh({ caller, mode: 'sandbox' })).not.toThrow();
    const withPasskey = { person: { ...person, hasPasskey: true } } as never;
    expect(() => requireFresh({ caller: withPasskey, mode: 'sandbox' })).toThrow(
      /within the last five minutes/,
    );
    expect(() => requireFresh({ caller: {} as never, mode: 'live' })).not.toThrow();
  });
});
