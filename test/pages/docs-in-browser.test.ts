/**
 * Goal: the first page, the documents and GraphiQL are usable in a real browser. Method: axe at three widths in light and
 * dark; nothing sticks out; GraphiQL runs an operation with a key that was typed in, or for who is signed in, and asks nobody else.
 * `SCREENSHOTS=1` writes docs/pages/site-*.png.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { axeViolations } from '../support/axe.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { signIn } from '../support/console.ts';
import { signInAs } from '../support/people.ts';

const app = useApp();
const browser = useBrowser();
const PAGES = {
  home: '/',
  guide: '/docs/rest-v2',
  reference: '/docs/api/rest',
  search: '/docs/search?q=refund',
};
/** Dark pages differ by their colours alone, so one width and the rules of colours are enough. */
const WIDTHS = { light: [390, 768, 1440], dark: [1440] };

describe.skipIf(!hasBrowser)('the site', () => {
  test.each(Object.entries(PAGES))(
    '%s can be read by everybody, at every width',
    async (name, path) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await browser.open(app.baseUrl + path, { colorScheme, bypassCSP: true });
        for (const width of WIDTHS[colorScheme]) {
          await page.setViewportSize({ width, height: 900 });
          const found = await axeViolations(page, colorScheme === 'light' ? 'all' : 'colours');
          expect(found, `${name} ${colorScheme} ${width}`).toEqual([]);
          const isWider = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
          expect(isWider, `${name} sticks out at ${width}`).toBe(false);
          if (process.env.SCREENSHOTS && colorScheme === 'light' && width !== 768) {
            const file = `../../docs/pages/site-${name}-${width}.png`;
            await page.screenshot({ path: fileURLToPath(new URL(file, import.meta.url)) });
          }
        }
        expect(page.problems).toEqual([]);
      }
    },
    // The reference is long: axe reads it four times.
    240_000,
  );

  test('C-40: GraphiQL opens immediately for a signed-in person, with the rights of the session', async () => {
    const person = await signInAs(app, app.accountId, { email: 'rita@graphiql.invalid', role: 'viewer' });
    const refused: string[] = [];
    const page = await browser.open(`${app.baseUrl}/graphql`, {
      viewport: { width: 1280, height: 800 },
      prepare: async (made) => {
        await signIn(made.context(), app, person);
        made.on('response', (answer) => {
          if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
        });
      },
    });
    await page.getByRole('tab').nth(4).waitFor({ timeout: 30_000 });
    expect(await page.getByLabel('Or with an API key').isVisible()).toBe(false);
    await page.locator('.graphiql-execute-button').click();
    await expect
      .poll(() => page.locator('.result-window').innerText(), { timeout: 20_000 })
      .toContain('balances');
    expect(refused).toEqual([]);
  }, 90_000);

  test('GraphiQL asks for a key first, then runs an operation with it, and requests nothing from other hosts', async () => {
    const strangers: string[] = [];
    const refused: string[] = [];
    const page = await browser.open(`${app.baseUrl}/graphql`, {
      strangers,
      viewport: { width: 1280, height: 800 },
      prepare: async (made) => {
        made.on('response', (answer) => {
          if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
        });
      },
    });
    await page.getByLabel('Or with an API key').fill(app.apiKey);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('tab').nth(4).waitFor({ timeout: 30_000 });
    expect(
      await page.getByRole('tab', { name: /Overview|MakeCheckout|Follow|Statement|Quote/ }).count(),
    ).toBe(5);
    await page.locator('.graphiql-execute-button').click();
    await page.getByText('totalCount', { exact: false }).last().waitFor({ timeout: 30_000 });
    await expect
      .poll(() => page.locator('.result-window').innerText(), { timeout: 20_000 })
      .toContain('balances');
    expect(strangers.filter((url) => !/^(data|blob):/.test(url))).toEqual([]);
    expect(refused).toEqual([]);

    // A second visit finds the tabs as they were left, and no empty one beside them.
    await page.goto(`${app.baseUrl}/graphql`);
    await page.getByLabel('Or with an API key').fill(app.apiKey);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('tab').nth(4).waitFor({ timeout: 30_000 });
    expect(await page.locator('.graphiql-tab-button').allInnerTexts()).toHaveLength(5);
    expect(await page.locator('.graphiql-tab-active').innerText()).toContain('Overview');
  }, 90_000);
});
