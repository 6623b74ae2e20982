/**
 * Goal: a page can be shown to whoever has its link, and to nobody else. Method: its headers, its weight, its words over HTTP;
 * its policy in a real browser; every log line of a journey.
 */
import { Writable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { eventually } from '../support/receiver.ts';
import { checkout, offramp, payee, somebody } from './sessions.ts';

const logged: string[] = [];
const sink = new Writable({
  write: (line, _encoding, done) => {
    logged.push(String(line));
    done();
  },
});
const app = useApp({
  log: pino({ level: 'trace' }, sink),
  rateLimit: { reads: { perSecond: 1_000, burst: 1_000 }, writes: { perSecond: 1_000, burst: 1_000 } },
});
const browser = useBrowser();
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function newLink(body: object = {}): Promise<string> {
  return new URL((await checkout(app, body)).link).pathname;
}

const open = (path: string, headers: Record<string, string> = {}) => app.get(path, { key: null, headers });
const send = (path: string, form: string, headers: Record<string, string> = {}) =>
  fetch(app.baseUrl + path, {
    method: 'POST',
    headers: { ...FORM, ...headers },
    body: form,
    redirect: 'manual',
  });

describe('output', () => {
  test('pages have a policy without unsafe-*, no referrer, and are neither cached nor indexed nor framed', async () => {
    const { headers } = await open(await newLink());
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'sha256-");
    expect(policy).toContain("form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(Object.fromEntries(headers)).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
  });

  test('an address without a session is a page as well', async () => {
    for (const path of ['/pay', '/pay/']) {
      const { status, headers } = await open(path);
      expect([path, status, headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8']);
    }
  });

  test('people are masked, and facts between merchant and gateway are hidden', async () => {
    const given = somebody();
    const link = await newLink({
      ...given,
      external_code: 'order-77',
      webhook: 'https://hooks.example.com/77',
    });
    const { text } = await open(link);
    expect(text).toContain('Maria S. P.');
    expect(text).toContain('Pedido order-77');
    for (const hidden of [given.client_tax_id, 'Silva', 'hooks.example.com', app.apiKey])
      expect(text).not.toContain(hidden);
  });

  test('text of a payer is returned as text, never as markup', async () => {
    const link = await newLink();
    const form = new URLSearchParams({ name: '"><script>alert(1)</script>', taxId: "'><img src=x>" });
    const answer = await send(`${link}/identity`, form.toString());
    const text = await answer.text();
    expect(answer.status).toBe(400);
    expect(text).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toMatch(/<script>|<img/);
  });

  test('HTML weighs at most 8 kB and script at most 5 kB, both gzipped', async () => {
    const links = await Promise.all([newLink(somebody()), newLink(), newLink({ amount_payment: undefined })]);
    const deposit = await offramp(app, { ...payee(), currency: 'USDC_POLYGON' });
    const weights: number[] = [];
    for (const link of [...links, new URL(deposit.link).pathname]) {
      const { text } = await open(link);
      weights.push(gzipSync(text).length);
      const script = await open(/src="(\/pay\/island-[0-9a-f]+\.js)"/.exec(text)?.[1] ?? '');
      expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(gzipSync(script.text).length).toBeLessThanOrEqual(5_000);
    }
    expect(Math.max(...weights)).toBeLessThanOrEqual(8_000);
    const zipped = await rawBody(links[0] as string);
    expect(gunzipSync(zipped).toString()).toContain('<!doctype html>');
  });

  test.runIf(hasBrowser)(
    'a browser enforces the policy without a complaint and requests nothing from other hosts',
    async () => {
      const strangers: string[] = [];
      const page = await browser.open(app.baseUrl + (await newLink(somebody())), { strangers });
      await page.waitForSelector('[data-left]:not([hidden])');
      await page.click('button[value=pay]');
      await page.waitForSelector('.receipt');
      expect([page.problems, strangers]).toEqual([[], []]);
    },
  );
});

/** As it came over the wire. */
async function rawBody(path: string): Promise<Buffer> {
  const { get } = await import('node:http');
  return new Promise((resolve, reject) => {
    get(app.baseUrl + path, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
    }).on('error', reject);
  });
}

describe('input', () => {
  test.each([
    '/pay/',
    '/pay/x',
    `/pay/${'A'.repeat(24)}`,
    `/pay/${'A'.repeat(24)}/qr.svg`,
    '/pay/l/x',
    '/pay/a/b/c',
  ])('%s is a page that says that there is nothing', async (path) => {
    const { status, headers, text } = await open(path, { 'accept-language': 'pt-BR,en;q=0.5' });
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(text).toContain('Página não encontrada');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  test.each([
    ['of another site', 'identity', 'name=a', { 'sec-fetch-site': 'cross-site' }, 403],
    ['that is none', 'nothing', '', {}, 404],
    ['of another media type', 'identity', '{}', { 'content-type': 'application/json' }, 415],
    ['that is too large', 'identity', `name=${'a'.repeat(20_000)}`, {}, 413],
    ['with bytes that are no text', 'identity', 'name=%ff%00&taxId=%00', {}, 400],
    ['without its fields', 'identity', '', {}, 400],
  ])('a form %s is refused in a page', async (_name, action, body, headers, status) => {
    const answer = await send(`${await newLink()}/${action}`, body, headers as Record<string, string>);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
  });

  test('an action that the payment does not accept leads back to its present state', async () => {
    const link = await newLink(somebody());
    for (const action of ['confirm', 'accept', 'renew', 'requote']) {
      const { status, headers } = await send(`${link}/${action}?lang=pt`, '');
      expect([action, status, headers.get('location')]).toEqual([action, 303, `${link}?lang=pt`]);
    }
  });

  test('methods that there are not are named', async () => {
    const link = await newLink();
    const { status, headers } = await app.get(link, { key: null, method: 'DELETE' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const action = await app.get(`${link}/identity`, { key: null, method: 'DELETE' });
    expect([action.status, action.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    // There is nothing to do by looking: it leads to the page, and only where there is such an act.
    const looked = await fetch(`${app.baseUrl}${link}/identity`, { redirect: 'manual' });
    expect([looked.status, looked.headers.get('location')]).toEqual([303, link]);
    expect((await app.get(`${link}/nothing`, { key: null })).status).toBe(404);
  });

  test('a caller that never stops is asked to wait, in a page', async () => {
    const link = await newLink();
    // On a slow machine again and again: meanwhile some more are allowed.
    const refused = await eventually('a refusal', async () =>
      (await Promise.all(Array.from({ length: 100 }, () => open(link)))).find(({ status }) => status === 429),
    );
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused?.text).toMatch(/Too many requests|Muitas tentativas/);
    // Another page is not the worse for it.
    expect((await open(await newLink())).status).toBe(200);
  });
});

test('a token never reaches a log', async () => {
  const link = await newLink(somebody());
  const token = link.split('/').at(-1) as string;
  await open(link);
  await open(`${link}/qr.svg`);
  await open(`${link}/a/b`);
  await send(`${link}/identity`, 'name=a');
  await send(`${link}/sandbox`, 'scenario=nothing');
  await send(`${link}/sandbox`, 'scenario=pay');
  const query = encodeURIComponent('{ paymentSession { ask } }');
  await open(`/graphql?access_token=${token}&query=${query}`, { accept: 'application/json' });
  await open(`/graphql?access_token=${token}&query=%7B`, { accept: 'application/json' });
  await app.graphql('{ viewer { account { name } } }', {}, { key: token });
  expect(logged.length).toBeGreaterThan(5);
  expect(logged.filter((line) => line.includes(token))).toEqual([]);
});
