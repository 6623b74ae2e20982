/**
 * Goal: the console in a real browser: every screen fits a phone, a tablet and a laptop, passes axe, asks nobody else, works
 * without script, and shows with script what happens meanwhile. Method: Chromium on the real application; pictures into
 * docs/console with SCREENSHOTS=1.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser, type Visit } from '../support/browser.ts';
import { signIn } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const PICTURES = fileURLToPath(new URL('../../docs/console/', import.meta.url));
/** Pictures that docs/console.md shows. */
const KEPT = [
  'today-desk',
  'transactions-desk',
  'transactions-phone',
  'transaction-phone',
  'transaction-desk-dark',
  'statement-desk',
];
const SIZES = { phone: [390, 844], tablet: [768, 1024], desk: [1440, 900] } as const;

const app = useApp();
const browser = useBrowser();
let owner: SignedInForTest;
let paid: string;

const CREATE = `mutation ($order: String!) { createCheckout(input: { currency: "USDT_TRX", amountPayment: "150.00",
  externalCode: $order, clientName: "Maria Souza Prado", clientTaxId: "52998224725" }) { transaction { end2end } } }`;
const PAY = 'mutation ($end2end: String!) { sandboxTrigger(end2end: $end2end, scenario: PAY) { end2end } }';
const STATUS = 'query ($end2end: String!) { transaction(end2end: $end2end) { statusCode } }';

async function createCheckout(order: string): Promise<string> {
  const { json } = await app.graphql(CREATE, { order });
  return json.data.createCheckout.transaction.end2end;
}

beforeAll(async () => {
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  for (let order = 10_470; order < 10_482; order++) await createCheckout(String(order));
  paid = await createCheckout('10482');
  await app.graphql(PAY, { end2end: paid });
  // What is looked at stands still: nothing is swapped while axe reads.
  const status = async () => (await app.graphql(STATUS, { end2end: paid })).json.data.transaction.statusCode;
  await vi.waitFor(async () => expect(await status()).toBe('SUCCESS'), { timeout: 15_000 });
});

const open = (path: string, visit: Visit = {}): Promise<Page & { readonly problems: string[] }> =>
  browser.open(app.baseUrl + path, { ...visit, prepare: (page) => signIn(page.context(), app, owner) });

const SCREENS: Readonly<Record<string, () => string>> = {
  today: () => '/console',
  transactions: () => '/console/transactions',
  transaction: () => `/console/transactions/${paid}`,
  statement: () => '/console/statement',
  approvals: () => '/console/approvals',
  whitelist: () => '/console/whitelist',
  new: () => '/console/new',
  developers: () => '/console/developers',
  search: () => '/console/search?q=10482',
  events: () => '/console/events',
  people: () => '/console/people',
  audit: () => '/console/audit',
  code: () => '/console/transactions?code=graphql',
};

describe.skipIf(!hasBrowser)('every screen', () => {
  test.each(Object.entries(SCREENS))(
    '%s fits each size, passes axe and asks nobody else',
    async (name, path) => {
      const strangers: string[] = [];
      const page = await open(path(), { strangers });
      for (const [size, [width, height]] of Object.entries(SIZES))
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height });
          await page.emulateMedia({ colorScheme });
          await picture(page, `${name}-${size}${colorScheme === 'dark' ? '-dark' : ''}`);
          const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          expect([size, overflow]).toEqual([size, 0]);
          expect([size, colorScheme, await violations(page)]).toEqual([size, colorScheme, []]);
        }
      expect(strangers).toEqual([]);
      expect(page.problems).toEqual([]);
    },
    60_000,
  );
});

async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE);
  const { violations } = (await page.evaluate('axe.run(document)')) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS || !KEPT.includes(name)) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}${name}.png`, fullPage: false });
}

test('budgets: a first page is 40 kB at most with all its files, a later one 15 kB', async () => {
  const page = await fetch(`${app.baseUrl}/console/transactions`, { headers: owner.headers });
  const html = await page.text();
  const files = [...html.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map((match) => match[1]);
  expect(files).toHaveLength(2);
  const sizes = await Promise.all(
    files.map(async (path) => gzipSync(await (await fetch(app.baseUrl + path)).text()).length),
  );
  const own = gzipSync(html).length;
  expect(own).toBeLessThan(15_000);
  expect(own + sizes.reduce((left, right) => left + right, 0)).toBeLessThan(40_000);
});
