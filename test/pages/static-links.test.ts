/**
 * Goal: whoever follows a static link gets a session of their own, or a page that says why not, in their language; nobody else
 * opens one: no browser that loads ahead, no robot that only looks. Method: Chromium and plain requests, against the gateway.
 */
import { describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { request, seeTitle, textOf, withoutRates } from './sessions.ts';

const app = useApp();
const browser = useBrowser();

describe.runIf(hasBrowser)('a static link in a browser', () => {
  test('of a fixed amount opens a priced session at each visit', async () => {
    const { url, slug } = await makeLink({ amount: '80', externalCode: 'shop-1' });
    const page = await browser.open(url);
    await seeTitle(page, 'Who is paying?');
    expect(await textOf(page, '.order')).toContain('Shop · Order shop-1');
    expect(await textOf(page, '.order')).toContain('R$80.00');
    const first = page.url();
    expect(first).toMatch(/\/pay\/[\w-]{24}$/);
    await page.goto(url);
    await seeTitle(page, 'Who is paying?');
    expect(page.url()).not.toBe(first);
    // Going back, or loading again, stays with the session that there is.
    const second = page.url();
    await page.reload();
    expect(page.url()).toBe(second);
    expect(await sessionsOf(slug)).toEqual([
      { fixedLink: `/pay/l/${slug}`, externalCode: 'shop-1', amountPayment: '80' },
      { fixedLink: `/pay/l/${slug}`, externalCode: 'shop-1', amountPayment: '80' },
    ]);
  });

  test('of an open amount asks for it', async () => {
    const { url, slug } = await makeLink({});
    const page = await browser.open(url, { locale: 'pt-BR' });
    await seeTitle(page, 'Quanto você quer pagar?');
    await page.fill('#amount', '1.234,5');
    await page.click('main form button');
    await seeTitle(page, 'Quem está pagando?');
    expect(await textOf(page, '.order')).toContain('R$ 1.234,50');
    expect(await sessionsOf(slug)).toEqual([
      { fixedLink: `/pay/l/${slug}`, externalCode: null, amountPayment: '1234.5' },
    ]);
  });

  test('keeps the requested language', async () => {
    const { url } = await makeLink({ amount: '80' });
    const page = await browser.open(`${url}?lang=pt`, { locale: 'en-US' });
    await seeTitle(page, 'Quem está pagando?');
    expect(page.url()).toContain('?lang=pt');
  });

  test.each([
    ['en-US', 'Page not found', 'Ask the merchant for a new one'],
    ['pt-BR', 'Página não encontrada', 'Peça um novo à loja'],
  ])('that was ended, or never was, is a page in the language of the visitor (%s)', async (locale, title, text) => {
    const { url, slug } = await makeLink({ amount: '80' });
    await request(
      app,
      'mutation ($slug: String!) { disableStaticLink(input: { slug: $slug }) { staticLink { slug } errors { code message path } } }',
      { slug },
    );
    for (const each of [url, `${url.slice(0, -1)}_`, `${app.baseUrl}/pay/l/`, `${app.baseUrl}/pay/l/a/b`]) {
      const page = await browser.open(each, { locale });
      const answer = await page.reload();
      expect([each, answer?.status()]).toEqual([each, 404]);
      await seeTitle(page, title);
      expect(await textOf(page)).toContain(text);
    }
    expect(await sessionsOf(slug)).toEqual([]);
  });

  test.each([
    ['en-US', 'No rate is available right now'],
    ['pt-BR', 'Não há cotação no momento'],
  ])('without a price is a page that says so, and opens nothing (%s)', async (locale, text) => {
    const { url, slug } = await makeLink({ amount: '80' });
    await withoutRates(app, async () => {
      const page = await browser.open(url, { locale });
      expect(await textOf(page)).toContain(text);
      const answer = await page.reload();
      expect([answer?.status(), answer?.headers()['content-type']]).toEqual([
        503,
        'text/html; charset=utf-8',
      ]);
      expect(answer?.headers()['retry-after']).toMatch(/^[1-9]\d*$/);
    });
    expect(await sessionsOf(slug)).toEqual([]);
  });
});

describe('a static link', () => {
  test.each([
    ['sec-purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['sec-purpose', 'prefetch;anonymous-client-ip'],
    ['purpose', 'prefetch'],
    ['x-moz', 'prefetch'],
    ['x-purpose', 'preview'],
  ])('is not opened by a browser that loads ahead (%s: %s)', async (name, value) => {
    const { path, slug } = await makeLink({ amount: '80' });
    const { status, headers } = await visit(path, { headers: { [name]: value } });
    expect([status, headers.get('location')]).toEqual([503, null]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await sessionsOf(slug)).toEqual([]);
    expect((await visit(path)).status).toBe(303);
    expect(await sessionsOf(slug)).toHaveLength(1);
  });

  test.each(['HEAD', 'POST', 'PUT', 'OPTIONS'])('answers %s with 405 and opens nothing', async (method) => {
    const { path, slug } = await makeLink({ amount: '80' });
    const { status, headers } = await visit(path, { method });
    expect([status, headers.get('allow')]).toEqual([405, 'GET']);
    expect(await sessionsOf(slug)).toEqual([]);
  });
});

async function makeLink(input: object): Promise<{ url: string; path: string; slug: string }> {
  const {
    createStaticLink: { staticLink: createStaticLink },
  } = await request(
    app,
    'mutation ($input: CreateStaticLinkInput!) { createStaticLink(input: $input) { staticLink { url slug } errors { code message path } } }',
    { input: { name: 'Shop', currency: 'USDT_TRX', ...input } },
  );
  return { ...createStaticLink, path: new URL(createStaticLink.url).pathname };
}

function visit(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(app.baseUrl + path, { ...init, redirect: 'manual' });
}

/** @returns the sessions that visits of a link have opened. */
async function sessionsOf(slug: string) {
  const { transactions } = await request(
    app,
    `{ transactions(families: CHECKOUTS, first: 100) { edges { node { ... on CrossrampCheckout {
      fixedLink externalCode amountPayment } } } } }`,
  );
  const nodes = transactions.edges.map(({ node }: { node: { fixedLink: string | null } }) => node);
  return nodes.filter(({ fixedLink }: { fixedLink: string | null }) => fixedLink === `/pay/l/${slug}`);
}
