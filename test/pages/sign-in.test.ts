/**
 * Goal: a newcomer comes in by the link that a start prints, with one click and no script; whoever only looks at a link uses
 * nothing up; people see where they are signed in and end it, change the account and sign out, with script and without (C-40).
 * Method: Chromium, and plain requests for what no browser sends.
 */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { formToken } from '../../src/base/access/person-token.ts';
import { makeNewcomerLink, startContext } from '../../src/resolvers/people/links.ts';
import { startApp, useApp } from '../support/app.ts';
import { axeViolations } from '../support/axe.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { inviteByOperator, signInAs } from '../support/people.ts';

const app = useApp();
const browser = useBrowser();
let count = 0;
const newEmail = () => `door${++count}@shop.invalid`;
const newcomerLink = async () => (await makeNewcomerLink(app.database, startContext(app.services))).url;
const request = (url: string, headers: Record<string, string> = {}, body?: Record<string, string>) =>
  fetch(url, {
    method: body ? 'POST' : 'GET',
    headers,
    redirect: 'manual',
    ...(body && { body: new URLSearchParams(body) }),
  });
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

describe.runIf(hasBrowser)('in a browser without script', () => {
  test.each([
    [
      'en-US',
      'Sign in as Sandbox owner',
      'Sign in',
      'Sign-in and security',
      'Open the console',
      'Sign out',
      'Sign in',
    ],
    [
      'pt-BR',
      'Entrar como Sandbox owner',
      'Entrar',
      'Acesso e segurança',
      'Abrir o console',
      'Sair',
      'Entrar',
    ],
  ])('%s: one click, in, and out again', async (locale, title, comeIn, home, toConsole, signOut, signIn) => {
    const url = await newcomerLink();
    const page = await browser.open(url, { locale, javaScriptEnabled: false });
    expect(await page.locator('h1').innerText()).toBe(title);
    await page.getByRole('button', { name: comeIn }).click();
    expect(new URL(page.url()).pathname).toBe('/console');
    await page.goto(new URL('/console/security', url).href);
    expect(await page.locator('h1').innerText()).toBe(home);
    // Who accepts an invitation lands on this page: it leads on.
    await page.getByRole('link', { name: toConsole }).click();
    expect(new URL(page.url()).pathname).toBe('/console');
    await page.goBack();
    const session = async () => (await page.context().cookies()).find(({ name }) => name === 'session');
    expect(await session()).toMatchObject({ name: 'session', httpOnly: true, sameSite: 'Lax', path: '/' });
    await page.getByRole('button', { name: signOut }).click();
    expect(await page.locator('h1').innerText()).toBe(signIn);
    expect(await session()).toBeUndefined();
    await page.goto(url);
    expect(await page.locator('h1').innerText()).toMatch(/This link has expired|Este link expirou/);
  });
});

test('the doors speak the language that was chosen in the console', async () => {
  const { headers } = await signInAs(app, app.accountId, { email: newEmail(), role: 'owner' });
  const cookie = headers.cookie ?? '';
  const title = async (path: string, more = '') => {
    const answer = await request(app.baseUrl + path, { cookie: `${cookie}${more}`, 'accept-language': 'en' });
    return /<h1>([^<]*)/.exec(await answer.text())?.[1];
  };
  const chosen = await request(`${app.baseUrl}/console?lang=pt`, { cookie });
  const kept = `; ${chosen.headers.get('set-cookie')?.split(';')[0]}`;
  expect(await title('/console/security')).toBe('Sign-in and security');
  expect(await title('/console/security', kept)).toBe('Acesso e segurança');
  const changed = await request(`${app.baseUrl}/console/security?lang=en`, { cookie: cookie + kept });
  expect(await changed.text()).toContain('<h1>Sign-in and security');
  expect(changed.headers.get('set-cookie')).toMatch(/^lang=en; Path=\/console;/);
  const begun = (await request(`${await newcomerLink()}?lang=pt`)).headers.getSetCookie();
  expect(begun.filter((each) => each.startsWith('lang=pt;'))).toHaveLength(1);
  expect(begun).toHaveLength(2);
});

