/**
 * Goal: an owner sees the pages of payers as they will be before anything is stored, and uploads a logo that comes from our own origin
 * under its hash (C-22). Method: the settings in Chromium with its policy of content, and over HTTP.
 */
import { hash } from 'node:crypto';
import { PNG } from 'pngjs';
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { axeViolations } from '../support/axe.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { signIn, visit } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const SETTINGS = '/console/settings';
const app = useApp();
const browser = useBrowser();
let owner: SignedInForTest;

beforeAll(async () => {
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
});

function picture(): Buffer {
  const png = new PNG({ width: 8, height: 8 });
  png.data.fill(0x7f);
  return PNG.sync.write(png);
}

const brandingOf = async () => {
  const { json } = await app.graphql(
    '{ viewer { account { logo branding { logoHash accent displayName } } } }',
  );
  return json.data.viewer.account;
};

describe.runIf(hasBrowser)('in a browser of 390 px', () => {
  test.each([
    'en',
    'pt-BR',
  ])('the preview follows what is written, and a logo is stored without metadata, in %s', async (locale) => {
    const page = await browser.open(app.baseUrl + SETTINGS, {
      ...{ locale, viewport: { width: 390, height: 844 } },
      prepare: (opened) => signIn(opened.context(), app, owner),
    });
    const look = page.locator('section[aria-labelledby="look"]');
    const opening = (at: number) => look.locator('details.ask > summary').nth(at);
    await opening(0).press('Enter');
    const [name, accent] = [look.locator('input[name="displayName"]'), look.locator('input[name="accent"]')];
    expect(await name.inputValue()).not.toBe('');
    await name.fill('Loja Verde');
    await accent.fill('#0b5fff');
    expect(await look.locator('text[data-preview]').textContent()).toBe('Loja Verde');
    expect(await look.locator('rect[data-preview]').first().getAttribute('fill')).toBe('#0b5fff');
    await accent.fill('#0b5');
    expect(await look.locator('rect[data-preview]').first().getAttribute('fill')).toBe('#0b5fff');
    await opening(1).press('Enter');
    const file = { name: 'logo.png', mimeType: 'image/png', buffer: picture() };
    await look.locator('input[type="file"]').setInputFiles(file);
    await expect.poll(() => look.locator('image').getAttribute('href')).toMatch(/^data:image\/png;base64,/);
    expect((await brandingOf()).branding.displayName).not.toBe('Loja Verde');
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await look.locator('form:has(input[type="file"]) button').click();
    await page.waitForLoadState();
    const { branding, logo } = await brandingOf();
    expect(hash('sha256', Buffer.from(logo.split(',')[1], 'base64'), 'hex')).toBe(branding.logoHash);
    const path = `/console/logo/${branding.logoHash}`;
    expect(await look.locator('image').getAttribute('href')).toBe(path);
    expect(page.problems).toEqual([]);
  });
});

test('a logo is served to its own account, under its own hash alone, and stays in the cache', async () => {
  await app.graphql(
    `mutation { updateBranding(input: { logo: "data:image/png;base64,${picture().toString('base64')}" }) { errors { code } } }`,
  );
  const { branding } = await brandingOf();
  const path = `/console/logo/${branding.logoHash}`;
  const { status, headers } = await visit(app, owner, path);
  expect([status, headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
  expect(headers.get('content-security-policy')).toContain('sandbox');
  expect((await visit(app, owner, `/console/logo/${'0'.repeat(64)}`)).status).toBe(404);
  const other = await app.addAccount();
  const stranger = await signInAs(app, other.accountId, { email: 'leo@shop.invalid', role: 'owner' });
  expect((await visit(app, stranger, path)).status).toBe(404);
  expect((await visit(app, null, path)).status).toBe(303);
});

test('a file that is no picture is refused at its field', async () => {
  const form = new FormData();
  const page = (await visit(app, owner, SETTINGS)).text;
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
  for (const [name, value] of Object.entries({ csrf, back: SETTINGS, part: 'logo' }))
    form.append(name, value);
  form.append(
    'logo',
    new Blob(['<svg xmlns="http://www.w3.org/2000/svg"/>'], { type: 'image/svg+xml' }),
    'a.svg',
  );
  const response = await fetch(`${app.baseUrl}/console/acts/UpdateBranding`, {
    ...{ method: 'POST', body: form, redirect: 'manual' },
    headers: { cookie: `session=${owner.token}`, origin: app.baseUrl, 'sec-fetch-site': 'same-origin' },
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toMatch(/id="UpdateBranding-logo-logo-wrong"/);
});
