/**
 * Goal: what forms of the console do is what the mutations do, once, for whoever may, and only from our own pages (C-40, C-52).
 * Method: forms as a browser sends them, on the real application.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { formToken } from '../../src/base/access/person-token.ts';
import { acceptLink } from '../../src/resolvers/people/links.ts';
import { callerOfSession } from '../../src/resolvers/people/signed-in.ts';
import { endSessions } from '../../src/store/people/person-sessions.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { inviteByOperator, type SignedInForTest, signInAs, tokenOf } from '../support/people.ts';

const app = useApp();
let owner: SignedInForTest;
let viewer: SignedInForTest;

beforeAll(async () => {
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  viewer = await signInAs(app, app.accountId, { email: 'leo@shop.invalid', role: 'viewer' });
});

const NEW = '/console/new';
const checkout = (form: Record<string, string> = {}) => ({
  back: NEW,
  currency: 'USDT_TRX',
  brl: '150.50',
  externalCode: '10490',
  accept: 'true',
  idempotencyKey: 'console-test-1',
  ...form,
});
const create = (form?: Record<string, string>, person = owner, headers?: Record<string, string>) =>
  visit(app, person, '/console/acts/CreateCheckout', {
    form: checkout(form),
    ...(headers && { headers }),
  });

describe('a form', () => {
  test('C-52: performs its action once, however often it is sent, and leads to the created record', async () => {
    const [first, second] = [await create(), await create()];
    expect([first.status, second.status]).toEqual([303, 303]);
    const location = first.headers.get('location');
    expect(location).toMatch(/^\/console\/transactions\/CRX\w+\?done=CreateCheckout$/);
    expect(second.headers.get('location')).toBe(location);
    const page = await visit(app, owner, location as string);
    expect(page.text).toContain('Order 10490');
  });

  test('that is refused shows its screen again, with the input and its errors', async () => {
    const page = await create({ clientTaxId: '123', clientName: 'Ana', idempotencyKey: 'console-test-2' });
    expect(page.status).toBe(400);
    expect(page.text).toMatch(/id="CreateCheckout-clientTaxId"[^>]*value="123"[^>]*aria-invalid="true"/);
    expect(page.text).toContain('value="10490"');
  });

  test.each(['1.000', '1,000'])('with an amount that can be read in two ways is refused: %s', async (brl) => {
    const page = await create({ brl, idempotencyKey: `console-${brl}` });
    expect([page.status, /Ambiguous/.test(page.text)]).toEqual([400, true]);
  });

  test('reads an amount in the format of its language', async () => {
    const form = { brl: '1.234,50', idempotencyKey: 'console-pt' };
    const page = await create(form, owner, { 'accept-language': 'pt-BR' });
    const end2end = /CRX\w+/.exec(page.headers.get('location') ?? '')?.[0];
    const { json } = await app.graphql(`{ transaction(end2end: "${end2end}") { source { amount } } }`);
    expect(json.data.transaction.source.amount).toBe('1234.5');
  });

  test.each([
    ['1.000', 'Ambíguo: escreva 1000 para mil ou 1,00 para um'],
    ['muito', 'Digite um número, como 150,00'],
  ])('says what is wrong with %s in the language of the page', async (brl, words) => {
    const form = { brl, idempotencyKey: `console-pt-${brl}` };
    const page = await create(form, owner, { 'accept-language': 'pt-BR' });
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(words)]);
  });

  test('names no field of the mutation, and explains at the field which input is needed', async () => {
    const form = { back: '/console/people', name: 'Ana', email: 'nobody', role: 'VIEWER' };
    const page = await visit(app, owner, '/console/acts/InviteMember', { form });
    expect(page.text).toMatch(
      /<\/b> Check the highlighted fields\.[\s\S]*Enter an e-mail address such as ana@example\.com/,
    );
  });

  test('C-40: does nothing if it arrived slowly, and its sender was signed out meanwhile', async () => {
    const person = await signInAs(app, app.accountId, { email: 'slow@shop.invalid', role: 'owner' });
    const key = 'console-slow-1';
    const form = new URLSearchParams({ csrf: formToken(person.token), ...checkout({ idempotencyKey: key }) });
    const sent = request(`${app.baseUrl}/console/acts/CreateCheckout`, {
      method: 'POST',
      headers: {
        ...person.headers,
        'content-type': 'application/x-www-form-urlencoded',
        'accept-language': 'en',
      },
    });
    const answered = once(sent, 'response');
    sent.write(String(form).slice(0, 10));
    // By now the beginning has been read: what is asked later is answered first.
    expect((await visit(app, person, NEW)).status).toBe(200);
    await endSessions(app.database, person.personId, new Date());
    sent.end(String(form).slice(10));
    const [answer] = (await answered) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(401);
  });

  test('C-40: shown in one account is not accepted in another that was opened in another tab meanwhile', async () => {
    const email = 'two@shop.invalid';
    const both = await signInAs(app, app.accountId, { email, role: 'owner' });
    const other = await app.addAccount();
    const { url } = await inviteByOperator(app.services, other.accountId, { email, role: 'owner' });
    const caller = await callerOfSession(app.database, both.token);
    await acceptLink(
      app.services,
      tokenOf(url),
      { origin: { requestId: null, address: null }, userAgent: null },
      caller,
    );
    const { text } = await visit(app, both, NEW);
    const shownIn = /name="shownIn" value="(\d+)"/.exec(text)?.[1] ?? '';
    expect(shownIn).toBe(String(app.accountId));
    await visit(app, both, '/console/account', { form: { accountId: String(other.accountId) } });
    expect((await create({ shownIn, idempotencyKey: 'console-tabs' }, both)).status).toBe(403);
    const { json } = await both.graphql('{ viewer { account { accountId } } transactions { totalCount } }');
    expect(json.data).toEqual({
      viewer: { account: { accountId: String(other.accountId) } },
      transactions: { totalCount: 0 },
    });
  });

  test.each([
    ['without the token of the session', { csrf: '' }, {}],
    ['with the token of another session', { csrf: 'x'.repeat(43) }, {}],
    ['from another site', {}, { 'sec-fetch-site': 'cross-site' }],
  ])('%s does nothing', async (_name, form, headers) => {
    const code = `forged-${Object.keys({ ...form, ...headers })}-${JSON.stringify(form).length}`;
    const page = await create({ ...form, externalCode: code, idempotencyKey: code }, owner, headers);
    expect([page.status, /Nothing was changed/.test(page.text)]).toEqual([403, true]);
    const filter = { externalCode: code };
    const { json } = await app.graphql(
      'query ($filter: TransactionFilter) { transactions(filter: $filter) { totalCount } }',
      { filter },
    );
    expect(json.data.transactions.totalCount).toBe(0);
  });

  test('with fields of several destinations is refused as ambiguous', async () => {
    for (const name of ['Cold', 'Exchange']) {
      const form = { back: '/console/whitelist', name };
      await visit(app, owner, '/console/acts/CreateWhitelistGroup', { form });
    }
    const list = await visit(app, owner, '/console/whitelist');
    const groupId = /name="groupId" value="([^"]+)"/.exec(list.text)?.[1] as string;
    const form = { back: '/console/whitelist', groupId, label: 'Vault', address: 'nowhere' };
    const page = await visit(app, owner, '/console/acts/AddWhitelistEntry', { form });
    expect([page.status, page.text.match(/value="Vault"/g)?.length]).toEqual([400, 1]);
    const ids = [...page.text.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  test('leads back to a path of the console only', async () => {
    const back = 'https://elsewhere.invalid/console';
    const page = await visit(app, owner, '/console/acts/CreateWhitelistGroup', {
      form: { back, name: 'Custody' },
    });
    expect([page.status, page.headers.get('location')]).toEqual([303, '/console?done=CreateWhitelistGroup']);
  });
});

describe('C-40: a role', () => {
  test('has exactly the forms that the role may send', async () => {
    const [ours, theirs] = [await visit(app, owner, NEW), await visit(app, viewer, NEW)];
    expect(ours.text).toContain('action="/console/acts/CreateCheckout"');
    expect(theirs.text).not.toContain('action="/console/acts/');
    expect(theirs.text).toContain('Your role is view-only');
    const refused = await create({ idempotencyKey: 'console-viewer' }, viewer);
    expect([refused.status, /Your role doesn’t allow this\./.test(refused.text)]).toEqual([403, true]);
  });

  test.each([
    '/console/audit',
    '/console/people',
    '/console/operator',
  ])('a viewer does not open %s', async (path) => {
    expect((await visit(app, viewer, path)).status).toBe(403);
  });

  test('a new key is shown only in that answer', async () => {
    const form = { back: '/console/developers', name: 'Shop', scopes: 'read' };
    const made = await visit(app, owner, '/console/acts/CreateApiKey', { form });
    const key = /crx_test_\w{36}/.exec(made.text)?.[0];
    expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect((await app.get('/v2/balance', { key: key ?? '' })).status).toBe(200);
    const after = await visit(app, owner, '/console/developers');
    expect(after.text).toContain('Shop');
    expect(after.text).not.toContain(key as string);
  });

  test('C-15: a transaction of another account looks missing', async () => {
    const other = await app.addAccount();
    const stranger = await signInAs(app, other.accountId, { email: 'eva@other.invalid', role: 'owner' });
    const { headers } = await create({ idempotencyKey: 'console-foreign' });
    const path = headers.get('location') as string;
    const [foreign, missing] = [
      await visit(app, stranger, path),
      await visit(app, stranger, '/console/transactions/CRX00'),
    ];
    expect([foreign.status, missing.status]).toEqual([404, 404]);
  });
});

test('every page has a strict policy, and is never cached', async () => {
  const { headers, text } = await visit(app, owner, '/console/transactions');
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'/,
  );
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(headers.get('cache-control')).toBe('no-store');
  expect(text).not.toMatch(/ style=| onclick=|<script>/);
});
