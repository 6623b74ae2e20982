/** A real browser for the tests of a file. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';

/** What a page is opened with. */
export interface Visit extends BrowserContextOptions {
  /** Nothing but the gateway may be asked; what else is asked for is noted here. */
  readonly strangers?: string[];
  /** Done before the page is asked for. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/** The browser. */
export interface TestBrowser {
  /** Opens a page of its own: no cookies, 360 × 740, English. What goes wrong on it is collected. */
  readonly open: (url: string, visit?: Visit) => Promise<Page & { readonly problems: string[] }>;
}

// A sandbox of its own needs rights that a container does not have; and it looks for nothing elsewhere.
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Whether there is a browser on this machine. */
export const hasBrowser = inject('chromium') !== null;

/**
 * Starts the browser before the tests of the file and ends it after them; pages are closed after each test, unless they are kept
 * for all of them.
 */
export function useBrowser({ keepsPages = false } = {}): TestBrowser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    const found = inject('chromium');
    if (!found) return;
    const { executablePath, env } = found;
    browser = await chromium.launch({ executablePath, args: ARGS, env: { ...process.env, ...env } as never });
  });
  afterEach(async () => {
    if (keepsPages) return;
    for (const context of browser?.contexts() ?? []) await context.close();
  });
  afterAll(async () => {
    await browser?.close();
  });
  return {
    open: async (url, { strangers, prepare, ...options } = {}) => {
      if (!browser) throw new Error('there is no browser');
      const viewport = { width: 360, height: 740 };
      const context = await browser.newContext({ locale: 'en', viewport, ...options });
      const page = Object.assign(await context.newPage(), { problems: [] as string[] });
      page.on('pageerror', (error) => page.problems.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') page.problems.push(message.text());
      });
      const { origin } = new URL(url);
      page.on('request', (request) => {
        if (new URL(request.url()).origin !== origin) strangers?.push(request.url());
      });
      await prepare?.(page);
      await page.goto(url);
      return page;
    },
  };
}
