/**
 * C-10: a list of a million is one that people can look through: its total is exact, its pages have numbers, any of them
 * opens, and filters and ways back lead where they say. Method: Chromium on an account that SQL fills, each page beside what the
 * table has at its place. LIST_ROWS=1000000 fills it whole; without that it has a few thousand.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { fillAccount } from '../../bench/fill-account.ts';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { signIn } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

/** No whole number of pages: the last one is shorter. */
const ROWS = Number(process.env.LIST_ROWS ?? 3_010);
const PAGE = 25;
const MIDDLE = Math.ceil(ROWS / PAGE / 2);
const LIST = '/console/transactions';

const app = useApp();
const browser = useBrowser();
let accountId: string;
let owner: SignedInForTest;

beforeAll(async () => {
  const client = await app.owner.connect();
  try {
    await client.query(`set timezone = 'UTC'; set work_mem = '256MB'`);
    const id = await fillAccount(client, app.database, 'long-list', ROWS);
    await client.query('analyze');
    accountId = String(id);
    owner = await signInAs(app, id, { email: 'rita@long.invalid', role: 'owner' });
  } finally {
    client.release(true);
  }
}, 3_600_000);

/** What the table has at a place of the list, newest first, and how many in all. */
async function expected(page: number, where = 'true') {
  const own = `from transaction where account_id = ${accountId} and ${where}`;
  const { rows: counted } = await app.owner.query(`select count(*)::int as total ${own}`);
  const { rows } = await app.owner.query(
    `select end2end ${own} order by created_at desc, end2end desc limit ${PAGE} offset ${(page - 1) * PAGE}`,
  );
  const total: number = counted[0].total;
  return { rows: rows.map(({ end2end }) => end2end as string), total, pages: Math.ceil(total / PAGE) };
}

/** How a size of the screen, in its language, shows a page of the list. */
interface View {
  readonly page: Page;
  readonly locale: string;
}

/** Compares what is shown with what the table has at that place; nothing is pushed sideways. */
async function expectShown({ page, locale }: View, number: number, where?: string): Promise<void> {
  const { rows, total, pages } = await expected(number, where);
  expect(rows.length).toBeGreaterThan(0);
  const written = (value: number) => value.toLocaleString(locale);
  const shown = await page
    .locator('[data-row]')
    .evaluateAll((all) => all.map((each) => each.getAttribute('data-row')));
  expect(shown).toEqual(rows);
  expect(await page.locator('[data-live="totals"] b').innerText()).toBe(written(total));
  const before = (number - 1) * PAGE;
  const range = `${written(before + 1)}–${written(before + rows.length)}`;
  const of = locale === 'en' ? 'of' : 'de';
  const pager = page.locator(`nav[aria-label="${locale === 'en' ? 'Pages' : 'Páginas'}"]`);
  if (pages > 1 || (await pager.count()) > 0)
    expect(await pager.innerText()).toContain(`${range} ${of} ${written(total)}`);
  if (pages > 1) {
    expect(await pager.locator('[aria-current="page"]').textContent()).toBe(written(number));
    expect(await pager.locator('input[name="page"]').getAttribute('max')).toBe(String(pages));
  }
  expect(await pager.locator('[rel="prev"]').count()).toBe(number > 1 ? 1 : 0);
  expect(await pager.locator('[rel="next"]').count()).toBe(number < pages ? 1 : 0);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
}

/** Goes to a page by the field for its number. */
async function goTo({ page }: View, number: number): Promise<void> {
  const field = page.locator('.go-to input[name="page"]');
  await field.fill(String(number));
  await field.press('Enter');
  await page.waitForURL((url) => url.searchParams.get('page') === String(number));
}

const paramsOf = ({ page }: View) => Object.fromEntries(new URL(page.url()).searchParams);

const VIEWS = [
  ['a desk', 'en', 1440, 900],
  ['a phone', 'pt-BR', 390, 844],
] as const;

describe.runIf(hasBrowser).each(VIEWS)('on %s, in %s', (_where, locale, width, height) => {
  const open = async (path: string) => {
    const page = await browser.open(app.baseUrl + path, {
      locale,
      viewport: { width, height },
      prepare: (each) => signIn(each.context(), app, owner),
    });
    return { page, locale };
  };

  test('the list opens at its first page, in its middle and at its end, and leads back', async () => {
    const view = await open(LIST);
    const { pages } = await expected(1);
    await expectShown(view, 1);
    await goTo(view, MIDDLE);
    await expectShown(view, MIDDLE);
    await view.page.locator('[rel="next"]').click();
    await view.page.waitForURL(/after=/);
    await expectShown(view, MIDDLE + 1);
    await goTo(view, pages);
    await expectShown(view, pages);
    await view.page.locator('[rel="prev"]').click();
    await view.page.waitForURL(/before=/);
    await expectShown(view, pages - 1);
    await view.page.goBack();
    await expectShown(view, pages);
    expect(view.page.problems).toEqual([]);
  });

  test('a filter begins at its own first page; a record leads back to its page of the list', async () => {
    const view = await open(`${LIST}?page=${MIDDLE}`);
    await view.page.locator('.seg a[href$="family=OFFRAMPS"]').click();
    await view.page.waitForURL(/family=OFFRAMPS/);
    expect(paramsOf(view)).toEqual({ family: 'OFFRAMPS' });
    const where = `family = 'offramps'`;
    const { pages, rows } = await expected(1, where);
    expect(rows.length).toBe(PAGE);
    await expectShown(view, 1, where);
    await goTo(view, pages);
    expect(paramsOf(view)).toEqual({ family: 'OFFRAMPS', page: String(pages) });
    await expectShown(view, pages, where);
    await view.page.locator('[data-row] a').first().click();
    await view.page.waitForURL(/\/transactions\/CRX/);
    await view.page.goBack();
    await expectShown(view, pages, where);
    await view.page.goBack();
    await expectShown(view, 1, where);
    await view.page.goBack();
    await expectShown(view, MIDDLE);
    expect(view.page.problems).toEqual([]);
  });

  test('one order among all is found by its number, and removing the filter shows the whole list again', async () => {
    const { rows } = await app.owner.query(
      `select external_code from transaction where account_id = $1 and external_code is not null order by id limit 1`,
      [accountId],
    );
    const order: string = rows[0].external_code;
    const view = await open(`${LIST}?page=${MIDDLE}`);
    await view.page.locator('[popovertarget="filter"]').click();
    await view.page.locator('#filter [name="externalCode"]').fill(order);
    await view.page.locator('#filter [name="externalCode"]').press('Enter');
    await view.page.waitForURL(/externalCode=/);
    await expectShown(view, 1, `external_code = '${order}'`);
    await view.page.locator('a.chip, .chip a').first().click();
    await view.page.waitForURL((url) => !url.searchParams.has('externalCode'));
    await expectShown(view, 1);
    expect(view.page.problems).toEqual([]);
  });
});