describe.runIf(hasBrowser).each([
  ['with script', true],
  ['without script', false],
] as const)('%s', (_way, javaScriptEnabled) => {
  test('a browser is listed, and ended from another one; a person of two accounts switches between them', async () => {
    const email = newEmail();
    const shop = await app.addAccount();
    const elsewhere = await signInAs(app, shop.accountId, { email, role: 'owner' });
    const other = await app.addAccount();
    const { url } = await inviteByOperator(app.services, other.accountId, { email, role: 'viewer' });
    const page = await browser.open(url, { javaScriptEnabled });
    await expect.poll(() => page.locator('.note').innerText()).toMatch(/Sign in as door/);
    const { hostname } = new URL(url);
    await page
      .context()
      .addCookies([{ name: 'session', value: elsewhere.token, domain: hostname, path: '/' }]);
    await page.reload();
    await page.getByRole('button', { name: 'Accept invitation' }).click();
    expect(await page.getByText('Current account').count()).toBe(1);
    await page.getByRole('button', { name: 'Switch to this account' }).click();
    // Whoever changes the account wants to work in it.
    await page.waitForURL(/\/console(\?|$)/);
    await changeInMenu(page, other.accountId);
    await changeInMenu(page, shop.accountId);
    await page.goto(new URL('/console/security', page.url()).href);
    await page.getByRole('button', { name: 'End session' }).click();
    expect(await page.getByRole('button', { name: 'End session' }).count()).toBe(0);
    const { rows } = await app.owner.query(
      `select account_id, after from audit_entry where act = 'person.switch_account' and actor_id = $1
         order by at, account_id, seq`,
      [elsewhere.personId],
    );
    const intoShop = { account_id: String(shop.accountId), after: { role: 'owner' } };
    const intoOther = { account_id: String(other.accountId), after: { role: 'viewer' } };
    expect(rows).toEqual([intoShop, intoOther, intoShop]);
    expect((await elsewhere.graphql('{ viewer { scopes } }')).status).toBe(401);
    // A phone has this menu on the page of the own sessions alone.
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(new URL('/console', page.url()).href);
    await page.locator('button[popovertarget=me]').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('session');
  });
});

/** Opens another account by the menu that stands on every screen. */
async function changeInMenu(page: Page, accountId: bigint): Promise<void> {
  await page.locator('button[popovertarget=accounts]').click();
  await page.locator(`#accounts form:has(input[name=accountId][value="${accountId}"]) button`).click();
  await page
    .locator('#accounts', { hasNot: page.locator(`input[value="${accountId}"]`) })
    .waitFor({ state: 'attached' });
}

describe.runIf(hasBrowser)('pages of signing in', () => {
  test.each([
    ['light', 390],
    ['dark', 768],
  ] as const)('have nothing that axe finds (%s, %i px)', async (colorScheme, width) => {
    const viewport = { width, height: 900 };
    // axe is put into the page, which its policy does not allow.
    const page = await browser.open(await newcomerLink(), { colorScheme, viewport, bypassCSP: true });
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.goto(new URL('/console/security', page.url()).href);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await axeViolations(page)).toEqual([]);
    expect(page.problems).toEqual([]);
  });
});

/** Header fields of a browser that was shown the page. */
async function shown(url: string) {
  const page = await fetch(url);
  const [cookie = ''] = page.headers.getSetCookie();
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(await page.text()) ?? [];
  return { headers: { ...OWN_PAGE, cookie: cookie.split(';')[0] ?? '' }, form: { csrf } };
}

