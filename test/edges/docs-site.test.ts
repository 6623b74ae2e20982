/**
 * Goal: whoever opens the gateway in a browser finds out what it is and how it is used, without another place.
 * Method: every page below /docs is read, and every link in it followed; the search is asked for what people look for.
 */
import { parse, validate } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { docsSite } from '../../src/docs/docs-site.ts';
import { FIVE_OPERATIONS } from '../../src/docs/graphiql-operations.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useApp } from '../support/app.ts';
import { countTurns } from '../support/turns.ts';

const app = useApp({ publicUrl: 'http://127.0.0.1:4000' });
const HTML = { accept: 'text/html,application/xhtml+xml' };
const open = (path: string) => app.get(path, { key: null, headers: HTML });

const linksOf = (html: string) =>
  [...html.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
const anchorsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));

test('the first page describes the program to a browser, and stays JSON for other clients', async () => {
  const page = await open('/');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.text).toContain('Crossramp Gateway');
  expect(linksOf(page.text)).toEqual(
    expect.arrayContaining(['/console', '/docs', '/graphql', '/v2/openapi.json']),
  );
  expect((await open('/?lang=pt')).text).toContain('razão de partidas dobradas');
  const json = (await app.get('/', { key: null })).json;
  expect(json).toMatchObject({ name: 'Crossramp Gateway', docs: 'http://127.0.0.1:4000/docs' });
});

test('other work runs while the site is rendered: at least once for each page', async () => {
  const openApi = (await app.get('/v2/openapi.json', { key: null })).json;
  const asyncApi = (await app.get('/v2/asyncapi.json', { key: null })).json;
  const schema = buildSchema(REGISTRY);
  const turns = countTurns();
  await docsSite({
    publicUrl: app.services.publicUrl,
    schema,
    openApi: () => openApi,
    asyncApi: () => asyncApi,
  });
  turns.end();
  expect(turns.now()).toBeGreaterThan(150);
});

