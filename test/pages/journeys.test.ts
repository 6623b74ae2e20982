/**
 * Goal: whatever happens to a payment, its page says so, honestly, in both languages, to everybody. Method: every journey in a
 * real browser at 360 px, live; axe in light and dark; nothing sticks out from 320 px up, and those that look different on a desktop
 * pass axe there. `SCREENSHOTS=1` writes docs/pages: English in light, Portuguese in dark.
 */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Label } from '../../src/base/text/label.ts';
import { useApp } from '../support/app.ts';
import { axeViolations } from '../support/axe.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { newCpf } from '../walk/walker.ts';
import { JOURNEYS, type Journey, NEW_CPF } from './journeys.ts';
import { advanceClock, make, mutate, type Session, seeTitle, textOf, trigger } from './sessions.ts';

const app = useApp();
const browser = useBrowser();
const PICTURES = fileURLToPath(new URL('../../docs/pages/', import.meta.url));

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
    expect(await axeViolations(page, 'colours')).toEqual([]);
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

async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}${name}.png`, fullPage: true });
}