describe('C-40: a link', () => {
  test('is used up neither by viewing it nor by a form of another site', async () => {
    const url = await newcomerLink();
    for (const method of ['GET', 'HEAD'])
      expect((await fetch(url, { method, headers: { purpose: 'prefetch' } })).status).toBe(200);
    expect((await request(url, { 'sec-fetch-site': 'cross-site' }, {})).status).toBe(403);
    const { headers, form } = await shown(url);
    const other = await shown(url);
    for (const forged of [{}, other.form]) expect((await request(url, headers, forged)).status).toBe(403);
    expect((await request(url, OWN_PAGE, form)).status).toBe(403);
    const used = await request(url, headers, form);
    expect([used.status, used.headers.get('location')]).toEqual([303, '/console']);
    expect((await request(url, headers, form)).status).toBe(404);
  });

  test('that is wrong says so as a page, which no frame and no cache keeps', async () => {
    const answer = await request(`${app.baseUrl}/console/link/${'x'.repeat(43)}`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*frame-ancestors 'none'/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('can be attempted a few times by one address, and then not for a while', async () => {
    const limited = await startApp(app.database, 0, { authFailureLimit: { perSecond: 0.001, burst: 60 } });
    try {
      const statuses: number[] = [];
      for (let i = 0; i < 25; i++)
        statuses.push((await request(`${limited.publicUrl}/console/link/${'x'.repeat(43)}`)).status);
      expect(statuses.slice(0, 15)).toEqual(Array(15).fill(404));
      expect(statuses.at(-1)).toBe(429);
      // Another process has none left for it either, and says when.
      const second = await startApp(app.database, 0, { authFailureLimit: { perSecond: 0.01, burst: 60 } });
      const refused = await request(`${second.publicUrl}/console/link/${'x'.repeat(43)}`);
      await second.close();
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      // Somebody else behind the same address, who is known by the link, comes in.
      const path = new URL(await newcomerLink()).pathname;
      expect((await request(`${limited.publicUrl}${path}`)).status).toBe(200);
    } finally {
      await limited.close();
    }
  });
});

test('C-40: a browser in which a person signed in starts again whatever others behind its address do', async () => {
  const limited = await startApp(app.database, 0, { authFailureLimit: { perSecond: 0.001, burst: 60 } });
  try {
    const path = new URL(await newcomerLink()).pathname;
    const { headers, form } = await shown(`${limited.publicUrl}${path}`);
    const cookies = (await request(`${limited.publicUrl}${path}`, headers, form)).headers.getSetCookie();
    const device = cookies.map((each) => each.split(';')[0] ?? '').find((each) => each.startsWith('device='));
    const startWith = async (cookie?: string) => {
      const answer = await fetch(`${limited.publicUrl}/console/passkeys/sign-in/options`, {
        method: 'POST',
        headers: { ...OWN_PAGE, 'content-type': 'application/json', ...(cookie && { cookie }) },
        body: '{}',
      });
      return answer.status;
    };
    // More than what the address gets back meanwhile, and less than a share of one's own.
    const startMany = (cookie?: string) => Promise.all(Array.from({ length: 100 }, () => startWith(cookie)));
    const flood = new Set<number>();
    for (let batch = 0; batch < 20 && !flood.has(429); batch += 1)
      for (const status of await startMany()) flood.add(status);
    expect(flood).toContain(429);
    expect(await startMany(device)).not.toContain(429);
    expect(await startMany(`${device}x`)).toContain(429);
    expect(await startMany('device=s1.000000000000.AAAA')).toContain(429);
  } finally {
    await limited.close();
  }
});

describe('C-40: a form of a person', () => {
  test('needs the token of its session, and nothing happens without it', async () => {
    const shop = await app.addAccount();
    const person = await signInAs(app, shop.accountId, { email: newEmail(), role: 'viewer' });
    const signOut = (headers: Record<string, string>, csrf: string) =>
      request(`${app.baseUrl}/console/sign-out`, { ...person.headers, ...headers }, { csrf });
    expect((await signOut({}, '')).status).toBe(403);
    expect((await signOut({}, formToken('another'))).status).toBe(403);
    expect((await signOut({ 'sec-fetch-site': 'cross-site' }, formToken(person.token))).status).toBe(403);
    expect((await person.graphql('{ viewer { scopes } }')).status).toBe(200);
    const out = await signOut({}, formToken(person.token));
    expect([out.status, out.headers.get('location')]).toEqual([303, '/console/sign-in']);
    expect((await person.graphql('{ viewer { scopes } }')).status).toBe(401);
  });

  test('that names an account in which the person has no role finds nothing', async () => {
    const shop = await app.addAccount();
    const person = await signInAs(app, shop.accountId, { email: newEmail(), role: 'owner' });
    for (const accountId of [String(app.accountId), '0', 'x', '99999999999999999999']) {
      const form = { csrf: formToken(person.token), accountId };
      expect((await request(`${app.baseUrl}/console/account`, person.headers, form)).status).toBe(404);
    }
  });
});