describe('every page', () => {
  const pages = new Map<string, string>();

  beforeAll(async () => {
    const waiting = ['/docs/readme'];
    while (waiting.length > 0) {
      const path = waiting.pop() as string;
      if (pages.has(path)) continue;
      const page = await open(path);
      expect(page.status, path).toBe(200);
      pages.set(path, page.text);
      const further = linksOf(page.text).map((link) => link.split('#')[0] as string);
      waiting.push(
        ...further.filter(
          (link) => link.startsWith('/docs/') && !/\.(png|css)$/.test(link) && link !== '/docs/search',
        ),
      );
    }
  }, 60_000);

  test('is there: documents, decisions, a page for each type, the references', () => {
    expect(pages.size).toBeGreaterThan(150);
    for (const path of [
      'rest-v2',
      'graphql',
      'errors',
      'decisions/0001-layers-and-templates',
      'changelog',
      'leia-me',
    ])
      expect([...pages.keys()]).toContain(`/docs/${path}`);
    expect(pages.get('/docs/api/rest')).toContain('POST /v2/onramp');
    expect(pages.get('/docs/api/graphql')).toContain('createCheckout');
    expect(pages.get('/docs/api/events')).toContain('onramp.');
  });

  test('has links that lead to its own pages and their headings', () => {
    const broken = [...pages].flatMap(([from, html]) =>
      [...html.matchAll(/href="(\/docs\/[^"#]*)?#([^"]*)"/g)]
        .map(([, path, anchor]) => ({ to: path ?? from, anchor: decodeURIComponent(anchor as string) }))
        .filter(({ to, anchor }) => !anchorsOf(pages.get(to) ?? '').has(anchor))
        .map(({ to, anchor }) => `${from} → ${to}#${anchor}`),
    );
    expect(broken).toEqual([]);
  });

  test('loads nothing from other hosts', () => {
    for (const [path, html] of pages) {
      expect(html, path).not.toMatch(/<(script|iframe|object|style)\b/);
      expect(html, path).not.toMatch(/(src|srcset)="(https?:)?\/\//);
    }
  });
});

test('pictures of the documents are served, and no other file of the disk', async () => {
  expect((await open('/docs/pages/amount-en.png')).headers.get('content-type')).toBe('image/png');
  for (const path of [
    '..%2fpackage.json',
    '../package.json',
    'pages/..%2f..%2fx.png',
    'x',
    'api/graphql/__proto__',
    '%00',
  ])
    expect((await open(`/docs/${path}`)).status, path).toBe(404);
});

test.each([
  ['createCheckout', '/docs/api/graphql#createcheckout'],
  ['RATE_LIMITED', '/docs/errors#rate_limited'],
  ['POST /v2/onramp', '/docs/api/rest#post-v2onramp'],
  ['idempotency', '/docs/rest-v2#idempotency'],
])('the search for “%s” finds its place first', async (question, url) => {
  const { text, status } = await open(`/docs/search?q=${encodeURIComponent(question)}`);
  expect(status).toBe(200);
  expect(/<ol class="found"><li><a href="([^"]*)"/.exec(text)?.[1]).toBe(url);
});

test('a search for nothing, for marks or for a page of text is answered', async () => {
  for (const question of ['', '<script>alert(1)</script>', '%', 'x'.repeat(5_000), 'zzzqqq'])
    expect((await open(`/docs/search?q=${encodeURIComponent(question)}`)).status).toBe(200);
  expect((await open('/docs/search?q=%3Cscript%3E')).text).not.toContain('<script>');
});

test('the type of an error leads a browser to its heading, and a program to its text', async () => {
  const page = await fetch(`${app.baseUrl}/errors/RATE_LIMITED`, { headers: HTML, redirect: 'manual' });
  expect([page.status, page.headers.get('location')]).toEqual([302, '/docs/errors#rate_limited']);
  const text = await app.get('/errors/RATE_LIMITED', { key: null });
  expect(text.text).toMatch(/^# RATE_LIMITED/);
});

describe('GraphiQL', () => {
  test('is a small page; its files are compressed and cached', async () => {
    const { text, headers } = await open('/graphql');
    expect(text.length).toBeLessThan(8_000);
    expect(headers.get('content-security-policy')).toContain("script-src 'self'");
    const files = linksOf(text).filter((link) => link.startsWith('/graphiql/'));
    expect(files).toHaveLength(3);
    for (const path of files) {
      const file = await fetch(app.baseUrl + path, { headers: { 'accept-encoding': 'br' } });
      expect(file.headers.get('cache-control')).toContain('immutable');
      expect(file.headers.get('content-encoding')).toBe('br');
      await file.arrayBuffer();
      const plain = await fetch(app.baseUrl + path, { headers: { 'accept-encoding': 'br;q=0' } });
      expect(plain.headers.get('content-encoding')).toBeNull();
      await plain.arrayBuffer();
    }
    expect((await open('/graphiql/nothing.js')).status).toBe(404);
  });

  test('opens with five operations that the schema has', () => {
    const schema = buildSchema(REGISTRY);
    expect(FIVE_OPERATIONS).toHaveLength(5);
    for (const operation of FIVE_OPERATIONS) expect(validate(schema, parse(operation))).toEqual([]);
  });

  test('runs each of them that is no subscription', async () => {
    for (const operation of FIVE_OPERATIONS.filter((text) => !text.includes('\nsubscription'))) {
      const { json } = await app.graphql(operation);
      expect(json.errors).toBeUndefined();
    }
  });
});

describe('as Markdown, for programs that read', () => {
  const read = (path: string, accept = '*/*') => app.get(path, { key: null, headers: { accept } });

  test('each document is served under its name, and to clients that accept Markdown, with links that lead on to Markdown', async () => {
    const waiting = ['/docs/readme.md'];
    const seen = new Set<string>();
    while (waiting.length > 0) {
      const path = waiting.pop() as string;
      if (seen.has(path)) continue;
      seen.add(path);
      const { status, headers, text } = await read(path);
      expect([status, headers.get('content-type')], path).toEqual([200, 'text/markdown; charset=utf-8']);
      expect(text.startsWith('# ') || text.startsWith('<!--'), path).toBe(true);
      const prose = text.replace(/^```[\s\S]*?^```$/gm, '');
      waiting.push(
        ...[...prose.matchAll(/\]\((\/docs\/[^)#\s]+\.md)(?:#[^)]*)?\)/g)].map(([, to]) => to as string),
      );
      for (const [, to = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g))
        expect(to, path).toMatch(
          /^(\/docs\/[\w/.-]+\.(md|png)(#.*)?|#.+|https?:.*|mailto:.*|\/v2\/\w+\.json)$/,
        );
    }
    expect(seen.size).toBeGreaterThan(150);
    const page = await read('/docs/events', 'text/markdown, text/plain;q=0.5');
    expect(page.headers.get('vary')).toContain('accept');
    expect(page.text).toBe((await read('/docs/events.md')).text);
    expect((await read('/docs/nothing.md')).status).toBe(404);
  }, 60_000);

  test('commands go to this gateway, except those that start one', async () => {
    const { publicUrl } = app.services;
    expect(publicUrl).not.toBe('http://localhost:4000');
    for (const path of ['/docs/readme', '/docs/webhooks', '/docs/sdk']) {
      const texts = [(await read(`${path}.md`)).text, (await read(path)).text];
      for (const text of texts) {
        expect(text).toContain(publicUrl);
        expect(text).not.toContain('http://localhost:4000');
      }
    }
    expect((await read('/docs/containers.md')).text).toContain('PUBLIC_URL=http://localhost:4000');
  });

  test.each([
    ['text/markdown;q=0, text/html', 'html'],
    ['text/html, text/markdown;q=0.5', 'html'],
    ['text/html;q=0.5, text/markdown', 'markdown'],
    ['text/html, text/markdown', 'markdown'],
    ['TEXT/MARKDOWN', 'markdown'],
    ['text/html;q=0', 'html'],
    ['*/*', 'html'],
  ])('a document is sent in the form that Accept prefers: %s', async (accept, form) => {
    const { headers } = await read('/docs/events', accept);
    expect(headers.get('content-type')).toBe(`text/${form}; charset=utf-8`);
  });

  test.each([
    ['gzip', 'gzip'],
    ['br, GZIP;q=0.5', 'gzip'],
    ['gzip;q=0', null],
    ['gzip; q=0.0, identity', null],
    ['x-gzip-like', null],
  ])('a document is compressed only for clients that accept it: %s', async (accepted, encoding) => {
    const document = await fetch(`${app.baseUrl}/docs/events`, { headers: { 'accept-encoding': accepted } });
    expect(document.headers.get('content-encoding')).toBe(encoding);
    expect(await document.text()).toContain('<h1');
  });

  test('/llms.txt leads to a paid checkout by its own text, and every address in it answers', async () => {
    const { text, headers } = await read('/llms.txt');
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(text.length).toBeLessThan(8_000);
    const [create, pay] = [...text.matchAll(/-d '([^']*)'/g)].map(([, body]) => JSON.parse(body as string));
    const made = await app.post('/v2/crossramp_checkout', create);
    expect(made.status).toBe(201);
    const { end2end } = made.json as { end2end: string };
    const paid = await app.post('/v2/sandbox/trigger', { ...pay, end2end });
    expect(paid.status).toBe(200);
    const answer = () => app.get(`/v2/crossramp_checkout/${end2end}`);
    await expect.poll(async () => (await answer()).json.status.en).toBe('Success');
    const answers = [text, made.text, paid.text, (await answer()).text, (await app.get('/v2/balance')).text];
    expect(Buffer.byteLength(answers.join(''))).toBeLessThan(AGENT_READS_MAX);
    for (const [, path = ''] of text.matchAll(/\]\(http:\/\/127\.0\.0\.1:4000(\/[^)]*)\)/g))
      expect((await read(path)).status, path).toBe(200);
  });

  test('OpenAPI in parts: each operation is in one part, with all that it refers to and nothing else', async () => {
    const whole = (await read('/v2/openapi.json')).json as OpenApi;
    const seen: string[] = [];
    for (const { name } of whole.tags) {
      const { json, text } = await read(`/v2/openapi/${name}.json`);
      expect(Buffer.byteLength(text), name).toBeLessThan(PART_MAX[name] ?? 0);
      const part = json as OpenApi;
      for (const [path, operations] of Object.entries(part.paths))
        seen.push(...Object.keys(operations).map((method) => `${method} ${path}`));
      const referred = new Set([...text.matchAll(/"#\/components\/([^"]+)"/g)].map(([, each]) => each));
      const kept = Object.entries(part.components).flatMap(([kind, members]) =>
        Object.keys(members).map((member) => `${kind}/${member}`),
      );
      expect(kept.filter((each) => !each.startsWith('securitySchemes/')).sort(), name).toEqual(
        [...referred].sort(),
      );
    }
    const all = Object.entries(whole.paths).flatMap(([path, of]) =>
      Object.keys(of).map((method) => `${method} ${path}`),
    );
    expect(seen.sort()).toEqual(all.sort());
    expect((await read('/v2/openapi/nothing.json')).status).toBe(404);
  });
});

/** Bytes that an agent reads from `/llms.txt` to a paid checkout in its balance: the text and the answers of its calls. */
const AGENT_READS_MAX = 20_000;
/** Bytes of each part of OpenAPI, some hundredths above those of today: a model is billed by length. */
const PART_MAX: Readonly<Record<string, number>> = {
  checkouts: 44_000,
  onramps: 48_000,
  offramps: 51_000,
  withdrawals: 34_000,
  account: 32_000,
  events: 29_000,
  webhooks: 64_000,
  keys: 23_000,
  whitelist: 32_000,
  links: 22_000,
  sandbox: 35_000,
};

interface OpenApi {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, object>>;
  readonly components: Readonly<Record<string, object>>;
}
