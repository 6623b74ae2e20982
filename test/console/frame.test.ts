/**
 * Goal: the console says what its figures are, and what stands around them works: menus of missing pages, links that were used,
 * boxes, buttons. Method: pages as a browser without script gets them; measures and a live update in Chromium.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { linkUrl } from '../../src/base/pages/console-url.ts';
import { fillIn } from '../../src/ui/translate.ts';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { signIn, visit } from '../support/console.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const app = useApp();
const browser = useBrowser();
const { ask, create, trigger, until } = graphqlClient(app, () => shop.apiKey);
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let owner: SignedInForTest;

beforeAll(async () => {
  shop = await app.addAccount();
  owner = await signInAs(app, shop.accountId, { email: 'rita@shop.invalid', role: 'owner' });
});

test('sums of a list show the created, paid and failed amounts', async () => {
  const order = (brl: string) =>
    create('createOnramp', {
      amount: { brl },
      currency: 'USDT_TRX',
      clientName: 'Ana Souza',
      clientTaxId: '52998224725',
    });
  const paid = (await order('100')).transaction;
  await trigger(paid.end2end, 'pay');
  await until(paid.end2end, 'success/DONE');
  const failed = (await order('70')).transaction;
  await trigger(failed.end2end, 'expire');
  await until(failed.end2end, 'depositpix/EXPIRED');
  await order('50');
  const { text } = await visit(app, owner, '/console/transactions');
  expect(text).toContain('In: R$220.00 created, R$100.00 received, R$70.00 failed');
  const document =
    '{ transactions { sums { currency { code } source succeeded { source } failed { source } } } }';
  const { transactions } = await ask(document);
  expect(
    transactions.sums.find((each: { currency: { code: string } }) => each.currency.code === 'BRL'),
  ).toEqual({
    currency: { code: 'BRL' },
    source: '220',
    succeeded: { source: '100' },
    failed: { source: '70' },
  });
});

test('settings of withdrawals show only the ones that apply to them', async () => {
  const { text } = await visit(app, owner, '/console/settings');
  const row =
    /<tr[^>]*>(?:(?!<\/tr>)[\s\S])*value="withdraw_dash_same_curr"[\s\S]*?<\/tr>/.exec(text)?.[0] ?? '';
  const names = [...row.matchAll(/name="(amountM\w+|customer\w+)"/g)].map(([, name]) => name);
  expect([...new Set(names)]).toEqual(['amountMin', 'amountMax']);
  // Each amount in the table, and as the placeholder of its field.
  expect(row.match(/R\$/g)).toHaveLength(4);
  expect(row).not.toContain('%');
});

test.each([
  '/console/nope',
  '/console/operator',
  '/console/transactions/CRXNOPE',
])('%s keeps the menu', async (path) => {
  const { status, text } = await visit(app, owner, path);
  expect(status).toBeGreaterThanOrEqual(403);
  expect(text).toContain('<nav aria-label="');
  expect(text).toContain('href="/console/transactions"');
});

describe('a path that is none', () => {
  const asked = (path: string, accept: string) =>
    fetch(app.baseUrl + path, { headers: { accept, 'accept-language': 'en' } });

  test.each(['/nope', '/docs/nope'])('%s is a page for a browser', async (path) => {
    const answer = await asked(path, 'text/html,*/*');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await answer.text()).toContain('Page not found');
  });

  test.each([
    ['/nope', 'application/json'],
    ['/v2/nope', 'text/html'],
  ])('%s is a problem for %s', async (path, accept) => {
    const answer = await asked(path, accept);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  });
});

test('a used link still leads a signed-in person on', async () => {
  const path = new URL(linkUrl(app.baseUrl, 'A'.repeat(43))).pathname;
  const [known, unknown] = [await visit(app, owner, path), await visit(app, null, path)];
  expect([known.status, known.headers.get('location')]).toEqual([303, '/console']);
  expect(unknown.status).toBe(404);
});

test.each([
  ['Goes to {name}.', 'Loja Azul Ltda.', 'Goes to Loja Azul Ltda.'],
  ['{name}. More', 'Cripto S.A.', 'Cripto S.A. More'],
  ['Goes to {name}.', 'Loja Azul', 'Goes to Loja Azul.'],
])('no full stop follows another: %s with %s', (text, name, said) =>
  expect(fillIn(text, { name })).toBe(said));

describe.runIf(hasBrowser)('in a browser', () => {
  const open = (path: string, locale: string) =>
    browser.open(app.baseUrl + path, {
      locale,
      viewport: { width: 1280, height: 800 },
      prepare: (page) => signIn(page.context(), app, owner),
    });

  test.each(['en', 'pt-BR'])('the button of the search fits, in %s', async (locale) => {
    const page = await open('/console', locale);
    const { inner, outer, height, line } = await page.locator('.find').evaluate((find) => {
      const word = find.querySelector('span') as HTMLElement;
      const line = 1.6 * Number.parseFloat(getComputedStyle(word).fontSize);
      return { inner: find.scrollWidth, outer: find.clientWidth, height: word.offsetHeight, line };
    });
    expect([inner <= outer, height <= line]).toEqual([true, true]);
  });

  test('boxes of the key form are beside their labels', async () => {
    const page = await open('/console/developers', 'en');
    await page.locator('summary', { hasText: /key/i }).first().click();
    const boxes = await page.locator('form[action="/console/acts/CreateApiKey"] [type=checkbox]').all();
    expect(boxes.length).toBeGreaterThan(1);
    for (const box of boxes) {
      const size = await box.boundingBox();
      expect(size?.width).toBeLessThanOrEqual(24);
      const word = await box.locator('xpath=following-sibling::span').boundingBox();
      expect(word?.x).toBeGreaterThan((size?.x ?? 0) + (size?.width ?? 0));
    }
  });

  test('copy buttons stay after a live update', async () => {
    const input = { amount: { brl: '60' }, currency: 'USDT_TRX', externalCode: 'copy-1' };
    const { end2end } = (await create('createCheckout', input)).transaction;
    const page = await open(`/console/transactions/${end2end}`, 'en');
    const copies = page.locator('[data-live] [data-copy]:visible');
    expect(await copies.count()).toBeGreaterThan(0);
    await ask(
      `mutation { provideIdentity(input: { end2end: "${end2end}", clientName: "Ana Souza", clientTaxId: "52998224725" }) { transaction { end2end } errors { code message path } } }`,
    );
    await expect.poll(() => page.locator('main').innerText()).toContain('Ana Souza');
    expect(await copies.count()).toBeGreaterThan(0);
  });
});
