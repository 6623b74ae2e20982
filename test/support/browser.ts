/** A real browser for the tests of a file. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import type { Chromium } from './chromium.ts';

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

let launched: Promise<Browser> | undefined;

/**
 * @returns the browser of this process, for all test files that run in it: each start costs a second of CPU. Files share
 *   nothing in it, since every page has a context of its own. It ends with the process.
 */
async function sharedBrowser({ executablePath, env }: Chromium): Promise<Browser> {
  const before = await launched?.catch(() => undefined);
  if (before?.isConnected()) return before;
  launched = chromium.launch({ executablePath, args: ARGS, env: { ...process.env, ...env } as never });
  return launched;
}

/** Whether there is a browser on this machine. */
export const hasBrowser = inject('chromium') !== null;

/**
 * Has the browser ready before the tests of the file. Pages are closed after each test, or with `keepsPages` after the last.
 */
export function useBrowser({ keepsPages = false } = {}): TestBrowser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    const found = inject('chromium');
    if (found) browser = await sharedBrowser(found);
  });
  const closePages = async () => {
    for (const context of browser?.contexts() ?? []) await context.close();
  };
  if (!keepsPages) afterEach(closePages);
  afterAll(closePages);
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
