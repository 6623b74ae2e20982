/**
 * Goal: whatever happens to a payment, its page says so, honestly, in both languages, to everybody. Method: every journey in a
 * real browser at 360 px, live; axe in light and dark; nothing sticks out from 320 px up, and those that look different on a desktop
 * pass axe there. `SCREENSHOTS=1` writes docs/pages: English in light, Portuguese in dark.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Label } from '../../src/base/text/label.ts';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { newCpf } from '../walk/walker.ts';
import { JOURNEYS, type Journey, NEW_CPF } from './journeys.ts';
import { advanceClock, make, mutate, type Session, seeTitle, textOf, trigger } from './sessions.ts';

const app = useApp();
const browser = useBrowser();
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PICTURES = fileURLToPath(new URL('../../docs/pages/', import.meta.url));

/** What depends on colours, and with them on whether it is light or dark. */
const OF_COLOURS = "{ runOnly: { type: 'rule', values: ['color-contrast'] } }";

/** Journeys that are pictured on a desktop, too. */
const WIDE = ['payment', 'paid', 'underpaid', 'deposit', 'identity-wrong'];

const LANGUAGES = [
  ['en', 'en-US'],
  ['pt', 'pt-BR'],
] as const;

describe.runIf(hasBrowser).each(LANGUAGES)('in %s', (language, locale) => {
  test.each(JOURNEYS)('$name', async (journey) => {
    const session = await begin(journey);
    // axe is put into the page, which its policy does not allow: safety.test.ts looks at the policy.
    const page = await browser.open(session.link, { locale, bypassCSP: true });
    await page.evaluate(AXE);
    const translate = (text: Label) => text[language];
    const title = (text: Label) => seeTitle(page, translate(text));
    await journey.play?.({
      page,
      say: translate,
      title,
      trigger: (scenario) => trigger(app, session, scenario),
      advanceClock: (by) => advanceClock(app, by),
    });
    await title(journey.title);
    const text = await textOf(page, '.split');
    for (const said of journey.says ?? []) expect(text).toContain(translate(said));
    expect(await page.getAttribute('html', 'lang')).toBe(language === 'pt' ? 'pt-BR' : 'en');
    const [own, other] = language === 'pt' ? (['dark', 'light'] as const) : (['light', 'dark'] as const);
    await page.emulateMedia({ colorScheme: other });
    expect(await axeViolations(page, OF_COLOURS)).toEqual([]);
    await page.emulateMedia({ colorScheme: own });
    expect(await axeViolations(page)).toEqual([]);
    await picture(page, `${journey.name}-${language}`);
    for (const width of [320, 768, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
    if (WIDE.includes(journey.name)) {
      expect(await axeViolations(page)).toEqual([]);
      await picture(page, `${journey.name}-wide-${language}`);
    }
    expect(page.problems.filter((problem) => !/status of 4\d\d/.test(problem))).toEqual([]);
    await page.context().close();
  });
});

/** Begins a journey with somebody new: a customer has limits. */
async function begin({ given: { path, body } }: Journey): Promise<Session> {
  const text = JSON.stringify(body).replaceAll(`"${NEW_CPF}"`, () => `"${newCpf()}"`);
  return path.startsWith('/') ? make(app, path, JSON.parse(text)) : mutate(app, path, JSON.parse(text));
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

async function axeViolations(page: Page, options = '{}'): Promise<string[]> {
  // A page that was loaded anew by a form has it no more.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE);
  const { violations } = (await page.evaluate(`axe.run(document, ${options})`)) as {
    violations: readonly Violation[];
  };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}${name}.png`, fullPage: true });
}
