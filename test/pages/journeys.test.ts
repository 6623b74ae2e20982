/**
 * Goal: whatever happens to a payment, its page says so, honestly, in both languages, to everybody. Method: every journey in a
 * real browser at 360 px, live; axe in light and dark; nothing sticks out from 320 px up. `SCREENSHOTS=1` writes docs/pages:
 * English in light, Portuguese in dark.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Label } from '../../src/base/label.ts';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { newCpf } from '../walk/walker.ts';
import { JOURNEYS, type Journey, NEW_CPF } from './journeys.ts';

const app = useApp();
const browser = useBrowser();
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PICTURES = fileURLToPath(new URL('../../docs/pages/', import.meta.url));

const LANGUAGES = [
  ['en', 'en-US'],
  ['pt', 'pt-BR'],
] as const;

describe.runIf(hasBrowser).each(LANGUAGES)('in %s', (language, locale) => {
  test.each(JOURNEYS)('$name', async (journey) => {
    const { link, end2end } = await begin(journey);
    // axe is put into the page, which its policy does not allow: safety.test.ts looks at the policy.
    const page = await browser.open(link, { locale, bypassCSP: true });
    await page.evaluate(AXE);
    const say = (text: Label) => text[language];
    const title = (text: Label) => seeTitle(page, say(text));
    await journey.play?.({
      page,
      say,
      title,
      trigger: (scenario, amount) => act('/v2/sandbox/trigger', { scenario, end2end, amount }),
      advanceClock: (by) => act('/v2/sandbox/clock', { advance: by }),
    });
    await title(journey.title);
    const text = await page.innerText('main');
    for (const said of journey.says ?? []) expect(spaced(text)).toContain(say(said));
    expect(await page.getAttribute('html', 'lang')).toBe(language === 'pt' ? 'pt-BR' : 'en');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeViolations(page)).toEqual([]);
      if ((language === 'pt') === (colorScheme === 'dark'))
        await picture(page, `${journey.name}-${language}`);
    }
    for (const width of [320, 1_280]) {
      await page.setViewportSize({ width, height: 740 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
    expect(page.problems.filter((problem) => !/status of 4\d\d/.test(problem))).toEqual([]);
    await page.context().close();
  });
});

async function begin({ given }: Journey): Promise<{ link: string; end2end: string }> {
  const { path } = given;
  const body = JSON.parse(JSON.stringify(given.body).replaceAll(`"${NEW_CPF}"`, `"${newCpf()}"`));
  if (path.startsWith('/')) {
    const { json } = await app.post(path, body);
    return { end2end: json.end2end, link: json.payment_link ?? (await linkOf(json.end2end)) };
  }
  const type = `${path[0]?.toUpperCase()}${path.slice(1)}Input`;
  const { json } = await app.graphql(
    `mutation ($input: ${type}!) { ${path}(input: $input) { transaction { end2end payment { link } } } }`,
    { input: body },
  );
  const { end2end, payment } = json.data[path].transaction;
  return { end2end, link: payment.link };
}

async function linkOf(end2end: string): Promise<string> {
  const { json } = await app.graphql(
    'query ($id: String!) { transaction(end2end: $id) { payment { link } } }',
    {
      id: end2end,
    },
  );
  return json.data.transaction.payment.link;
}

async function act(path: string, body: object): Promise<void> {
  const { status, text } = await app.post(path, body);
  expect([status, text]).toEqual([200, expect.anything()]);
}

async function seeTitle(page: Page, title: string): Promise<void> {
  await page.locator('h1', { hasText: title }).waitFor();
}

/** Intl writes amounts with spaces that do not break. */
function spaced(text: string): string {
  return text.replaceAll(/[\u00a0\u202f]/g, ' ');
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

async function axeViolations(page: Page): Promise<string[]> {
  // A page that was loaded anew by a form has it no more.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE);
  const { violations } = (await page.evaluate('axe.run(document)')) as { violations: readonly Violation[] };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}${name}.png`, fullPage: true });
}
