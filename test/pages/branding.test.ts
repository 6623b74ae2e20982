/** Goal: an account's pages look as it wants, as far as everybody can read them. Method: settings over GraphQL, then the pages. */

import { crc32, deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
const browser = useBrowser();
const UPDATE = `mutation ($input: UpdateBrandingInput!) { updateBranding(input: $input) { branding {
  displayName accent hasLogo supportUrl frameHosts } errors { code message path } } }`;

const update = (input: object, key?: string) => app.graphql(UPDATE, { input }, key ? { key } : {});

async function newLink(key?: string): Promise<string> {
  const body = { amount_payment: '550', currency_exit_received_code: 'USDT_TRX' };
  const { json } = await app.post('/v2/crossramp_checkout', body, key ? { key } : {});
  return json.payment_link;
}

/** A picture of one pixel, with something behind its end. */
function png(behind = Buffer.alloc(0)): string {
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const body = Buffer.concat([Buffer.from(type), data]);
    const crc = Buffer.alloc(4);
    crc.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, crc]);
  };
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  const image = Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.from([0, 0]))),
    chunk('IEND', Buffer.alloc(0)),
    behind,
  ]);
  return `data:image/png;base64,${image.toString('base64')}`;
}

test('a plain account has its own name and nothing else', async () => {
  const { apiKey } = await app.addAccount();
  const { json } = await app.graphql(
    '{ viewer { account { branding { displayName accent hasLogo supportUrl frameHosts } } } }',
    {},
    { key: apiKey },
  );
  const plain = { displayName: 'Another', accent: null, hasLogo: false, supportUrl: null, frameHosts: [] };
  expect(json.data.viewer.account.branding).toEqual(plain);
});

test('name, colour, logo, help and frames are on the page; null removes them', async () => {
  const { apiKey } = await app.addAccount();
  const look = {
    displayName: 'Loja <da> Ana',
    accent: '#7A1FA2',
    supportUrl: 'mailto:help@shop.example.com',
    frameHosts: ['https://shop.example.com'],
  };
  const { json } = await update({ ...look, logo: png() }, apiKey);
  expect(json.data.updateBranding.branding).toEqual({ ...look, accent: '#7a1fa2', hasLogo: true });
  const link = await newLink(apiKey);
  const { text, headers } = await app.get(new URL(link).pathname, { key: null });
  expect(text).toContain('Loja &lt;da&gt; Ana');
  expect(text).toContain(':root{--accent:#7a1fa2}');
  expect(text).toContain('href="mailto:help@shop.example.com"');
  expect(headers.get('content-security-policy')).toContain('frame-ancestors https://shop.example.com');
  expect(headers.get('x-frame-options')).toBeNull();
  const logo = await fetch(`${link}/logo`);
  expect([logo.status, logo.headers.get('content-type')]).toEqual([200, 'image/png']);
  if (hasBrowser) {
    const page = await browser.open(link);
    const style = 'getComputedStyle(document.querySelector("main form button")).backgroundColor';
    expect(await page.evaluate(style)).toBe('rgb(122, 31, 162)');
    expect(page.problems).toEqual([]);
  }
  const nothing = { displayName: null, accent: null, logo: null, supportUrl: null, frameHosts: null };
  expect((await update(nothing, apiKey)).json.data.updateBranding.branding).toEqual({
    ...{ displayName: 'Another', accent: null, hasLogo: false, supportUrl: null, frameHosts: [] },
  });
  expect((await fetch(`${link}/logo`)).status).toBe(404);
});

test('a logo with a page after its end is served without it', async () => {
  const { apiKey } = await app.addAccount();
  await update({ logo: png(Buffer.from('<script>alert(1)</script>')) }, apiKey);
  const logo = await fetch(`${await newLink(apiKey)}/logo`);
  const plain = Buffer.from(png().split(',')[1] ?? '', 'base64');
  expect(Buffer.from(await logo.arrayBuffer())).toEqual(plain);
});

test.each([
  ['accent', 'red', 'input.accent', /such as #0b5fff/],
  ['accent', '#ffd166', 'input.accent', /contrast of 1\.4\d, and at least 4.5/],
  ['accent', '#777777', 'input.accent', /contrast of 4\.48/],
  ['displayName', 'x'.repeat(61), 'input.displayName', /1 to 60/],
  ['displayName', 'Loja \u202eanA', 'input.displayName', /invisible/],
  ['supportUrl', 'javascript:alert(1)', 'input.supportUrl', /https/],
  ['supportUrl', 'mailto:a@b.example?subject=x', 'input.supportUrl', /https/],
  ['supportUrl', `mailto:a@${'b'.repeat(2_050)}.example`, 'input.supportUrl', /https/],
  ['frameHosts', ['https://ok.example.com', "'unsafe-inline'"], 'input.frameHosts.1', /origin/],
  ['frameHosts', ['https://*.example.com'], 'input.frameHosts.0', /origin/],
  ['frameHosts', ['http://shop.example.com'], 'input.frameHosts.0', /origin/],
  ['logo', 'https://cdn.example.com/logo.png', 'input.logo', /PNG, JPEG or WebP/],
  ['logo', 'data:image/svg+xml;base64,PHN2Zy8+', 'input.logo', /PNG, JPEG or WebP/],
  [
    'logo',
    `data:image/png;base64,${Buffer.from('89504e470d0a1a0a', 'hex').toString('base64')}`,
    'input.logo',
    /complete/,
  ],
  ['logo', png(Buffer.alloc(70_000)), 'input.logo', /65536/],
])('%s %j is refused by its name', async (name, value, parameter, message) => {
  const { json } = await update({ [name]: value });
  const { code, violations } = errorsIn(json)[0].extensions;
  expect([code, violations[0].parameter]).toEqual(['INVALID_PARAMETER', parameter]);
  expect(violations[0].message).toMatch(message);
});
